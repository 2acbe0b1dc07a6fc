"""The greedy bot of Blob at play: legal, by what its seat sees, and better than chance."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from talonax.agents import arena
from talonax.agents.bots.blob import Greedy
from talonax.agents.policy import Policy, Random
from talonax.configs.blob.schema import DECK_SIZE
from talonax.envs.blob.env import Blob
from talonax.envs.blob.state import BIDDING, PLAYING
from talonax.envs.core import Env
from talonax.envs.wrappers import game_keys

pytestmark = pytest.mark.slow

TABLES: dict[str, dict[str, Any]] = {
    "four": {"cards": 7},
    "three, full games": {"players": 3, "cards": 3, "rounds": "full", "score": "exact_or_tricks"},
    "eight, no hook, no trump": {"players": 8, "cards": 6, "hook": False, "first_round": 4},
}


def asked(env: Env[Any], policy: Policy, state: Any, key: Array) -> Array:
    """Return what a policy without carry does."""
    mask = env.legal_action_mask(state)
    return policy.act(None, env, policy.see(env, state), mask, (), key)[0]


@pytest.mark.parametrize("table", TABLES)
def test_it_is_legal_and_does_not_see_hidden_cards(make: Any, table: str) -> None:
    """States reached by its own and random moves: a re-deal changes no action."""
    env, games, steps = make(**TABLES[table]), 24, 60

    @jax.jit
    @jax.vmap
    def watch(key: Array) -> Any:
        def body(state: Any, key: Array) -> Any:
            for_world, for_choice, for_chance = jax.random.split(key, 3)
            other = env.redeal(state, jnp.maximum(state.current_player, 0), for_world)
            both = jax.tree.map(lambda *each: jnp.stack(each), state, other)
            action, again = jax.vmap(partial(asked, env, Greedy(), key=for_choice))(both)
            seen = {
                "plays": ~state.finished,
                "legal": env.legal_action_mask(state)[action],
                "same": action == again,
                "differs": (state.hands() != other.hands()).any(),
                "phase": env.phase(state),
            }
            by_chance = asked(env, Random(), state, for_chance)
            chosen = jnp.where(jax.random.bernoulli(for_choice), action, by_chance)
            return env.step(state, chosen), seen

        return jax.lax.scan(body, env.init(key), jax.random.split(key, steps))[1]

    seen = jax.tree.map(np.asarray, watch(jax.random.split(jax.random.key(11), games)))
    plays = seen["plays"]
    assert plays.sum() > games * 30
    assert seen["legal"][plays].all()
    for phase in (BIDDING, PLAYING):
        assert (plays & seen["differs"] & (seen["phase"] == phase)).sum() > 50
    assert seen["same"][plays].all()


def test_it_plays_the_same_batched_and_alone(make: Any, same_batched_and_alone: Any) -> None:
    env = make(cards=7)
    states = same_batched_and_alone(env, Greedy(), games=8, moves=env.max_steps)
    assert bool(states.finished.all())


# Strength -----------------------------------------------------------------------------------------


def ahead_of_the_table(env: Blob, deals: int) -> np.ndarray:
    """Return by deal what a seat scores more than the mean of the table, float[2, deals].

    First one greedy seat among random ones, then one random seat among greedy ones, over all seats
    that the one can have.
    """
    keys = game_keys(jax.random.key(3), deals).T
    points = jax.jit(partial(arena.play, env, (Random(), Greedy()), (None, None)))(keys)
    by_line_up = np.asarray(points).reshape(deals, 2, env.num_players, env.num_players)
    alone = np.diagonal(by_line_up, axis1=2, axis2=3)  # `arena.lineups`: the one has every seat
    ahead: np.ndarray = (alone - by_line_up.mean(axis=-1)).mean(axis=-1).T
    return ahead[::-1]


@pytest.mark.parametrize("players", range(3, 9))
@pytest.mark.parametrize("fewest", [True, False])
def test_it_is_much_better_than_chance_at_every_table(
    make: Any, players: int, fewest: bool
) -> None:
    """Of a hundred deals; measured over 300 deals it is ahead by 1.5 to 5 points a round."""
    cards = 1 if fewest else DECK_SIZE // players
    greedy, chance = ahead_of_the_table(make(players=players, cards=cards), 100)
    assert greedy.mean() > 0.8
    assert chance.mean() < -0.8
