"""What holds in every hand of Tysiac, whatever the deck and whoever plays what.

Hypothesis draws a deck and numbers, one for each step, which say the how-manieth legal action is
taken; one compiled function plays the hand and returns everything of every position.
"""

from functools import cache
from typing import Any

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings

import talonax
from talonax.envs import cards

PACK = range(24)
POINTS = [(0, 2, 3, 4, 10, 11)[card % 6] for card in PACK]
MARRIAGES = (40, 60, 80, 100)
AUCTION, OVER = 0, 7
HEARTS_FOR_190 = 190

RULES: dict[str, dict[str, Any]] = {
    "alpha1000": {},
    "flags": {
        "proof": "challenge",
        "return_to": "declarer",
        "bomba.enabled": True,
        "bomba.allow_redouble": True,
        "must_trump_when_void": True,
        "rounding": "nearest_down",
        "lock": None,
    },
}

decks = st.permutations(list(PACK))
#: By a seed: drawn one by one they are mostly small, which is to pass and to play low.
choices = st.integers(0, 2**32 - 1).map(
    lambda seed: np.random.default_rng(seed).integers(0, 2**16, 48).tolist()
)
totals = st.tuples(st.integers(-20, 99), st.integers(-20, 99))


@cache
def player(name: str) -> tuple[Any, Any]:
    """Return the env of single hands, and what plays one: facts, masks, actions, rewards."""
    env = talonax.make("tysiac", hands=1, reward="margin", **RULES[name])

    def play(deck: Any, numbers: Any, scores: Any, dealer: Any) -> Any:
        def step(state: Any, number: Any) -> Any:
            legal = env.legal_set(state)
            count = cards.count(legal)
            action = cards.kth(legal, number * count >> 16)
            after = env.step(state, action)
            seen = env.facts(state), env.legal_action_mask(state), action, state.finished
            return after, (*seen, after.rewards)

        start = env.deal(deck, scores=scores, dealer=dealer)
        end, seen = jax.lax.scan(step, start, numbers)
        return seen, env.facts(end), end.finished

    return env, jax.jit(play)


def members(mask: int) -> list[int]:
    return [card for card in PACK if mask >> card & 1]


def check_places(env: Any, facts: dict[str, Any], mask: Any) -> None:
    """Every card lies in one place; something is legal."""
    aside = [m for number, m in enumerate(facts["musiks"]) if number != facts["taken"]]
    piles = [*facts["hands"], *facts["played"], facts["returned"], *aside]
    places = [card for pile in piles for card in members(pile)]
    assert sorted(places) == list(PACK)
    assert mask.any()
    for seat in (0, 1):
        if facts["phase"] != OVER and not facts["returned"]:
            assert facts["known"][seat] & ~facts["hands"][seat] == 0
    if facts["phase"] == AUCTION and env.rules.proof == "auto":
        assert facts["high_bid"] <= HEARTS_FOR_190


def expected_scores(env: Any, end: dict[str, Any], scores: tuple[int, int]) -> list[int]:
    """Return the totals after a hand that was played out: the formula of the rules."""
    rules, declarer = env.rules, end["declarer"]
    defender = 1 - declarer
    raw = end["points"][declarer]
    if rules.return_to == "declarer":
        raw += sum(POINTS[card] for card in members(end["returned"]))
    after = list(scores)
    after[declarer] += end["doubling"] * (
        end["contract"] if raw >= end["contract"] else -end["contract"]
    )
    over = end["points"][defender] % 10
    up = {"up": over > 0, "nearest": over >= 5, "nearest_down": over > 5}[rules.rounding]
    gain = end["doubling"] * (end["points"][defender] - over + 10 * up)
    if rules.lock is None:
        after[defender] += gain
    elif after[defender] < rules.lock:
        after[defender] = min(rules.lock, after[defender] + gain)
    return after


def check_end(env: Any, end: dict[str, Any], scores: tuple[int, int], lost: bool) -> None:
    """Points and totals at the end of a hand."""
    if lost:
        after = list(scores)
        after[end["bid_by"]] -= end["high_bid"]
        assert end["scores"] == after
        return
    assert end["tricks"][0] + end["tricks"][1] == 10
    assert end["hands"] == [0, 0]
    buried = members(end["returned"]) + members(end["musiks"][1 - end["taken"]])
    declared = [suit for each in end["declared"] for suit in range(4) if each >> suit & 1]
    assert len(set(declared)) == len(declared)
    counted = 120 - sum(POINTS[card] for card in buried) + sum(MARRIAGES[s] for s in declared)
    assert sum(end["points"]) == counted
    assert end["scores"] == expected_scores(env, end, scores)


@pytest.mark.parametrize("name", RULES)
@settings(max_examples=150, deadline=None)
@given(deck=decks, numbers=choices, tens=totals, dealer=st.integers(0, 1))
def test_a_hand(
    name: str, deck: list[int], numbers: list[int], tens: tuple[int, int], dealer: int
) -> None:
    env, play = player(name)
    scores = (10 * tens[0], 10 * tens[1])
    arguments = (jnp.array(x, jnp.int32) for x in (deck, numbers, scores, dealer))
    (facts, masks, actions, over, rewards), end, finished = jax.device_get(play(*arguments))
    assert finished
    length = int((~over).sum())
    assert not rewards[: length - 1].any()
    assert not rewards[length:].any()
    assert length <= env.max_steps
    steps = [{name: each[i].tolist() for name, each in facts.items()} for i in range(length)]
    for i, step in enumerate(steps):
        check_places(env, step, masks[i])
        assert masks[i][actions[i]]
        assert step["scores"] == list(scores)
    names = [env.action_name(int(action)) for action in actions[:length]]
    in_auction = sum(step["phase"] == AUCTION for step in steps)
    assert 1 <= in_auction - names.count("challenge") <= 12
    last = {name: each.tolist() for name, each in end.items()}
    check_end(env, last, scores, lost=names[-1] == "challenge")
    change = [now - then for now, then in zip(last["scores"], scores, strict=True)]
    margin = (change[0] - change[1]) / 400
    np.testing.assert_allclose(rewards[length - 1], [margin, -margin], atol=1e-6)
    assert abs(margin) <= env.max_loss
