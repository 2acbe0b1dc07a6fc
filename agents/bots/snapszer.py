"""The greedy bot of Snapszer: it values every card it may play, and plays the one worth most.

The value of a card is a sum of considerations, in card points: what the trick is likely to bring, what the
lead is worth, what the card is worth in the hand, the marriage it scores, and whether it decides the deal.
Two actions stand outside the sum: the exchange is always made, and the talon is closed when the tricks that
cannot be lost count to 66. It looks one trick ahead, searches nothing and remembers nothing.

It knows what its seat may know (`Sight`): its hand, the points, the cards that are gone, those that the
opponent has shown, and those he has shown not to have. Any other card is as likely in his hand as any
place there allows; once the stock is gone, "likely" is certain, and the same formulas are exact.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from talonax.agents.policy import StatePolicy
from talonax.configs.snapszer.schema import Rules
from talonax.envs import cards, pairs, tricks
from talonax.envs.core import Env
from talonax.envs.planes import SUITS
from talonax.envs.snapszer import rules as game
from talonax.envs.snapszer.env import Snapszer
from talonax.envs.snapszer.observation import played, turned_up_lies
from talonax.envs.snapszer.state import (
    KING,
    NO_CARD,
    POINTS,
    QUEEN,
    SIXTY_SIX,
    Sizes,
    SnapszerState,
)

#: In card points; each outweighs every sum of what is below it, and of card points.
EXCHANGE, DEAL, PLAN = 4000.0, 1000.0, 200.0
#: Scores are compared in fractions of a card point, so that no compiler's rounding breaks a tie.
GRAIN = 64


class Weights(NamedTuple):
    """What a consideration is worth, in card points.

    Attributes:
      trumps: keeping a trump, by rank from the ace down, while cards are drawn.
      plain: keeping any other card, likewise.
      strict: the part of these that remains in the strict phase.
      pair: keeping K and Q together, as a part of their marriage's worth.
      half: keeping one of them while the other may still come, likewise.
      gift: points of the card that the opponent gives to a trick he does not win.
      beater: points of the card with which he wins one.
      lead: having the lead while cards are drawn.
      strict_lead: having it in the strict phase.
      pair_lead: having it with a marriage in hand, as a part of its worth.
      willing: how often he takes a trick that he can but need not take.
    """

    trumps: tuple[float, ...] = (32.0, 19.0, 17.0, 16.0, 16.0, 12.0)
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


@dataclass(frozen=True)
class Greedy(StatePolicy):
    """Plays the legal action of the highest score; of equal ones, the lowest id.

    Attributes:
      weights: what each consideration is worth.
    """

    weights: Weights = Weights()

    def act(
        self, params: Any, env: Env[Any], view: Any, mask: Array, carry: Any, key: Array
    ) -> tuple[Array, Any]:
        """Return int32[], the action, and the carry unchanged."""
        del params, key
        assert isinstance(env, Snapszer)
        grains = jnp.round(scores(self.weights, env.rules, env.sizes, view) * GRAIN)
        least = jnp.iinfo(jnp.int32).min
        best = jnp.argmax(jnp.where(mask, grains.astype(jnp.int32), least))
        return best.astype(jnp.int32), carry


def scores(weights: Weights, rules: Rules, sizes: Sizes, state: SnapszerState) -> Array:
    """Return float32[actions]: what each action is worth to the seat to move, legal or not."""
    pack, seen = pack_of(sizes), look(rules, sizes, state)
    marriage = marriage_scored(rules, pack, seen)
    counts_out = seen.mine + sure_points(rules, pack, seen) >= SIXTY_SIX
    special = jnp.stack([jnp.float32(EXCHANGE), jnp.where(counts_out, DEAL, -DEAL)])
    scored = card_values(weights, rules, pack, seen, marriage)
    if rules.marriage_declare != "optional":
        return jnp.concatenate([scored, special])
    plainly = card_values(weights, rules, pack, seen, jnp.zeros_like(marriage))
    declares = scored.reshape(SUITS, -1)[:, KING : QUEEN + 1].reshape(-1)
    return jnp.concatenate([plainly, special, declares])


# What the seat knows ----------------------------------------------------------------------------


class Pack(NamedTuple):
    """What never changes about the cards; all arrays are by card, sets are uint32.

    Attributes:
      numbers: int32[cards], 0, 1, ..
      rank: int32[cards].
      points: float32[cards].
      itself: uint32[cards], the set of the card alone.
      suit: uint32[cards], all cards of its suit.
      stronger: uint32[cards], those of them that beat it.
      partner: uint32[cards], the queen of a king's suit, the king of a queen's, else nothing.
      order: the order of the cards, as the shared code has it.
    """

    numbers: Array
    rank: Array
    points: Array
    itself: Array
    suit: Array
    stronger: Array
    partner: Array
    order: tricks.Pack


def pack_of(sizes: Sizes) -> Pack:
    """Return what never changes about the cards."""
    order = sizes.pack
    numbers = jnp.arange(order.size, dtype=jnp.int32)
    rank = order.rank(numbers)
    of_pair = (rank == KING) | (rank == QUEEN)
    partner = jnp.where(of_pair, game.partner_of(sizes, numbers), NO_CARD)
    return Pack(
        numbers=numbers,
        rank=rank,
        points=sizes.points(numbers).astype(jnp.float32),
        itself=cards.single(numbers, order.size),
        suit=order.suit_set(order.suit(numbers)),
        stronger=jax.vmap(order.stronger)(numbers),
        partner=cards.single(partner, order.size),
        order=order,
    )


class Sight(NamedTuple):
    """What the seat to move knows. Sets are uint32[], points float32[].

    Attributes:
      hand: its cards.
      may: the cards that the opponent may hold.
      has: those of them that he is known to hold.
      held: int32[], cards in his hand.
      spared: float32[], the chance that one of those he may hold, but is not known to, is not his.
      trumps: all trumps.
      trump: int32[], their suit.
      led: int32[], the card to be followed, -1 if none.
      leads: bool[], the seat leads.
      strict: bool[], following, heading and trumping are duties, and nobody draws.
      points: what the seat has.
      mine: what it has once it wins a trick: with marriages that wait for one.
      theirs: what the opponent has once he wins one.
      at_once: float32[], the part of a marriage that counts before the trick is over: 1 or 0.
    """

    hand: Array
    may: Array
    has: Array
    held: Array
    spared: Array
    trumps: Array
    trump: Array
    led: Array
    leads: Array
    strict: Array
    points: Array
    mine: Array
    theirs: Array
    at_once: Array


def look(rules: Rules, sizes: Sizes, state: SnapszerState) -> Sight:
    """Return what the seat to move knows."""
    me, trump = state.current_player, game.trump_of(sizes, state)
    hand, has = pairs.of(state.hands, me), pairs.other(state.known, me)
    gone = played(sizes, state)
    lies = cards.single(jnp.where(turned_up_lies(state), state.turned_up, NO_CARD), sizes.num_cards)
    every = cards.constant(range(sizes.num_cards), sizes.num_cards)
    may = every & ~(hand | gone[0] | gone[1] | lies | denied(sizes, state, me))
    held = cards.count(pairs.other(state.hands, me))
    hidden, places = held - cards.count(has), cards.count(may & ~has)
    waits = (jnp.int32(0), jnp.int32(0)) if state.pending is None else state.pending
    points, others = pairs.of(state.points, me), pairs.other(state.points, me)
    may, has = lax.rem(may, may | jnp.uint32(1 << 31)), lax.rem(has, has | jnp.uint32(1 << 31))
    return Sight(
        hand=hand,
        may=may,
        has=has,
        held=held,
        spared=1 - hidden.astype(jnp.float32) / jnp.maximum(places, 1).astype(jnp.float32),
        trumps=sizes.pack.suit_set(trump),
        trump=trump,
        led=state.table.astype(jnp.int32),
        leads=state.leading,
        strict=state.strict,
        points=points.astype(jnp.float32),
        mine=(points + pairs.of(waits, me)).astype(jnp.float32),
        theirs=(others + pairs.other(waits, me)).astype(jnp.float32),
        at_once=game.credited_now(rules, state, jnp.float32(1)),
    )


def denied(sizes: Sizes, state: SnapszerState, me: Array) -> Array:
    """Return the set of the cards that the opponent's replies in a closed deal show he has not."""
    order, trumps = sizes.pack, sizes.pack.suit_set(game.trump_of(sizes, state))
    drawn = (sizes.stock + 1 - state.stock_left.astype(jnp.int32)) >> 1
    shown = jnp.uint32(0)
    for trick in range(sizes.tricks):
        played_then = (
            sizes.queue.peek(state.record[0], trick),
            sizes.queue.peek(state.record[1], trick),
        )
        lead, reply = pairs.of(played_then, me), pairs.other(played_then, me)
        answer = cards.single(reply, sizes.num_cards)
        suit, stronger = order.suit_set(order.suit(lead)), order.stronger(lead)
        unbeaten = jnp.where(answer & stronger != 0, jnp.uint32(0), stronger)
        void = suit | jnp.where(answer & trumps != 0, jnp.uint32(0), trumps)
        says = jnp.where(answer & suit != 0, unbeaten, void)
        bound = state.closed & (trick >= drawn) & (trick < state.tricks_done)
        i_led = (state.leads.astype(jnp.int32) >> trick & 1) == me
        shown = shown | jnp.where(bound & i_led, says, jnp.uint32(0))
    return shown


def lacks(seen: Sight, wanted: Array) -> Array:
    """Return float32[..]: the chance that the opponent holds none of the cards in `wanted`."""
    guessed = lax.population_count(wanted & seen.may & ~seen.has)
    return jnp.where(wanted & seen.has != 0, 0.0, _power(seen.spared, guessed))


def _power(base: Array, exponent: Array) -> Array:
    """Return `base ** exponent` for exponents 0 .. 7, by squaring: far cheaper than `pow`."""
    product = jnp.where(exponent & 1 != 0, base, 1.0)
    product = product * jnp.where(exponent & 2 != 0, base**2, 1.0)
    return product * jnp.where(exponent & 4 != 0, (base**2) ** 2, 1.0)


def holds(seen: Sight, each: Array) -> Array:
    """Return bool[..]: is one of the cards in `each` in hand?"""
    return each & seen.hand != 0


# Marriages --------------------------------------------------------------------------------------


def marriage_scored(rules: Rules, pack: Pack, seen: Sight) -> Array:
    """Return float32[cards]: the marriage that leading the card scores, or may be declared with."""
    counts = seen.leads & (~seen.strict | rules.marriage_when_strict)
    if rules.marriage_lead == "king":
        counts = counts & (pack.rank == KING)
    return jnp.where(counts, pair_held(pack, seen), 0.0)


def pair_held(pack: Pack, seen: Sight) -> Array:
    """Return float32[cards]: the worth of the marriage of each K and Q whose partner is held, too."""
    both = holds(seen, pack.itself) & holds(seen, pack.partner)
    return jnp.where(both, pair_worth(pack, seen), 0.0)


def pair_worth(pack: Pack, seen: Sight) -> Array:
    """Return float32[cards]: the worth of a marriage in the card's suit."""
    trump = pack.itself & seen.trumps != 0
    return jnp.where(trump, float(game.TRUMP_MARRIAGE_POINTS), float(game.MARRIAGE_POINTS))


def pair_left(pack: Pack, seen: Sight) -> Array:
    """Return float32[cards]: the worth of the marriages in hand that playing the card leaves whole."""
    pairs_held = pair_held(pack, seen)
    return pairs_held.sum() / 2 - pairs_held


# What a card is worth ---------------------------------------------------------------------------


def card_values(weights: Weights, rules: Rules, pack: Pack, seen: Sight, marriage: Array) -> Array:
    """Return float32[cards]: what playing each card is worth.

    Args:
      weights: what each consideration is worth.
      rules: the rules.
      pack: the cards.
      seen: what the seat knows.
      marriage: float32[cards], the marriage that playing the card scores.
    """
    trick = expected_trick(weights, pack, seen)
    return (
        trick.won * trick.gain
        - (1 - trick.won) * trick.loss
        + trick.won * value_of_lead(weights, rules, pack, seen)
        - value_in_hand(weights, pack, seen, marriage)
        + marriage
        + DEAL * decides_deal(rules, pack, seen, trick, marriage)
        + PLAN * carries_out_plan(rules, pack, seen)
    )


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


def answers(weights: Weights, pack: Pack, seen: Sight) -> tuple[Array, Array]:
    """Return float32[cards] each: points of the card that loses to each lead, and that beats it.

    In the strict phase his duties leave the opponent little choice: the least, and the most.
    """
    followed = pack.suit & ~pack.stronger & seen.may
    given = jnp.where(followed != 0, followed, seen.may)
    headed = pack.stronger & seen.may
    taken = jnp.where(headed != 0, headed, seen.trumps & seen.may)
    fewest, most = jnp.float32(0), jnp.float32(0)
    for value in sorted(set(POINTS)):
        there = cards_worth(pack, value)
        fewest = jnp.where((given & there != 0) & (fewest == 0), float(value), fewest)
        most = jnp.where(taken & there != 0, float(value), most)
    return (
        jnp.where(seen.strict, fewest, weights.gift),
        jnp.where(seen.strict, most, weights.beater),
    )


def cards_worth(pack: Pack, value: int) -> Array:
    """Return uint32[]: the set of all cards that count `value` points."""
    of_suit = sum(1 << rank for rank in range(pack.order.ranks) if POINTS[rank] == value)
    whole = sum(of_suit << suit * pack.order.ranks for suit in range(SUITS))
    return jnp.uint32(whole)


def lead_holds(weights: Weights, pack: Pack, seen: Sight) -> Array:
    """Return float32[cards]: the chance that the card, led, wins the trick."""
    no_higher, no_suit = lacks(seen, pack.stronger), lacks(seen, pack.suit)
    no_trump = jnp.where(pack.itself & seen.trumps != 0, 1.0, lacks(seen, seen.trumps))
    unbeatable = no_higher * no_trump
    must_not_beat = jnp.maximum(no_higher - no_suit * (1 - no_trump), 0.0)
    return jnp.where(seen.strict, must_not_beat, 1 - weights.willing * (1 - unbeatable))


def value_of_lead(weights: Weights, rules: Rules, pack: Pack, seen: Sight) -> Array:
    """Return float32[cards]: what the next lead is worth to the hand that the card leaves."""
    lead = jnp.where(seen.strict, weights.strict_lead, weights.lead)
    may_score = ~seen.strict | rules.marriage_when_strict
    return lead + jnp.where(may_score, weights.pair_lead * pair_left(pack, seen), 0.0)


def value_in_hand(weights: Weights, pack: Pack, seen: Sight, marriage: Array) -> Array:
    """Return float32[cards]: what the card is worth if kept: by rank, and for a marriage to come."""
    ranks = pack.order.ranks
    by_rank = jnp.where(
        pack.itself & seen.trumps != 0,
        jnp.tile(jnp.stack([jnp.float32(w) for w in weights.trumps[:ranks]]), SUITS),
        jnp.tile(jnp.stack([jnp.float32(w) for w in weights.plain[:ranks]]), SUITS),
    )
    may_come = pack.partner & seen.may & ~seen.has != 0
    half = jnp.where(may_come, weights.half * pair_worth(pack, seen), 0.0)
    whole = jnp.where(marriage > 0, 0.0, weights.pair * pair_held(pack, seen))
    return jnp.where(seen.strict, weights.strict, 1.0) * by_rank + whole + half


def decides_deal(rules: Rules, pack: Pack, seen: Sight, trick: Trick, marriage: Array) -> Array:
    """Return float32[cards]: the chance that the card brings 66 at once, less that it loses by it."""
    mine, theirs = seen.mine + marriage + trick.gain, seen.theirs + trick.loss
    by_trick = trick.won * (mine >= SIXTY_SIX) - (1 - trick.won) * (theirs >= SIXTY_SIX)
    if rules.sixty_six == "after_trick":
        return by_trick
    shown = (marriage > 0) & (seen.points + seen.at_once * marriage >= SIXTY_SIX)
    return jnp.where(shown, 1.0, by_trick)


# Counting to 66 ---------------------------------------------------------------------------------


def sure_tricks(pack: Pack, seen: Sight) -> Array:
    """Return bool[cards]: the cards of the hand that win a trick each, led in a strict phase.

    A card is high if the opponent can have no stronger one of its suit. High trumps are sure, and each
    draws one of his. If they draw all that he can have, the other trumps and high cards are sure, too.
    """
    trump = pack.itself & seen.trumps != 0
    mine = holds(seen, pack.itself)
    high = mine & (pack.stronger & seen.may == 0)
    his_trumps = jnp.minimum(cards.count(seen.may & seen.trumps), seen.held)
    drawn = (high & trump).sum(dtype=jnp.int32) >= his_trumps
    return jnp.where(drawn, high | mine & trump, high & trump)


def sure_points(rules: Rules, pack: Pack, seen: Sight) -> Array:
    """Return float32[]: the least points that the sure tricks bring, with a marriage after them."""
    sure = sure_tricks(pack, seen)
    number = sure.sum(dtype=jnp.int32)
    brought = jnp.where(sure, pack.points, 0.0).sum() + least_points(pack, seen, number)
    if not rules.marriage_when_strict or rules.sixty_six == "after_trick":
        return brought
    counts = (rules.marriage_points != "next_trick") & ((seen.at_once > 0) | (number > 0))
    return brought + jnp.where(counts, pair_held(pack, seen).max(), 0.0)


def least_points(pack: Pack, seen: Sight, number: Array) -> Array:
    """Return float32[]: the fewest points that `number` cards of the opponent can count."""
    total, left = jnp.int32(0), number
    for value in sorted(set(POINTS)):
        taken = jnp.minimum(cards.count(cards_worth(pack, value) & seen.may), left)
        total, left = total + value * taken, left - taken
    return total.astype(jnp.float32)


def carries_out_plan(rules: Rules, pack: Pack, seen: Sight) -> Array:
    """Return float32[cards]: 1 for the sure tricks to be led next if they count to 66, else 0.

    Trumps come first, while the opponent may have one.
    """
    sure = sure_tricks(pack, seen)
    counts_out = seen.mine + sure_points(rules, pack, seen) >= SIXTY_SIX
    to_draw = (seen.may & seen.trumps != 0) & (pack.itself & seen.trumps == 0)
    high = pack.stronger & seen.may == 0
    return (seen.leads & seen.strict & counts_out & sure & high & ~to_draw).astype(jnp.float32)
