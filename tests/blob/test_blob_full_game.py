"""Whole games of Blob on the env: the plan of rounds, what moves on, and how they end."""

from functools import cache
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from talonax.envs.core import NOBODY

#: Rounds of three players who begin with two cards: 2 1, 1 1 1, 2.
SIZES = [2, 1, 1, 1, 1, 2]


@cache
def _player(env: Any) -> Any:
    def play(start: Any, key: Any) -> Any:
        def step(state: Any, key: Any) -> Any:
            wish = jnp.where(env.legal_action_mask(state), 0.0, -jnp.inf)
            after = env.step(state, jax.random.categorical(key, wish))
            return after, after

        keys = jax.random.split(key, env.max_steps)
        _, states = jax.lax.scan(step, start, keys)
        return jax.tree.map(lambda a, b: jnp.concatenate([a[None], b]), start, states)

    return jax.jit(play), jax.jit(env.deal)


def play(env: Any, seed: int = 0, **table: Any) -> list[Any]:
    """Return the states of a game at random, the last one over."""
    run, deal = _player(env)
    start = deal(np.random.default_rng(seed).permutation(52), key=jax.random.key(seed), **table)
    states = jax.device_get(run(start, jax.random.key(seed)))
    steps = int(np.flatnonzero(states.terminated)[0])
    return [jax.tree.map(lambda leaf, i=i: leaf[i], states) for i in range(steps + 1)]


def opening(states: list[Any]) -> list[Any]:
    """Return the first state of every round."""
    return [state for state in states if state.turn == 0]


def told(states: list[Any], *names: str) -> list[tuple[int, ...]]:
    return [tuple(int(getattr(state, name)) for name in names) for state in opening(states)]


def test_cards_dealer_and_trump_move_on(make: Any) -> None:
    env = make(players=3, cards=2, rounds="full", dealer=1)
    states = play(env)
    assert told(states, "round", "cards", "dealer", "trump", "deal_no") == [
        *[(0, 2, 1, 0, 0), (1, 1, 2, 1, 1), (2, 1, 0, 2, 2)],
        *[(3, 1, 1, 3, 3), (4, 1, 2, -1, 4), (5, 2, 0, 0, 5)],
    ]
    for state in opening(states):
        first = (state.dealer + 1) % 3
        assert state.current_player == state.leader == state.best_by == first
    assert len(states) - 1 == env.max_steps == 3 * (len(SIZES) + sum(SIZES))


def test_trumps_of_ones_own(make: Any) -> None:
    states = play(make(players=3, cards=2, rounds="full", trumps=("none", "D")))
    assert told(states, "trump") == [(-1,), (3,)] * 3


@pytest.mark.parametrize(("players", "cards", "rounds"), [(3, 1, 4), (4, 3, 9), (8, 6, 19)])
def test_how_long_a_game_is(make: Any, players: int, cards: int, rounds: int) -> None:
    env = make(players=players, cards=cards, rounds="full")
    sizes = [*range(cards, 0, -1), *[1] * players, *range(2, cards + 1)]
    assert len(sizes) == rounds
    assert env.max_steps == players * sum(1 + size for size in sizes)
    assert env.deals_again
    assert env.cards_used == players * cards


def test_a_round_deals_as_its_deck_lies(make: Any) -> None:
    """Deal n of a key is `deck(key, n)`, dealt one card at a time from seat 0."""
    env = make(players=3, cards=2, rounds="full", dealer=1)
    for number, state in enumerate(opening(play(env, seed=3))):
        if number == 0:  # the deck that was handed in
            deck = np.random.default_rng(3).permutation(52)
        else:
            deck = np.asarray(env.deck(jax.random.key(3), number))
        for seat, words in enumerate(state.dealt.tolist()):
            hand = deck[: 3 * SIZES[number]][seat::3]
            assert words[0] | words[1] << 32 == sum(1 << int(card) for card in hand)


def test_every_round_pays_and_the_totals_add_up(make: Any) -> None:
    env = make(players=3, cards=2, rounds="full", dealer=1)
    states = play(env, seed=1)
    totals, rounds = np.zeros(3), 0
    for before, after in pairwise(states):
        ends = before.turn == 3 + 3 * before.cards - 1
        rounds += int(ends)
        totals += after.rewards
        assert ends or not after.rewards.any()
        np.testing.assert_array_equal(after.scores, totals)
        assert after.terminated == (ends and before.round == len(SIZES) - 1)
    assert rounds == len(SIZES)
    assert totals.sum() > 0
    assert set(totals.tolist()) <= {float(n) for n in range(100)}


def test_rewards_divide_by_the_rounds_own_cards(make: Any) -> None:
    env = make(players=3, cards=2, rounds="full", reward="normalised")
    seen = set()
    for before, after in pairwise(play(env, seed=1)):
        if before.turn != 3 + 3 * before.cards - 1:
            continue
        scored = after.scores - before.scores
        np.testing.assert_allclose(after.rewards, 2 * scored / (10 + before.cards) - 1, rtol=1e-6)
        assert np.abs(after.rewards).max() <= 1 == env.max_loss
        seen.add((int(before.cards), *np.sign(scored).tolist()))
    assert {size for size, *_ in seen} == {1, 2}
    assert any(sum(signs) for _, *signs in seen)


def test_a_new_round_forgets_the_one_before(make: Any) -> None:
    env = make(players=3, cards=2, rounds="full", dealer=1)
    for state in opening(play(env, seed=2)):
        for name in ("gone", "table", "last", "bids", "tricks", "voids"):
            assert not getattr(state, name).any(), name
        assert (state.led, state.best) == (-1, -1)


@pytest.mark.parametrize("by", ["rule", "table"])
def test_a_game_from_the_middle(make: Any, by: str) -> None:
    """`first_round` is an index of the plan: the rounds before it are not played."""
    first = {"first_round": 3} if by == "rule" else {}
    env = make(players=3, cards=2, rounds="full", dealer=1, **first)
    states = play(env, **({} if by == "rule" else {"round": 3}))
    assert told(states, "round", "cards", "dealer", "trump", "deal_no") == [
        *[(3, 1, 1, 3, 0), (4, 1, 2, -1, 1), (5, 2, 0, 0, 2)]
    ]
    assert env.facts(states[0])["done"] == 3
    assert env.facts(states[-1])["done"] == 6


def test_scores_and_dealer_of_the_table_go_on(make: Any) -> None:
    env = make(players=3, cards=2, rounds="full", dealer=1)
    states = play(env, round=4, dealer=0, scores=np.array([30, 5, 0]))
    assert told(states, "dealer") == [(0,), (1,)]
    earned = np.sum([state.rewards for state in states], axis=0)
    np.testing.assert_array_equal(states[-1].scores, np.array([30, 5, 0]) + earned)
    np.testing.assert_array_equal(states[0].scores, [30, 5, 0])


def test_the_end(make: Any) -> None:
    env = make(players=3, cards=2, rounds="full", dealer=1)
    end = play(env)[-1]
    assert int(env.phase(end)) == 2
    assert end.current_player == NOBODY
    facts = env.facts(end)
    assert (int(facts["round"]), int(facts["done"])) == (5, 6)
    assert not facts["hands"].any()
    assert int(end.deal_no) == 5


def test_a_single_round_is_one_whatever_its_index(make: Any) -> None:
    env = make(players=3, cards=2, first_round=7, dealer=1)
    states = play(env)
    # trump of index 7 is clubs; dealer 1 moved on seven seats is 2
    assert told(states, "round", "cards", "dealer", "trump") == [(7, 2, 2, 2)]
    assert states[-1].deal_no is None
    assert int(env.facts(states[-1])["done"]) == 1
    assert not env.deals_again
