"""Promises of how it runs: alike under jit, vmap, scan, with and without x64; and as JSON."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from talonax.envs.checks.trial import Trial

#: So many positions are tried one by one.
SINGLES = 3
#: So many are written as JSON and read again.
WRITTEN = 48


def check_running(trial: Trial, redeal: bool) -> None:
    """Run all checks of this module."""
    check_singles(trial)
    check_eager(trial)
    check_x64(trial, redeal)
    check_json(trial)


def _some(trial: Trial, number: int) -> list[int]:
    over = trial.positions.finished
    ended, alive = np.flatnonzero(over), np.flatnonzero(~over)
    return [*alive[: number - 1].tolist(), *ended[:1].tolist()]


def check_singles(trial: Trial) -> None:
    """One game under jit is that game in a batch."""
    at = trial.positions
    batch, seen = trial.step(at.states, at.actions), trial.look(at.states)
    for i in _some(trial, SINGLES):
        state = _one(at.states, i)
        wanted = _one(batch, i)
        trial.require_same(trial.step_one(state, at.actions[i]), wanted, "jit of one game is vmap")
        trial.require_same(
            trial.look_one(state), _one(seen, i), "a look at one game is a look at many"
        )


def check_eager(trial: Trial) -> None:
    """Without jit the results are the same; the action's integer type does not matter."""
    env, at = trial.env, trial.positions
    alive = int(np.flatnonzero(~at.finished)[-1])
    state = jax.tree.map(jnp.asarray, _one(at.states, alive))
    after = _one(trial.step(at.states, at.actions), alive)
    trial.require_same(env.step(state, jnp.asarray(at.actions[alive])), after, "eager is jit")
    action = int(at.actions[alive])
    for kind in (int, np.uint8, np.int16, jnp.int32):
        found = env.step(state, kind(action))
        trial.require_same(found, after, f"an action may be {kind.__name__}")
    mask = _one(trial.look(at.states), alive).mask
    trial.require_same(env.legal_action_mask(state), mask, "an eager mask is a jitted one")


def check_x64(trial: Trial, redeal: bool) -> None:
    """Deals, steps, looks and re-deals are the same, dtypes too, with `jax_enable_x64`."""
    env, at = trial.env, trial.positions
    keys, seat, fresh = trial.keys, trial.seated(0).seat, trial.keys_of(0)
    wanted = jax.device_get(
        (
            trial.init(keys),
            trial.step(at.states, at.actions),
            trial.look(at.states),
            trial.redeal(at.states, seat, fresh) if redeal else (),
        )
    )
    inputs = jax.device_get((keys, seat, fresh))
    with jax.enable_x64(True):
        keys, seat, fresh = inputs
        wide = Trial(env, trial.games)
        found = jax.device_get(
            (
                wide.init(keys),
                wide.step(at.states, at.actions),
                wide.look(at.states),
                wide.redeal(at.states, seat, fresh) if redeal else (),
            )
        )
    for what, a, b in zip(("init", "step", "looks", "redeal"), found, wanted, strict=True):
        trial.require_same(a, b, f"{what} with jax_enable_x64")


def check_json(trial: Trial) -> None:
    """A position written as JSON and read again is the same, and so is the env."""
    from talonax.envs import registry, serialize

    env, at = trial.env, trial.positions
    registered = env.id in registry.games()
    for i in np.linspace(0, len(at.game) - 1, WRITTEN, dtype=int):
        state = _one(at.states, i)
        text = serialize.to_json(env, state)
        read_env, read = serialize.from_json(text, env)
        where = f"game {at.game[i]}, step {at.step[i]}"
        trial.require_same(read, state, f"from_json(to_json(..)) is the same state: {where}")
        trial.require(read_env == env, "from_json returns the env that it is given")
    if registered:
        found, read = serialize.from_json(text)
        trial.require(found.rules == env.rules, "from_json finds the env by itself")
        trial.require_same(read, state, "from_json needs no env")


def _one(states: Any, i: int) -> Any:
    return jax.tree.map(lambda leaf: leaf[i], states)
