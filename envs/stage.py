"""Deciding once what many fields follow from.

A step writes thirty fields. XLA's CPU backend makes a loop over the batch for each of them, and
left to itself each loop works out again everything that its field depends on. A game therefore
decides first what happens (a `NamedTuple` of flags and small numbers) and passes the decision
through `settle`: it is packed into one word, worked out by one loop, and read back by the loops
that write the fields. A step of Snapszer takes a third of the time so, and half of the time to
compile; its result is the same.
"""

from typing import Any, TypeVar

import jax.numpy as jnp
from jax import Array, lax

from talonax.envs.cards import WORD

Decision = TypeVar("Decision", bound=tuple[Any, ...])


def settle(decision: Decision, **bits: int) -> Decision:
    """Return `decision` unchanged, worked out once.

    Args:
      decision: a `NamedTuple` of bool[] flags and int32[] numbers.
      **bits: for each number, how many bits hold it: it must lie in `0 .. 2**bits - 1`.

    Raises:
      ValueError: a number without bits, or more than 31 bits in all.
    """
    names: tuple[str, ...] = decision._fields  # type: ignore[attr-defined]
    fields = dict(zip(names, decision, strict=True))
    widths = {name: 1 if fields[name].dtype == bool else bits.get(name, 0) for name in names}
    if 0 in widths.values() or sum(widths.values()) >= WORD:
        raise ValueError(f"every number needs its bits, {WORD - 1} at most in all: {widths}")
    word, shift = jnp.uint32(0), 0
    for name in names:
        word = word | fields[name].astype(jnp.uint32) << shift
        shift += widths[name]
    word, shift = once(word), 0
    read: list[Array] = []
    for name in names:
        value = word >> shift & (2 ** widths[name] - 1)
        read.append(value != 0 if fields[name].dtype == bool else value.astype(jnp.int32))
        shift += widths[name]
    return type(decision)(*read)


def once(word: Array) -> Array:
    """Return uint32[..] `word`, of at most 31 bits, in a form that XLA does not compute twice.

    An optimisation barrier is gone before the CPU backend fuses loops. A remainder by a number that
    is not a constant counts as too expensive to repeat, and by one that is larger it changes
    nothing.
    """
    return lax.rem(word, word | jnp.uint32(1 << WORD - 1))
