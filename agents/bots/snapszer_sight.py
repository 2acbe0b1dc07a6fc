"""What a seat of Snapszer knows, counted out: the ground of its bots' judgement.

Everything here follows from the seat's own hand and from what lies open: the points, the cards
that are gone, those that the opponent has shown, and those that he has shown not to hold. The other
cards are in his hand or in the stock, each as likely as the next; once the stock is gone, they are
in his hand, and the same formulas are exact.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from talonax.agents.bots.powers import power
from talonax.configs.snapszer.schema import Rules
from talonax.envs import cards, pairs, tricks
from talonax.envs.planes import SUITS
from talonax.envs.snapszer import rules as game
from talonax.envs.snapszer.knowledge import excluded, plays_of
from talonax.envs.snapszer.observation import played, turned_up_lies
from talonax.envs.snapszer.state import KING, NO_CARD, POINTS, QUEEN, RANKS, Sizes, SnapszerState
from talonax.envs.stage import settle


class Pack(NamedTuple):
    """What never changes about the cards; all arrays are by card, sets are uint32.

    Attributes:
      order: the order of the cards, as the shared code has it.
      numbers: int32[cards], 0, 1, ..
      rank: int32[cards].
      points: float32[cards].
      itself: uint32[cards], the set of the card alone.
      suit: uint32[cards], all cards of its suit.
      stronger: uint32[cards], those of them that beat it.
      partner: uint32[cards], the queen of a king's suit, the king of a queen's, else nothing.
    """

    order: tricks.Pack
    numbers: Array
    rank: Array
    points: Array
    itself: Array
    suit: Array
    stronger: Array
    partner: Array


def pack_of(sizes: Sizes) -> Pack:
    """Return what never changes about the cards."""
    order = sizes.pack
    numbers = jnp.arange(order.size, dtype=jnp.int32)
    rank = order.rank(numbers)
    of_pair = (rank == KING) | (rank == QUEEN)
    partner = jnp.where(of_pair, game.partner_of(sizes, numbers), NO_CARD)
    return Pack(
        order=order,
        numbers=numbers,
        rank=rank,
        points=sizes.points(numbers).astype(jnp.float32),
        itself=cards.single(numbers, order.size),
        suit=order.suit_set(order.suit(numbers)),
        stronger=jax.vmap(order.stronger)(numbers),
        partner=cards.single(partner, order.size),
    )


class Sight(NamedTuple):
    """What the seat to move knows. Sets are uint32[], points float32[].

    Attributes:
      hand: its cards.
      may: the cards that the opponent may hold.
      has: those of them that he is known to hold.
      held: int32[], cards in his hand.
      spared: float32[], the chance that he has not one that he may hold but is not known to.
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
    me, trump, size = state.current_player, game.trump_of(sizes, state), sizes.num_cards
    hand, has = pairs.of(state.hands, me), _settled(pairs.other(state.known, me), size)
    gone = played(sizes, state)
    lies = cards.single(jnp.where(turned_up_lies(state), state.turned_up, NO_CARD), size)
    denied = excluded(sizes, state, plays_of(sizes, state, 1 - me))
    elsewhere = hand | gone[0] | gone[1] | lies | denied
    may = _settled(cards.constant(range(size), size) & ~elsewhere, size)
    held = cards.count(pairs.other(state.hands, me))
    hidden, places = held - cards.count(has), cards.count(may & ~has)
    waits = (jnp.int32(0), jnp.int32(0)) if state.pending is None else state.pending
    points, others = pairs.of(state.points, me), pairs.other(state.points, me)
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


class _Settled(NamedTuple):
    members: Array


def _settled(members: Array, size: int) -> Array:
    """Return the set, worked out once and not again for each card that asks: 5 times faster."""
    return settle(_Settled(members), members=size).members.astype(jnp.uint32)


def lacks(seen: Sight, wanted: Array) -> Array:
    """Return float32[..]: the chance that the opponent holds none of the cards in `wanted`, all
    of one suit.
    """
    guessed = lax.population_count(wanted & seen.may & ~seen.has)
    return jnp.where(_meet(wanted, seen.has), 0.0, power(seen.spared, guessed, most=len(RANKS)))


def mine(pack: Pack, seen: Sight) -> Array:
    """Return bool[cards]: the cards of the hand."""
    return _meet(pack.itself, seen.hand)


def trumps(pack: Pack, seen: Sight) -> Array:
    """Return bool[cards]: the trumps."""
    return _meet(pack.itself, seen.trumps)


def high(pack: Pack, seen: Sight) -> Array:
    """Return bool[cards]: the opponent can have no stronger card of the suit."""
    return ~_meet(pack.stronger, seen.may)


def _meet(each: Array, members: Array) -> Array:
    shared: Array = each & members != 0
    return shared


# Marriages --------------------------------------------------------------------------------------


def marriage_scored(rules: Rules, pack: Pack, seen: Sight) -> Array:
    """Return float32[cards]: the marriage that leading the card scores, or may be declared with."""
    counts = seen.leads & (~seen.strict | rules.marriage_when_strict)
    if rules.marriage_lead == "king":
        counts = counts & (pack.rank == KING)
    return jnp.where(counts, pair_held(pack, seen), 0.0)


def pair_held(pack: Pack, seen: Sight) -> Array:
    """Return float32[cards]: the marriage of each K and Q whose partner is held, too; else 0."""
    both = mine(pack, seen) & _meet(pack.partner, seen.hand)
    return jnp.where(both, pair_worth(pack, seen), 0.0)


def pair_hoped_for(pack: Pack, seen: Sight) -> Array:
    """Return float32[cards]: the marriage of each K and Q whose partner may yet come; else 0."""
    may_come = _meet(pack.partner, seen.may & ~seen.has) & ~seen.strict
    return jnp.where(may_come, pair_worth(pack, seen), 0.0)


def pair_worth(pack: Pack, seen: Sight) -> Array:
    """Return float32[cards]: what a marriage of the card's suit counts."""
    in_trumps, plain = float(game.TRUMP_MARRIAGE_POINTS), float(game.MARRIAGE_POINTS)
    return jnp.where(trumps(pack, seen), in_trumps, plain)


def pairs_left(pack: Pack, seen: Sight) -> Array:
    """Return float32[cards]: the marriages in hand that playing the card leaves whole."""
    each = pair_held(pack, seen)
    return each.sum() / 2 - each


# Counting to 66 ---------------------------------------------------------------------------------


def sure_tricks(pack: Pack, seen: Sight) -> Array:
    """Return bool[cards]: the cards of the hand that win a trick each, led in a strict phase.

    High trumps are sure, and each draws one of the opponent's. If they draw all that he can have,
    the other trumps and the high cards of other suits are sure, too.
    """
    winners, trump = mine(pack, seen) & high(pack, seen), trumps(pack, seen)
    his_trumps = jnp.minimum(cards.count(seen.may & seen.trumps), seen.held)
    drawn = (winners & trump).sum(dtype=jnp.int32) >= his_trumps
    return jnp.where(drawn, winners | mine(pack, seen) & trump, winners & trump)


def sure_points(rules: Rules, pack: Pack, seen: Sight) -> Array:
    """Return float32[]: the fewest points that the sure tricks bring, and a marriage after them."""
    sure = sure_tricks(pack, seen)
    number = sure.sum(dtype=jnp.int32)
    brought = jnp.where(sure, pack.points, 0.0).sum() + _fewest_points(pack, seen, number)
    if not rules.marriage_when_strict or rules.sixty_six == "after_trick":
        return brought
    counts = (rules.marriage_points != "next_trick") & ((seen.at_once > 0) | (number > 0))
    return brought + jnp.where(counts, pair_held(pack, seen).max(), 0.0)


def _fewest_points(pack: Pack, seen: Sight, number: Array) -> Array:
    """Return float32[]: the fewest points that `number` cards of the opponent can count."""
    total, left = jnp.int32(0), number
    for value in sorted(set(POINTS)):
        taken = jnp.minimum(cards.count(cards_worth(pack, value) & seen.may), left)
        total, left = total + value * taken, left - taken
    return jnp.asarray(total, jnp.float32)


def cards_worth(pack: Pack, value: int) -> Array:
    """Return uint32[]: the set of all cards that count `value` points."""
    ranks = pack.order.ranks
    members = [c for c in range(SUITS * ranks) if POINTS[c % ranks] == value]
    return cards.constant(members, pack.order.size)
