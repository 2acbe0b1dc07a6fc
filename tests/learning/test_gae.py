"""Advantages, seat by seat, by hand (field cases F07, F09, F10)."""

from functools import partial
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import talonax
from talonax.agents.network import NetworkPolicy
from talonax.agents.ppo_lstm.experience import Players, play_on, sit_down
from talonax.agents.ppo_lstm.gae import advantages


def told(seats, values, rewards, done, **options):
    return advantages(
        jnp.array(seats),
        jnp.array(values),
        jnp.array(rewards, jnp.float32),
        jnp.array(done),
        **options,
    )


def test_a_trick_by_hand():
    """Seat 1 leads, seat 0 wins the trick and leads, seat 1 wins the last one."""
    found = told(
        [1, 0, 0, 1],
        [0.1, 0.2, 0.3, -0.4],
        [[0, 0], [0.5, -0.5], [0, 0], [-2, 2]],
        [False, False, False, True],
        discount=0.9,
        trace=0.5,
    )
    last_1 = 2 + 0.4
    last_0 = -2 - 0.3
    first_0 = (0.5 + 0.9 * 0.3 - 0.2) + 0.9 * 0.5 * last_0
    first_1 = (-0.5 + 0.9 * -0.4 - 0.1) + 0.9 * 0.5 * last_1
    np.testing.assert_allclose(found.advantage, [first_1, first_0, last_0, last_1], atol=1e-6)
    np.testing.assert_allclose(found.target, found.advantage + np.array([0.1, 0.2, 0.3, -0.4]))
    assert found.known.all()


def test_f07_signs_follow_the_seat():
    """F07 counts every step and turns the sign with the mover; here a seat's time is its own: its
    next value is that of its own next decision, which is the issue's rule.
    """
    found = told(
        [0, 1, 0], [0.2, -0.1, 0.5], [[0, 0], [0, 0], [1, -1]], [False, False, True], trace=0.5
    )
    np.testing.assert_allclose(found.advantage, [0.3 + 0.5 * 0.5, -0.9, 0.5], atol=1e-6)


def test_f09_a_reward_reaches_everybodys_last_decision():
    """Five seats bid and play once; the round is paid on the last card."""
    paid = [10.0, 0.0, 11.0, 0.0, 10.0]
    seats = [1, 2, 3, 4, 0, 1, 2, 3, 4, 0]
    rewards = np.zeros((10, 5))
    rewards[-1] = paid
    found = told(seats, [0.0] * 10, rewards, [False] * 9 + [True], trace=1.0)
    np.testing.assert_allclose(found.target, [paid[seat] for seat in seats])


@pytest.mark.slow
def test_f09_in_blob_every_decision_is_paid_what_its_seat_gets_in_the_round():
    """Five seats, three cards: whole rounds of random play, discount and trace 1."""
    env, steps = talonax.make("blob", players=5, cards=3), 48
    policy = NetworkPolicy((8,), 4)
    players = Players(env, policy, policy.init_params(env, jax.random.key(0)), None, ())
    table = sit_down(players, jax.random.key(1), 8)
    _, played, _ = jax.jit(lambda at: play_on(players, at, jax.random.key(2), steps, steps))(table)
    found = jax.vmap(partial(advantages, discount=1.0, trace=1.0), in_axes=1, out_axes=1)(
        played.seat, played.value, played.reward, played.done
    )
    for game in range(8):
        seats, rewards = np.asarray(played.seat[:, game]), np.asarray(played.reward[:, game])
        ends = np.flatnonzero(played.done[:, game])
        assert len(ends) == 2
        for first, last in pairwise([0, *(ends + 1)]):
            changed = rewards[first:last].sum(axis=0)
            np.testing.assert_array_equal(np.bincount(seats[first:last]), [1 + 3] * 5)
            np.testing.assert_allclose(
                found.target[first:last, game], changed[seats[first:last]], atol=1e-4
            )
            assert found.known[first:last, game].all()


def test_f10_a_game_cut_off_has_the_value_of_where_it_was():
    found = told([0], [0.0], [[1, -1]], [True], discount=0.99, last_values=jnp.array([[2.0, 0.0]]))
    np.testing.assert_allclose(found.target, [2.98], atol=1e-6)
    found = told([0], [0.0], [[1, -1]], [True], discount=0.99)
    np.testing.assert_allclose(found.target, [1.0])


def test_nothing_passes_the_end_of_a_game():
    one = told([0, 1], [0.0, 0.0], [[0, 0], [3, -3]], [False, True])
    two = told(
        [0, 1, 1, 0],
        [0.0, 0.0, 7.0, 7.0],
        [[0, 0], [3, -3], [0, 0], [-9, 9]],
        [False, True, False, True],
    )
    np.testing.assert_allclose(two.advantage[:2], one.advantage)


def test_what_the_chunk_does_not_show_is_masked():
    """The last decision of each seat in a game that goes on has no known return."""
    found = told([0, 1, 0, 1, 1], [0.5] * 5, np.zeros((5, 2)), [False] * 5)
    np.testing.assert_array_equal(found.known, [True, True, False, True, False])
    np.testing.assert_array_equal(found.advantage[~found.known], 0)
    # What comes before them is estimated from their values.
    np.testing.assert_allclose(found.advantage[0], 0.5 - 0.5)
