"""Field cases of Snapszer on the reference engine: one test for each, named after its id.

A case speaks of its own flags: `talon_size` and the `_min_talon` flags count the turned-up card,
`marriage_without_trick: pending` is our `marriage_points: after_a_trick`, `failed_close` our two
`closer_fail_points`, `closed_stake_reference` our `stake_at`.
"""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from talonax.parity import IllegalMoveError, spec
from talonax.parity.cards import Card, Suit
from talonax.parity.snapszer import SnapszerSpec, SnapszerState
from talonax.parity.snapszer_deal import Closing
from talonax.parity.snapszer_pack import points_of

#: Cases, or parts of them, that speak of rules that Snapszer does not have here.
OUT_OF_SCOPE = {
    "A09": "closed_play=closer_only: here the opponent's 66 ends a closed deal (other half tested)",
    "A11": "last_trick=plus_10 and its draw at 65 all: here the last trick wins",
    "A24": "snapszer_bid: there is no bidding",
    "A31": "dealer_rule=winner_deals: here the first lead alternates (other half tested)",
}

SUITS = {suit.name[0]: suit for suit in Suit}


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card.from_name(name) for name in text.split())


def position(
    hands: tuple[str, str],
    trump: str,
    *,
    stock: str = "",
    up: str = "",
    flags: dict[str, Any] | None = None,
    table: str = "",
    closing: Closing | None = None,
    **fields: Any,
) -> SnapszerState:
    """Return a position where `fields` are the rest of the deal's, seat 0 leading by default."""
    game = spec("snapszer", **(flags or {}))
    assert isinstance(game, SnapszerSpec)
    return game.initial_state(seed=0).with_deal(
        hands=(cards(hands[0]), cards(hands[1])),
        trump=SUITS[trump],
        stock=cards(stock),
        turned_up=Card.from_name(up) if up else None,
        table=Card.from_name(table) if table else None,
        closing=closing,
        **{"leader": 0, **fields},
    )


def play(state: SnapszerState, *names: str) -> SnapszerState:
    """Return the position after the moves of these names."""
    for name in names:
        moves = {move.name: move for move in state.legal_moves()}
        state = state.apply_move(moves[name])
    return state


def legal(state: SnapszerState) -> set[str]:
    return {move.name for move in state.legal_moves()}


def paid(state: SnapszerState) -> tuple[int, int]:
    """Return winner and game points of a deal that is over."""
    assert state.is_terminal()
    winner = 0 if state.returns()[0] > 0 else 1
    return winner, int(state.returns()[winner])


PENDING = {"marriage_points": "after_a_trick"}


def test_A01_a_marriage_without_a_trick_counts_nothing() -> None:
    state = position(
        ("QH TS JD QD JC", "AS TC KC KD AD"),
        "S",
        flags=PENDING,
        leader=1,
        points=(0, 47),
        tricks=(0, 5),
        pending=(20, 0),
        marriages=(frozenset({Suit.HEARTS}), frozenset()),
    )
    end = play(state, "AS", "TS")
    assert end.deal.points == (0, 68)
    assert paid(end) == (1, 3)


def test_A02_pending_points_come_once_with_the_first_trick() -> None:
    state = position(
        ("KD QD AC QH TS", "AD JC JH KS QS"),
        "S",
        stock="TH AH JD KH TC TD KC QC JS",
        up="AS",
        flags=PENDING,
    )
    first = play(state, "KD", "AD")
    second = play(first, "JC", "AC")
    third = play(second, "QH", "JH")
    assert [s.deal.points for s in (first, second, third)] == [(0, 15), (33, 15), (38, 15)]
    assert [s.deal.pending for s in (first, second)] == [(20, 0), (0, 0)]


@pytest.mark.parametrize("declare", ["auto", "optional"])
def test_A03_king_or_queen_of_a_marriage_may_be_led(declare: str) -> None:
    state = position(
        ("KD QD TS JC QH", "JD KH TH AD AS"),
        "C",
        stock="TD",
        up="AC",
        flags={"marriage_declare": declare},
        points=(40, 20),
        tricks=(3, 1),
    )
    prefix = "declare " if declare == "optional" else ""
    assert {f"{prefix}KD", f"{prefix}QD"} <= legal(state)
    king = play(state, f"{prefix}KD", "JD")
    assert king.deal.points == (66, 20)
    assert paid(king) == (0, 2)
    queen = play(state, f"{prefix}QD", "JD")
    assert queen.deal.points == (65, 20)
    assert not queen.is_terminal()


def test_A04_a_marriage_can_end_the_deal() -> None:
    state = position(
        ("KH QH AS JC TS", "JH AH TH AD AC"),
        "D",
        stock="TD",
        up="KD",
        points=(46, 14),
        tricks=(3, 1),
    )
    end = play(state, "QH")
    assert end.deal.points == (66, 14)
    assert paid(end) == (0, 2)
    assert [len(hand) for hand in end.deal.hands] == [5, 5]
    assert (len(end.deal.stock), end.deal.turned_up) == (1, Card.from_name("KD"))


@pytest.mark.parametrize(("stake_at", "points"), [("closing", 3), ("end", 1)])
def test_A05_the_stake_of_a_closed_deal(stake_at: str, points: int) -> None:
    state = position(
        ("AS JH", "TS JC"),
        "D",
        flags={"stake_at": stake_at},
        closing=Closing(by=0, tricks=(2, 0), points=(24, 0)),
        points=(46, 33),
        tricks=(4, 2),
    )
    end = play(state, "AS", "TS")
    assert (end.deal.points, end.deal.tricks) == ((67, 33), (5, 2))
    assert paid(end) == (0, points)


@pytest.mark.parametrize(("usual", "trickless"), [(2, 3), (3, 3), (2, 2)])
def test_A06_what_a_failed_closing_costs(usual: int, trickless: int) -> None:
    flags = {"closer_fail_points": usual, "closer_fail_points_trickless": trickless}
    one_trick = Closing(by=0, tricks=(2, 1), points=(30, 13))
    no_trick = Closing(by=0, tricks=(2, 0), points=(30, 0))
    for closing, before, cost in [(one_trick, (4, 3), usual), (no_trick, (3, 3), trickless)]:
        state = position(
            ("QS", "JH"), "D", flags=flags, closing=closing, points=(56, 35), tricks=before
        )
        end = play(state, "QS", "JH")
        assert (end.deal.points, end.deal.tricks) == ((61, 35), (before[0] + 1, 3))
        assert paid(end) == (1, cost)


@pytest.mark.parametrize(("profile_flag", "points"), [("fails", 2), ("normal", 1)])
def test_A08_the_opponent_of_the_closer_reaches_66(profile_flag: str, points: int) -> None:
    """The case is ours by default; `normal` is the engine that it complains of."""
    state = position(
        ("TS JH", "AS JC"),
        "D",
        flags={"closer_beaten": profile_flag},
        leader=1,
        closing=Closing(by=0, tricks=(2, 1), points=(28, 20)),
        points=(40, 45),
        tricks=(3, 3),
    )
    end = play(state, "AS", "TS")
    assert (end.deal.points, end.deal.tricks) == ((40, 66), (3, 4))
    assert paid(end) == (1, points)


def test_A09_a_closed_deal_ends_at_the_opponents_66() -> None:
    state = position(
        ("QH AC TD", "KS QS JH"),
        "S",
        flags={"marriage_when_strict": True},
        leader=1,
        closing=Closing(by=0, tricks=(1, 1), points=(20, 12)),
        points=(41, 19),
        tricks=(2, 2),
    )
    led = play(state, "KS")
    assert (led.deal.points, led.is_terminal()) == ((41, 59), False)
    end = play(led, "QH")
    assert end.deal.points == (41, 66)
    assert paid(end) == (1, 2)
    assert [len(hand) for hand in end.deal.hands] == [2, 2]


def test_A10_the_last_trick_wins_not_the_points() -> None:
    end = play(position(("JS", "JH"), "D", points=(53, 63), tricks=(4, 5)), "JS", "JH")
    assert (end.deal.points, end.deal.tricks) == ((57, 63), (5, 5))
    assert paid(end) == (0, 1)


@pytest.mark.parametrize(("min_talon", "expected"), [(2, True), (3, False)])
def test_A12_cards_needed_for_the_exchange(min_talon: int, expected: bool) -> None:
    flags = {"exchange_min_stock": min_talon - 1}
    hands = ("JH AS KD QC TD", "QS JS AC JD QD")
    state = position(hands, "H", stock="TS", up="AH", flags=flags)
    assert ("exchange" in legal(state)) == expected
    assert "exchange" not in legal(position(hands, "H", flags=flags))
    closed = state.with_deal(closing=Closing(by=0, tricks=(0, 0), points=(0, 0)))
    assert "exchange" not in legal(closed)


def test_A13_the_last_draw_after_an_exchange() -> None:
    state = position(
        ("AS KS QC JH TD", "QS JS AC KD QD"),
        "H",
        stock="TS",
        up="AH",
        played=(frozenset(cards("TH KH QH TC")), frozenset(cards("KC JC AD JD"))),
    )
    after = play(state, "exchange", "AS", "JS")
    assert set(after.deal.hands[0]) == set(cards("KS QC TD AH TS"))
    assert set(after.deal.hands[1]) == set(cards("QS AC KD QD JH"))
    assert (after.deal.stock, after.deal.turned_up, after.deal.is_strict) == ((), None, True)
    held = {*after.deal.hands[0], *after.deal.hands[1]}
    assert len(held | after.deal.played[0] | after.deal.played[1]) == 20


@pytest.mark.parametrize("declare", ["auto", "optional"])
def test_A14_the_follower_can_only_play_a_card(declare: str) -> None:
    state = position(
        ("AS KS QC AD", "JH KD QD AC JS"),
        "H",
        stock="QS TD JD TC KC",
        up="AH",
        flags={"marriage_declare": declare},
        table="TS",
    )
    assert legal(state) == {"JH", "KD", "QD", "AC", "JS"}
    after = play(state, "KD")
    assert (after.deal.marriages[1], after.deal.points) == (frozenset(), (14, 0))


@pytest.mark.parametrize(
    ("lead", "hand", "replies"),
    [
        ("TS", "JS AH KD QC", "JS"),
        ("TS", "AH JH KD QC", "AH JH"),
        ("TS", "AD KD QC TC", "AD KD QC TC"),
        ("KH", "QH JH AS TS", "QH JH"),
        ("KH", "AS TS KD QC", "AS TS KD QC"),
    ],
)
def test_A15_suit_must_be_followed_or_trumped(lead: str, hand: str, replies: str) -> None:
    assert legal(position(("", hand), "H", table=lead)) == set(replies.split())


@pytest.mark.parametrize(
    ("lead", "hand", "replies"),
    [
        ("QS", "KS JS AH TD", "KS"),
        ("KS", "TS AS QS AH", "TS AS"),
        ("TS", "KS QS AH JH", "KS QS"),
        ("JH", "QH TH AS KD", "QH TH"),
    ],
)
def test_A16_the_lead_must_be_beaten_in_its_suit(lead: str, hand: str, replies: str) -> None:
    assert legal(position(("", hand), "H", table=lead)) == set(replies.split())


@pytest.mark.parametrize(
    ("reply", "winner", "points"), [("AD", 0, 13), ("TS", 1, 12), ("JH", 1, 4)]
)
def test_A17_no_duties_while_the_talon_is_open(reply: str, winner: int, points: int) -> None:
    state = position(
        ("AS KS QS AC", "AD TS JH KC QC"),
        "H",
        stock="KD QD JD TC JC TD TH KH QH",
        up="AH",
        table="JS",
    )
    assert len(legal(state)) == 5
    after = play(state, reply)
    assert after.deal.points[winner] == sum(after.deal.points) == points


@pytest.mark.parametrize(("min_talon", "last"), [(2, 2), (3, 4), (4, 4)])
def test_A18_cards_needed_for_closing(min_talon: int, last: int) -> None:
    face_down = ["AS", "TS", "KS", "QS", "JS", "AD", "TD", "KD", "QD"]
    for talon in (10, 8, 6, 4, 2, 0):
        state = position(
            ("KC", "QC"),
            "H",
            stock=" ".join(face_down[: talon - 1] if talon else []),
            up="AH" if talon else "",
            flags={"close_min_stock": min_talon - 1},
        )
        assert ("close" in legal(state)) == (talon >= last), talon


def test_A19_nobody_draws_after_the_trick_that_makes_66() -> None:
    state = position(
        ("AS TC JC AD TD", "JS KC QC KD QD"),
        "H",
        stock="TS JD QS",
        up="AH",
        points=(60, 14),
        tricks=(2, 1),
        marriages=(frozenset({Suit.HEARTS}), frozenset()),
    )
    end = play(state, "AS", "JS")
    assert end.deal.points == (73, 14)
    assert paid(end) == (0, 2)
    assert [len(hand) for hand in end.deal.hands] == [4, 4]
    assert len(end.deal.stock) + 1 == 4


def test_A20_a_trick_of_nines_is_a_trick() -> None:
    flags = {"nines": True, **PENDING}
    state = position(("AS JC", "9H KC"), "S", flags=flags, points=(59, 0), tricks=(5, 1))
    end = play(state, "AS", "9H")
    assert (end.deal.points, end.deal.tricks) == ((70, 0), (6, 1))
    assert paid(end) == (0, 2)
    variant_b = position(
        ("AD TD JD AC TC QC", "KH QH AH TH JD JC"),
        "S",
        stock="TS KS QS",
        up="AS",
        flags=flags,
        leader=1,
        points=(30, 0),
        tricks=(2, 1),
    )
    assert play(variant_b, "KH").deal.points == (30, 20)


@pytest.mark.parametrize(("allowed", "points"), [(True, 33), (False, 13)])
def test_A21_a_marriage_after_closing(allowed: bool, points: int) -> None:
    state = position(
        ("KD QD AC", "AD TD TC"),
        "S",
        stock="JD JC KC QC TH",
        up="AS",
        flags={"marriage_when_strict": allowed},
        closing=Closing(by=1, tricks=(1, 2), points=(13, 22)),
        points=(13, 22),
        tricks=(1, 2),
    )
    after = play(state, "KD")
    assert after.deal.points == (points, 22)
    assert (after.deal.marriages[0] == frozenset({Suit.DIAMONDS})) == allowed


@pytest.mark.parametrize(("lead", "points"), [("KH", 32), ("QD", 52)])
def test_A22_a_lead_scores_the_pair_of_its_own_suit(lead: str, points: int) -> None:
    state = position(
        ("KH QH KD QD AS", "AH TH JH TS JS"),
        "D",
        stock="KS QS AC TC KC QC JC",
        up="AD",
        points=(12, 0),
        tricks=(1, 0),
    )
    assert play(state, lead).deal.points == (points, 0)


def test_A23_announcing_by_itself_or_by_choice() -> None:
    hands = ("KH QH AS TS JD", "AH TH JH QS JS")
    table: dict[str, Any] = {
        "stock": "KS AD TD KD QD AC TC",
        "up": "KC",
        "points": (5, 0),
        "tricks": (1, 0),
    }
    automatic = position(hands, "C", **table)
    assert {name for name in legal(automatic) if "QH" in name} == {"QH"}
    assert play(automatic, "QH").deal.points == (25, 0)
    optional = position(hands, "C", flags={"marriage_declare": "optional"}, **table)
    assert {name for name in legal(optional) if "QH" in name} == {"QH", "declare QH"}
    assert play(optional, "QH").deal.points == (5, 0)
    assert play(optional, "declare QH").deal.points == (25, 0)


def test_A25_the_cards_won_and_the_closed_talon_make_120() -> None:
    played_out = 0
    for seed in range(200):
        rng = random.Random(seed)
        state = position(
            ("AS KS JS JC JH", "QS AD TD KC QH"),
            "H",
            stock="TS QC JD",
            up="KH",
            played=(frozenset(cards("TC AC TH")), frozenset(cards("AH KD QD"))),
            closing=Closing(by=0, tricks=(1, 2), points=(10, 10)),
            points=(0, 0),
            tricks=(1, 2),
        )
        before = points_of(state.deal.played[0] | state.deal.played[1])
        while not state.is_terminal():
            state = play(state, rng.choice(sorted(legal(state))))
            laid = points_of(state.deal.played[0] | state.deal.played[1])
            on_table = 0 if state.deal.table is None else points_of([state.deal.table])
            assert sum(state.deal.points) == laid - before - on_table
        if not any(state.deal.hands):
            played_out += 1
            assert points_of(state.deal.played[0] | state.deal.played[1]) == 101
            assert points_of((*state.deal.stock, *cards("KH"))) == 120 - 101
    assert played_out


@pytest.mark.parametrize(
    ("points", "tricks", "paid_points"), [(0, 0, 3), (4, 1, 2), (32, 3, 2), (33, 3, 1), (65, 5, 1)]
)
def test_A28_thresholds(points: int, tricks: int, paid_points: int) -> None:
    state = position(("AS JC", "TS JH"), "D", points=(45, points), tricks=(4, tricks))
    end = play(state, "AS", "TS")
    assert end.deal.points == (66, points)
    assert paid(end) == (0, paid_points)
    one_less = play(state.with_deal(points=(44, points)), "AS", "TS")
    assert one_less.deal.points == (65, points)
    assert not one_less.is_terminal()


def test_A29_several_actions_on_one_lead() -> None:
    """The case announces after closing, which needs `marriage_when_strict` here."""
    flags = {"close_min_stock": 1, "marriage_when_strict": True}
    hands = ("JH KH AS TS JD", "AD TD KD QD AC")
    talon: dict[str, Any] = {"stock": "TC KC QC JC KS", "up": "QH"}
    state = position(hands, "H", flags=flags, **talon)
    exchanged = play(state, "exchange")
    assert exchanged.current_player() == 0
    closed = play(exchanged, "close")
    assert closed.current_player() == 0
    assert play(closed, "KH").deal.points == (40, 0)
    with pytest.raises(IllegalMoveError, match="exchange"):
        play(state, "close").apply_move(20)
    by_default = play(position(hands, "H", **talon), "exchange", "close", "KH")
    assert by_default.deal.points == (0, 0)


def test_A31_the_end_of_a_match() -> None:
    game = spec("snapszer", match=7)
    assert isinstance(game, SnapszerSpec)
    won = {
        "hands": (cards("AS JC"), cards("TS JH")),
        "trump": Suit.DIAMONDS,
        "turned_up": None,
        "stock": (),
        "leader": 0,
        "points": (45, 0),
        "tricks": (4, 0),
    }
    end = play(game.initial_state(seed=0, scores=(6, 5)).with_deal(**won), "AS", "TS")
    assert (end.scores, end.is_terminal(), end.rewards()) == ((9, 5), True, (3.0, -3.0))
    on = play(game.initial_state(seed=0, leader=0, scores=(3, 5)).with_deal(**won), "AS", "TS")
    assert (on.scores, on.is_terminal(), on.rewards()) == ((6, 5), False, (3.0, -3.0))
    assert (on.deal_number, on.deal.leader) == (1, 1)


def test_every_shared_case_is_tested_or_out_of_scope(shared: Path) -> None:
    cases = json.loads((shared / "cases" / "rule_cases.json").read_text())
    ids = {case["id"] for case in cases if case["game"] == "snapszer"}
    tested = {name.split("_")[1] for name in globals() if name.startswith("test_A")}
    assert tested | set(OUT_OF_SCOPE) == ids
    assert all(OUT_OF_SCOPE.values())
