"""`AutoReset`, one game at a time, and `rollout`, batched: the same games in distribution."""

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import talonax
from talonax.agents.policy import Random, Seated
from talonax.envs import cards
from talonax.envs.core import Env
from talonax.envs.snapszer.env import Snapszer
from talonax.envs.wrappers import AutoReset, rollout

BATCH = 32


@cache
def make(**flags: Any) -> Snapszer:
    env = talonax.make("snapszer", **flags)
    assert isinstance(env, Snapszer)
    return env


def keys(number: int, seed: int = 0) -> jax.Array:
    return jax.random.split(jax.random.key(seed), number)


@cache
def initial(env: Env[Any], batch: int = BATCH) -> Any:
    return jax.jit(jax.vmap(env.init))(keys(batch))


def everything(state: Any, action: jax.Array, last: Any) -> Any:
    return state, action, last


@cache
def run(env: Env[Any], steps: int, seed: int = 0, policy: Any = None) -> Any:
    """Return a rollout with all its states recorded."""
    played = jax.jit(
        lambda states, key: rollout(env, policy or Random(), states, key, steps, collect=everything)
    )
    return jax.device_get(played(initial(env), jax.random.key(seed)))


def test_auto_reset_deals_anew_from_the_key_that_it_is_given() -> None:
    env = talonax.make("high_card_duel")
    wrapped = AutoReset(env)
    state = wrapped.init(jax.random.key(0))
    state, last = wrapped.step(state, 0, jax.random.key(1))
    jax.tree.map(np.testing.assert_array_equal, state, last)
    state, last = wrapped.step(state, 0, jax.random.key(2))
    assert bool(last.terminated)
    assert not bool(state.terminated)
    jax.tree.map(np.testing.assert_array_equal, state, env.init(jax.random.key(2)))
    _, last = wrapped.step(state, -1, jax.random.key(3))
    assert bool(last.illegal)


def test_no_state_of_a_rollout_is_finished_and_every_end_is_counted() -> None:
    result = run(make(), 120)
    states, _, last = result.trace
    assert not states.terminated.any()
    assert not result.states.terminated.any()
    assert int(result.games) == last.terminated.sum() > BATCH * 5
    assert (np.abs(last.rewards).sum(axis=-1) > 0)[last.terminated].all()
    assert not last.illegal.any()


def test_the_next_state_is_the_last_one_or_a_fresh_deal() -> None:
    env = make()
    states, actions, last = run(env, 120).trace
    over = last.terminated
    stepped = jax.jit(jax.vmap(jax.vmap(env.step)))(states, actions)
    jax.tree.map(np.testing.assert_array_equal, stepped, last)
    for (_, before), after in zip(
        jax.tree_util.tree_leaves_with_path(last), jax.tree.leaves(states), strict=True
    ):
        np.testing.assert_array_equal(before[:-1][~over[:-1]], after[1:][~over[:-1]])
    fresh = jax.tree.map(lambda leaf: leaf[1:][over[:-1]], states)
    assert not fresh.tricks[0].any()
    assert (fresh.table == -1).all()
    assert (fresh.stock_left == 9).all()
    assert (np.abs(fresh.rewards) == 0).all()


class Endless(Snapszer):
    """Says that its games are long: the queue is far too short, and runs dry again and again."""

    typical_steps: ClassVar[int] = 1000


@pytest.mark.parametrize("cls", [Snapszer, Endless])
def test_no_deck_is_dealt_twice(cls: type[Snapszer]) -> None:
    env = cls(rules=make().rules)
    states, _, _ = run(env, 150).trace
    untouched = (states.tricks[0] + states.tricks[1] == 0) & (states.table < 0)
    untouched &= (states.closed_by < 0) & (states.exchanged < 0)
    dealt = np.stack([*states.hands, *states.stock], axis=-1)[untouched]
    assert len(dealt) > BATCH * 6
    assert len({tuple(deck) for deck in dealt.tolist()}) == len(dealt)


@pytest.mark.parametrize("flags", [{}, {"rounds": "full", "cards": 2}])
def test_no_deck_is_dealt_twice_where_games_wait_for_theirs(flags: dict[str, Any]) -> None:
    """Deals of Blob last long: decks are taken once in many steps, single ones or in a match."""
    env = talonax.make("blob", **flags)
    assert env.least_steps > 1
    states, _, _ = run(env, 12 * env.least_steps).trace
    at_deal = states.turn == 0
    if flags:
        at_deal &= states.cards == env.rules.cards  # two deals of one card are alike too often
    dealt = states.dealt[at_deal].reshape(at_deal.sum(), -1)
    assert len(dealt) >= BATCH * 3
    assert len({tuple(hands) for hands in dealt.tolist()}) == len(dealt)


def test_a_dry_queue_deals_fair_decks() -> None:
    """Whoever plays from decks dealt on the spot wins as often, in as many steps."""
    found = []
    for cls in (Snapszer, Endless):
        result = run(cls(rules=make().rules), 400, 1)
        last = result.trace[2]
        found.append((int(result.games), (last.rewards[..., 0] > 0).sum() / int(result.games)))
    (games, wins), (other, others) = found
    assert abs(games - other) < 0.05 * games
    assert abs(wins - others) < 4 * (0.5 / games) ** 0.5


def test_the_distribution_is_that_of_auto_reset() -> None:
    env = make()
    wrapped = AutoReset(env)

    def step(state: Any, key: jax.Array) -> Any:
        for_action, for_deal = jax.random.split(key)
        bits = jax.random.bits(for_action, (), jnp.uint32)
        state, last = wrapped.step(state, cards.draw_one(env.legal_set(state), bits), for_deal)
        return state, (last.terminated, last.rewards[0])

    def play(state: Any, key: jax.Array) -> Any:
        return jax.lax.scan(step, state, jax.random.split(key, 400))[1]

    over, paid = jax.device_get(jax.jit(jax.vmap(play))(initial(env), keys(BATCH, 7)))
    result = run(env, 400, 1)
    last = result.trace[2]
    games = int(over.sum())
    assert abs(games - int(result.games)) < 0.05 * games
    for points in (1, 2, 3, -1, -2, -3):
        share, other = (
            (paid == points).sum() / games,
            (last.rewards[..., 0] == points).sum() / games,
        )
        assert abs(share - other) < 5 * (0.5 / games) ** 0.5


def test_finished_states_are_dealt_anew_first() -> None:
    env = make()
    states = initial(env)
    legal = jax.vmap(env.legal_action_mask)(states).argmax(axis=1)
    over = jax.jit(jax.vmap(env.step))(states, jnp.where(jnp.arange(BATCH) < 8, -1, legal))
    assert over.terminated[:8].all()
    played = jax.jit(lambda s, k: rollout(env, Random(), s, k, 1, collect=everything))
    first = played(over, jax.random.key(0)).trace[0]
    assert not first.terminated.any()
    assert (first.stock_left[0, :8] == 9).all()
    kept = jax.tree.map(lambda leaf: leaf[0, 8:], first)
    jax.tree.map(np.testing.assert_array_equal, kept, jax.tree.map(lambda leaf: leaf[8:], over))


@dataclass(frozen=True)
class Counting(Random):
    """Plays at random, and counts its own actions in this game, `params` each."""

    def init(self, env: Env[Any]) -> jax.Array:
        return jnp.int32(0)

    def act(
        self, params: Any, env: Env[Any], view: Any, mask: Any, carry: Any, key: Any
    ) -> tuple[jax.Array, Any]:
        action, _ = super().act(None, env, view, mask, (), key)
        return action, carry + params


def test_every_seat_has_its_own_carry_which_ends_with_the_game() -> None:
    env = make()
    played = jax.jit(
        lambda states, key, carries: rollout(
            env,
            Counting(),
            states,
            key,
            50,
            params=jnp.int32(3),
            carries=carries,
            collect=everything,
        )
    )
    result = played(initial(env), jax.random.key(0), None)
    count = np.zeros((BATCH, 2), int)
    for _ in range(2):
        states, _, last = jax.device_get(result.trace)
        for step in range(50):
            count[np.arange(BATCH), states.current_player[step]] += 3
            count[last.terminated[step]] = 0
        assert result.carries.shape == (BATCH, 2)
        np.testing.assert_array_equal(result.carries, count)
        result = played(result.states, jax.random.key(1), result.carries)


@dataclass(frozen=True)
class Lowest(Random):
    """Plays the lowest legal action."""

    def act(
        self, params: Any, env: Env[Any], view: Any, mask: Any, carry: Any, key: Any
    ) -> tuple[jax.Array, Any]:
        return jnp.argmax(mask).astype(jnp.int32), carry


def test_each_seat_may_have_its_own_policy() -> None:
    env = make()
    states, actions, _ = run(env, 60, 0, Seated((Lowest(), Random()))).trace
    lowest = np.asarray(jax.jit(jax.vmap(jax.vmap(env.legal_action_mask)))(states)).argmax(axis=-1)
    first = states.current_player == 0
    np.testing.assert_array_equal(actions[first], lowest[first])
    assert (actions[~first] != lowest[~first]).any()


def test_in_a_match_every_deal_comes_from_the_queue() -> None:
    env = make(match=3)
    states, _, last = run(env, 150).trace
    again = ~last.terminated & (last.deal_no != states.deal_no)
    assert again.sum() > BATCH
    np.testing.assert_array_equal(last.deal_no[again], states.deal_no[again] + 1)
    assert (np.abs(last.rewards).sum(axis=-1) > 0)[again].all()
    dealt = np.stack([*last.hands, *last.stock], axis=-1)[again]
    assert len({tuple(deck) for deck in dealt.tolist()}) == len(dealt)
    scores = np.stack(last.scores, axis=-1)
    assert (scores[last.terminated].max(axis=-1) >= 3).all()
    assert (scores[~last.terminated] < 3).all()


def test_the_same_key_gives_the_same_rollout() -> None:
    env = make()
    played = jax.jit(lambda states, key: rollout(env, Random(), states, key, 30))
    one, same = (played(initial(env), jax.random.key(3)) for _ in range(2))
    jax.tree.map(np.testing.assert_array_equal, one, same)
    raw = played(initial(env), jax.random.key_data(jax.random.key(3)))
    jax.tree.map(np.testing.assert_array_equal, one, raw)
    other = played(initial(env), jax.random.key(4))
    assert not np.array_equal(one.states.hands[0], other.states.hands[0])
    assert one.trace is None
