"""What scores in Bezique on the reference engine: the master score table, line by line."""

from typing import Any

import pytest

from talonax.configs.bezique.schema import Rules
from talonax.configs.rules import build
from talonax.parity.bezique import BeziqueSpec, BeziqueState
from talonax.parity.bezique_events import Scored
from talonax.parity.bezique_pack import ACTIONS, CARDS, MOVES, BeziqueCard, Cards, Kind, Meld
from talonax.parity.bezique_position import Phase, in_order
from talonax.parity.bezique_score import last_trick_points, meld_points, play_points
from talonax.parity.bezique_trick import winning_place
from talonax.parity.cards import Suit

NAMES = {move.name: move.id for move in MOVES}


def bezique(**flags: Any) -> BeziqueSpec:
    return BeziqueSpec(build(Rules, flags, "test"))


def pick(text: str) -> Cards:
    """Return cards of these types, of the lowest packs; `KH.2` names the pack."""
    taken: list[BeziqueCard] = []
    for name in text.split():
        if "." not in name:
            name += f".{sum(card.name.startswith(name) for card in taken)}"
        taken.append(BeziqueCard.from_name(name))
    return tuple(taken)


def one(text: str) -> BeziqueCard:
    return pick(text)[0]


def deck_with(turned_up: str, players: int = 2, hand: str = "") -> list[int]:
    """Return a deck with these cards where the turned-up card lies, and in seat 0's hand."""
    shown, held = pick(turned_up), pick(hand)
    rest = [card.id for card in reversed(CARDS) if card not in (*shown, *held)]
    front = 9 * players - len(held)
    return [*(c.id for c in held), *rest[:front], *(c.id for c in shown), *rest[front:]]


def position(hand: str, table: str = "", /, flags: Any = None, **fields: Any) -> BeziqueState:
    """Return seat 0 with these cards, in hearts, by default in his turn as the winner."""
    spec = bezique(**(flags or {}))
    nothing: tuple[Cards, ...] = ((),) * (spec.num_players - 1)
    plain = {
        "trump": Suit.HEARTS,
        "turned_up": one("9H"),
        "phase": Phase.TURN,
        "leader": 0,
        "points": (0,) * spec.num_players,
        "hands": (in_order(pick(hand)), *nothing),
        "tables": (in_order(pick(table)), *nothing),
    }
    return spec.initial_state(seed=0).with_round(**{**plain, **fields})


def make(state: BeziqueState, *names: str) -> BeziqueState:
    for name in names:
        state = state.apply_move(NAMES[name])
    return state


def scores(state: BeziqueState) -> list[tuple[int, int, str]]:
    """Return what has just been scored: by whom, how many, what for."""
    return [(e.player, e.points, e.why) for e in state.news if isinstance(e, Scored)]


MELD_LINES = [
    ("meld seven", "7H", 10),
    ("meld marriage HEARTS", "KH QH", 40),
    ("meld marriage DIAMONDS", "KD QD", 20),
    ("meld marriage CLUBS", "KC QC", 20),
    ("meld marriage SPADES", "KS QS", 20),
    ("meld bezique", "QS JD", 40),
    ("meld double bezique", "QS QS JD JD", 500),
    ("meld run", "AH TH KH QH JH", 250),
    ("meld four aces", "AH AS AD AD", 100),
    ("meld four kings", "KH KS KD KC", 80),
    ("meld four queens", "QH QS QS QS", 60),
    ("meld four jacks", "JH JS JD JC", 40),
    ("meld four aces with a Joker", "AH AS AS JO", 100),
    ("meld four kings with a Joker", "KD KC KS JO", 80),
    ("meld four queens with a Joker", "QD QD QD JO", 60),
    ("meld four jacks with a Joker", "JH JS JC JO", 40),
]


@pytest.mark.parametrize(("name", "hand", "points"), MELD_LINES)
def test_score_of_melds(name: str, hand: str, points: int) -> None:
    state = make(position(hand), name)
    assert scores(state) == [(0, points, name.removeprefix("meld "))]
    assert state.round.points == (points, 0)
    assert set(state.round.tables[0]) == set(pick(hand))
    assert state.round.hands[0] == ()
    meld = ACTIONS[NAMES[name]].meld  # type: ignore[union-attr]
    assert meld_points(meld, Suit.HEARTS) == points


@pytest.mark.parametrize("trump", list(Suit))
def test_score_of_marriages_by_trump(trump: Suit) -> None:
    for suit in Suit:
        worth = meld_points(Meld(Kind.MARRIAGE, suit), trump)
        assert worth == (40 if suit == trump else 20)
        letter = suit.name[0]
        state = position(f"K{letter} Q{letter}", trump=trump)
        assert make(state, f"meld marriage {suit.name}").round.points[0] == worth


@pytest.mark.parametrize("trump", ["D", "C", "H", "S"])
def test_score_of_a_run_is_for_trumps_only(trump: str) -> None:
    suit = {suit.name[0]: suit for suit in Suit}[trump]
    for letter in "DCHS":
        run = " ".join(f"{rank}{letter}" for rank in "ATKQJ")
        legal = NAMES["meld run"] in position(run, trump=suit).round.legal_ids
        assert legal == (letter == trump)


def test_score_of_the_seven_turned_up() -> None:
    for seven in ("7D", "7C", "7H", "7S"):
        state = bezique().initial_state(deck=deck_with(seven), dealer=0)
        assert scores(state) == [(0, 10, "seven turned up")]
    assert scores(bezique().initial_state(deck=deck_with("8C"))) == []


def test_score_of_the_seven_swapped() -> None:
    state = position("7H KD", turned_up=one("AH")).swap_seven(0)
    assert scores(state) == [(0, 10, "seven swapped")]


@pytest.mark.parametrize("table", [False, True])
def test_score_of_the_seven_played(table: bool) -> None:
    held = ("", "7H 7D") if table else ("7H 7D", "")
    for leads in (True, False):
        fields = {} if leads else {"trick": pick("AH"), "leader": 1}
        state = position(*held, phase=Phase.PLAY, **fields)
        assert scores(state.play_card(0, one("7H"))) == [(0, 10, "trump seven played")]
        assert scores(state.play_card(0, one("7D"))) == []


@pytest.mark.parametrize("counts", [True, False])
def test_score_of_the_seven_played_in_phase_2(counts: bool) -> None:
    flags, points = {"seven_in_phase2": counts}, 10 if counts else 0
    state = position("7H 9D", "", flags, phase=Phase.LAST_NINE).play_card(0, one("7H"))
    assert state.round.points == (points, 0)
    assert len(scores(state)) == counts
    first = position("7H 9D", "", flags, phase=Phase.PLAY).play_card(0, one("7H"))
    assert first.round.points == (10, 0)
    assert play_points(one("7H"), Suit.HEARTS, counts=counts) == points


@pytest.mark.parametrize(
    ("lead", "answer", "expected"),
    [
        ("9D", "8D", [(0, 10, "last trick")]),
        ("9D", "AD", [(1, 10, "last trick")]),
        ("9D", "7H", [(1, 10, "trump seven played"), (1, 20, "last trick")]),
        ("7H", "8D", [(0, 10, "trump seven played"), (0, 20, "last trick")]),
        ("7H", "8H", [(0, 10, "trump seven played"), (1, 10, "last trick")]),
        ("7D", "JO", [(0, 10, "last trick")]),
    ],
)
def test_score_of_the_last_trick(lead: str, answer: str, expected: list[Any]) -> None:
    hands = (pick(lead), pick(answer))
    state = position("", "", {"rounds": 1}, phase=Phase.LAST_NINE, hands=hands)
    led = state.play_card(0, one(lead))
    state = led.play_card(1, one(answer))
    assert scores(led) + scores(state) == expected
    winning = hands[winning_place((one(lead), one(answer)), Suit.HEARTS)][0]
    assert last_trick_points(winning, Suit.HEARTS) == expected[-1][1]
    assert state.is_terminal()


@pytest.mark.parametrize(
    ("flags", "brisques", "expected"),
    [
        ({"mode": "advanced"}, (14, 16), [(0, 160, "aces and tens"), (1, 160, "aces and tens")]),
        ({"mode": "advanced"}, (11, 19), [(1, 190, "aces and tens")]),
        ({"mode": "advanced"}, (12, 18), [(0, 140, "aces and tens"), (1, 180, "aces and tens")]),
        ({"mode": "standard"}, (14, 16), []),
        (
            {"mode": "advanced", "players": 4},
            (6, 7, 8, 9),
            [
                (0, 80, "aces and tens"),
                (2, 80, "aces and tens"),
                (3, 90, "aces and tens"),
            ],
        ),
    ],
)
def test_score_of_aces_and_tens(
    flags: dict[str, Any], brisques: tuple[int, ...], expected: list[Any]
) -> None:
    """Two more are in the last trick, which seat 0 wins."""
    last = pick("AD TD 9S 8S")[: len(brisques)]
    hands = tuple((card,) for card in last)
    fields = {"phase": Phase.LAST_NINE, "hands": hands, "brisques": brisques}
    state = position("", "", {"rounds": 1, **flags}, **fields)
    for seat, card in enumerate(last):
        state = state.play_card(seat, card)
    assert scores(state) == [(0, 10, "last trick"), *expected]
    assert state.round.brisques[0] == brisques[0] + 2
