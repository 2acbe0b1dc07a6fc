"""Rounds and games of Bezique: how they end and what they pay; and any round, card by card."""

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talonax.envs.bezique.env import Bezique
from talonax.envs.bezique.state import first_tricks
from talonax.envs.bezique.view import card_name
from talonax.envs.bezique.words import types
from talonax.envs.check import ContractError, check_env
from talonax.envs.checks.looking import check_planes
from talonax.envs.checks.trial import Trial

CARDS = 132
FLAGS: dict[int, dict[str, Any]] = {2: {}, 4: {"players": 4, "mode": "advanced"}}

# Rounds and games ---------------------------------------------------------------------------------

GAME = {"rounds": 0, "target": 750, "reward": "win", "max_rounds": 3}
ENDS = [
    # totals, points before the last trick, round; winner's share, truncated; None: it goes on
    ([700, 400], [50, 200], 0, [1, -1], False),
    ([740, 700], [10, 140], 0, [-1, 1], False),
    ([600, 400], [50, 200], 0, None, False),
    ([700, 700], [100, 110], 0, None, False),
    ([700, 700], [100, 110], 2, [0, 0], True),
    ([100, 50], [100, 110], 2, [1, -1], True),
    ([740, 700], [10, 140], 2, [-1, 1], False),
]


@pytest.mark.parametrize(("scores", "points", "number", "share", "cut"), ENDS)
def test_how_a_game_ends(
    last_trick: Any, scores: list[int], points: list[int], number: int, share: Any, cut: bool
) -> None:
    entries = {"scores": scores, "points": points, "round": number}
    table = last_trick(("9H#0", "8H#0"), GAME, **entries)
    assert bool(table.state.finished) == (share is not None)
    assert bool(table.state.truncated) == cut
    assert table.rewards[-1] == (share or [0, 0])
    totals = [scores[0] + points[0] + 10, scores[1] + points[1]]
    assert table.facts["totals"] == totals


def test_the_step_that_ends_a_round_deals_the_next(last_trick: Any) -> None:
    entries = {"points": [100, 250], "scores": [30, 0], "dealer": 0, "leader": 0}
    table = last_trick(("9H#0", "8H#0"), {"rounds": 2}, **entries)
    facts = table.facts
    assert not table.state.finished
    assert table.rewards[-1] == pytest.approx([-0.14, 0.14])
    assert (facts["round"], facts["dealer"], facts["current_player"], facts["phase"]) == (
        1,
        1,
        0,
        0,
    )
    assert facts["totals"] == [140, 250]
    seven = card_name(facts["turned_up"])[0] == "7"
    assert facts["points"] == ([0, 10] if seven else [0, 0])
    assert len(table.hand(0)) == len(table.hand(1)) == 9
    deck = table.env.deck(table.state.key, 1)
    assert facts["turned_up"] == int(deck[18])
    assert int(table.state.deal_no) == 1


@pytest.mark.parametrize(
    ("totals", "rewards"),
    [
        ([100, 50, 50, 20], [1, -1 / 3, -1 / 3, -1 / 3]),
        ([90, 100, 100, 20], [-1 / 3, 1 / 3, 1 / 3, -1 / 3]),
        ([100, 100, 100, 20], [1 / 9, 1 / 9, 1 / 9, -1 / 3]),
        ([100, 100, 100, 100], [0, 0, 0, 0]),
    ],
)
def test_leaders_share(last_trick: Any, totals: list[int], rewards: list[float]) -> None:
    hands = ("9H#0", "8H#0", "8H#1", "8H#2")
    flags = {"players": 4, "reward": "win"}
    points = [totals[0] - 10, *totals[1:]]
    table = last_trick(hands, flags, points=points)
    assert table.rewards[-1] == pytest.approx(rewards)
    assert not table.state.truncated


def test_four_play_for_the_mean_of_the_others(last_trick: Any) -> None:
    hands = ("9H#0", "8H#0", "8H#1", "8H#2")
    table = last_trick(hands, FLAGS[4], points=[290, 0, 60, 0])
    assert table.rewards[-1] == pytest.approx([0.28, -0.12, -0.04, -0.12])


def test_rounds_are_played_whatever_the_target(last_trick: Any) -> None:
    flags = {"rounds": 2, "target": 750, "reward": "win"}
    entries = {"scores": [2000, 0], "points": [0, 0]}
    assert not last_trick(("9H#0", "8H#0"), flags, **entries).state.finished
    over = last_trick(("9H#0", "8H#0"), flags, **entries, round=1)
    assert over.state.terminated
    assert over.rewards[-1] == [1, -1]


def test_bounds(make: Any) -> None:
    assert make().max_steps == 57 * 4 + 1 + 18
    assert make(players=4).max_steps == 24 * 6 + 1 + 36
    assert make(rounds=3).max_steps == 3 * make().max_steps
    assert make(rounds=0, max_rounds=5).max_steps == 5 * make().max_steps
    assert make().max_loss == 3.91
    assert make(max_jokers=0).max_loss == 3.63
    assert make(mode="advanced").max_loss == 4.23
    assert make(reward="win").max_loss == 1
    assert not make().deals_again
    assert not make(rounds=0, max_rounds=1).deals_again
    assert make(rounds=2).deals_again


# Any game -----------------------------------------------------------------------------------------


def play(env: Any, seed: int) -> Any:
    def step(state: Any, key: Any) -> Any:
        action = jax.random.categorical(key, jnp.where(env.legal_action_mask(state), 0.0, -jnp.inf))
        after = env.step(state, action)
        seen = env.facts(after), action, state.finished, after.rewards, wrongly_denied(after)
        return after, seen

    keys = jax.random.split(jax.random.key(seed), env.max_steps)
    return jax.lax.scan(step, env.init(jax.random.key(seed)), keys)


def wrongly_denied(state: Any) -> Any:
    """The types that a seat holds, and is shown not to hold: there must be none."""
    if state.denied is None:
        return jnp.uint32(0)
    held = jnp.stack([types(hand)[0] for hand in state.hands])
    return jnp.bitwise_or.reduce(held & state.denied)


@cache
def player(env: Any) -> Any:
    return jax.jit(lambda seed: play(env, seed))


@pytest.mark.quick_first
@pytest.mark.parametrize("players", [2, 4])
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**31 - 1))
def test_any_round(make: Any, players: int, seed: int) -> None:
    env = make(**FLAGS[players])
    end, (facts, actions, over, rewards, denied) = jax.device_get(player(env)(seed))
    assert end.terminated
    assert not denied.any()
    steps = int((~over).sum())
    each_in_one_place(facts, steps, players)
    phases = facts["phase"][:steps]
    plays = actions[:steps] < 66
    tricks = (plays.sum()) / players
    assert tricks == first_tricks(players) + 9
    assert (actions[:steps] == 66).sum() == first_tricks(players)
    assert facts["last_tricks"][steps - 1] == 9
    assert set(phases) == {0, 1, 2, 3}
    assert facts["brisques"][steps - 1].sum() == 32
    assert (np.diff(facts["points"][:steps], axis=0) >= 0).all()
    assert np.abs(rewards.sum(axis=-1)).max() < 1e-6
    no_card_twice_in_a_kind(facts, actions, steps)


def bits(words: np.ndarray) -> int:
    """The cards of all sets in a row of words, counted; five words a set."""
    return int(np.bitwise_count(words).sum())


def each_in_one_place(facts: Any, steps: int, players: int) -> None:
    for i in range(steps):
        piles = np.concatenate([facts["hands"][i], facts["tables"][i], facts["gone"][i]])
        loose = [
            *facts["trick"][i].tolist(),
            int(facts["turned_up"][i]),
            *facts["stock"][i].tolist(),
        ]
        loose = [card for card in loose if card >= 0]
        assert bits(piles) + len(loose) == CARDS
        union = np.bitwise_or.reduce(piles.reshape(-1, 5), axis=0)
        for card in loose:
            union[card // 32] |= np.uint32(1) << np.uint32(card % 32)
        assert bits(union) == CARDS


def no_card_twice_in_a_kind(facts: Any, actions: Any, steps: int) -> None:
    """A meld writes down as many new cards as it has: none was in the kind before."""
    sizes = [1, 2, 2, 2, 2, 2, 4, 5, *[4] * 8]
    used = facts["used"][:steps]
    for i in range(1, steps):
        new = bits(used[i] & ~used[i - 1])
        meld = int(actions[i]) - 68
        assert new == (sizes[meld] if meld > 0 else 0)
        assert not (used[i - 1] & ~used[i]).any()


# The contract -------------------------------------------------------------------------------------


class LosesACopy(Bezique):
    """Of four copies in one place it shows three."""

    def card_tensor(self, state: Any, player: Any) -> Any:
        planes = super().card_tensor(state, player)
        return planes.at[..., self.plane_names.index("unseen_4")].set(False)


class ShowsTheSecondFirst(Bezique):
    """Who has one copy is shown to have a second, but no first."""

    def card_tensor(self, state: Any, player: Any) -> Any:
        planes = super().card_tensor(state, player)
        first, second = (self.plane_names.index(f"my_hand_{n}") for n in (1, 2))
        swapped = planes.at[..., first].set(planes[..., second])
        return swapped.at[..., second].set(planes[..., first])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("broken", "promise"), [(LosesACopy, "no card is lost"), (ShowsTheSecondFirst, "has one")]
)
def test_planes_of_copies_are_checked(make: Any, broken: type[Bezique], promise: str) -> None:
    trial = Trial(broken(rules=make().rules), 4)
    with pytest.raises(ContractError, match=promise):
        check_planes(trial, jax.device_get(trial.look(trial.positions.states)))


#: All flags at once, four players, games of rounds.
CONTRACT: dict[str, Any] = {
    "players": 4,
    "mode": "advanced",
    "joker_turnup": "redraw",
    "max_jokers": 0,
    "seven_in_phase2": False,
    "rounds": 0,
    "max_rounds": 2,
    "target": 750,
    "reward": "win",
}


@pytest.mark.slow
def test_the_contract_is_kept(make: Any) -> None:
    check_env(make(**CONTRACT), games=8)
