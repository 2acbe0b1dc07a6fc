"""Bezique's env: dealing, and the first phase: tricks, a winner's turn, draws, what is known."""

from typing import Any

import numpy as np
import pytest

from talonax.envs.bezique.view import card_name, card_number

CARDS, HAND = 132, 9
FLAGS = {2: {}, 4: {"players": 4, "mode": "advanced"}}


def deck_with(*names: str, at: int = 18) -> np.ndarray:
    """A deck in which these cards lie from place `at` on."""
    wanted = [card_number(name) for name in names]
    others = [card for card in range(CARDS) if card not in wanted]
    return np.array([*others[:at], *wanted, *others[at:]])


# Dealing ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 4])
def test_a_deck_is_laid_out_as_the_rules_say(deal: Any, players: int) -> None:
    deck = np.random.default_rng(0).permutation(CARDS)
    table = deal(deck, FLAGS[players])
    for seat in range(players):
        dealt = deck[HAND * seat : HAND * (seat + 1)].tolist()
        assert table.hand(seat) == set(map(card_name, dealt))
    facts = table.facts
    assert facts["turned_up"] == deck[HAND * players]
    assert facts["stock"] == deck[HAND * players + 1 :].tolist()
    assert len(facts["stock"]) == {2: 113, 4: 95}[players]
    assert facts["dealer"] == players - 1
    assert facts["current_player"] == facts["leader"] == 0
    assert facts["last_winner"] == -1
    assert facts["phase"] == 0
    assert facts["round"] == 0


def test_table_keywords_override(deal: Any) -> None:
    deck = deck_with("8H#0")
    table = deal(deck, {"rounds": 3}, round=1, scores=(40, 20))
    assert table.facts["dealer"] == 0
    assert table.facts["current_player"] == 1
    assert table.facts["totals"] == [40, 20]
    assert table.facts["round"] == 1
    assert deal(deck, {"rounds": 3}, round=1, dealer=1).facts["dealer"] == 1
    assert deal(deck, {}, round=5).facts["dealer"] == 0


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ({"dealer": 2}, "dealer 2 is no seat; there are: 0 .. 1"),
        ({"round": 3}, r"round 3: there are rounds 0 .. 2"),
        ({"round": -1}, r"round -1: there are rounds 0 .. 2"),
        ({"scores": (1, 2, 3)}, r"scores \[1, 2, 3\]: 2 totals are needed"),
        ({"scores": (-10, 0)}, r"scores \[-10, 0\]: 2 totals are needed, none below 0"),
    ],
)
def test_an_impossible_table_is_refused(deal: Any, table: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        deal(np.arange(CARDS), {"rounds": 3}, **table)


def test_a_seven_turned_up_counts_for_the_dealer(deal: Any) -> None:
    assert deal(deck_with("7C#1")).facts["points"] == [0, 10]
    assert deal(deck_with("7C#1"), dealer=0).facts["points"] == [10, 0]
    assert deal(deck_with("8C#1")).facts["points"] == [0, 0]


def test_flag_joker_turnup(deal: Any) -> None:
    deck = deck_with("JO#2", "JO#0", "KC#1", "JO#1", "7H#0")
    diamonds = deal(deck).facts
    assert (diamonds["trump"], card_name(diamonds["turned_up"])) == (0, "JO#2")
    assert diamonds["points"] == [0, 0]
    redrawn = deal(deck, {"joker_turnup": "redraw"}).facts
    assert (redrawn["trump"], card_name(redrawn["turned_up"])) == (1, "KC#1")
    wanted = [*deck[21:].tolist(), card_number("JO#2"), card_number("JO#0")]
    assert redrawn["stock"] == wanted
    seven = deal(deck_with("JO#1", "7H#0"), {"joker_turnup": "redraw"}).facts
    assert seven["points"] == [0, 10]
    four = deal(deck_with("JO#3", "JO#1", "JO#2", "JO#0", "9S#0"), {"joker_turnup": "redraw"})
    assert card_name(four.facts["turned_up"]) == "9S#0"
    assert [card_name(card) for card in four.facts["stock"][-4:]] == [
        "JO#3",
        "JO#1",
        "JO#2",
        "JO#0",
    ]


def test_a_joker_turned_up_may_be_taken_with_the_seven_of_diamonds(sit: Any) -> None:
    table = sit(trump="D", hands=("7D#2",), turned_up="JO#1").do("swap the seven")
    assert "JO#1" in table.hand(0)
    assert card_name(table.facts["turned_up"]) == "7D#2"
    assert table.facts["points"] == [10, 0]


# The first phase ----------------------------------------------------------------------------------


def test_any_card_of_hand_or_table_may_be_played(sit: Any) -> None:
    table = sit(
        trump="S",
        phase="play",
        leader=1,
        trick=(None, "AH#0"),
        hands=("7D#0 KH#1 8C#0 8C#1 9C#0 9C#2 8D#0",),
        tables=("QS#0 JD#0",),
        used={"bezique": "QS#0 JD#0"},
    )
    hand = {"7D", "KH", "8C", "9C", "8D"}
    assert table.legal == hand | {"QS from the table", "JD from the table"}


def test_a_turn_follows_a_trick_and_ends_with_done(sit: Any) -> None:
    table = sit(trump="H", phase="play", hands=("9S#0", "AS#1"), turned_up="AH#0", stock=11)
    first, second = table.facts["stock"][:2]
    table.do("9S", "AS")
    facts = table.facts
    assert (facts["phase"], facts["current_player"], facts["leader"]) == (1, 1, 1)
    assert table.gone >= {"9S#0", "AS#1"}
    assert facts["brisques"] == [0, 1]
    assert table.legal == {"done"}
    table.do("done")
    assert (table.facts["phase"], table.facts["current_player"]) == (0, 1)
    assert card_name(first) in table.hand(1)
    assert card_name(second) in table.hand(0)
    assert len(table.hand(0)) == len(table.hand(1)) == 9
    assert sum(card >= 0 for card in table.facts["stock"]) == 9


def test_meld_and_swap_in_either_order_then_done(sit: Any) -> None:
    place = {"trump": "H", "hands": ("7H#0 KS#0 QS#0",), "turned_up": "AH#0"}
    table = sit(**place)
    assert table.legal == {"done", "swap the seven", "meld marriage S", "meld trump seven"}
    table.do("swap the seven")
    assert table.facts["swapped"] == 1
    assert table.legal == {"done", "meld marriage S"}
    table.do("meld marriage S")
    assert table.legal == {"done"}
    assert table.facts["points"] == [30, 0]
    table = sit(**place).do("meld marriage S")
    assert table.legal == {"done", "swap the seven"}
    table.do("swap the seven", "done")
    assert table.facts["melded"] == 0
    assert table.facts["swapped"] == 1


def test_no_swap_of_a_seven_on_the_table_nor_for_a_seven(sit: Any) -> None:
    assert "swap the seven" not in sit(trump="H", tables=("7H#0",), turned_up="AH#0").legal
    assert "swap the seven" not in sit(trump="H", hands=("7H#0",), turned_up="7H#1").legal
    assert "swap the seven" not in sit(trump="H", hands=("7S#0",), turned_up="AH#1").legal


@pytest.mark.parametrize("wins", [True, False])
def test_a_trump_seven_played_counts_at_once(sit: Any, wins: bool) -> None:
    other = "AS#0" if wins else "8H#0"
    table = sit(trump="H", phase="play", leader=1, trick=(None, other), hands=("7H#0",)).do("7H")
    assert table.facts["points"] == [10, 0]
    assert table.facts["leader"] == (0 if wins else 1)


def test_a_seven_melded_counts_again_when_played(sit: Any) -> None:
    table = sit(trump="H", phase="play", tables=("7H#0",)).do("7H from the table")
    assert table.facts["points"] == [10, 0]


def test_the_last_draw(sit: Any) -> None:
    table = sit(
        trump="H",
        leader=1,
        stock="9C#0",
        turned_up="AH#0",
        tables=("KH#0", "QS#1 JD#0"),
        used={"kings": "KH#0", "bezique": "QS#1 JD#0"},
    )
    kept = table.hand(0), table.hand(1)
    table.do("done")
    assert table.hand(1) == kept[1] | {"QS#1", "JD#0", "9C#0"}
    assert table.hand(0) == kept[0] | {"KH#0", "AH#0"}
    assert table.table(0) == table.table(1) == set()
    facts = table.facts
    assert (facts["phase"], facts["current_player"], facts["turned_up"]) == (2, 1, -1)
    assert facts["trump"] == 2
    assert set(facts["stock"]) == {-1}
    assert table.known(1) == {"QS": 1, "JD": 1}
    assert table.known(0) == {"KH": 1, "AH": 1}


def test_the_last_draw_of_four(sit: Any) -> None:
    table = sit(FLAGS[4], trump="H", leader=2, stock="9C#0 8D#0 7H#0", turned_up="AH#0").do("done")
    drawn = {2: "9C#0", 3: "8D#0", 0: "7H#0", 1: "AH#0"}
    assert all(card in table.hand(seat) for seat, card in drawn.items())
    assert table.facts["phase"] == 2


def test_the_draw_before_the_last_leaves_the_card_turned_up(sit: Any) -> None:
    table = sit(trump="H", stock=3, turned_up="AH#0").do("done")
    assert table.facts["phase"] == 0
    assert card_name(table.facts["turned_up"]) == "AH#0"


def test_what_is_known_of_a_hand(sit: Any) -> None:
    table = sit(trump="H", hands=("7H#0 AH#2", "8S#0"), turned_up="AH#0").do("swap the seven")
    assert table.known(0) == {"AH": 1}
    table.do("done", "AH", "8S")
    assert table.known(0) == {}
    assert "AH#2" in table.hand(0)  # the lower pack was played
    table = sit(trump="H", hands=("7H#0",), turned_up="KH#0").do("swap the seven")
    assert table.known(0) == {"KH": 1}


def test_a_meld_from_hand_is_no_longer_known(sit: Any) -> None:
    table = sit(trump="H", hands=("7H#0 QH#1",), turned_up="KH#0").do("swap the seven")
    assert table.do("meld marriage H").known(0) == {}
    table = sit(trump="H", hands=("7H#0 QH#1 QS#0 JD#0",), turned_up="KH#0").do("swap the seven")
    assert table.do("meld bezique").known(0) == {"KH": 1}
