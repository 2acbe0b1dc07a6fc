"""The greedy bot of Bezique at play: legal, by what its seat knows, and far better than chance."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

import talonax
from talonax.agents.bots import bezique_hopes as hopes
from talonax.agents.bots import bezique_sight as sight
from talonax.agents.bots.bezique import WEIGHTS, Greedy
from talonax.agents.policy import Policy, Random
from talonax.envs.bezique.state import DONE, MELD, PHASES, SWAP, TURN
from talonax.envs.core import Env

pytestmark = pytest.mark.slow

TABLES: dict[str, dict[str, Any]] = {
    "two": {
        "rounds": 2,
        "mode": "advanced",
        "max_jokers": 0,
        "seven_in_phase2": False,
        "joker_turnup": "redraw",
    },
    "four": {"players": 4, "mode": "advanced", "target": 750, "reward": "win", "max_rounds": 3},
}


def asked(env: Env[Any], policy: Policy, state: Any, key: Array) -> Array:
    """Return what a policy without carry does."""
    mask = env.legal_action_mask(state)
    return policy.act(None, env, policy.see(env, state), mask, (), key)[0]


@pytest.mark.parametrize("name", TABLES)
def test_it_is_legal_and_does_not_see_hidden_cards(name: str) -> None:
    """States of all phases, reached by its own and random moves: a re-deal changes no action."""
    env, games, steps = talonax.make("bezique", **TABLES[name]), 16, 210

    @jax.jit
    @jax.vmap
    def watch(key: Array) -> Any:
        def body(state: Any, key: Array) -> Any:
            for_world, for_choice, for_chance = jax.random.split(key, 3)
            seat = jnp.maximum(state.current_player, 0)
            other = env.redeal(state, seat, for_world)
            mask, action = env.legal_action_mask(state), asked(env, Greedy(), state, for_choice)
            again = asked(env, Greedy(), other, for_choice)
            seen = sight.look(state)
            ready = hopes.judge_each(WEIGHTS.judged, env.rules, seen)[1][-1]
            may_meld = ~state.melded & (state.phase == TURN)
            hands = zip(jax.tree.leaves(state.hands), jax.tree.leaves(other.hands), strict=True)
            told = {
                "plays": ~state.finished,
                "legal": mask[action],
                "same": action == again,
                "differs": jnp.stack([mine != theirs for mine, theirs in hands]).any(),
                "phase": env.phase(state),
                "ready": (ready == mask[MELD:]).all() | ~may_meld,
                "swaps": ~mask[SWAP] | (action == SWAP),
            }
            by_chance = asked(env, Random(), state, for_chance)
            chosen = jnp.where(jax.random.bernoulli(for_choice, 0.3), by_chance, action)
            return env.step(state, chosen), told

        return jax.lax.scan(body, env.init(key), jax.random.split(key, steps))[1]

    told = jax.tree.map(np.asarray, watch(jax.random.split(jax.random.key(11), games)))
    plays = told["plays"]
    assert plays.sum() > games * 150
    for promise in ("legal", "same", "ready", "swaps"):
        assert told[promise][plays].all(), promise
    for number, phase in enumerate(PHASES[:-1]):
        reached = (told["phase"] == number) & told["differs"] & plays
        two_at_the_end = phase == "last" and env.num_players == 2  # all is known then
        assert bool(reached.sum() > 100) is not two_at_the_end, phase


def test_it_plays_the_same_batched_and_alone(same_batched_and_alone: Any) -> None:
    same_batched_and_alone(talonax.make("bezique", **TABLES["four"]), Greedy(), games=4, moves=60)


def test_it_plays_the_same_with_wide_numbers() -> None:
    def played() -> list[int]:
        env, actions = talonax.make("bezique", **TABLES["two"]), []
        policy, step = jax.jit(partial(asked, env, Greedy())), jax.jit(env.step)
        state = env.init(jax.random.key(3))
        while not state.finished:
            actions.append(int(policy(state, jax.random.key(0))))
            state = step(state, actions[-1])
        return actions

    narrow = played()
    with jax.enable_x64(True):
        assert played() == narrow
    assert len(narrow) > 380
    assert DONE in narrow


def margins(env: Env[Any], first: Policy, second: Policy, deals: int) -> np.ndarray[Any, Any]:
    """Return what `first` makes of each deal, from every seat in turn, float[deals], in points."""
    players = env.num_players

    def one(state: Any, seat: Array, key: Array) -> Any:
        actions = asked(env, first, state, key), asked(env, second, state, key)
        return env.step_legal(state, jnp.where(state.current_player == seat, *actions))

    @jax.jit
    def play(states: Any, seats: Array, key: Array) -> Array:
        def body(carry: Any) -> Any:
            states, paid, key = carry
            key, for_moves = jax.random.split(key)
            states = jax.vmap(one)(states, seats, jax.random.split(for_moves, len(seats)))
            return states, paid + states.rewards, key

        start = states, jnp.zeros((len(seats), players)), key
        paid = jax.lax.while_loop(lambda carry: ~carry[0].finished.all(), body, start)[1]
        return paid[jnp.arange(len(seats)), seats].reshape(players, deals).mean(axis=0)

    keys = jnp.tile(jax.random.split(jax.random.key(100), deals), players)
    seats = jnp.repeat(jnp.arange(players), deals)
    return 1000 * np.asarray(play(jax.vmap(env.init)(keys), seats, jax.random.key(101)))


@pytest.mark.parametrize("profile", ["standard", "advanced"])
def test_two_it_is_far_better_than_chance(profile: str) -> None:
    env = talonax.make("bezique", profile, rounds=1)
    won = margins(env, Greedy(), Random(), 24)
    assert won.mean() > 500
    assert (won > 0).mean() > 0.95


def test_four_it_is_far_better_than_chance() -> None:
    env = talonax.make("bezique", "advanced", rounds=1, players=4)
    won = margins(env, Greedy(), Random(), 16)
    assert won.mean() > 250
    assert (won > 0).mean() > 0.9
