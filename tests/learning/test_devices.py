"""One runner on several devices, several seeds in one call, a critic that sees all seats."""

import os
import socket
import subprocess
import sys
import textwrap
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import talonax
from talonax.agents.ppo_lstm.devices import mesh_of, placed, start_on
from talonax.agents.ppo_lstm.learner import learner, start, update, updates
from talonax.configs.train.schema import PPOSettings

SMALL: dict[str, Any] = {
    "envs": 16,
    "steps": 16,
    "chunk": 8,
    "minibatches": 2,
    "updates_per_call": 2,
    "trunk": (16,),
    "lstm": 8,
}


def after_two_updates(devices: list[Any], **changes: Any) -> Any:
    made = learner(talonax.make("kuhn_poker"), PPOSettings(**SMALL, **changes))
    mesh = mesh_of(made, devices)
    runner, _ = updates(made, placed(made, mesh))(start_on(made, mesh, 0))
    return runner


@pytest.mark.slow
def test_on_eight_devices_the_same_is_learned_as_on_one():
    devices = jax.devices()
    if len(devices) < 8:
        pytest.skip(f"8 devices are needed, there are {len(devices)}")
    one, eight = after_two_updates(devices[:1]), after_two_updates(devices[:8])
    assert len(eight.table.states.terminated.sharding.device_set) == 8
    assert not eight.table.states.terminated.sharding.is_fully_replicated
    np.testing.assert_array_equal(one.table.states.terminated, eight.table.states.terminated)
    for a, b in zip(jax.tree.leaves(one.params), jax.tree.leaves(eight.params), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)


def test_games_that_cannot_be_shared_out_are_refused():
    made = learner(talonax.make("kuhn_poker"), PPOSettings(**SMALL))
    with pytest.raises(ValueError, match="16 games cannot be shared by 3 devices"):
        mesh_of(made, jax.devices()[:1] * 3)


@pytest.mark.slow
def test_seeds_side_by_side_are_seeds_one_by_one():
    made = learner(talonax.make("kuhn_poker"), PPOSettings(**SMALL))
    keys = jax.random.split(jax.random.key(7), 2)
    begin = jax.jit(lambda key: start(made, key))
    go = jax.jit(lambda runner: update(made, runner)[0])
    together = jax.jit(jax.vmap(lambda runner: update(made, runner)[0]))(jax.vmap(begin)(keys))
    for number, key in enumerate(keys):
        alone = go(begin(key))
        both = jax.tree.map(lambda leaf, at=number: leaf[at], together.params)
        for a, b in zip(jax.tree.leaves(alone.params), jax.tree.leaves(both), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-5)


@pytest.mark.slow
def test_two_processes_learn_what_one_does(tmp_path):
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    code = textwrap.dedent(
        f"""
        import sys, jax, numpy as np
        rank = int(sys.argv[1])
        jax.distributed.initialize("localhost:{port}", 2, rank)
        import talonax
        from talonax.agents.ppo_lstm.devices import mesh_of, placed, start_on
        from talonax.agents.ppo_lstm.learner import learner, updates
        from talonax.configs.train.schema import PPOSettings
        made = learner(talonax.make("kuhn_poker"), PPOSettings(**{SMALL!r}))
        mesh = mesh_of(made)
        assert mesh.size == 2 and jax.process_count() == 2
        runner, _ = updates(made, placed(made, mesh))(start_on(made, mesh, 0))
        np.savez(sys.argv[2], *[np.asarray(leaf) for leaf in jax.tree.leaves(runner.params)])
        """
    )
    (tmp_path / "run.py").write_text(code)
    env = {**os.environ, "XLA_FLAGS": "--xla_backend_optimization_level=0", "JAX_PLATFORMS": "cpu"}
    processes = [
        subprocess.Popen(
            [sys.executable, tmp_path / "run.py", str(rank), tmp_path / f"{rank}.npz"],
            env=env,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    told = [process.communicate(timeout=300)[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], told[0][-2000:]
    alone = jax.tree.leaves(after_two_updates(jax.devices()[:1]).params)
    for rank in range(2):
        with np.load(tmp_path / f"{rank}.npz") as found:
            for name, leaf in zip(found.files, alone, strict=True):
                np.testing.assert_allclose(found[name], leaf, atol=1e-5)


# A privileged critic ----------------------------------------------------------------------------


@pytest.mark.slow
def test_the_privileged_critic_sees_what_the_policy_does_not():
    settings = PPOSettings(**SMALL, privileged_critic=True, critic=(16,))
    env = talonax.make("kuhn_poker")
    made = learner(env, settings)
    params = made.policy.init_params(env, jax.random.key(0))
    states = jax.vmap(env.init)(jax.random.split(jax.random.key(1), 64))
    own = jax.vmap(lambda state: env.observe(state, state.current_player))(states)
    other = jax.vmap(lambda state: env.observe(state, 1 - state.current_player))(states)
    told = jnp.zeros(64)
    value_of = jax.vmap(lambda state, told: made.policy.learned_value(params, env, state, told))
    values = np.asarray(value_of(states, told))
    alike = (np.asarray(own)[:, None] == np.asarray(own)).all(-1)
    differ = (np.asarray(other)[:, None] != np.asarray(other)).any(-1)
    pairs = np.argwhere(alike & differ)
    assert len(pairs)
    assert all(values[a] != values[b] for a, b in pairs)
    carry = made.policy.init(env)
    for a, b in pairs[:8]:
        mask = env.legal_action_mask(jax.tree.map(lambda leaf, at=a: leaf[at], states))
        seen = [
            made.policy.see(env, jax.tree.map(lambda leaf, at=at: leaf[at], states))
            for at in (a, b)
        ]
        one, two = (made.policy.log_probs(params, env, each, mask, carry)[0] for each in seen)
        np.testing.assert_array_equal(one, two)


@pytest.mark.slow
def test_the_privileged_critic_learns_and_the_value_head_does_not():
    settings = PPOSettings(**SMALL, privileged_critic=True, critic=(16,))
    made = learner(talonax.make("kuhn_poker"), settings)
    runner = start(made, jax.random.key(0))
    after, told = jax.jit(lambda runner: update(made, runner))(runner)
    assert float(told["ratio_error"]) < 1e-5
    before, now = runner.params["params"], after.params["params"]
    assert not np.array_equal(before["critic_0"]["kernel"], now["critic_0"]["kernel"])
    np.testing.assert_array_equal(before["value"]["kernel"], now["value"]["kernel"])
