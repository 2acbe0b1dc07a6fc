"""The interface of policies: who is asked, what he is given, and what he remembers."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

import talonax
from talonax.agents.players import seat
from talonax.agents.policy import (
    ObservationPolicy,
    Policy,
    Random,
    Seated,
    StatePolicy,
    by_name,
    names,
)
from talonax.configs.games import UnknownGameError
from talonax.envs.core import Env
from talonax.envs.wrappers import rollout

BATCH = 64


# The example of the docs: an agent from scratch. ------------------------------------------------


@dataclass(frozen=True)
class HighestCard(ObservationPolicy):
    """Plays the legal action of the highest id."""

    def act(
        self, params: Any, env: Env[Any], view: Any, mask: Array, carry: Any, key: Array
    ) -> tuple[Array, Any]:
        return jnp.argmax(jnp.where(mask, jnp.arange(mask.shape[0]), -1)), carry


@pytest.mark.quick_first
@pytest.mark.parametrize("game", ["snapszer", "high_card_duel"])
def test_an_agent_of_a_few_lines_plays(game: str) -> None:
    env = talonax.make(game)
    state = env.init(jax.random.key(0))
    agent = HighestCard()
    steps = 0
    while not state.finished:
        mask = env.legal_action_mask(state)
        action, _ = agent.act(None, env, agent.see(env, state), mask, (), jax.random.key(1))
        assert int(action) == int(np.flatnonzero(np.asarray(mask)).max())
        state = env.step(state, action)
        steps += 1
    assert not state.illegal
    assert 1 < steps <= env.max_steps


# Random -----------------------------------------------------------------------------------------


def test_random_is_uniform_over_the_legal_actions() -> None:
    env = talonax.make("snapszer")
    state = env.deal(range(20))  # hand of five, closing allowed: six legal actions
    legal = np.asarray(env.legal_action_mask(state))
    draws = 60_000
    keys = jax.random.split(jax.random.key(3), draws)
    policy = Random()
    actions = jax.jit(jax.vmap(lambda k: policy.act(None, env, state, jnp.array(legal), (), k)[0]))(
        keys
    )
    counted = np.bincount(np.asarray(actions), minlength=env.num_actions)
    assert legal.sum() == 6
    assert counted[~legal].sum() == 0
    expected = draws / legal.sum()
    chi_square = float(((counted[legal] - expected) ** 2 / expected).sum())
    assert chi_square < 20.5  # 5 degrees of freedom: p = 0.001


def test_random_obeys_the_duties_of_a_closed_deal() -> None:
    env = talonax.make("snapszer")
    state = env.step(
        env.step(env.deal(range(20)), env.sizes.close), 0
    )  # AS led; 5..9 is all hearts
    keys = jax.random.split(jax.random.key(0), 200)
    mask = env.legal_action_mask(state)
    actions = jax.vmap(lambda key: Random().act(None, env, state, mask, (), key)[0])(keys)
    assert set(np.asarray(actions).tolist()) == set(np.flatnonzero(np.asarray(mask)).tolist())


# Seats ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Counting(StatePolicy):
    """Plays the lowest legal action and counts its turns, by `stride`."""

    stride: int = 1

    def init(self, env: Env[Any]) -> Array:
        return jnp.int32(0)

    def act(
        self, params: Any, env: Env[Any], view: Any, mask: Array, carry: Any, key: Array
    ) -> tuple[Array, Any]:
        return jnp.argmax(mask).astype(jnp.int32), carry + self.stride


@dataclass(frozen=True)
class Param(StatePolicy):
    """Plays the legal action of the highest logit: what it has learned is `params`."""

    def act(
        self, params: Any, env: Env[Any], view: Any, mask: Array, carry: Any, key: Array
    ) -> tuple[Array, Any]:
        return jnp.argmax(jnp.where(mask, params, -jnp.inf)).astype(jnp.int32), carry


def test_each_seat_is_played_by_its_own_policy() -> None:
    env = talonax.make("snapszer", closing=False)
    policy = Seated((Counting(), HighestCard()))
    state, carry = env.init(jax.random.key(5)), policy.init(env)
    movers = set()
    while not state.finished:
        legal = env.legal_action_mask(state)
        mover, mask = int(state.current_player), np.flatnonzero(legal)
        action, carry = policy.act(
            None,
            env,
            policy.see(env, state),
            env.legal_action_mask(state),
            carry,
            jax.random.key(0),
        )
        assert int(action) == (mask.min() if mover == 0 else mask.max())
        movers.add(mover)
        state = env.step(state, action)
    assert movers == {0, 1}


def test_each_policy_is_given_its_own_params() -> None:
    env = talonax.make("snapszer")
    rising = jnp.arange(env.num_actions, dtype=jnp.float32)
    policy = Seated((Param(), Param()))
    state = env.deal(range(20))
    for expected in (21, 4):  # closes, then leads its highest card
        mask = env.legal_action_mask(state)
        view = policy.see(env, state)
        action, _ = policy.act((rising, -rising), env, view, mask, policy.init(env), None)
        assert int(action) == expected
        state = env.step(state, action)
    mask = env.legal_action_mask(state)
    view = policy.see(env, state)
    action, _ = policy.act((rising, -rising), env, view, mask, policy.init(env), None)
    assert int(action) == np.flatnonzero(np.asarray(mask)).min()


@pytest.mark.parametrize("seated", [False, True])
def test_a_rollout_keeps_a_carry_for_each_seat(seated: bool) -> None:
    env = talonax.make("high_card_duel")
    policy: Policy = Seated((Counting(1), Counting(10))) if seated else Counting()
    states = jax.vmap(env.init)(jax.random.split(jax.random.key(0), BATCH))
    played = rollout(env, policy, states, jax.random.key(1), 1)
    # After one step of each game seat 0 has had its turn, and seat 1 none
    if not seated:
        assert np.asarray(played.carries).tolist() == [[1, 0]] * BATCH
        return
    first, second = (np.asarray(carry).tolist() for carry in played.carries)
    assert first == [[1, 0]] * BATCH
    assert second == [[0, 0]] * BATCH
    played = rollout(
        env, policy, played.states, jax.random.key(2), 2, carries=played.carries
    )  # ends the game and begins the next
    first, second = (np.asarray(carry).tolist() for carry in played.carries)
    assert first == [[1, 0]] * BATCH
    assert second == [[0, 0]] * BATCH
    assert int(played.games) == BATCH


@pytest.mark.slow
def test_the_carry_of_the_second_seat_moves_on_its_turn() -> None:
    env = talonax.make("snapszer", closing=False)
    policy = Seated((Counting(1), Counting(10)))
    states = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), BATCH))
    lowest = jnp.argmax(jax.vmap(env.legal_action_mask)(states), axis=1)
    states = jax.jit(jax.vmap(env.step))(states, lowest)
    assert np.asarray(states.current_player).tolist() == [1] * BATCH
    played = rollout(env, policy, states, jax.random.key(1), 1)
    first, second = (np.asarray(carry).tolist() for carry in played.carries)
    assert first == [[0, 0]] * BATCH
    assert second == [[0, 10]] * BATCH


# What is seen -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hashing(ObservationPolicy):
    """Its action depends on every number that it is given."""

    def act(
        self, params: Any, env: Env[Any], view: Any, mask: Array, carry: Any, key: Array
    ) -> tuple[Array, Any]:
        weights = jnp.sin(1.0 + jnp.arange(view.size, dtype=jnp.float32))
        return (1e5 * (weights * view.reshape(-1)).sum()).astype(jnp.int32), carry


def test_the_types_tell_what_a_policy_is_given() -> None:
    env = talonax.make("snapszer")
    state = env.init(jax.random.key(0))
    assert issubclass(ObservationPolicy, Policy)
    assert issubclass(StatePolicy, Policy)
    assert not issubclass(ObservationPolicy, StatePolicy)
    assert Random().see(env, state) is state
    np.testing.assert_array_equal(HighestCard().see(env, state), env.observe(state, 0))


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["full", "compact"])
def test_hidden_cards_do_not_reach_an_observation_policy(layout: str) -> None:
    env = talonax.make("snapszer", observation=layout)
    policy = Hashing()

    @jax.jit
    @jax.vmap
    def both(key: Array) -> tuple[Array, Array, Array]:
        state = env.init(key)
        for turn in range(7):
            bits = jax.random.fold_in(key, turn)
            mask = env.legal_action_mask(state)
            action, _ = Random().act(None, env, state, mask, (), bits)
            state = env.step(state, action)
        other = env.redeal(state, jnp.maximum(state.current_player, 0), jax.random.fold_in(key, 99))
        moved = jnp.stack(state.hands) != jnp.stack(other.hands)
        seen, seen_there = policy.see(env, state), policy.see(env, other)
        act = policy.act(None, env, seen, mask, (), key)[0]
        return (
            act,
            policy.act(None, env, seen_there, mask, (), key)[0],
            moved.any() & ~state.finished,
        )

    here, there, moved = (np.asarray(x) for x in both(jax.random.split(jax.random.key(8), 256)))
    assert moved.sum() > 150  # the re-deal did change hidden cards
    np.testing.assert_array_equal(here[moved], there[moved])
    assert len(set(here[moved].tolist())) > 100  # and the policy does tell views apart


# Names ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "bots"),
    [
        ("snapszer", ["greedy"]),
        ("high_card_duel", ["greedy"]),
        ("tysiac", ["greedy", "trump_manager"]),
    ],
)
def test_bots_are_found_by_name(game: str, bots: list[str]) -> None:
    assert names(game) == ["random", *bots]
    assert by_name(game, "random") == Random()
    for bot in bots:
        assert type(by_name(game, bot)).__module__ == f"talonax.agents.bots.{game}"
        assert hash(by_name(game, bot)) == hash(by_name(game, bot))


def test_one_name_fills_all_seats_and_others_sit_in_order() -> None:
    env = talonax.make("snapszer")
    assert seat(env, ["random"]).policy == Random()
    assert seat(env, ["random", "random"]).policy == Random()
    table = seat(env, ["greedy", "random"])
    assert table.policy == Seated((by_name("snapszer", "greedy"), Random()))
    assert table.params == (None, None)


def test_a_player_with_several_seats_is_there_once() -> None:
    env = talonax.make("blob", players=4, cards=2)
    table = seat(env, ["greedy", "random", "random", "greedy"])
    assert table.policy == Seated((by_name("blob", "greedy"), Random()), (0, 1, 1, 0))
    assert table.params == (None, None)
    rising = jnp.arange(env.num_actions, dtype=jnp.float32)
    policy, movers = Seated((Param(), Param()), (0, 1, 1, 0)), set()
    state = env.init(jax.random.key(0))
    while not state.finished:
        legal, mover = env.legal_action_mask(state), int(state.current_player)
        view = policy.see(env, state)
        action, _ = policy.act((rising, -rising), env, view, legal, policy.init(env), None)
        mask = np.flatnonzero(legal)
        assert int(action) == (mask.min() if mover in (1, 2) else mask.max())
        movers |= {mover} if len(mask) > 1 else set()
        state = env.step(state, action)
    assert movers == {0, 1, 2, 3}


def test_seats_must_be_as_many_as_the_game_has() -> None:
    with pytest.raises(ValueError, match="blob has 4 seats; 3 policies are seated"):
        Seated((Random(),), (0, 0, 0)).init(talonax.make("blob", players=4))
    with pytest.raises(ValueError, match=r"seats: \(0, 1\), but there are 1 policies"):
        Seated((Random(),), (0, 1))


def test_a_learned_player_brings_what_it_learned_to_its_seat() -> None:
    env = talonax.make("snapszer")
    table, alone = seat(env, ["random", "pretrained"]), seat(env, ["pretrained"])
    assert table.policy == Seated((Random(), alone.policy))
    nothing, learned = table.params
    assert nothing is None
    jax.tree.map(np.testing.assert_array_equal, learned, alone.params)


def test_argmax_after_a_name_is_the_likeliest_action() -> None:
    env = talonax.make("snapszer")
    drawing, sure = seat(env, ["pretrained"]), seat(env, ["pretrained:argmax"])
    carry, doubtful = drawing.policy.init(env), 0
    for deal in range(8):
        state = env.init(jax.random.key(deal))
        view, mask = drawing.policy.see(env, state), env.legal_action_mask(state)
        chances, _ = drawing.policy.probabilities(drawing.params, env, view, mask, carry)
        doubtful += bool(chances.max() < 0.7)
        for seed in range(8):
            key = jax.random.key(seed)
            action, _ = sure.policy.act(sure.params, env, view, mask, carry, key)
            assert action == jnp.argmax(chances)
    assert doubtful > 0, "else drawing would hardly tell"
    with jax.enable_x64(True):
        chances, _ = sure.policy.probabilities(sure.params, env, view, mask, carry)
    assert chances.dtype == jnp.float32
    assert (chances.max(), chances.sum()) == (1, 1)


def test_unknown_names_are_refused_with_those_that_exist() -> None:
    with pytest.raises(ValueError, match=r"snapszer has no policy 'clever'.*random, greedy"):
        by_name("snapszer", "clever")
    with pytest.raises(ValueError, match=r"no player 'clever'; there are: random, greedy, pretr"):
        seat(talonax.make("snapszer"), ["random", "clever"])
    with pytest.raises(UnknownGameError, match="whist"):
        by_name("whist", "greedy")


@pytest.mark.parametrize("chosen", [[], ["random"] * 3])
def test_another_number_of_names_is_refused(chosen: list[str]) -> None:
    with pytest.raises(ValueError, match=rf"2 seats; give one policy or 2, not {len(chosen)}"):
        seat(talonax.make("snapszer"), chosen)
