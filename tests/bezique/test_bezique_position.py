"""Bezique's positions as JSON: written, read, left out, and refused by the entry's name."""

import json
from functools import cache
from typing import Any

import jax
import numpy as np
import pytest

from talonax.envs.bezique.env import Bezique
from talonax.envs.bezique.view import card_name
from talonax.envs.core import opening

CASES: list[dict[str, Any]] = [{}, {"players": 4}, {"rounds": 2}]


def names(cards: range) -> str:
    return " ".join(map(card_name, cards))


def position(**changes: Any) -> dict[str, Any]:
    """A position of two players in which all cards lie in order: packs, suits, ranks."""
    return {
        "hands": [names(range(9)), names(range(9, 18))],
        "turned_up": "8C#2",
        "stock": names(range(20, 21)) + " " + names(range(24, 34)),
        **changes,
    }


@cache
def games(**flags: Any) -> tuple[Bezique, Any]:
    """An env, and the states of a random game, leaves [T, ..]."""
    from talonax.configs.bezique.schema import Rules
    from talonax.configs.rules import build

    env = Bezique(rules=build(Rules, {"rounds": 1, **flags}, "test"))

    def step(state: Any, key: Any) -> Any:
        wish = jax.numpy.where(env.legal_action_mask(state), 0.0, -jax.numpy.inf)
        return env.step(state, jax.random.categorical(key, wish)), state

    keys = jax.random.split(jax.random.key(7), env.max_steps)
    return env, jax.jit(lambda: jax.lax.scan(step, env.init(jax.random.key(3)), keys)[1])()


@pytest.mark.quick_first
@pytest.mark.parametrize("flags", CASES, ids=str)
def test_what_is_written_is_read(flags: dict[str, Any]) -> None:
    env, states = games(**flags)
    for i in np.linspace(0, env.max_steps - 1, 24, dtype=int):
        state = jax.tree.map(lambda leaf, i=i: leaf[i], states)
        written = json.loads(json.dumps(env.position(state)))
        fields = ("current_player", "rewards", "terminated", "truncated", "illegal")
        common = {name: getattr(state, name) for name in fields}
        read = env.from_position(common, written)
        wanted = jax.tree_util.tree_leaves_with_path(state)
        for (path, leaf), found in zip(wanted, jax.tree.leaves(read), strict=True):
            name = jax.tree_util.keystr(path)
            assert leaf.dtype == found.dtype, name
            assert np.array_equal(leaf, found), name


def test_what_is_left_out_is_as_after_a_deal(make: Any) -> None:
    state = make().from_position(opening(2, 1), position())
    facts = {name: np.asarray(value).tolist() for name, value in make().facts(state).items()}
    assert facts["trump"] == 1
    assert (facts["dealer"], facts["leader"], facts["current_player"]) == (1, 0, 0)
    assert facts["phase"] == 0
    assert facts["points"] == facts["totals"] == facts["brisques"] == [0, 0]
    assert facts["stock"][:3] == [20, 24, 25]
    assert sum(card >= 0 for card in facts["stock"]) == 11
    assert int(np.bitwise_count(np.asarray(facts["gone"], np.uint32)).sum()) == 132 - 18 - 12


def test_a_written_position(sit: Any) -> None:
    table = sit(
        trump="S",
        hands=("KS#1 QS#2", "JO#0"),
        tables=("KD#0", "QD#1"),
        used={"marriage": "KD#0 QD#1"},
        turned_up="AS#0",
        stock="9C#0",
        known=["", "JO"],
        last_trick=["7D#0", "7D#1"],
        points=[20, 0],
    )
    written = table.env.position(table.state)
    told = {name: written[name] for name in ("tables", "turned_up", "stock", "trump", "known")}
    assert told == {
        "tables": ["KD#0", "QD#1"],
        "turned_up": "AS#0",
        "stock": "9C#0",
        "trump": "S",
        "known": ["", "JO"],
    }
    assert written["hands"][0].split()[-2:] == ["KS#1", "QS#2"]
    assert written["used"]["marriage"] == "KD#0 QD#1"
    assert written["used"]["kings"] == ""
    assert written["last_trick"] == ["7D#0", "7D#1"]
    assert written["trick"] == [None, None]
    assert written["phase"] == "turn"
    assert written["drawn"] is None


HAND = names(range(9))
OTHER = names(range(9, 18))
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"hand": ""}, "unknown 'hand'"),
    ({"round": -1}, r"round: 0 \.\. \d+ is needed, is -1"),
    ({"round": True}, "round: .* is True"),
    ({"dealer": 2}, r"dealer: 0 \.\. 1 is needed, is 2"),
    ({"leader": 2}, r"leader: 0 \.\. 1 is needed, is 2"),
    ({"phase": "over"}, "phase: 'over'; there are: play, turn, last"),
    ({"trump": "X"}, "trump: 'X'; there are: D, C, H, S"),
    ({"turned_up": "8C"}, "turned_up: '8C' is no card; .* TS#2"),
    ({"turned_up": "8C#4"}, "turned_up: '8C#4' is no card"),
    ({"hands": [HAND]}, "hands: a list by seat is needed, 2 long"),
    ({"hands": [HAND, 3]}, "hands: cards are written in one text"),
    ({"hands": [HAND + " 7D#0", OTHER]}, "hands: a card is there twice"),
    ({"hands": [HAND, HAND]}, "in two places: 7D#0"),
    ({"gone": ""}, "nowhere: "),
    ({"hands": [names(range(8)), OTHER]}, r"hands, tables, trick: 9 .* are \[8, 9\]"),
    ({"phase": "turn"}, r"hands, tables, trick: 8 .* are \[9, 9\]"),
    (
        {"stock": names(range(24, 34))},
        "stock, turned_up: .* multiple of 2 cards; are 10 and '8C#2'",
    ),
    ({"turned_up": None, "trump": "C"}, "stock, turned_up: in phase 'play' a card is turned up"),
    ({"turned_up": None}, "trump: is needed where no card is turned up"),
    ({"phase": "last", "trump": "C"}, "stock, turned_up, tables: nothing lies there"),
    (
        {"hands": [names(range(8)), OTHER], "trick": [card_name(8), None], "leader": 1},
        "trick: not in turn from the leader, player 1",
    ),
    ({"trick": ["9D#0", "9D#0"]}, "in two places: 9D#0"),
    ({"trump": "S"}, "turned_up, trump: 8C#2 is turned up, but trump is S"),
    ({"turned_up": "JO#0", "trump": "S"}, "turned_up, trump: JO#0"),
    ({"swapped": True}, "swapped: 8C#2 is turned up"),
    ({"swapped": 1}, "swapped: true or false is needed, is 1"),
    ({"known": ["AS", ""]}, "known: player 0 does not hold AS"),
    ({"known": ["7D 7D 7D 7D 7D", ""]}, "known: player 0 does not hold 7D"),
    ({"known": ["7D#0", ""]}, "known: '7D#0' is no type"),
    ({"melded": True}, "melded: only in phase 'turn'"),
    ({"brisques": [20, 20]}, r"brisques: \[20, 20\], but 32 aces and tens are gone"),
    ({"brisques": [-1, 0]}, "brisques: .* is -1"),
    ({"points": [1.5, 0]}, r"points: .* is 1\.5"),
    ({"scores": [0]}, "scores: a list by seat is needed"),
    ({"used": {"kings": "QS#0"}}, "used: QS#0 cannot be in 'kings'"),
    ({"used": {"runs": ""}}, "used: unknown 'runs'"),
    ({"used": "KS#0"}, "used: cards by kind of meld are needed"),
    ({"last_trick": ["7D#0", "AS#0"]}, "last_trick: each a card that is gone"),
    ({"last_trick": ["AS#0", "AS#0"]}, "last_trick: each a card that is gone"),
    ({"drawn": "AS#0"}, "drawn: 102 cards that are no longer in the stock"),
]


@pytest.mark.parametrize(("changes", "named"), REFUSED, ids=[each[1][:24] for each in REFUSED])
def test_what_cannot_be_is_refused(make: Any, changes: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        make().from_position(opening(2, 0), position(**changes))


def test_an_entry_is_missing(make: Any) -> None:
    given = position()
    del given["stock"]
    with pytest.raises(ValueError, match="no 'stock'"):
        make().from_position(opening(2, 0), given)
    with pytest.raises(ValueError, match="an object is needed"):
        make().from_position(opening(2, 0), [])


def test_a_used_card_cannot_be_in_a_hand(sit: Any) -> None:
    with pytest.raises(ValueError, match="used: KS#0 was melded, and must be on a table"):
        sit(hands=("KS#0",), used={"kings": "KS#0"})
    sit(trump="S", phase="last", hands=("KS#0", "8S#0"), used={"kings": "KS#0"})


def test_a_turn_has_no_open_trick_and_follows_one(sit: Any, make: Any) -> None:
    hands = [names(range(8)), names(range(9, 16))]
    given = position(hands=hands, phase="turn", trick=[None, card_name(16)])
    with pytest.raises(ValueError, match="trick: "):
        make().from_position(opening(2, 0), {**given, "leader": 1})
    everything = " ".join(card_name(c) for c in range(132) if c not in range(18) and c != 22)
    fresh = {"hands": [HAND, OTHER], "turned_up": "8C#2", "stock": everything}
    assert make().from_position(opening(2, 0), fresh)
    for changes in ({"leader": 1}, {"dealer": 0, "leader": 1, "phase": "turn"}):
        with pytest.raises(ValueError, match="position: "):
            make().from_position(opening(2, 0), {**fresh, **changes})


def test_entries_of_four(sit: Any) -> None:
    four, hands = {"players": 4}, ("KS#0", "8S#0", "9S#0", "JO#0")
    with pytest.raises(ValueError, match="denied: player 1 holds 8S"):
        sit(four, phase="last", hands=hands, denied=["", "8S", "", ""])
    with pytest.raises(ValueError, match="denied: no reply shows that a Joker is not held"):
        sit(four, phase="last", hands=hands, denied=["", "JO", "", ""])
    with pytest.raises(ValueError, match="unknown 'denied'"):
        sit(phase="last", hands=hands[:2], denied=["", ""])
    table = sit(four, phase="last", hands=hands, denied=["", "KS", "", ""])
    assert table.env.position(table.state)["denied"] == ["", "KS", "", ""]


def test_a_game_without_cards_is_over(make: Any) -> None:
    given = {"hands": ["", ""], "turned_up": None, "stock": "", "phase": "last", "trump": "C"}
    with pytest.raises(ValueError, match="all cards are played, and the game is not over"):
        make().from_position(opening(2, 0), given)
    over = {**opening(2, -1), "terminated": jax.numpy.bool_(True)}
    assert make().from_position(over, given).finished


def test_who_is_to_move_follows(sit: Any) -> None:
    table = sit({"players": 4}, phase="play", leader=3, trick=("9S#1", None, None, "9S#0"))
    assert table.facts["current_player"] == 1
