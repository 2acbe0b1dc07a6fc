"""Checks of what a caller gives. What jax is tracing cannot be looked at, and is let through."""

from collections.abc import Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike


def is_concrete(*values: Any) -> bool:
    """Return whether none of the values is being traced: only then can a value be checked."""
    return not any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(values))


def check_order(what: str, deck: ArrayLike | Sequence[int], members: Sequence[int]) -> None:
    """Check that `deck` is an order of the cards `members`; of a traced one, the shape alone.

    Raises:
      ValueError: it is not; the message names `what`, and the cards that are wrong.
    """
    shape, size = np.shape(deck), len(members)
    if shape != (size,):
        raise ValueError(f"{what}: int[{size}] is needed, is of shape {list(shape)}")
    if not is_concrete(deck):
        return
    order = [int(card) for card in np.asarray(deck)]
    if sorted(order) != sorted(members):
        known = set(members)
        wrong = [card for card in order if card not in known]
        twice = sorted({card for card in order if order.count(card) > 1})
        fault = f"cards {wrong} are not in it" if wrong else f"cards {twice} are there twice"
        raise ValueError(f"{what}: {order} is no order of the {size} cards: {fault}")


def check_keywords(what: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Check that no keyword is unknown.

    Raises:
      TypeError: one is; the message names `what`, the keyword, and those that exist.
    """
    for name in given:
        if name not in known:
            raise TypeError(
                f"{what} has no table keyword {name!r}; there are: {', '.join(known) or 'none'}"
            )


def integers(what: str, given: ArrayLike) -> Array:
    """Return `given` as an array, of whatever integer type it is.

    Raises:
      TypeError: of another type; the message names `what`, the type and the shape.
    """
    array = jnp.asarray(given)
    if not jnp.issubdtype(array.dtype, jnp.integer):
        raise TypeError(f"{what} must be an integer, is {array.dtype}{list(array.shape)}")
    return array


__all__ = ["check_keywords", "check_order", "integers", "is_concrete"]
