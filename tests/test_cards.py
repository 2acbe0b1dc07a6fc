"""Sets of cards, shuffles and packed queues, against Python's sets and lists."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talonax.envs import cards

SIZES = [1, 20, 24, 31, 32, 33, 52, 56, 64, 132]


def members(bits: jax.Array, size: int) -> set[int]:
    return set(np.flatnonzero(cards.unpack(bits, size)).tolist())


@pytest.mark.parametrize(("size", "words"), [(1, 1), (32, 1), (33, 2), (56, 2), (64, 2), (132, 5)])
def test_words(size: int, words: int) -> None:
    assert cards.words_for(size) == words
    empty = cards.empty(size)
    assert empty.shape == (() if words == 1 else (words,))
    assert empty.dtype == jnp.uint32
    assert bool(cards.is_empty(empty))


@pytest.mark.parametrize("size", SIZES)
def test_a_set_is_a_set(size: int) -> None:
    rng = np.random.default_rng(size)
    for _ in range(5):
        held = set(np.flatnonzero(rng.random(size) < 0.4).tolist())
        bits = cards.constant(sorted(held), size)
        assert members(bits, size) == held
        assert int(cards.count(bits)) == len(held)
        assert bool(cards.is_empty(bits)) == (not held)
        np.testing.assert_array_equal(cards.pack(cards.unpack(bits, size)), bits)
        for card in range(-1, size + 1):
            assert bool(cards.contains(bits, card)) == (card in held)
        for k, card in enumerate(sorted(held)):
            assert int(cards.kth(bits, k)) == card


@pytest.mark.parametrize("size", SIZES)
def test_single_and_union(size: int) -> None:
    for card in {0, size // 2, size - 1}:
        assert members(cards.single(card, size), size) == {card}
    for none in (-1, size, size + 40):
        assert bool(cards.is_empty(cards.single(none, size)))
    listed = jnp.array([0, -1, size - 1, -1])
    assert members(cards.union_of(listed, size), size) == {0, size - 1}


@settings(max_examples=60, deadline=None)
@given(held=st.sets(st.integers(0, 55)), k=st.integers(0, 55))
def test_kth_of_any_set(held: set[int], k: int) -> None:
    bits = cards.constant(sorted(held), 56)
    if k < len(held):
        assert int(cards.kth(bits, k)) == sorted(held)[k]


@pytest.mark.parametrize("size", [20, 56])
def test_one_card_is_drawn_uniformly(size: int) -> None:
    held = [0, 3, 7, size - 1]
    draws = jax.random.bits(jax.random.key(0), (20_000,), jnp.uint32)
    drawn = np.asarray(jax.vmap(partial(cards.draw_one, cards.constant(held, size)))(draws))
    counts = np.array([(drawn == card).sum() for card in held])
    assert counts.sum() == 20_000
    assert np.abs(counts / 20_000 - 0.25).max() < 4 * (0.25 * 0.75 / 20_000) ** 0.5
    assert int(cards.draw_one(cards.constant(held, size), jnp.uint32(0))) == 0
    assert int(cards.draw_one(cards.constant(held, size), jnp.uint32(2**32 - 1))) == size - 1


@pytest.mark.parametrize("size", [1, 2, 20, 24, 32, 52, 56, 132])
def test_shuffles_are_permutations(size: int) -> None:
    keys = jax.random.split(jax.random.key(0), 200)
    decks = np.asarray(jax.jit(jax.vmap(partial(cards.shuffle, size=size)))(keys))
    assert decks.dtype == np.int32
    np.testing.assert_array_equal(np.sort(decks, axis=1), np.tile(np.arange(size), (200, 1)))


def test_every_card_goes_everywhere_alike() -> None:
    keys = jax.random.split(jax.random.key(1), 20_000)
    for size in (5, 33):
        decks = np.asarray(jax.jit(jax.vmap(partial(cards.shuffle, size=size)))(keys))
        seen = np.stack([(decks == card).mean(axis=0) for card in range(size)])
        assert np.abs(seen - 1 / size).max() < 5 * (1 / size * (1 - 1 / size) / 20_000) ** 0.5
    decks = np.asarray(jax.jit(jax.vmap(partial(cards.shuffle, size=3)))(keys))
    orders, counts = np.unique(decks, axis=0, return_counts=True)
    assert len(orders) == 6
    assert np.abs(counts / 20_000 - 1 / 6).max() < 5 * (5 / 36 / 20_000) ** 0.5


@settings(max_examples=25, deadline=None)
@given(order=st.permutations(range(24)), length=st.integers(1, 11), number=st.integers(1, 6))
def test_a_queue_is_a_list(order: list[int], length: int, number: int) -> None:
    queue = cards.Queue(bits=5, length=length)
    held = order[:length]
    packed = queue.fill(jnp.array(held))
    assert queue.unfold(packed, length).tolist() == held
    assert queue.unfold(packed, length - 1).tolist() == [*held[:-1], -1]
    kept = queue.drop(packed, number, jnp.bool_(False))
    assert queue.unfold(kept, length).tolist() == held
    dropped = queue.drop(packed, number, jnp.bool_(True))
    left = max(0, length - number)
    assert queue.unfold(dropped, left).tolist() == held[number:] + [-1] * (length - left)


def test_a_place_may_be_traced() -> None:
    queue = cards.Queue(bits=5, length=12)
    assert queue.per_word == 6
    empty = (jnp.uint32(0), jnp.uint32(0))
    put = jax.jit(lambda packed, place, card: queue.put(packed, place, card))
    for place in range(12):
        static = queue.put(empty, place, jnp.int32(31))
        assert [int(word) for word in static] == [int(w) for w in put(empty, place, jnp.int32(31))]
        assert int(queue.peek(static, place)) == 31
        assert sum(int(queue.peek(static, other)) for other in range(12)) == 31
