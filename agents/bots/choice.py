"""Choosing the action of the highest score, the same on every machine.

Scores are sums of floats, and compilers round them differently; of two that are meant to be equal
either might come out ahead. They are therefore compared in fractions of a point.
"""

import jax.numpy as jnp
from jax import Array

#: A score of one point is this many grains.
GRAIN = 64
LEAST = -(2**31)


def best(scores: Array, mask: Array) -> Array:
    """Return int32[]: the legal action of the highest score; of equal ones, the lowest id.

    Args:
      scores: float32[num_actions], each below 2**24 in size.
      mask: bool[num_actions], the legal actions.
    """
    grains = jnp.round(scores * GRAIN).astype(jnp.int32)
    return jnp.argmax(jnp.where(mask, grains, LEAST)).astype(jnp.int32)
