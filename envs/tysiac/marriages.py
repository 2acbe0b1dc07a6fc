"""Marriages: who holds which, and which of them prove a bid. Sets of suits are bit sets."""

import jax.numpy as jnp
from jax import Array

from talonax.envs import cards
from talonax.envs.planes import SUITS
from talonax.envs.tysiac.state import (
    KING,
    LOWEST_MARRIAGE,
    MARRIAGE_STEP,
    OPENING,
    PACK,
    QUEEN,
    TEN,
)


def marriages_in(hand: Array) -> Array:
    """Return uint32[]: the suits whose K and Q are both in `hand`."""
    suits: Array = jnp.uint32(0)
    for suit in range(SUITS):
        pair = 1 << suit * PACK.ranks + KING | 1 << suit * PACK.ranks + QUEEN
        suits = suits | jnp.where(hand & pair == pair, jnp.uint32(1 << suit), jnp.uint32(0))
    return suits


def proving(bid: Array) -> Array:
    """Return uint32[]: the suits whose marriage suffices for a bid (in tens); all up to 120."""
    short = TEN * bid.astype(jnp.int32) - OPENING - LOWEST_MARRIAGE
    lowest = jnp.maximum((short + MARRIAGE_STEP - 1) // MARRIAGE_STEP, 0)
    suits: Array = jnp.uint32(2**SUITS - 1) << lowest.astype(jnp.uint32)
    suits = suits & (2**SUITS - 1)
    return suits


def lowest_of(suits: Array) -> Array:
    """Return int32[]: the suit of the set whose marriage is worth least; of none, the last suit."""
    lowest: Array = jnp.int32(SUITS - 1)
    for suit in range(SUITS - 1, -1, -1):
        lowest = jnp.where(suits >> suit & 1 != 0, suit, lowest)
    return lowest


def pair_of(suit: Array) -> Array:
    """Return the K and Q of a suit as a set of cards."""
    king, queen = PACK.card(suit, KING), PACK.card(suit, QUEEN)
    return cards.single(king, PACK.size) | cards.single(queen, PACK.size)
