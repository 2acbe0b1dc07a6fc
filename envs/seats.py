"""Any number of seats: small numbers by seat packed into one word, and one seat's row of an array.

The counterpart of `pairs` for games of more than two players. A number a seat (bids, tricks, voids)
fits a word together with those of all other seats, so that counting is one addition however many
play; an array by seat would be a scatter.
"""

from dataclasses import dataclass

import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from talonax.envs.cards import WORD


@dataclass(frozen=True)
class Packed:
    """How the seats share a word: seat `s` has the bits from `bits * s` on.

    Attributes:
      seats: how many there are.
      bits: bits of each one's number, which lies in `0 .. 2**bits - 1`.
    """

    seats: int
    bits: int

    def __post_init__(self) -> None:
        if self.seats * self.bits > WORD:
            raise ValueError(f"{self.seats} seats of {self.bits} bits are more than {WORD}")

    @property
    def _mask(self) -> int:
        return (1 << self.bits) - 1

    def _shift(self, seat: ArrayLike) -> Array:
        return (self.bits * jnp.asarray(seat, jnp.int32)).astype(jnp.uint32)

    def of(self, word: Array, seat: ArrayLike) -> Array:
        """Return int32[..]: the number of `seat`, or of each seat of an array of them."""
        return (word >> self._shift(seat) & self._mask).astype(jnp.int32)

    def all(self, word: Array) -> Array:
        """Return int32[seats]: every seat's number."""
        return self.of(word, jnp.arange(self.seats))

    def only(self, seat: ArrayLike, number: ArrayLike) -> Array:
        """Return the word in which `seat` has `number` and all others 0: to be added, or united."""
        return jnp.asarray(number).astype(jnp.uint32) << self._shift(seat)

    def word(self, numbers: Array) -> Array:
        """Return the word that holds `numbers` (int[seats]): the inverse of `all`."""
        return self.only(jnp.arange(self.seats), numbers).sum(dtype=jnp.uint32)


def row(array: Array, seat: ArrayLike) -> Array:
    """Return `array[seat]` of an array by seat, by choices: cheaper on a CPU than a gather is.

    -1, no seat, gives zeros.
    """
    found = jnp.zeros_like(array[0])
    for place in range(array.shape[0]):
        found = jnp.where(jnp.asarray(seat) == place, array[place], found)
    return found
