"""What a seat of Blob sees, read from its observation: the ground of its bots' judgement.

Everything here comes from entries of the `full` layout (`envs/blob/README.md`), by name, so a bot
that goes by it cannot see more than its seat does.

What others follow from in many places is worked out once and kept in words of bits (`envs/stage.py`
tells why): sets of cards by suit, several to a word.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax

from talonax.envs.blob.env import Blob
from talonax.envs.blob.state import BIDDING, PACK
from talonax.envs.cards import WORD
from talonax.envs.planes import SUITS
from talonax.envs.stage import once

RANKS = PACK.ranks
_WHOLE_SUIT = (1 << RANKS) - 1


class Sight(NamedTuple):
    """What the seat to move knows. Counts are float32; the others are the seats to its left, in
    turn. A set of cards is `uint32[4]`, by suit: bit `r` is the card of rank `r`.

    Attributes:
      bidding: bool[], bids are asked for, not cards.
      leads: bool[], the seat leads the open trick or, while bidding, will lead the first.
      dealt: float32[], C, the cards dealt to each.
      held: float32[], cards in the own hand.
      hand: uint32[4], those cards.
      unseen: uint32[4], cards neither in the hand nor played.
      trump: bool[4], the trump suit; none where there is none.
      led: bool[4], the suit led; none for who leads.
      wins: bool[4, 13], the card beats all that lie in the open trick.
      need: float32[], tricks that the own bid still lacks; below 0 if there are too many.
      has_bid: bool[P - 1], who of the others has bid.
      needs: float32[P - 1], tricks that their bids still lack; 0 where not made.
      holds: float32[P - 1], cards that they hold.
      may: bool[P - 1, 4], the suits that they may hold.
      follows: bool[P - 1], who of them plays to the open trick after the seat.
      ahead: bool[P - 1], whose card wins the open trick so far.
    """

    bidding: Array
    leads: Array
    dealt: Array
    held: Array
    hand: Array
    unseen: Array
    trump: Array
    led: Array
    wins: Array
    need: Array
    has_bid: Array
    needs: Array
    holds: Array
    may: Array
    follows: Array
    ahead: Array

    @property
    def after(self) -> Array:
        """float32[]: cards that each will hold after the open trick; while bidding, all."""
        return jnp.where(self.bidding, self.dealt, jnp.maximum(self.held - 1, 0))


def look(env: Blob, view: Array) -> Sight:
    """Return what an observation shows.

    Args:
      env: the game, with observation `full`.
      view: float32[264 + 56 (P - 1)], what the seat to move observes.
    """
    read, players = _Reader(env, view), env.num_players
    bidding, dealt = read("phase")[BIDDING] > 0, read.one("cards", RANKS)
    on_table, place = read.one("on_table", players), jnp.arange(1, players)
    hand = read.set("hand")
    hand, unseen = _kept(hand, ~(hand | read.set("played")))
    trick = _trick(read, on_table)
    bids, won = read.by_place("bids", dealt), read.by_place("tricks", dealt)
    own_bid = jnp.maximum(read.one("bid", dealt), 0.0)
    follows = place < players - on_table
    return Sight(
        bidding=bidding,
        leads=jnp.where(bidding, read.one("place", players) == 1, on_table == 0),
        dealt=dealt,
        held=read.one("hand_size", RANKS),
        hand=hand,
        unseen=unseen,
        trump=read("trump") > 0,
        led=trick.led,
        wins=trick.wins,
        need=own_bid - read.one("won", dealt),
        has_bid=bids >= 0,
        needs=jnp.where(bids >= 0, bids - won, 0.0),
        holds=dealt - read.one("tricks_done", dealt) - ~follows,
        may=jnp.stack([read(f"voids_{steps}") == 0 for steps in range(1, players)]),
        follows=follows & ~bidding,
        ahead=trick.ahead,
    )


# The open trick -----------------------------------------------------------------------------------


class _Trick(NamedTuple):
    """`led`, `wins` and `ahead` of `Sight`."""

    led: Array
    wins: Array
    ahead: Array


def _trick(read: "_Reader", on_table: Array) -> _Trick:
    first = (read.cards("trick") == 1).sum(axis=1, dtype=jnp.uint32)
    table, first = _kept(read.set("trick"), first)
    trump, led = read("trump") > 0, first != 0
    trumped = (trump & (table != 0)).any()
    # The suit in which the trick is won as it lies; the suits that can win it.
    winning = _settled(jnp.where(trumped, trump, led))
    strong = _settled(winning | trump | (on_table == 0))
    best = jnp.where(winning, _highest(table), 0)
    played = [_kept(read.set(f"played_{steps}"))[0] for steps in range(1, read.players)]
    not_above = table[:, None] >> jnp.arange(RANKS, dtype=jnp.uint32) == 0
    return _Trick(
        led=led,
        wins=strong[:, None] & not_above,
        ahead=jnp.stack([(each & best != 0).any() for each in played]),
    )


def _highest(members: Array) -> Array:
    """Return uint32[..]: the highest member of each set, alone; the empty set of an empty one."""
    place = jnp.uint32(WORD - 1) - lax.clz(members)
    return jnp.where(members != 0, jnp.uint32(1) << place, 0)


# Reading ------------------------------------------------------------------------------------------


class _Reader:
    """Reads the entries of an observation by name."""

    def __init__(self, env: Blob, view: Array):
        self.players = env.num_players
        self._layout, self._view = env.observation_layout(), view

    def __call__(self, name: str) -> Array:
        """Return float32[width]: the entry as it is."""
        return self._view[self._layout[name]]

    def cards(self, name: str) -> Array:
        """Return float32[4, 13]: an entry by card."""
        return self(name).reshape(SUITS, RANKS)

    def set(self, name: str) -> Array:
        """Return uint32[4]: the set of the cards whose entry is not 0."""
        shown = (self.cards(name) > 0).astype(jnp.uint32)
        return (shown << jnp.arange(RANKS, dtype=jnp.uint32)).sum(axis=1, dtype=jnp.uint32)

    def count(self, name: str, unit: Array | int) -> Array:
        """Return float32[width]: the whole numbers that are shown as parts of `unit`."""
        return jnp.round(self(name) * unit)

    def one(self, name: str, unit: Array | int) -> Array:
        """Return float32[]: the same of a single number."""
        return self.count(name, unit)[0]

    def by_place(self, name: str, unit: Array) -> Array:
        """Return float32[P - 1]: the same of the seats to the left, in turn."""
        own, shown = self("seat")[: self.players], self.count(name, unit)[: self.players]
        # A sum, which is cheaper than a gather: an own seat of 1 turned to theirs.
        theirs = [jnp.roll(own, steps) for steps in range(1, self.players)]
        return jnp.stack([(seat * shown).sum() for seat in theirs])


def _kept(first: Array, second: Array | None = None) -> tuple[Array, Array]:
    """Return one or two sets of cards unchanged, worked out once; the second empty if not given."""
    high = jnp.zeros_like(first) if second is None else second & _WHOLE_SUIT
    words = once(first | high << RANKS)
    return words & _WHOLE_SUIT, words >> RANKS


def _settled(flags: Array) -> Array:
    """Return bool[..] unchanged, worked out once."""
    return once(flags.astype(jnp.uint32)) != 0
