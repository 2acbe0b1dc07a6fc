"""Keys of jax as games take and keep them: typed, or as the two words of a threefry key."""

import jax
import jax.numpy as jnp
from jax import Array


def key_words(key: Array) -> Array:
    """Return uint32[2]: the words of a threefry key, typed or raw.

    Raises:
      TypeError: it is no key of that kind.
    """
    key = jnp.asarray(key)
    words = jax.random.key_data(key) if jnp.issubdtype(key.dtype, jax.dtypes.prng_key) else key
    if words.shape != (2,) or words.dtype != jnp.uint32:
        raise TypeError(
            f"a key must be one threefry key (jax.random.key(seed), or its uint32[2] words), is "
            f"{words.dtype}{list(words.shape)}; for many games, vmap over the keys"
        )
    return words


def typed_key(words: Array) -> Array:
    """Return the typed key of uint32[2] `words`: what a state's `key` field holds."""
    key: Array = jax.random.wrap_key_data(words, impl="threefry2x32")
    return key


__all__ = ["key_words", "typed_key"]
