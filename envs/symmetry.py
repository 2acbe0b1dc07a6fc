"""Suits that may change their names: what most card games have in common, as tables of indices.

Where the rules treat all suits alike, the trump suit set aside, a position and the same with its
suits renamed are one position (Gilpin and Sandholm, *Lossless abstraction of imperfect information
games*, JACM 2007; Waugh, *A fast and optimal hand isomorphism algorithm*, 2013). Who gives the
suits names of his own, the same for the same position, learns from one deal what holds for many.

`env.suit_symmetry()` is the table of a game, or None where suits differ (in Tysiac a marriage of
hearts is worth more than one of spades). An `order` (int32[.., 4]) names suits anew: what was suit
`order[i]` is now called suit `i`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from talonax.envs.planes import SUITS

#: Indices of what belongs to each suit, in the same order for each: int[4, n].
Table = np.ndarray[Any, np.dtype[np.int64]]
#: How much of a suit decides its place among the plain ones: bits of a word, below the trump's.
COMPARED = 31


class SuitSymmetry(NamedTuple):
    """What belongs to which suit, suit by suit.

    Attributes:
      cards: the cards by number: int[4, r].
      observation: of a flat observation: int[4, n].
      trump: the entry of the observation, of suit 0, that tells that it is trump; that of suit `s`
        is at `trump + s`.
      actions: of the actions, a table for each phase: int[4, m], m being 0 where none is of a suit.
    """

    cards: Table
    observation: Table
    trump: int
    actions: Sequence[Table]


def suit_major(start: int, width: int) -> Table:
    """Return int[4, width / 4]: the indices from `start` on, which go suit by suit."""
    return np.arange(start, start + width).reshape(SUITS, -1)


#: Nothing is of a suit.
NOTHING: Table = suit_major(0, 0)


def entries_by_suit(layout: Mapping[str, slice], pack: int) -> Table:
    """Return int[4, n]: the entries of an observation that have a float for each suit or card.

    Args:
      layout: `env.observation_layout()`.
      pack: the number of cards, numbered suit by suit.
    """
    widths = {name: place.stop - place.start for name, place in layout.items()}
    found = [
        suit_major(layout[name].start, width)
        for name, width in widths.items()
        if width in (SUITS, pack)
    ]
    return np.concatenate(found, axis=1)


def canonical_order(symmetry: SuitSymmetry, observation: Array) -> Array:
    """Return int32[.., 4]: the trump suit first, then the others by what a seat sees of them.

    Positions that differ in the names of suits alone get the same once renamed, unless two plain
    suits agree in the first `COMPARED` things that are seen of them.
    """
    seen = observation[..., symmetry.observation[:, :COMPARED]] != 0
    places = jnp.arange(COMPARED - 1, COMPARED - 1 - seen.shape[-1], -1, dtype=jnp.uint32)
    rank = (seen.astype(jnp.uint32) << places).sum(axis=-1, dtype=jnp.uint32)
    trump = observation[..., symmetry.trump : symmetry.trump + SUITS] != 0
    rank = rank | (trump.astype(jnp.uint32) << COMPARED)
    return jnp.argsort(rank, axis=-1, descending=True).astype(jnp.int32)


def renamed(table: Table, entries: Array, order: Array) -> Array:
    """Return entries [.., N], e.g. an observation, with the suits renamed."""
    if not table.size:
        return entries
    rest = np.setdiff1d(np.arange(entries.shape[-1]), table)
    by_suit = jnp.take_along_axis(entries[..., table], order[..., None], axis=-2)
    flat = by_suit.reshape(*entries.shape[:-1], table.size)
    back = np.argsort(np.concatenate([table.ravel(), rest]))
    return jnp.concatenate([flat, entries[..., rest]], axis=-1)[..., back]


def renamed_numbers(table: Table, size: int, order: Array) -> Array:
    """Return int32[size]: what cards or actions with these numbers are numbered once renamed."""
    return jnp.argsort(renamed(table, jnp.arange(size), order)).astype(jnp.int32)


def named_back(table: Table, entries: Array, order: Array) -> Array:
    """Return entries [.., N] of renamed suits under the names of before: undoes `renamed`."""
    return renamed(table, entries, jnp.argsort(order, axis=-1))


__all__ = [
    "NOTHING",
    "SuitSymmetry",
    "canonical_order",
    "entries_by_suit",
    "named_back",
    "renamed",
    "renamed_numbers",
    "suit_major",
]
