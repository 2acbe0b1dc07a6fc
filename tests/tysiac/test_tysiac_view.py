"""What people see and write of Tysiac: the table as text, names of actions, positions as JSON."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import talonax
from talonax.envs.serialize import PositionError, from_json, to_json
from talonax.envs.tysiac.view import card_number, names

PAGE = Path(talonax.__file__).parent / "envs" / "tysiac" / "README.md"
#: Seat 0 is forehand and holds the marriages of hearts and diamonds; seat 1 that of clubs.
DECK = "KH QH AH TH AS TS KD QD 9C JC AC TC KC QC JD 9D TD AD JH 9H KS QS JS 9S"
FLAGS = {"proof": "challenge", "bomba.enabled": True, "bomba.allow_redouble": True}


def played(*actions: str, **flags: Any) -> tuple[Any, Any]:
    """Return the env, and the state after actions by name."""
    env = talonax.make("tysiac", **{"hands": 1, **flags})
    return env, _played(env, actions)


@cache
def _played(env: Any, actions: tuple[str, ...]) -> Any:
    if not actions:
        return env.deal([card_number(name) for name in DECK.split()], dealer=1)
    ids = {env.action_name(action): action for action in range(env.num_actions)}
    state = _step(env)(_played(env, actions[:-1]), ids[actions[-1]])
    assert not bool(state.illegal), actions[-1]
    return state


@cache
def _step(env: Any) -> Any:
    return jax.jit(env.step)


TO_130 = ("bid 100", "bid 110", "bid 120", "bid 130")
TO_PLAY = (*TO_130, "challenge", "pass", "musik 0", "KS", "JD", "contract 140", "bomb", "re-bomb")


# The table --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actions", "flags", "said"),
    [
        ((), {}, ["Tysiac   auction   trump none   hand 1 of 1, 0:0"]),
        ((), {"hands": 0, "target": 900}, ["hand 1, 0:0 to 900"]),
        (("bid 100",), {}, ["auction   trump none   bid 100 by player 0"]),
        ((*TO_130, "challenge"), FLAGS, ["bid 130 by player 1, proven", "KC QC ··"]),
        ((*TO_130, "pass"), {}, ["take   ", "musik 0: ·· ··   musik 1: ·· ··"]),
        ((*TO_130, "pass", "musik 0"), {}, ["return   ", "musik 0: KS QS (taken)   musik 1: ··"]),
        ((*TO_130, "pass", "musik 0", "KS"), {}, ["returned ··"]),
        ((*TO_130, "pass", "musik 0", "KS", "JD"), {}, ["contract   ", "returned ·· ··"]),
        (TO_PLAY[:-2], FLAGS, ["bomb   ", "contract 140 by player 1 (bid 130, proven)"]),
        (TO_PLAY[:-1], FLAGS, ["rebomb   ", "contract 140 x2 by player 1"]),
        (TO_PLAY, FLAGS, ["play   ", "contract 140 x4 by player 1 (bid 130, proven)"]),
        (
            (*TO_PLAY, "declare KC"),
            FLAGS,
            ["trump ♣ C", "table KC led by player 1", "60 points, 0 tricks, declared ♣, dealer"],
        ),
        (
            (*TO_PLAY, "declare KC", "9C"),
            FLAGS,
            ["table -   last trick KC 9C, won by player 1", "64 points, 1 trick, declared ♣"],
        ),
    ],
)
def test_the_table_as_player_0_sees_it(
    actions: tuple[str, ...], flags: dict[str, Any], said: list[str]
) -> None:
    env, state = played(*actions, **flags)
    shown = env.render(state, 0)
    assert all(each in shown for each in said), shown
    assert "AC" not in shown
    assert shown.count("> ") == 1
    whole = env.render(state)
    assert "··" not in whole
    assert "AC" in whole


def test_the_end_is_told() -> None:
    env, state = played(*TO_130, **{**FLAGS, "reward": "margin"})
    lost = _step(env)(state, env.num_actions - 1)  # a challenge, which finds clubs
    assert "over" not in env.render(lost, 0)
    bad = _step(env)(state, 0)
    assert "an illegal action ended it: player 0 -8, player 1 +8" in env.render(bad, 0)
    env, cut = played("pass", **{"hands": 0, "max_hands": 1, "forced_open": False})
    assert "cut off: player 0 +0, player 1 +0" in env.render(cut)
    assert env.render(cut).startswith("Tysiac   over")


def test_actions_are_named_by_what_they_mean_in_a_phase() -> None:
    env, state = played(*TO_130, "challenge", "pass", "musik 0", **FLAGS)
    assert env.name_in(state, card_number("KS")) == "return KS"
    assert env.name_in(state, 32) == "pass"
    _, window = played(*TO_PLAY[:-2], **FLAGS)
    assert env.name_in(window, 32) == "no bomb"
    _, answer = played(*TO_PLAY[:-1], **FLAGS)
    assert env.name_in(answer, 32) == "no re-bomb"
    _, playing = played(*TO_PLAY, **FLAGS)
    assert env.name_in(playing, card_number("KS")) == "KS"
    assert env.name_in(playing, 28) == "declare KD"
    with pytest.raises(ValueError, match=r"no action 80; there are: 0 \.\. 79"):
        env.action_name(80)


# Positions --------------------------------------------------------------------------------------


def test_the_example_of_the_page_is_read_and_played() -> None:
    text = re.search(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert text is not None
    env, state = from_json(text[1])
    assert int(state.current_player) == 1
    mask = env.legal_action_mask(state)
    legal = {env.action_name(action) for action in range(env.num_actions) if mask[action]}
    assert legal == {"AH"}
    after = _step(env)(state, card_number("AH"))
    assert [int(points) for points in after.points] == [168, 4 + 11]


@pytest.mark.parametrize(
    "actions",
    [(), TO_130, TO_PLAY[:6], TO_PLAY[:-2], TO_PLAY[:-1], TO_PLAY, (*TO_PLAY, "declare KC")],
)
def test_a_position_says_by_itself_who_is_to_move(actions: tuple[str, ...]) -> None:
    env, state = played(*actions, **FLAGS)
    text = json.loads(to_json(env, state))
    del text["state"]
    _, read = from_json(json.dumps(text), env)
    assert int(read.current_player) == int(state.current_player)


def test_what_is_left_out_is_as_after_the_deal() -> None:
    env, state = played(hands=0)
    text = json.loads(to_json(env, state))
    position = text["position"]
    text["position"] = {name: position[name] for name in ("dealer", "hands", "musiks")}
    _, read = from_json(json.dumps(text), env)
    jax.tree.map(np.testing.assert_array_equal, read, state)


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({"dealer": None}, "position: no 'dealer'"),
        ({"colour": 1}, "position: unknown 'colour'"),
        ({"dealer": 2}, "dealer: 2; there are: 0, 1"),
        ({"dealer": True}, "dealer: True; there are: 0, 1"),
        ({"bid_by": "x"}, "bid_by: 'x'; there are: -1, 0, 1"),
        ({"doubling": 3}, "doubling: 3; there are: 1, 2, 4"),
        ({"phase": "bidding"}, "phase: 'bidding'; there are: auction, take"),
        ({"phase": "over"}, "phase: 'over': that the game is over is told in state"),
        ({"phase": "take"}, "bid_by: nobody has bid, but the phase is 'take'"),
        ({"phase": "play", "bid_by": 0, "high_bid": 100}, "leader: nobody leads"),
        ({"hands": ["AS", "KS"]}, "nowhere: TS AC TC KC"),
        ({"hands": "AS"}, "hands: a list by seat is needed"),
        ({"returned": "AS"}, "a card is in two places"),
        ({"returned": "1S"}, "'1S' is no card of this pack"),
        ({"returned": ["AS"]}, "cards are written in one text"),
        ({"last": "AS"}, "last: a trick is two cards"),
        ({"trump": "X"}, "trump: 'X'; there are: S, C, D, H"),
        ({"shown": ["X", ""]}, "shown: 'X'; there are: S, C, D, H"),
        ({"high_bid": 105}, "high_bid: a multiple of 10 is needed, is 105"),
        ({"points": [0, 0.5]}, "points"),
    ],
    ids=str,
)
def test_what_is_wrong_with_a_position_is_named(entries: dict[str, Any], said: str) -> None:
    env, state = played(**FLAGS)
    text = json.loads(to_json(env, state))
    text["position"] = {
        name: word
        for name, word in {**text["position"], **entries}.items()
        if word is not None or name not in entries
    }
    with pytest.raises(PositionError, match=re.escape(said)):
        from_json(json.dumps(text))


def test_no_other_name_is_a_card() -> None:
    assert [card_number(name) for name in ("9s", "10S", " TS ", "AH")] == [0, 4, 4, 23]
    assert names(0b11) == ["JS", "9S"]
    for name in ("", "S", "1S", "AX", None, 7):
        with pytest.raises(ValueError, match="is no card of this pack"):
            card_number(name)
