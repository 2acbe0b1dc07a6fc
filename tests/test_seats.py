"""Small numbers of several seats in one word, and one seat's row of an array."""

import jax.numpy as jnp
import numpy as np
import pytest

from talonax.envs.seats import Packed, row


@pytest.mark.parametrize("shape", [(3,), (4, 2), (8, 5)])
def test_a_row_is_that_of_the_seat_and_nobodys_is_zeros(shape: tuple[int, ...]) -> None:
    array = jnp.arange(1, 1 + np.prod(shape), dtype=jnp.uint32).reshape(shape)
    for seat in range(shape[0]):
        np.testing.assert_array_equal(row(array, seat), array[seat])
    np.testing.assert_array_equal(row(array, -1), jnp.zeros_like(array[0]))
    assert row(array, jnp.int32(0)).dtype == jnp.uint32


@pytest.mark.parametrize(("seats", "bits"), [(3, 10), (8, 4), (32, 1), (2, 16)])
def test_each_seat_has_its_own_number(seats: int, bits: int) -> None:
    packed, rng = Packed(seats, bits), np.random.default_rng(0)
    numbers = rng.integers(0, 2**bits, seats)
    word = packed.word(jnp.array(numbers))
    np.testing.assert_array_equal(packed.all(word), numbers)
    assert [int(packed.of(word, seat)) for seat in range(seats)] == numbers.tolist()
    one = packed.only(seats - 1, 1)
    assert packed.all(one).tolist() == [0] * (seats - 1) + [1]


def test_more_bits_than_a_word_has_are_refused() -> None:
    with pytest.raises(ValueError, match="9 seats of 4 bits are more than 32"):
        Packed(9, 4)
