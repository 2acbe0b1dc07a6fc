"""How `TrumpManager` plays a trick: what speaks for a card, and what against it.

A marriage declared is trump at once, so a lead that declares is judged in the light of the new
trump: what the opponent may ruff from then on, whose trumps are more, what is left to declare.
High cards are worth more before the opponent can trump them; so they are cashed first, while the
marriage that waits for the lead is safe in the hand. The chances come from counting the cards
(`tysiac_sight.py`), the weights from play against earlier weights.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

from talonax.agents.bots import tysiac_sight as sight
from talonax.agents.bots.tysiac_outlook import ACE_RANK, TEN_RANK
from talonax.agents.bots.tysiac_sight import Pack, Sight
from talonax.configs.tysiac.schema import Rules
from talonax.envs.planes import SUITS
from talonax.envs.tysiac.state import PACK


class Weights(NamedTuple):
    """What a consideration is worth, in card points.

    Found by evolution strategies: mean margin of single hands against the weights before.

    Attributes:
      trumps: keeping a trump, by rank from the nine up.
      plain: keeping any other card, likewise.
      master: keeping a card that none of the opponent's can beat in its suit.
      guard: keeping company for a ten that the ace may catch.
      pair: keeping K and Q together, as a part of their marriage's worth.
      gift: points of the card that the opponent gives to a lead that holds.
      ruffs: how often he trumps a lead if he can and need not.
      lead: having the lead.
      pair_lead: having it with a marriage in hand, as a part of its worth.
      threat: keeping it from an opponent who may declare, as a part of what he is expected to have.
      masters_lead: having it, for each other card that is sure to win a trick.
      control: a trump suit, for each card that the seat has more of it than the opponent.
      exposed: a trump suit, for each of its other high cards that he may come to trump.
      cash: leading a sure card before the own marriage is declared.
      draw: leading a trump, for each that the opponent is expected to hold.
      counted: leading what is sure when it is enough for the contract.
      long: leading from length, for each card of the suit.
      chase: the declarer's own points while the contract is open; the opponent's count 1.
      stop: the declarer's points in the defender's eyes while the contract is open.
      decide: making or breaking the contract, as a part of what it counts.
      return_rank: keeping a card when two are returned, by rank.
      return_pair: keeping K and Q then, as a part of their marriage's worth.
      return_long: keeping a card then, for each other card of its suit.
      return_guard: keeping company for a ten then.
    """

    trumps: tuple[float, ...] = (10.0, 10.0, 10.0, 12.5, 12.0, 14.0)
    plain: tuple[float, ...] = (-1.0, 0.5, 2.5, 3.0, 4.5, 16.5)
    master: float = 2.0
    guard: float = 5.6
    pair: float = 0.23
    gift: float = 4.3
    ruffs: float = 0.65
    lead: float = 5.5
    pair_lead: float = 0.9
    threat: float = 1.1
    masters_lead: float = 1.5
    control: float = 5.0
    exposed: float = 3.6
    cash: float = 8.9
    draw: float = 5.3
    counted: float = 71.0
    long: float = 1.2
    chase: float = 0.99
    stop: float = 0.99
    decide: float = 0.32
    return_rank: tuple[float, ...] = (0.5, 1.0, 2.0, 3.5, 13.5, 26.0)
    return_pair: float = 0.97
    return_long: float = 4.2
    return_guard: float = 5.5


def considerations(
    weights: Weights, rules: Rules, pack: Pack, seen: Sight, declares: bool
) -> dict[str, Array]:
    """Return float32[24] each: what speaks for a card, and what against it, by name.

    Args:
      weights: what each consideration is worth.
      rules: the rules.
      pack: the cards.
      seen: what the seat knows.
      declares: whether playing the card declares its marriage.
    """
    trump = pack.suit_no if declares else jnp.full_like(pack.suit_no, seen.trump)
    trumps = PACK.suit_set(trump)
    trick = expected_trick(weights, rules, pack, seen, trump, trumps)
    marriage = sight.pair_held(pack, seen) * float(declares)
    own, his = stakes(weights, pack, seen)
    kept = jnp.where(marriage > 0, 0.0, sight.pair_held(pack, seen))
    return {
        "wins points": own * trick.won * trick.gain,
        "gives points": -his * (1 - trick.won) * trick.loss,
        "has the lead": trick.won * lead_value(weights, pack, seen),
        "leaves the hand": -hand_value(weights, pack, seen, trump),
        "bares a ten": -weights.guard * bares_ten(pack, seen),
        "breaks a marriage": -weights.pair * kept,
        "scores a marriage": own * marriage,
        "changes trump": change_of_trump(weights, pack, seen) * float(declares),
        "cashes first": weights.cash * cashes(pack, seen, trick) * float(not declares),
        "carries out the count": weights.counted * counted_out(pack, seen),
        "draws trumps": weights.draw * draws(pack, seen, trick, trump, trumps),
        "leads from length": weights.long * length_led(pack, seen),
        "decides the contract": weights.decide * decided(pack, seen, trick, marriage),
    }


# The trick --------------------------------------------------------------------------------------


class Trick(NamedTuple):
    """What becomes of the trick, by the card played to it.

    Attributes:
      won: float32[24], the chance to win it.
      gain: float32[24], its points if so.
      loss: float32[24], its points if not.
    """

    won: Array
    gain: Array
    loss: Array


def expected_trick(
    weights: Weights, rules: Rules, pack: Pack, seen: Sight, trump: Array, trumps: Array
) -> Trick:
    """Return what becomes of the trick: certain for a reply, likely for a lead."""
    on_table = jnp.arange(PACK.size) == seen.led
    led_points = jnp.where(on_table, pack.points, 0.0).sum()
    led_suit = PACK.suit(seen.led)
    follows = pack.suit_no == led_suit
    over = jnp.arange(PACK.size) > seen.led
    wins = jnp.where(follows, over, pack.suit_no == trump).astype(jnp.float32)
    holds = lead_holds(weights, rules, pack, seen, trump, trumps)
    return Trick(
        won=jnp.where(seen.leads, holds, wins),
        gain=pack.points + jnp.where(seen.leads, gift(weights, pack, seen), led_points),
        loss=pack.points + jnp.where(seen.leads, beater(pack, seen), led_points),
    )


def lead_holds(
    weights: Weights, rules: Rules, pack: Pack, seen: Sight, trump: Array, trumps: Array
) -> Array:
    """Return float32[24]: the chance that the card, led, wins the trick.

    It loses to a higher card of its suit, which must be played; and to a trump of one who is void.
    """
    no_higher, void = sight.lacks(seen, pack.stronger), sight.lacks(seen, pack.suit)
    ruffs = 1.0 if rules.must_trump_when_void else weights.ruffs
    has_trump = jnp.where(pack.suit_no == trump, 0.0, 1 - sight.lacks(seen, trumps))
    return no_higher - void * has_trump * ruffs


def beater(pack: Pack, seen: Sight) -> Array:
    """Return float32[24]: points of the card that beats each lead: the mean of those that may."""
    beats = sight.meet(pack.stronger[:, None], pack.itself & seen.may)
    return (beats @ pack.points) / jnp.maximum(beats.sum(axis=1), 1)


def gift(weights: Weights, pack: Pack, seen: Sight) -> Array:
    """Return float32[24]: points given to each lead that holds: at least his lowest in the suit."""
    lower = pack.suit & ~pack.stronger & ~pack.itself & seen.may
    there = sight.meet(lower[:, None], pack.itself)
    lowest = jnp.where(there, pack.points, jnp.inf).min(axis=1)
    return jnp.where(lower != 0, lowest, 0.0) + weights.gift


def lead_value(weights: Weights, pack: Pack, seen: Sight) -> Array:
    """Return float32[24]: what the next lead is worth to the hand that the card leaves."""
    sure = sight.sure_tricks(pack, seen)
    left = sure.sum() - sure
    return (
        weights.lead
        + weights.masters_lead * left
        + weights.pair_lead * sight.pairs_left(pack, seen)
        + weights.threat * sight.their_pairs(pack, seen)
    )


# The hand ---------------------------------------------------------------------------------------


def hand_value(weights: Weights, pack: Pack, seen: Sight, trump: Array) -> Array:
    """Return float32[24]: what the card is worth if kept, by its rank and by who can beat it."""
    by_rank = jnp.where(pack.suit_no == trump, by_card(weights.trumps), by_card(weights.plain))
    return by_rank + weights.master * sight.high(pack, seen)


def by_card(by_rank: tuple[float, ...]) -> Array:
    """Return float32[24]: what is given by rank."""
    return jnp.tile(jnp.stack([jnp.asarray(each, jnp.float32) for each in by_rank]), SUITS)


def bares_ten(pack: Pack, seen: Sight) -> Array:
    """Return float32[24]: 1 where a ten of the suit stays alone, with the ace at large, else 0."""
    tens, aces = (
        jnp.array([PACK.ranks * suit + rank for suit in range(SUITS)])
        for rank in (TEN_RANK, ACE_RANK)
    )
    ten, ace = pack.itself[tens][pack.suit_no], pack.itself[aces][pack.suit_no]
    left = pack.suit & seen.hand & ~pack.itself
    return ((left == ten) & sight.meet(ace, seen.may)).astype(jnp.float32)


# Trumps -----------------------------------------------------------------------------------------


def change_of_trump(weights: Weights, pack: Pack, seen: Sight) -> Array:
    """Return float32[24]: what each card's suit as trump is worth beyond the trump there is."""
    new = _as_trump(weights, pack, seen, pack.suit)
    old = _as_trump(weights, pack, seen, PACK.suit_set(seen.trump))
    return new - jnp.where(seen.trump >= 0, old, 0.0)


def _as_trump(weights: Weights, pack: Pack, seen: Sight, suit: Array) -> Array:
    """Return float32[..]: what a suit is worth as trump, one card of it being led."""
    own, his = sight.count(suit & seen.hand), sight.expected(seen, suit)
    masters = sight.high(pack, seen) & sight.mine(pack, seen)
    plain = sight.meet(~suit[..., None], pack.itself & seen.hand) & masters
    return weights.control * (own - 1 - his) - weights.exposed * plain.sum(axis=-1) * (his > 0)


def cashes(pack: Pack, seen: Sight, trick: Trick) -> Array:
    """Return float32[24]: the card is led, wins, and leaves a marriage to be declared."""
    waits = (sight.pairs_left(pack, seen) > 0) & sight.high(pack, seen)
    return trick.won * (waits & seen.leads)


def draws(pack: Pack, seen: Sight, trick: Trick, trump: Array, trumps: Array) -> Array:
    """Return float32[24]: how many trumps the opponent is expected to hold, for a trump led."""
    drawn = jnp.minimum(sight.expected(seen, trumps), 2.0)
    return jnp.where(seen.leads & (pack.suit_no == trump), drawn * trick.won, 0.0)


def length_led(pack: Pack, seen: Sight) -> Array:
    """Return float32[24]: how many cards the seat has in the suit that it leads."""
    return jnp.where(seen.leads, sight.count(pack.suit & seen.hand), 0).astype(jnp.float32)


# The contract -----------------------------------------------------------------------------------


def is_open(pack: Pack, seen: Sight) -> Array:
    """Return bool[]: the contract is neither made nor out of reach."""
    own_pairs = sight.pair_held(pack, seen).sum() / 2
    pairs = jnp.where(seen.declares, own_pairs, sight.most_of_theirs(pack, seen))
    has = jnp.where(seen.declares, seen.mine, seen.theirs)
    most = has + pairs + sight.points_left(pack, seen)
    return (has < seen.contract) & (most >= seen.contract)


def stakes(weights: Weights, pack: Pack, seen: Sight) -> tuple[Array, Array]:
    """Return float32[] each: what a point of the seat's counts, and one of the opponent's.

    A declarer's points count for the contract alone, a defender's for themselves.
    """
    undecided = is_open(pack, seen)
    own = jnp.where(seen.declares, jnp.where(undecided, weights.chase, 0.0), 1.0)
    his = jnp.where(seen.declares, 1.0, jnp.where(undecided, weights.stop, 0.0))
    return own, his


def decided(pack: Pack, seen: Sight, trick: Trick, marriage: Array) -> Array:
    """Return float32[24]: what the card is expected to decide, in points.

    A declarer makes his contract, or not; a defender keeps him from it in this trick.
    """
    has = seen.mine + marriage
    makes = jnp.where(has >= seen.contract, 1.0, trick.won * (has + trick.gain >= seen.contract))
    gives = (1 - trick.won) * (seen.theirs + trick.loss >= seen.contract)
    swing = 2 * seen.contract * is_open(pack, seen)
    return swing * jnp.where(seen.declares, makes, -gives)


def counted_out(pack: Pack, seen: Sight) -> Array:
    """Return float32[24]: 1 for the next leads of a count to the contract, else 0.

    The tricks that cannot be lost, and the dearest marriage after them, are enough: they are led
    from the top, trumps before others while the opponent may have one.
    """
    sure, trump = sight.sure_tricks(pack, seen), pack.suit_no == seen.trump
    last = sight.pair_held(pack, seen).max()
    enough = seen.mine + jnp.where(sure, pack.points, 0.0).sum() + last >= seen.contract
    to_draw = sight.meet(PACK.suit_set(seen.trump), seen.may) & ~trump
    now = seen.leads & seen.declares & is_open(pack, seen) & enough
    return (now & sure & sight.high(pack, seen) & ~to_draw).astype(jnp.float32)


# The return -------------------------------------------------------------------------------------


def returned_value(weights: Weights, rules: Rules, pack: Pack, seen: Sight) -> Array:
    """Return float32[24]: what speaks for returning a card."""
    keeps = (
        by_card(weights.return_rank)
        + weights.return_pair * sight.pair_held(pack, seen)
        + weights.return_long * sight.count(pack.suit & seen.hand)
        + weights.return_guard * bares_ten(pack, seen)
    )
    return -keeps + (pack.points if rules.return_to == "declarer" else 0.0)
