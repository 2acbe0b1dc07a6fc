"""The bots of Tysiac at play: legal, by what their seat knows, each better than the last."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

import talonax
from talonax.agents.bots.tysiac import Greedy, TrumpManager
from talonax.agents.policy import Policy, Random, Seated
from talonax.configs.tysiac.schema import Bomba, Rules
from talonax.envs.core import Env
from talonax.envs.tysiac.env import Tysiac
from talonax.envs.tysiac.state import (
    PHASES,
)

pytestmark = pytest.mark.slow

BOTS: dict[str, Policy] = {"greedy": Greedy(), "trump_manager": TrumpManager()}
TABLES = {
    "alpha1000": Rules(hands=1),
    "polish": Rules(hands=1, must_trump_when_void=True, rounding="nearest"),
    "challenge": Rules(hands=1, proof="challenge"),
    "bomba": Rules(hands=2, bomba=Bomba(enabled=True, allow_redouble=True), reward="margin"),
    "match": Rules(reward="win"),
    "flags": Rules(
        hands=2,
        forced_open=False,
        return_to="declarer",
        rounding="nearest_down",
        lock=None,
        proof="challenge",
        bomba=Bomba(enabled=True),
    ),
}


def asked(env: Env[Any], policy: Policy, state: Any, key: Array) -> Array:
    """Return what a policy without carry does."""
    mask = env.legal_action_mask(state)
    return policy.act(None, env, policy.see(env, state), mask, (), key)[0]


# Nobody cheats ----------------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
def test_they_are_legal_and_do_not_see_hidden_cards(table: str) -> None:
    """States of all phases, reached by the bots' and random moves: a re-deal changes no action."""
    env, games, steps = Tysiac(rules=TABLES[table]), 64, 36

    @jax.jit
    @jax.vmap
    def watch(key: Array) -> Any:
        def body(state: Any, key: Array) -> Any:
            for_world, for_choice, for_chance = jax.random.split(key, 3)
            seat = jnp.maximum(state.current_player, 0)
            other = env.redeal(state, seat, for_world)
            actions = [asked(env, bot, state, for_choice) for bot in BOTS.values()]
            others = [asked(env, bot, other, for_choice) for bot in BOTS.values()]
            hidden = (*state.hands, *state.musiks), (*other.hands, *other.musiks)
            seen = {
                "plays": ~state.finished,
                "legal": env.legal_action_mask(state)[jnp.stack(actions)],
                "same": jnp.stack(actions) == jnp.stack(others),
                "differs": (jnp.stack(hidden[0]) != jnp.stack(hidden[1])).any(),
                "phase": env.phase(state),
            }
            by_chance = asked(env, Random(), state, for_chance)
            chosen = jnp.stack([*actions, by_chance])[jax.random.randint(for_choice, (), 0, 3)]
            return env.step(state, chosen), seen

        return jax.lax.scan(body, env.init(key), jax.random.split(key, steps))[1]

    seen = jax.tree.map(np.asarray, watch(jax.random.split(jax.random.key(11), games)))
    plays = seen["plays"]
    assert plays.sum() > 800
    assert seen["legal"][plays].all()
    assert (seen["differs"] & plays).sum() > 600
    rules = env.rules
    absent = set() if rules.bomba.enabled else {"bomb", "rebomb"}
    absent |= set() if rules.bomba.allow_redouble else {"rebomb"}
    for number, phase in enumerate(PHASES[:-1]):
        reached = (seen["phase"] == number) & seen["differs"] & plays
        assert bool(reached.sum() >= 10) is (phase not in absent), phase
    assert seen["same"][plays].all()


@pytest.mark.parametrize("name", BOTS)
def test_they_play_the_same_batched_and_alone(name: str, same_batched_and_alone: Any) -> None:
    same_batched_and_alone(Tysiac(rules=TABLES["alpha1000"]), BOTS[name], games=8, moves=14)


@pytest.mark.parametrize("name", BOTS)
def test_they_play_the_same_with_wide_numbers(name: str) -> None:
    def played() -> list[int]:
        env, actions = Tysiac(rules=TABLES["alpha1000"]), []
        policy, step = jax.jit(partial(asked, env, BOTS[name])), jax.jit(env.step)
        for seed in range(3):
            state = env.init(jax.random.key(seed))
            while not state.finished:
                actions.append(int(policy(state, jax.random.key(0))))
                state = step(state, actions[-1])
        return actions

    narrow = played()
    with jax.enable_x64(True):
        assert played() == narrow
    assert len(narrow) > 70


@pytest.mark.parametrize("name", BOTS)
def test_they_refuse_other_games(name: str) -> None:
    env = talonax.make("high_card_duel")
    with pytest.raises(TypeError, match="plays tysiac, not high_card_duel"):
        asked(env, BOTS[name], env.init(jax.random.key(0)), jax.random.key(0))


# Strength ---------------------------------------------------------------------------------------


def margins(env: Tysiac, first: Policy, second: Policy, deals: int) -> np.ndarray[Any, Any]:
    """Return what `first` wins of each deal, played from both seats, float[deals], in points."""

    @jax.jit
    def play(states: Any, key: Array) -> Array:
        def table(pair: tuple[Policy, Policy], states: Any) -> Array:
            def one(state: Any, key: Array) -> Any:
                policy, mask = Seated(pair), env.legal_action_mask(state)
                action, _ = policy.act(None, env, policy.see(env, state), mask, ((), ()), key)
                return env.step_legal(state, action)

            def body(carry: Any) -> Any:
                states, paid, key = carry
                key, for_moves = jax.random.split(key)
                states = jax.vmap(one)(states, jax.random.split(for_moves, deals))
                return states, paid + states.rewards, key

            start = states, jnp.zeros((deals, 2)), key
            return jax.lax.while_loop(lambda carry: ~carry[0].finished.all(), body, start)[1]

        return (table((first, second), states)[:, 0] + table((second, first), states)[:, 1]) / 2

    states = jax.vmap(env.init)(jax.random.split(jax.random.key(100), deals))
    return 400 * np.asarray(play(states, jax.random.key(101)))


STRENGTH = {
    "alpha1000": Rules(hands=1, reward="margin"),
    "polish": Rules(hands=1, reward="margin", must_trump_when_void=True, rounding="nearest"),
    "challenge and bomba": Rules(
        hands=1,
        reward="margin",
        proof="challenge",
        bomba=Bomba(enabled=True, allow_redouble=True),
    ),
}


@pytest.mark.parametrize("table", STRENGTH)
def test_each_is_better_than_the_one_before(table: str) -> None:
    env = Tysiac(rules=STRENGTH[table])
    over_random = margins(env, Greedy(), Random(), 600)
    over_greedy = margins(env, TrumpManager(), Greedy(), 600)
    assert over_random.mean() > 120
    assert over_greedy.mean() > 15
    assert (over_greedy > 0).mean() > (over_greedy < 0).mean()
