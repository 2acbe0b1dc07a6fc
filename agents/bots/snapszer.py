"""The greedy bot of Snapszer: it values every card it may play, and plays the one worth most.

The value of a card is a sum of considerations (`considerations`), in card points: what the trick is
likely to bring, what the lead is worth, what the card would be worth in the hand, the marriage that
it scores, and whether it decides the deal. Two actions stand outside the sum: the exchange is
always made, and the talon is closed when the tricks that cannot be lost count to 66. The bot looks
one trick ahead, searches nothing and remembers nothing; it uses only what its seat may know
(`snapszer_sight.py`).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax.numpy as jnp
from jax import Array

from talonax.agents.bots import snapszer_sight as sight
from talonax.agents.bots.choice import Scorer
from talonax.agents.bots.snapszer_sight import Pack, Sight
from talonax.configs.snapszer.schema import Rules
from talonax.envs import tricks
from talonax.envs.planes import SUITS
from talonax.envs.snapszer.state import KING, POINTS, QUEEN, SIXTY_SIX, Sizes, SnapszerState

#: In card points: the exchange comes first, then what is sure to win, then what may win or lose.
EXCHANGE, SURE, DEAL = 4000.0, 2000.0, 1000.0


class Weights(NamedTuple):
    """What a consideration is worth, in card points.

    Found by random search: mean game points against a random player that never closes, and against
    earlier weights. A trump in hand is worth more than most tricks: that keeps trumps for points.

    Attributes:
      trumps: keeping a trump, by rank from the ace down.
      plain: keeping any other card, likewise.
      strict: the same in the strict phase, as a part of that.
      pair: keeping K and Q together, as a part of their marriage's worth.
      half: keeping one of them while the other may still come, likewise.
      gift: points of the card that the opponent gives to a lead that holds.
      beater: points of the card with which he takes one, and what his lead then costs.
      lead: having the lead.
      strict_lead: having it in the strict phase.
      pair_lead: having it with a marriage in hand, as a part of its worth.
      willing: how often the opponent takes a trick that he can but need not take.
    """

    trumps: tuple[float, ...] = (32.0, 19.0, 19.0, 17.5, 16.0, 12.0)
    plain: tuple[float, ...] = (6.0, 3.0, 2.0, 1.5, 0.0, 0.0)
    strict: float = 1.3
    pair: float = 0.25
    half: float = 0.12
    gift: float = 6.0
    beater: float = 13.0
    lead: float = 2.0
    strict_lead: float = 7.5
    pair_lead: float = 0.45
    willing: float = 0.6


WEIGHTS = Weights()


@dataclass(frozen=True)
class Greedy(Scorer):
    """Plays the legal action of the highest score.

    Attributes:
      weights: what each consideration is worth.
    """

    game: ClassVar[str] = "snapszer"

    weights: Weights = WEIGHTS

    def scores(self, env: Any, state: SnapszerState) -> Array:
        """Return float32[num_actions]: what each action is worth, legal or not."""
        return scores(self.weights, env.rules, env.sizes, state)


def scores(weights: Weights, rules: Rules, sizes: Sizes, state: SnapszerState) -> Array:
    """Return float32[actions]: what each action is worth to the seat to move, legal or not."""
    pack, seen = sight.pack_of(sizes), sight.look(rules, sizes, state)
    closes = jnp.where(counts_out(rules, pack, seen), SURE, -SURE)
    special = jnp.stack([jnp.float32(EXCHANGE), closes])
    marriage = sight.marriage_scored(rules, pack, seen)
    scored = value(weights, rules, pack, seen, marriage)
    if rules.marriage_declare != "optional":
        return jnp.concatenate([scored, special])
    plainly = value(weights, rules, pack, seen, jnp.zeros_like(marriage))
    declares = scored.reshape(SUITS, -1)[:, KING : QUEEN + 1].reshape(-1)
    return jnp.concatenate([plainly, special, declares])


def value(weights: Weights, rules: Rules, pack: Pack, seen: Sight, marriage: Array) -> Array:
    """Return float32[cards]: what playing each card is worth, `marriage` being what it scores."""
    total = jnp.zeros_like(marriage)
    for each in considerations(weights, rules, pack, seen, marriage).values():
        total = total + each
    return total


def considerations(
    weights: Weights, rules: Rules, pack: Pack, seen: Sight, marriage: Array
) -> dict[str, Array]:
    """Return float32[cards] each: what speaks for a card, and what against it, by name.

    Args:
      weights: what each consideration is worth.
      rules: the rules.
      pack: the cards.
      seen: what the seat knows.
      marriage: float32[cards], the marriage that playing the card scores.
    """
    trick = expected_trick(weights, pack, seen)
    return {
        "wins points": trick.won * trick.gain,
        "loses points": -(1 - trick.won) * trick.loss,
        "has the lead": trick.won * lead_value(weights, rules, pack, seen),
        "leaves the hand": -hand_value(weights, pack, seen),
        "breaks a pair": -pair_value(weights, pack, seen, marriage),
        "scores a marriage": marriage,
        "decides the deal": DEAL * deal_decided(seen, trick, marriage),
        "wins at once": SURE * wins_at_once(rules, seen, marriage),
        "carries out the count": SURE * counted_out(rules, pack, seen),
    }


# The trick --------------------------------------------------------------------------------------


class Trick(NamedTuple):
    """What becomes of the trick, by the card played to it.

    Attributes:
      won: float32[cards], the chance to win it.
      gain: float32[cards], its points if so.
      loss: float32[cards], its points if not.
    """

    won: Array
    gain: Array
    loss: Array


def expected_trick(weights: Weights, pack: Pack, seen: Sight) -> Trick:
    """Return what becomes of the trick: certain for a reply, likely for a lead."""
    led_points = jnp.where(pack.numbers == seen.led, pack.points, 0.0).sum()
    wins = tricks.beats(pack.order, pack.numbers, seen.led, seen.trump).astype(jnp.float32)
    gift, beater = answers(weights, pack, seen)
    return Trick(
        won=jnp.where(seen.leads, lead_holds(weights, pack, seen), wins),
        gain=pack.points + jnp.where(seen.leads, gift, led_points),
        loss=pack.points + jnp.where(seen.leads, beater, led_points),
    )


def lead_holds(weights: Weights, pack: Pack, seen: Sight) -> Array:
    """Return float32[cards]: the chance that the card, led, wins the trick."""
    no_higher, no_suit = sight.lacks(seen, pack.stronger), sight.lacks(seen, pack.suit)
    no_trump = jnp.where(sight.trumps(pack, seen), 1.0, sight.lacks(seen, seen.trumps))
    by_duty = jnp.maximum(no_higher - no_suit * (1 - no_trump), 0.0)
    by_choice = 1 - weights.willing * (1 - no_higher * no_trump)
    return jnp.where(seen.strict, by_duty, by_choice)


def answers(weights: Weights, pack: Pack, seen: Sight) -> tuple[Array, Array]:
    """Return float32[cards] each: points of the reply that loses to each lead, and that beats it.

    In the strict phase duties leave the opponent little choice: the fewest, and the most.
    """
    follows = pack.suit & ~pack.stronger & seen.may
    gives = jnp.where(follows != 0, follows, seen.may)
    heads = pack.stronger & seen.may
    takes = jnp.where(heads != 0, heads, seen.trumps & seen.may)
    fewest, most = jnp.float32(0), jnp.float32(0)
    for points in sorted(set(POINTS)):
        there = sight.cards_worth(pack, points)
        most = jnp.where(takes & there != 0, float(points), most)
    for points in sorted(set(POINTS), reverse=True):
        there = sight.cards_worth(pack, points)
        fewest = jnp.where(gives & there != 0, float(points), fewest)
    gift = jnp.where(seen.strict, fewest, weights.gift)
    return gift, jnp.where(seen.strict, most, weights.beater)


def lead_value(weights: Weights, rules: Rules, pack: Pack, seen: Sight) -> Array:
    """Return float32[cards]: what the next lead is worth to the hand that the card leaves."""
    lead = jnp.where(seen.strict, weights.strict_lead, weights.lead)
    may_score = ~seen.strict | rules.marriage_when_strict
    return lead + jnp.where(may_score, weights.pair_lead * sight.pairs_left(pack, seen), 0.0)


# The hand ---------------------------------------------------------------------------------------


def hand_value(weights: Weights, pack: Pack, seen: Sight) -> Array:
    """Return float32[cards]: what the card is worth if kept, by its rank."""
    trumps, plain = _by_card(weights.trumps, pack), _by_card(weights.plain, pack)
    by_rank = jnp.where(sight.trumps(pack, seen), trumps, plain)
    return jnp.where(seen.strict, weights.strict, 1.0) * by_rank


def _by_card(by_rank: tuple[float, ...], pack: Pack) -> Array:
    ranks = [jnp.asarray(each, jnp.float32) for each in by_rank[: pack.order.ranks]]
    return jnp.tile(jnp.stack(ranks), SUITS)


def pair_value(weights: Weights, pack: Pack, seen: Sight, marriage: Array) -> Array:
    """Return float32[cards]: what the card is worth if kept, for a marriage to come."""
    whole = jnp.where(marriage > 0, 0.0, sight.pair_held(pack, seen))
    return weights.pair * whole + weights.half * sight.pair_hoped_for(pack, seen)


# The deal ---------------------------------------------------------------------------------------


def deal_decided(seen: Sight, trick: Trick, marriage: Array) -> Array:
    """Return float32[cards]: the chance that the trick brings 66, less that it loses the deal."""
    mine, theirs = seen.mine + marriage + trick.gain, seen.theirs + trick.loss
    return trick.won * (mine >= SIXTY_SIX) - (1 - trick.won) * (theirs >= SIXTY_SIX)


def wins_at_once(rules: Rules, seen: Sight, marriage: Array) -> Array:
    """Return float32[cards]: 1 where the marriage itself brings 66 and ends the deal, else 0."""
    if rules.sixty_six == "after_trick":
        return jnp.zeros_like(marriage)
    reached = seen.points + seen.at_once * marriage >= SIXTY_SIX
    return ((marriage > 0) & reached).astype(jnp.float32)


def counts_out(rules: Rules, pack: Pack, seen: Sight) -> Array:
    """Return bool[]: the tricks that cannot be lost in a strict phase count to 66."""
    reached = seen.mine + sight.sure_points(rules, pack, seen) >= SIXTY_SIX
    return reached & sight.sure_tricks(pack, seen).any()  # points that wait need a trick, too


def counted_out(rules: Rules, pack: Pack, seen: Sight) -> Array:
    """Return float32[cards]: 1 for the next leads of a count to 66, else 0.

    The high ones; trumps before others, while the opponent may have one.
    """
    sure = sight.sure_tricks(pack, seen) & sight.high(pack, seen)
    to_draw = (seen.may & seen.trumps != 0) & ~sight.trumps(pack, seen)
    now = seen.leads & seen.strict & counts_out(rules, pack, seen)
    return (now & sure & ~to_draw).astype(jnp.float32)
