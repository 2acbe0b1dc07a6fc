"""What is learned is what is to be learned (field cases F03, F19, and the issue's own)."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import talonax
from talonax.agents.network import NetworkPolicy
from talonax.agents.ppo_lstm.devices import mesh_of, placed, start_on
from talonax.agents.ppo_lstm.learner import _batch, learner, start, updates
from talonax.agents.runs import Run, about
from talonax.configs.train.load import training
from talonax.configs.train.schema import PPOSettings
from talonax.envs.planes import RANKS, SUITS


@pytest.mark.slow
def test_a_value_that_is_known_is_learned():
    """In High Card Duel nothing can be done: seat 0's value is what its card is worth."""
    env = talonax.make("high_card_duel")
    settings = PPOSettings(
        envs=256, steps=16, chunk=8, minibatches=4, trunk=(32,), lstm=16,
        learning_rate=1e-2, total_steps=1_200_000, reward_unit="max_loss",
    )  # fmt: skip
    made = learner(env, settings)
    call, runner = updates(made), start(made, jax.random.key(0))
    for _ in range(settings.updates // settings.updates_per_call):
        runner, _ = call(runner)
    policy: NetworkPolicy = made.policy
    # Decks in which each rank in turn is seat 0's; player 1's card does not matter.
    decks = jax.vmap(lambda first: jnp.roll(jnp.arange(len(env.deck_cards)), -first))(
        jnp.arange(RANKS)
    )
    states = jax.vmap(env.deal)(decks)

    def value(state: Any) -> Any:
        return policy.apply(runner.params, env, policy.init(env), policy.see(env, state))[2]

    values = jax.vmap(value)(states)
    # Ranks are numbered A 2 3 .. K Joker; the ace beats all but the Joker.
    beaten = jnp.array([RANKS - 2, *range(RANKS - 2), RANKS - 1])
    known = SUITS * (2 * beaten - (RANKS - 1)) / (len(env.deck_cards) - 1)
    np.testing.assert_allclose(np.asarray(values), known, atol=0.08)


@pytest.mark.slow
def test_f03_what_belongs_together_stays_together():
    """Every decision keeps its own game, seat, reward and carry through all reshapes."""
    env = talonax.make("blob", players=3)
    settings = PPOSettings(envs=10, steps=12, chunk=4, minibatches=2, trunk=(8,), lstm=4)
    made = learner(env, settings)
    runner = start(made, jax.random.key(0))
    from talonax.agents.ppo_lstm.experience import play_on

    players = made.players(runner.params, runner.magnet, runner.league)
    _, decisions, carries = play_on(players, runner.table, jax.random.key(1), 12, 4)
    tag = 1000 * jnp.arange(12)[:, None] + jnp.arange(10)
    tagged = decisions._replace(
        action=tag,
        value=tag.astype(jnp.float32),
        log_probs=tag[..., None] + decisions.seat[..., None],
    )
    starts = jax.tree.map(
        lambda leaf: jnp.broadcast_to(
            (1000 * 4 * jnp.arange(3)[:, None] + jnp.arange(10))[..., None, None], leaf.shape
        ),
        carries,
    )
    batch, _, _ = _batch(made, runner, tagged, starts)
    tags = np.asarray(batch.decisions.action)
    assert sorted(tags.ravel()) == sorted(np.asarray(tag).ravel())
    steps, games = tags // 1000, tags % 1000
    np.testing.assert_array_equal(np.diff(steps, axis=0), 1)
    np.testing.assert_array_equal(np.diff(games, axis=0), 0)
    np.testing.assert_array_equal(batch.carries[0][:, 0, 0], tags[0])
    np.testing.assert_array_equal(batch.decisions.value, tags)
    seat = np.asarray(batch.decisions.seat)
    np.testing.assert_array_equal(batch.decisions.log_probs[..., 0], tags + seat)
    np.testing.assert_array_equal(batch.decisions.state.current_player, seat)
    np.testing.assert_array_equal(seat, np.asarray(decisions.seat)[steps, games])
    known = np.asarray(batch.weight) > 0
    np.testing.assert_allclose(
        np.asarray(batch.target - batch.advantage)[known], tags[known], rtol=1e-5
    )


@pytest.mark.slow
def test_f19_what_eight_devices_saved_one_restores(tmp_path):
    if jax.device_count() < 8:
        pytest.skip(f"8 devices are needed, there are {jax.device_count()}")
    env = talonax.make("kuhn_poker")
    settings = PPOSettings(envs=16, steps=8, chunk=8, minibatches=2, trunk=(8,), lstm=4)
    made = learner(env, settings)
    eight, one = mesh_of(made, jax.devices()[:8]), mesh_of(made, jax.devices()[:1])
    runner, _ = updates(made, placed(made, eight))(start_on(made, eight, 0))
    told = about(env, training({}, "test"), seed=0)
    Run.create(tmp_path / "run", told).save(64, runner, 0.0)
    found = Run.open(tmp_path / "run").restore(64, start_on(made, one, 1))
    assert jax.tree.structure(found) == jax.tree.structure(runner)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(runner), strict=True):
        assert len(a.sharding.device_set) == 1
        np.testing.assert_array_equal(a, b)
    greedy = NetworkPolicy((8,), 4, greedy=True)
    states = jax.vmap(env.init)(jax.random.split(jax.random.key(2), 1000))

    def act(params: Any, state: Any) -> Any:
        mask = env.legal_action_mask(state)
        view, carry = greedy.see(env, state), greedy.init(env)
        return greedy.act(params, env, view, mask, carry, jax.random.key(0))[0]

    for_states = jax.vmap(partial(act, jax.device_get(runner.params)))(states)
    np.testing.assert_array_equal(for_states, jax.vmap(partial(act, found.params))(states))


@pytest.mark.slow
@pytest.mark.parametrize("game", ["snapszer", "blob"])
def test_hidden_cards_do_not_change_what_a_network_does(game):
    env, policy = talonax.make(game), NetworkPolicy((32,), 16)
    params = policy.init_params(env, jax.random.key(0))
    params = jax.tree.map(lambda leaf: 20 * leaf, params)  # so that what it sees matters
    keys = jax.random.split(jax.random.key(1), 64)

    def choices(key: Any) -> Any:
        state = env.init(key)
        for number in range(7):
            mask = env.legal_action_mask(state)
            drawn = jax.random.categorical(
                jax.random.fold_in(key, number), jnp.where(mask, 0, -9e9)
            )
            state = env.step(state, drawn)
        seat = jnp.maximum(state.current_player, 0)
        other = env.redeal(state, seat, jax.random.fold_in(key, 99))
        carry, mask = policy.init(env), env.legal_action_mask(state)
        told = [
            policy.log_probs(params, env, policy.see(env, each), mask, carry)[0]
            for each in (state, other)
        ]
        moved = jax.tree.map(lambda a, b: jnp.any(a != b), state, other)
        return *told, jnp.array(jax.tree.leaves(moved)).any()

    one, two, moved = jax.jit(jax.vmap(choices))(keys)
    assert np.asarray(moved).mean() > 0.5
    np.testing.assert_array_equal(one, two)
