"""Tysiac as an env: deals and their numbers, bad tables, sizes, bounds, what is counted."""

from collections import Counter
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import talonax
from talonax.parity import spec
from talonax.parity.tysiac_position import Ending

DECK = list(range(24))


def size(env: Any) -> int:
    state = jax.eval_shape(env.init, jax.random.key(0))
    return sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(state))


# Deals ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [{}, {"hand": 3}, {"hand": 2, "dealer": 1, "scores": (150, -40)}])
def test_deals_are_numbered_from_the_first_hand_that_is_played(table: dict[str, Any]) -> None:
    """On both sides deal n is `env.deck(key, n)`, whatever the number of the first hand."""
    flags: dict[str, Any] = {"hands": 6, "reward": "margin", "forced_open": False}
    env, key = talonax.make("tysiac", **flags), jax.random.key(5)
    order = jax.jit(lambda n: env.deck(jax.random.key_data(key), n))
    state = env.deal(order(0), key=key, **table)
    engine = spec("tysiac", **flags).initial_state(decks=lambda n: order(n).tolist(), **table)
    step = jax.jit(lambda state, action: (after := env.step(state, action), env.facts(after)))
    rng, dealt = np.random.default_rng(1), 1
    while not engine.is_terminal():
        moves = [move.id for move in engine.legal_moves()]
        action = int(rng.choice(moves))
        before = engine.facts()["hand"]
        engine = engine.apply_move(action)
        state, told = step(state, action)
        assert {name: np.asarray(each).tolist() for name, each in told.items()} == engine.facts()
        if engine.facts()["hand"] != before:
            hand = sum(1 << card for card in order(dealt).tolist()[:10])
            assert int(state.hands[0]) == hand
            assert int(state.deal_no) == dealt
            dealt += 1
    assert dealt == 6 - table.get("hand", 0)
    assert bool(state.terminated)


@pytest.mark.parametrize(
    ("flags", "table", "said"),
    [
        ({}, {"hand": 60}, r"hand 60: there are hands 0 \.\. 59"),
        ({"hands": 3}, {"hand": 3}, r"hand 3: there are hands 0 \.\. 2"),
        ({}, {"hand": -1}, "hand -1"),
        ({}, {"dealer": 2}, "dealer 2 is no seat; there are: 0, 1"),
        ({}, {"scores": (1000, 0)}, r"scores \(1000, 0\): two whole numbers below 1000 are needed"),
        ({}, {"scores": (0,)}, r"scores \(0,\): two whole numbers below 1000"),
        ({}, {"scores": (0.5, 0)}, "whole numbers"),
        ({"hands": 2}, {"scores": (0, 1, 2)}, "two whole numbers are needed"),
    ],
)
def test_bad_tables_are_refused(flags: Any, table: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        talonax.make("tysiac", **flags).deal(DECK, **table)


def test_totals_may_pass_the_target_where_the_number_of_hands_ends_the_match() -> None:
    state = talonax.make("tysiac", hands=3).deal(DECK, scores=(1050, 0), hand=1)
    assert [int(score) for score in state.scores] == [1050, 0]


# Sizes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "bytes_"), [({"hands": 1}, 95), ({}, 107), ({"hands": 1, "proof": "challenge"}, 99)]
)
def test_states_are_small(flags: dict[str, Any], bytes_: int) -> None:
    assert size(talonax.make("tysiac", **flags)) == bytes_


@pytest.mark.parametrize(
    ("flags", "steps"),
    [
        ({"hands": 1}, 11 + 1 + 1 + 2 + 1 + 20),
        ({"hands": 1, "proof": "challenge"}, 11 + 1 + 8 + 1 + 2 + 1 + 20),
        ({"hands": 3, "bomba.enabled": True}, 3 * 37),
        ({"bomba.enabled": True, "bomba.allow_redouble": True}, 60 * 38),
        ({"max_hands": 2}, 2 * 36),
    ],
)
def test_the_bound_on_steps(flags: dict[str, Any], steps: int) -> None:
    assert talonax.make("tysiac", **flags).max_steps == steps


def test_the_bound_on_a_loss() -> None:
    """A contract of 400 lost, and 400 for the defender: two units, doubled by a bomb."""
    bombs: dict[str, Any] = {"bomba.enabled": True, "bomba.allow_redouble": True}
    assert talonax.make("tysiac", **bombs).max_loss == 1
    assert talonax.make("tysiac", reward="margin").max_loss == 2
    assert talonax.make("tysiac", reward="margin", **{"bomba.enabled": True}).max_loss == 4
    assert talonax.make("tysiac", reward="margin", **bombs).max_loss == 8


# What is counted --------------------------------------------------------------------------------


def test_only_what_may_happen_is_counted() -> None:
    def counted(**flags: Any) -> set[str]:
        env = talonax.make("tysiac", hands=1, **flags)
        names: dict[str, Any] = {}
        jax.eval_shape(lambda state: names.update(env.tally(state, 33, state)), env.deal(DECK))
        return set(names)

    plain = counted()
    assert {"hands", "contracts made", "contracts lost", "bid 190 made", "bid 190 lost"} <= plain
    assert {"marriages declared", "trump changed"} <= plain
    bombs = {"bomba.enabled": True}
    assert counted(**bombs) - plain == {"bombs"}
    assert counted(**bombs, **{"bomba.allow_redouble": True}) - plain == {"bombs", "re-bombs"}
    assert counted(forced_open=False) - plain == {"passed out"}
    assert counted(proof="challenge") - plain == {
        *("bid 200 made", "bid 200 lost", "challenges survived", "challenges lost"),
    }


def told_by_engine(hand: Any, action: str, ended: Any) -> list[str]:
    """Return what is to be counted of an action in a hand, which it may have ended."""
    happened = [action + "s"] if action == "bomb" else []
    if action.startswith("declare"):
        happened += ["marriages declared"] + ["trump changed"] * (hand.trump is not None)
    if action == "challenge":
        happened.append("challenges lost" if ended else "challenges survived")
    if ended is None:
        return happened
    happened.append("hands")
    if ended.ending is Ending.PASSED_OUT:
        happened.append("passed out")
    if ended.ending is Ending.PLAYED:
        how = "made" if ended.raw[ended.declarer] >= ended.contract else "lost"
        happened += [f"contracts {how}", f"bid {hand.auction.high_bid} {how}"]
    return happened


def test_the_counts_of_a_random_match_add_up() -> None:
    """Counted step by step on the env, and from what the engine says of the same moves."""
    flags: dict[str, Any] = {
        "hands": 24,
        "proof": "challenge",
        "bomba.enabled": True,
        "forced_open": False,
    }
    env, game = talonax.make("tysiac", **flags), spec("tysiac", **flags)
    step = jax.jit(
        lambda state, action: (after := env.step(state, action), env.tally(state, action, after))
    )
    deck = jax.jit(lambda n: env.deck(jax.random.key_data(jax.random.key(0)), n))
    state = env.deal(deck(0), key=jax.random.key(0))
    engine: Any = game.initial_state(decks=lambda n: deck(n).tolist())
    rng = np.random.default_rng(0)
    counted: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    while not engine.is_terminal():
        moves = engine.legal_moves()
        if rng.random() < 0.9:  # few passes: bids go high, and are challenged
            moves = [move for move in moves if move.name != "pass"] or moves
        move = moves[rng.integers(len(moves))]
        after = engine.apply_move(move)
        wanted.update(told_by_engine(engine.hand, move.name, after.ended))
        engine = after
        state, counts = step(state, move.id)
        counted.update({name: int(number) for name, number in counts.items()})
    assert +counted == wanted
    rare = {"bombs", "trump changed", "passed out", "challenges survived", "challenges lost"}
    assert rare <= set(wanted)
    assert wanted["hands"] == 24


def test_a_traced_table_gives_the_same_deal() -> None:
    env = talonax.make("tysiac")
    plain = env.deal(DECK, dealer=1, hand=4, scores=(10, 20))
    traced = jax.jit(lambda d, h, s: env.deal(DECK, dealer=d, hand=h, scores=s))(
        1, 4, jnp.array([10, 20])
    )
    jax.tree.map(np.testing.assert_array_equal, plain, traced)
