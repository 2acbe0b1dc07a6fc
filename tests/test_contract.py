"""Every registered game keeps the contract: all that `check_env` tries, under its profiles."""

from typing import Any

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import talonax
from talonax.configs import games as listing
from talonax.envs.check import check_env
from talonax.envs.core import Env

PROFILES = [(game, name) for game in talonax.games() for name in listing.get(game).profiles]
DEFAULTS = [(game, listing.get(game).default_profile) for game in talonax.games()]
#: Games that take ten seconds of a core and more: in the long run only.
LONG = {"bezique", "blob", "snapszer", "tysiac"}
#: Games tried where a whole one takes thousands of steps.
FEW = {"bezique": 8}
BOMBS = {"bomba.enabled": True, "bomba.allow_redouble": True}
PLAY = {"must_trump_when_void": True, "rounding": "nearest_down"}
VARIATIONS: list[tuple[str, dict[str, Any]]] = [
    ("high_card_duel", {"include_jokers": False}),
    (
        "snapszer",
        {
            "profile": "austrian",
            "match": 7,
            "first_leader": "random",
            "marriage_declare": "optional",
            "sixty_six": "after_trick",
        },
    ),
    (
        "snapszer",
        {
            "profile": "vu",
            "match": 3,
            "nines": True,
            "observation": "compact",
            "marriage_lead": "king",
        },
    ),
    (
        "tysiac",
        {
            "hands": 1,
            "lock": None,
            "reward": "margin",
            "proof": "challenge",
            "forced_open": False,
            "return_to": "declarer",
        },
    ),
    ("tysiac", {"max_hands": 4, "target": 300, "lock": 200, **PLAY, **BOMBS}),
]
STATE_BYTES = 100


@pytest.mark.parametrize(
    ("game", "profile"),
    [pytest.param(*each, marks=pytest.mark.slow if each[0] in LONG else ()) for each in DEFAULTS],
)
def test_every_game_keeps_the_contract(game: str, profile: str) -> None:
    check_env(talonax.make(game, profile), games=FEW.get(game, 128))


@pytest.mark.slow
@pytest.mark.parametrize(("game", "profile"), sorted(set(PROFILES) - set(DEFAULTS)))
def test_every_profile_keeps_the_contract(game: str, profile: str) -> None:
    check_env(talonax.make(game, profile), games=FEW.get(game, 256))


@pytest.mark.slow
@pytest.mark.parametrize(("game", "flags"), VARIATIONS, ids=str)
def test_flags_keep_the_contract(game: str, flags: dict[str, Any]) -> None:
    check_env(talonax.make(game, **flags))


@pytest.mark.parametrize("game", talonax.games())
def test_each_function_is_traced_once(game: str) -> None:
    """Equal envs, other keys, other seats and actions: the same trace."""
    chex.clear_trace_counter()

    @chex.assert_max_traces(n=1)
    def play(env: Env[Any], key: jax.Array, player: jax.Array) -> Any:
        state = env.init(key)
        action = jnp.argmax(env.legal_action_mask(state))
        after = env.redeal(env.step(state, action), player, key)
        return env.observe(after, player), env.card_tensor(after, player)

    compiled = jax.jit(play, static_argnums=0)
    for seed in range(3):
        env = talonax.make(game)
        compiled(env, jax.random.key(seed), jnp.int32(seed % env.num_players))
    step = jax.jit(chex.assert_max_traces(env.step, n=1))
    state = env.init(jax.random.key(0))
    for _ in range(4):
        state = step(state, jnp.int32(0))


@pytest.mark.parametrize("profile", listing.get("snapszer").profiles)
def test_a_snapszer_deal_is_small(profile: str) -> None:
    state = jax.eval_shape(talonax.make("snapszer", profile).init, jax.random.key(0))
    size = sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(state))
    assert size <= STATE_BYTES


def test_a_match_goes_through_scan_and_vmap_alike() -> None:
    env = talonax.make("snapszer", match=2)

    def play(key: jax.Array) -> Any:
        def step(state: Any, _: Any) -> Any:
            action = jnp.argmax(env.legal_action_mask(state))
            after = env.step(state, action)
            return after, after.rewards

        return jax.lax.scan(step, env.init(key), None, env.max_steps)

    many = jax.random.split(jax.random.key(0), 3)
    ends, rewards = jax.jit(jax.vmap(play))(many)
    one = jax.jit(play)
    for i in range(3):
        end, paid = one(many[i])
        jax.tree.map(np.testing.assert_array_equal, end, jax.tree.map(lambda x, i=i: x[i], ends))
        np.testing.assert_array_equal(paid, rewards[i])
    assert ends.terminated.all()
