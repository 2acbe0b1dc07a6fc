"""Powers with whole exponents, which chances are made of: a few products instead of a logarithm."""

import jax.numpy as jnp
from jax import Array


def power(base: Array, exponent: Array, most: int) -> Array:
    """Return float32[..]: `base ** exponent`, by squaring; exact where the base is 0 or 1.

    Args:
      base: float32[..].
      exponent: integers from 0 to `most`; `0 ** 0` is 1.
      most: the largest exponent that there may be.
    """
    result: Array = jnp.float32(1)
    for bit in range(most.bit_length()):
        result = result * jnp.where(exponent >> bit & 1 != 0, base, 1.0)
        base = base * base
    return result
