"""`settle` returns a decision unchanged, whatever it holds, jitted and batched."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from talonax.envs.stage import settle


class Decision(NamedTuple):
    happens: Array
    seat: Array
    card: Array
    over: Array
    worth: Array


def decision(seed: int) -> Decision:
    rng = np.random.default_rng(seed)
    return Decision(
        jnp.array(rng.integers(0, 2, 64) == 1),
        jnp.array(rng.integers(0, 2, 64), jnp.int32),
        jnp.array(rng.integers(0, 32, 64), jnp.int32),
        jnp.array(rng.integers(0, 2, 64) == 1),
        jnp.array(rng.integers(0, 2**20, 64), jnp.int32),
    )


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit, jax.vmap, lambda f: jax.jit(jax.vmap(f))])
def test_a_decision_comes_out_as_it_went_in(wrap: object) -> None:
    def through(given: Decision) -> Decision:
        return settle(given, seat=1, card=5, worth=20)

    for seed in range(3):
        given = decision(seed)
        found = wrap(through)(given)  # type: ignore[operator]
        assert type(found) is Decision
        for name in Decision._fields:
            before, after = getattr(given, name), getattr(found, name)
            assert after.dtype == before.dtype, name
            np.testing.assert_array_equal(after, before, err_msg=name)


def test_the_largest_word() -> None:
    full = Decision(
        jnp.bool_(True), jnp.int32(1), jnp.int32(31), jnp.bool_(True), jnp.int32(2**23 - 1)
    )
    assert settle(full, seat=1, card=5, worth=23) == full


def test_too_many_bits_and_forgotten_ones_are_refused() -> None:
    given = jax.tree.map(lambda leaf: leaf[0], decision(0))
    with pytest.raises(ValueError, match="31"):
        settle(given, seat=1, card=5, worth=24)
    with pytest.raises(ValueError, match="worth"):
        settle(given, seat=1, card=5)
