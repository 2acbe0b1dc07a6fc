"""The 4x14 grid that every game shares: rows are suits, columns are ranks.

A card has its cell here whatever its number or order in its own pack: rows S H D C,
columns A 2 .. 10 J Q K Joker. Cells outside a game's deck are false in every plane.
"""

from collections.abc import Sequence

import jax.numpy as jnp
from jax import Array

from talonax.envs import cards

SUITS = 4
RANKS = 14
CELLS = SUITS * RANKS

SUIT_NAMES = ("S", "H", "D", "C")
SUIT_SYMBOLS = ("♠", "♥", "♦", "♣")
RANK_NAMES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "JO")
JOKER = RANKS - 1


def cell(suit: str, rank: str) -> int:
    """Return the cell of a suit's and a rank's letter, `row * 14 + column`."""
    return SUIT_NAMES.index(suit) * RANKS + RANK_NAMES.index(rank)


def cell_name(index: int) -> str:
    """Return the name of a cell: rank and suit, `AS`, `TH`, `JOS`."""
    row, column = divmod(index, RANKS)
    return RANK_NAMES[column] + SUIT_NAMES[row]


def plane(members: Array, cells: Sequence[int]) -> Array:
    """Lay a set of cards onto the grid.

    Args:
      members: the bit set of a game's own card numbers.
      cells: the cell of each card, by number.

    Returns:
      bool[4, 14].
    """
    held = cards.unpack(members, len(cells))
    flat = jnp.zeros(CELLS, bool).at[jnp.array(cells)].set(held)
    return flat.reshape(SUITS, RANKS)


def stack(planes: Sequence[Array]) -> Array:
    """Return bool[4, 14, n]: the planes, last axis in their order."""
    return jnp.stack(planes, axis=-1)
