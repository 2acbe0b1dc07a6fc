"""What a seat of Bezique knows, counted out: the ground of its bot's judgement.

Everything here follows from the seat's own cards and from what all see: tables, cards played, the
card turned up, cards known to be in a hand, and types that replies have shown not to be there. Any
other card is as likely in one unseen place as in the next: with two players, in the last nine
tricks, that is the other hand alone, and chances are certainties.

Arrays over cards are by type, 33 long; arrays over others are by seat, clockwise from the own.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from talonax.agents.bots.powers import power
from talonax.envs import cards, tricks
from talonax.envs.bezique import words
from talonax.envs.bezique.melds import fresh, used
from talonax.envs.bezique.rules import trick
from talonax.envs.bezique.state import KINDS, LAST, BeziqueState
from talonax.envs.bezique.words import (
    CARDS,
    JOKER,
    PACK,
    PACKS,
    TYPES,
    Words,
    numbers,
    single,
    stacked,
    suited,
    type_counts,
    union,
)
from talonax.envs.planes import SUITS


class Sight(NamedTuple):
    """What the seat to move knows. Counts are int32, of copies.

    Attributes:
      hand: [33], its hand.
      table: [33], its table.
      fresh: [8, 33], of those on its table the ones that may be in each of `KINDS`.
      goes: [8, 33], 1 where the copy that would be played from the table is one of them.
      unseen: [33], cards that it cannot place, but for those known to be in a hand.
      certain: [P-1, 33], cards that each of the others is known to have at hand, to be played.
      guessed: [P-1], cards in the hands of the others that are not known.
      may: bool[P-1, 33], types that they may hold.
      later: bool[P-1], who plays to the trick after it.
      turned_up: int32[], the type turned up, -1 for none.
      trump: int32[], the suit.
      led: int32[], the type led; -1 for none and for a Joker.
      winning: int32[], the type that is winning, likewise.
      leads: bool[], it leads.
      last: bool[], this is one of the last nine tricks.
      turns: int32[], winner's turns that are still to come, this one included.
      open: int32[], aces and tens in the open trick.
      brisques: int32[P], aces and tens won, by others; its own first.
    """

    hand: Array
    table: Array
    fresh: Array
    goes: Array
    unseen: Array
    certain: Array
    guessed: Array
    may: Array
    later: Array
    turned_up: Array
    trump: Array
    led: Array
    winning: Array
    leads: Array
    last: Array
    turns: Array
    open: Array
    brisques: Array


def look(state: BeziqueState) -> Sight:
    """Return what the seat to move knows."""
    players, me = state.num_players, jnp.maximum(state.current_player, 0)
    others = [(me + steps) % players for steps in range(1, players)]
    hand, table = words.of(state.hands, me), words.of(state.tables, me)
    fresh_, goes = _own_table(state, table)
    known = jnp.stack([type_counts(words.of(state.known, seat)) for seat in others])
    tables = jnp.stack([_counts(words.of(state.tables, seat)) for seat in others])
    sizes = jnp.stack([words.count(words.of(state.hands, seat)) for seat in others])
    elsewhere = union(union(hand, table), union(state.played, single(state.turned_up)))
    led, winning, _ = trick(state)
    laid = state.cards_of(state.trick)
    brisques = state.by_seat.all(state.brisques)
    left = state.stock_left + (state.turned_up >= 0)
    return Sight(
        hand=_counts(hand),
        table=_counts(table),
        fresh=fresh_,
        goes=goes,
        unseen=PACKS - _counts(elsewhere) - (known + tables).sum(axis=0, dtype=jnp.int32),
        certain=known + tables,
        guessed=sizes - known.sum(axis=1, dtype=jnp.int32),
        may=_may(state, others),
        later=jnp.stack([state.by_seat.of(state.trick, seat) == 0 for seat in others]),
        turned_up=words.type_of(state.turned_up),
        trump=state.suit,
        led=led,
        winning=winning,
        leads=state.trick == 0,
        last=state.phase == LAST,
        turns=left // players,
        open=words.is_brisque(words.type_of(laid)).sum(dtype=jnp.int32),
        brisques=brisques[(me + jnp.arange(players)) % players],
    )


def _counts(some: Words) -> Array:
    return type_counts(numbers(some))


def _own_table(state: BeziqueState, table: Words) -> tuple[Array, Array]:
    """Return `Sight.fresh` and `Sight.goes`."""
    been = used(state)
    free = fresh(been, table)
    by_kind = jnp.stack([_copies(free[kind]) for kind in KINDS])
    times = jnp.stack([_copies(been[kind]) for kind in KINDS]).sum(axis=0, dtype=jnp.int32)
    # The copy that has been in most melds, then the lowest pack, as the rules have it
    order = jnp.where(_copies(table), times, -1)
    copy = jnp.argmax(order, axis=1)
    chosen = (jnp.arange(PACKS) == copy[:, None]) & _copies(table)
    goes = (by_kind & chosen).any(axis=2)
    return by_kind.sum(axis=2, dtype=jnp.int32), goes.astype(jnp.int32)


def _copies(some: Words) -> Array:
    """Return bool[33, 4]: which packs of each type are there."""
    return cards.unpack(stacked(some), CARDS).reshape(TYPES, PACKS)


def _may(state: BeziqueState, others: list[Array]) -> Array:
    allowed = jnp.ones((len(others), TYPES), bool)
    if state.denied is None:
        return allowed
    denied = jnp.stack([cards.unpack(state.denied[seat], PACK.size) for seat in others])
    return allowed.at[:, : PACK.size].set(~denied)


# Cards ------------------------------------------------------------------------------------------


def suit_of() -> Array:
    """Return int32[33]: the suit of each type; `SUITS` for the Joker."""
    kinds = jnp.arange(TYPES)
    return jnp.where(kinds == JOKER, SUITS, kinds % SUITS)


def rank_of() -> Array:
    """Return int32[33]: the rank of each type, the Joker's above all."""
    return jnp.arange(TYPES) // SUITS


def trumps(seen: Sight) -> Array:
    """Return bool[33]: the trumps."""
    return suit_of() == seen.trump


def brisques() -> Array:
    """Return bool[33]: the aces and tens."""
    return words.is_brisque(jnp.arange(TYPES))


# Chances ----------------------------------------------------------------------------------------


class Lacks(NamedTuple):
    """The chance that each of the others has none of some cards.

    Attributes:
      higher: float32[P-1, 33], of the cards that beat each type in its suit.
      suits: float32[P-1, 5], of each suit; 1 for that of a Joker, which nobody can follow.
    """

    higher: Array
    suits: Array


def lacks(seen: Sight) -> Lacks:
    """Return what the others may lack. Every card is by itself in one of the places that it may be
    in.
    """
    stock = seen.unseen.sum(dtype=jnp.int32) - seen.guessed.sum(dtype=jnp.int32)
    places = jnp.where(seen.may, seen.guessed[:, None], 0)
    share = places / jnp.maximum(places.sum(axis=0, dtype=jnp.int32) + stock, 1)
    none = jnp.where(seen.certain > 0, 0.0, power(1 - share, seen.unseen, most=PACKS))
    by_rank = none[:, :JOKER].reshape(-1, JOKER // SUITS, SUITS)
    from_it = jax.lax.cumprod(by_rank, axis=1, reverse=True)
    above = jnp.concatenate([from_it[:, 1:], jnp.ones_like(from_it[:, :1])], axis=1)
    one = jnp.ones_like(none[:, :1])
    higher = jnp.concatenate([above.reshape(-1, JOKER), one], axis=1)
    return Lacks(higher, jnp.concatenate([from_it[:, 0], one], axis=1))


def wins(seen: Sight, willing: float) -> Array:
    """Return float32[33]: the chance that the type, played now, wins the trick.

    Args:
      seen: what the seat knows.
      willing: how often one who can take a trick of the first phase does.
    """

    def ahead_with(kind: Array) -> Array:
        return tricks.beats(PACK, suited(kind), seen.winning, seen.trump)

    ahead = jax.vmap(ahead_with)(jnp.arange(TYPES))
    lacking = lacks(seen)
    willingly = willing * (1 - unbeaten(seen, lacking))
    beaten = jnp.where(seen.last, duly_beaten(seen, lacking), willingly)
    holds = jnp.where(seen.later[:, None], 1 - beaten, 1.0)
    return jnp.where(seen.leads | ahead, holds.prod(axis=0), 0.0)


def unbeaten(seen: Sight, lacking: Lacks) -> Array:
    """Return float32[P-1, 33]: the chance that each of the others has nothing to beat the type
    with, higher in its suit or a trump, whatever he must play.
    """
    no_trump = jnp.where(trumps(seen), 1.0, lacking.suits[:, seen.trump, None])
    return lacking.higher * no_trump


def duly_beaten(seen: Sight, lacking: Lacks) -> Array:
    """Return float32[P-1, 33]: the chance that each of the others has to beat the type.

    He must follow suit and beat the card if he can; without the suit he must trump.
    """
    led = jnp.where(seen.leads, suit_of(), jnp.where(seen.led < 0, SUITS, seen.led % SUITS))
    higher, void = 1 - lacking.higher, lacking.suits[:, led]
    no_trump = jnp.where(trumps(seen), lacking.higher, lacking.suits[:, seen.trump, None])
    in_suit = jnp.where(led == suit_of(), higher, 0.0)
    return in_suit + void * jnp.where(led == seen.trump, 0.0, 1 - no_trump)


def high(seen: Sight) -> Array:
    """Return float32[33]: the chance that nobody else can beat the type, if it is led."""
    leading = seen._replace(leads=jnp.bool_(True), later=jnp.ones_like(seen.later))
    return wins(leading, willing=1.0)
