"""Two seats as a pair of scalars.

A two-player game keeps what each seat has as a pair `(seat 0's, seat 1's)` and chooses with `where`
on the seat: in a batch both halves are contiguous, where an array indexed by the seat would be a
gather.
"""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

Pair = tuple[Array, Array]


def of(pair: Pair, seat: ArrayLike) -> Array:
    """Return what `seat` has."""
    return jnp.where(jnp.asarray(seat) == 0, pair[0], pair[1])


def other(pair: Pair, seat: ArrayLike) -> Array:
    """Return what the seat opposite has."""
    return jnp.where(jnp.asarray(seat) == 0, pair[1], pair[0])


def both(value: Array) -> Pair:
    """Return the pair that holds `value` twice."""
    return value, value


def update(pair: Pair, seat: ArrayLike, change: Callable[[Array], Array]) -> Pair:
    """Return the pair with `change` applied to what `seat` has."""
    first = jnp.asarray(seat) == 0
    return jnp.where(first, change(pair[0]), pair[0]), jnp.where(first, pair[1], change(pair[1]))


def add(pair: Pair, seat: ArrayLike, amount: Any) -> Pair:
    """Return the pair with `amount` added to what `seat` has."""
    first = jnp.asarray(seat) == 0
    nothing = jnp.zeros_like(amount)
    gain = jnp.where(first, amount, nothing), jnp.where(first, nothing, amount)
    return pair[0] + gain[0].astype(pair[0].dtype), pair[1] + gain[1].astype(pair[1].dtype)


def join(pair: Pair, seat: ArrayLike, bits: Array) -> Pair:
    """Return the pair of sets with `bits` united with those of `seat`."""
    return update(pair, seat, lambda held: held | bits)


def flip(pair: Pair, seat: ArrayLike, bits: Array) -> Pair:
    """Return the pair of sets with `bits` taken from `seat` where held, given where not."""
    first, nothing = jnp.asarray(seat) == 0, jnp.zeros_like(bits)
    return pair[0] ^ jnp.where(first, bits, nothing), pair[1] ^ jnp.where(first, nothing, bits)
