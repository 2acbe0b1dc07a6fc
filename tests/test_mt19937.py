"""Decks from 32-bit seeds: bit for bit those of the host's generator."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from talonax.envs import mt19937

#: Seeds where a shuffle in single precision goes wrong, the ends of the range, and bit 31.
SEEDS = [0, 1, 2, 349220, 503642, 19650218, 2**31 - 1, 2**31, 2**32 - 1]


def on_the_host(seed: int, size: int) -> list[int]:
    random = np.random.RandomState(seed)
    deck = list(range(size))
    for place in range(size - 1, 0, -1):
        other = int(random.random_sample() * (place + 1))
        deck[place], deck[other] = deck[other], deck[place]
    return deck


@pytest.mark.parametrize("size", [1, 2, 20, 24, 32])
def test_decks_are_those_of_the_host(size: int) -> None:
    seeds = np.array(SEEDS + list(range(100, 400)), np.uint32)
    decks = jax.jit(jax.vmap(partial(mt19937.deal_mt19937, size=size)))(seeds)
    assert decks.dtype == jnp.int32
    assert np.asarray(decks).tolist() == [on_the_host(int(seed), size) for seed in seeds]


@pytest.mark.slow
def test_many_decks_are_those_of_the_host() -> None:
    seeds = np.random.default_rng(0).integers(0, 2**32, 20_000).astype(np.uint32)
    decks = jax.jit(jax.vmap(partial(mt19937.deal_mt19937, size=20)))(seeds)
    assert np.asarray(decks).tolist() == [on_the_host(int(seed), 20) for seed in seeds]


def test_outputs_are_those_of_the_host() -> None:
    for seed in SEEDS:
        wanted = np.random.RandomState(seed).randint(0, 2**32, 64, dtype=np.uint32)
        np.testing.assert_array_equal(mt19937.outputs(np.uint32(seed), 64), wanted)


def test_a_product_that_rounds_up_is_carried() -> None:
    """`u * n` in doubles may round up to a whole number; exact integer arithmetic would not."""
    rng = np.random.default_rng(1)
    first = rng.integers(0, 2**32, 500, dtype=np.uint64)
    second = np.full(500, 2**32 - 1, np.uint64)
    near = np.array([2**32 - 1, 2**32 - 32, 0x55555540, 0xAAAAAAA0], np.uint64)
    first = np.concatenate([first, near])
    second = np.concatenate([second, np.full(len(near), 2**32 - 1, np.uint64)])
    for n in (2, 3, 5, 7, 13, 20, 24, 32):
        doubles = ((first >> 5) * 2**26 + (second >> 6)).astype(np.float64) / 2.0**53
        wanted = (doubles * n).astype(np.int64)
        found = jax.vmap(partial(mt19937._scaled, n=jnp.int32(n)))(
            first.astype(np.uint32), second.astype(np.uint32)
        )
        np.testing.assert_array_equal(found, wanted)
    top = np.uint32(2**32 - 1)
    assert int(mt19937._scaled(jnp.uint32(top), jnp.uint32(top), jnp.int32(20))) == int(
        (1 - 2.0**-53) * 20
    )


def test_any_integer_type_and_x64() -> None:
    wanted = on_the_host(349220, 20)
    for seed in (349220, np.int32(349220), np.uint32(349220), jnp.int32(349220)):
        assert mt19937.deal_mt19937(seed, 20).tolist() == wanted
    with jax.enable_x64(True):
        deck = jax.jit(partial(mt19937.deal_mt19937, size=20))(np.uint32(349220))
        assert (deck.dtype, deck.tolist()) == (jnp.int32, wanted)


@pytest.mark.parametrize("size", [0, 33, -1])
def test_a_deck_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=str(size)):
        mt19937.deal_mt19937(0, size)


def test_too_many_outputs_are_refused() -> None:
    with pytest.raises(ValueError, match="228"):
        mt19937.outputs(0, 228)
    wanted = np.random.RandomState(5).randint(0, 2**32, 227, dtype=np.uint32)
    np.testing.assert_array_equal(mt19937.outputs(5, 227), wanted)
