"""Tricks of Bezique: who wins, what must be played in the last nine, and what the last one pays."""

from typing import Any

import pytest

FLAGS: dict[int, dict[str, Any]] = {2: {}, 4: {"players": 4, "mode": "advanced"}}

# The last nine tricks -----------------------------------------------------------------------------

REPLIES = [
    ("S", "KH", "AH#0 8H#1 AS#0", "AH"),
    ("S", "KH", "KH#2 8H#1 AS#0", "KH 8H"),
    ("S", "KH", "7S#0 AC#0 TD#0", "7S"),
    ("S", "KH", "AC#0 TD#0 JO#0", "AC TD JO"),
    ("S", "KH", "8H#0 JO#1", "8H"),
    ("S", "JO", "9S#0 AH#0 JO#1", "9S"),
    ("S", "JO", "AC#0 AH#0 JO#1", "AC AH JO"),
    ("H", "7H", "9H#0 AS#0", "9H"),
    ("H", "AH", "9H#0 AS#0", "9H"),
]


@pytest.mark.parametrize(("trump", "led", "hand", "legal"), REPLIES)
def test_replies_in_the_last_nine(sit: Any, trump: str, led: str, hand: str, legal: str) -> None:
    laid = f"{led}#0" if f"{led}#0" not in hand else f"{led}#3"
    table = sit(trump=trump, phase="last", leader=1, trick=(None, laid), hands=(hand,))
    assert table.legal == set(legal.split())


FOUR = [
    ("KH#0", "QS#0", "8S#0 AS#1 AC#0", "AS"),
    ("KH#0", "QS#0", "8S#0 9S#1 AC#0", "8S 9S"),
    ("KH#0", "QS#0", "AH#0 8H#1 AS#1", "AH 8H"),
    ("KH#0", "8H#0", "AH#0 9H#1 AS#1", "AH"),
    ("JO#0", "QS#0", "8S#0 AS#1 AC#0", "AS"),
    ("JO#0", "QC#0", "8S#0 AS#1 AC#0", "8S AS"),
]


@pytest.mark.parametrize(("led", "second", "hand", "legal"), FOUR)
def test_replies_of_the_third(sit: Any, led: str, second: str, hand: str, legal: str) -> None:
    trick = (led, second, None, None)
    table = sit(FLAGS[4], trump="S", phase="last", trick=trick, hands=("", "", hand))
    assert table.legal == set(legal.split())


def test_a_leader_may_play_anything(sit: Any) -> None:
    assert sit(phase="last", hands=("AH#0 JO#1",)).legal == {"AH", "JO"}


TRICKS = [
    ("H", "KC TC", 1),
    ("H", "7S AC", 0),
    ("H", "AS 7H", 1),
    ("H", "JO AS", 0),
    ("H", "JO 7H", 1),
    ("H", "7S JO", 0),
    ("H", "JO JO", 0),
    ("H", "AS AS", 0),
    ("H", "JO AS 7H AH", 3),
    ("H", "7S JO 8S JO", 2),
    ("H", "9S AS AS TS", 1),
    ("H", "7H AH AH TH", 1),
    ("H", "QD QS QD QD", 0),
    ("S", "JO AH QS QS", 2),
]


@pytest.mark.parametrize(("trump", "cards", "winner"), TRICKS)
def test_who_wins_a_trick(sit: Any, trump: str, cards: str, winner: int) -> None:
    names = cards.split()
    hands = tuple(f"{name}#{pack}" for pack, name in enumerate(names))
    flags = FLAGS[len(names)]
    table = sit(flags, trump=trump, phase="play", hands=hands, turned_up=f"9{trump}#3").do(*names)
    assert table.facts["leader"] == table.facts["current_player"] == winner
    assert table.facts["last_winner"] == winner
    assert table.facts["phase"] == 1


def test_the_last_trick(last_trick: Any) -> None:
    assert last_trick(("AH#0", "8H#0"), {}).facts["points"] == [10, 0]
    assert last_trick(("AH#0", "7S#0"), {}).facts["points"] == [0, 30]
    assert last_trick(("7S#0", "8S#0"), {}).facts["points"] == [10, 10]


def test_flag_seven_in_phase2(last_trick: Any, sit: Any) -> None:
    flags = {"seven_in_phase2": False}
    assert last_trick(("AH#0", "7S#0"), flags).facts["points"] == [0, 20]
    assert last_trick(("7S#0", "8S#0"), flags).facts["points"] == [0, 10]
    table = sit(flags, trump="S", phase="play", hands=("7S#0",)).do("7S")
    assert table.facts["points"] == [10, 0]


def test_it_is_over_after_the_last_trick(last_trick: Any) -> None:
    table = last_trick(("AH#0", "8H#0"), {}, points=[100, 250])
    assert table.state.terminated
    assert table.facts["phase"] == 3
    assert table.facts["current_player"] == -1
    assert table.facts["totals"] == [110, 250]
    assert table.rewards[-1] == pytest.approx([-0.14, 0.14])
    assert table.rewards[0] == [0, 0]


BRISQUES = [
    (2, [13, 19], [0, 190]),
    (2, [14, 18], [140, 180]),
    (2, [16, 16], [160, 160]),
    (4, [7, 8, 9, 8], [0, 80, 90, 80]),
]


@pytest.mark.parametrize(("players", "won", "counted"), BRISQUES)
@pytest.mark.parametrize("mode", ["standard", "advanced"])
def test_aces_and_tens(
    last_trick: Any, players: int, won: list[int], counted: list[int], mode: str
) -> None:
    flags = {"players": players, "mode": mode}
    hands = ("9H#0", "8H#0", "8H#1", "8H#2")[:players]
    points = last_trick(hands, flags, brisques=won).facts["points"]
    first, *others = counted if mode == "advanced" else [0] * players
    assert points == [first + 10, *others]
