"""Decks from a 32-bit seed, as the recorded engines deal them: MT19937 in integer arithmetic.

`numpy.random.RandomState(seed).random_sample()` yields the same doubles on the host. Here neither
doubles nor 64-bit integers are needed, so the decks are the same on every device, in every mode.

Source: M. Matsumoto, T. Nishimura, "Mersenne Twister", ACM TOMACS 8 (1998); the plain integer
initialiser of its 2002 revision.
"""

import jax.numpy as jnp
from jax import Array, lax
from jax.typing import ArrayLike

_WORDS = 624
_OFFSET = 397
_INIT = 1812433253
_TWIST = 0x9908B0DF
_UPPER, _LOWER = 0x80000000, 0x7FFFFFFF

# A double is A * 2**26 + B over 2**53: A the upper 27 bits of one output, B the upper 26 of the
# next
_LOW_BITS = 26
_HIGH_BITS = 27
_LARGEST = 32


def deal_mt19937(seed: ArrayLike, size: int) -> Array:
    """Return int32[size]: the deck of `seed`, shuffled from the top down.

    For `i = size - 1 .. 1` places `i` and `int(u * (i + 1))` are swapped, `u` the next 53-bit
    double.

    Args:
      seed: a 32-bit seed, traced or not.
      size: cards in the deck, at most 32.

    Raises:
      ValueError: a larger deck.
    """
    if not 1 <= size <= _LARGEST:
        raise ValueError(f"a deck of {size} cards; deal_mt19937 deals 1 .. {_LARGEST}")
    draws = outputs(seed, 2 * (size - 1)).reshape(size - 1, 2)

    def swap(deck: Array, step: tuple[Array, Array]) -> tuple[Array, None]:
        place, (first, second) = step
        other = _scaled(first, second, place + 1)
        here, there = deck[place], deck[other]
        return deck.at[place].set(there).at[other].set(here), None

    places = jnp.arange(size - 1, 0, -1, dtype=jnp.int32)
    deck, _ = lax.scan(swap, jnp.arange(size, dtype=jnp.int32), (places, draws))
    return deck


def outputs(seed: ArrayLike, number: int) -> Array:
    """Return uint32[number]: the first outputs of the generator, at most 227 of them."""
    if number > _WORDS - _OFFSET:
        raise ValueError(
            f"{number} outputs; the first {_WORDS - _OFFSET} come without a full twist"
        )

    def following(word: Array, index: Array) -> tuple[Array, Array]:
        word = jnp.uint32(_INIT) * (word ^ (word >> 30)) + index
        return word, word

    first = jnp.asarray(seed).astype(jnp.uint32)
    index = jnp.arange(1, _OFFSET + number, dtype=jnp.uint32)
    _, rest = lax.scan(following, first, index)
    state = jnp.concatenate([first[None], rest])
    upper, lower, far = state[:number], state[1 : number + 1], state[_OFFSET:]
    mixed = upper & jnp.uint32(_UPPER) | lower & jnp.uint32(_LOWER)
    twisted = far ^ (mixed >> 1) ^ jnp.where(mixed & 1 != 0, jnp.uint32(_TWIST), jnp.uint32(0))
    return _temper(twisted)


def _temper(word: Array) -> Array:
    word = word ^ (word >> 11)
    word = word ^ (word << 7 & jnp.uint32(0x9D2C5680))
    word = word ^ (word << 15 & jnp.uint32(0xEFC60000))
    return word ^ (word >> 18)


def _scaled(first: Array, second: Array, n: Array) -> Array:
    """Return int32[]: `int(u * n)` with the product rounded to a double, as the host does it.

    The product is `high * 2**26 + low` over `2**53`. Where it has more than 53 bits, rounding to
    even may carry it up to the next integer: then everything below the integer part is ones, down
    to half a unit in the last place.
    """
    n = n.astype(jnp.uint32)
    low = n * (second >> 32 - _LOW_BITS)
    high = n * (first >> 32 - _HIGH_BITS) + (low >> _LOW_BITS)
    low = low & (2**_LOW_BITS - 1)
    whole, rest = high >> _HIGH_BITS, high & (2**_HIGH_BITS - 1)
    lost_bits = 32 - lax.clz(whole)
    half = jnp.where(lost_bits > 0, jnp.uint32(1) << (lost_bits - 1) % 32, jnp.uint32(0))
    carries = (rest == 2**_HIGH_BITS - 1) & (low + half >= 2**_LOW_BITS) & (lost_bits > 0)
    scaled: Array = (whole + carries).astype(jnp.int32)
    return scaled
