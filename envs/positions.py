"""Reading a position that a person may have written: what the games share (`envs/serialize.py`)."""

from collections.abc import Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def check_names(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Check that exactly the names in `known` are given.

    Raises:
      ValueError: naming what is missing or unknown, and what there is.
    """
    given, known = list(given), list(known)
    wrong = [f"no {name!r}" for name in known if name not in given]
    wrong += [f"unknown {name!r}" for name in given if name not in known]
    if wrong:
        raise ValueError(f"{what}: {', '.join(wrong)}; the entries are: {', '.join(known)}")


def fitted(name: str, value: Any, shape: Any) -> Any:
    """Return plain lists as arrays of the shapes and dtypes of `shape`.

    Raises:
      ValueError: they are of another shape, or do not fit the dtype; the message names the entry.
    """
    leaves, tree = jax.tree.flatten(shape)
    if len(leaves) > 1 and (not isinstance(value, list) or len(value) != len(leaves)):
        raise ValueError(f"position: {name}: a list of {len(leaves)} is needed, is {value!r}")
    values = value if len(leaves) > 1 else [value]
    arrays = []
    for each, leaf in zip(values, leaves, strict=True):
        array = np.asarray(each)
        if array.shape != leaf.shape or not np.array_equal(array, array.astype(leaf.dtype)):
            raise ValueError(
                f"position: {name}: {leaf.dtype}{list(leaf.shape)} is needed, is {each!r}"
            )
        arrays.append(jnp.asarray(array, leaf.dtype))
    return jax.tree.unflatten(tree, arrays)


__all__ = ["check_names", "fitted"]
