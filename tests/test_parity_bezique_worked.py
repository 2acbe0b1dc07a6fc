"""The worked positions of Bezique on the reference engine: a test of each, named after its id.

The cases write `10S.1` where we write `TS.1`, and `JK` for the Joker.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from talonax.configs.bezique.schema import Rules
from talonax.parity.bezique import BeziqueSpec, BeziqueState
from talonax.parity.bezique_errors import (
    AlreadyMelded,
    NoSeven,
    NotAMeld,
    NotYourTurn,
    Refused,
    SevenTurnedUp,
    TooManyJokers,
    WrongPhase,
)
from talonax.parity.bezique_events import Drawn, Scored
from talonax.parity.bezique_melds import fault_of_meld
from talonax.parity.bezique_pack import CARDS, BeziqueCard, Cards, Kind
from talonax.parity.bezique_position import Phase, in_order
from talonax.parity.bezique_score import brisque_points
from talonax.parity.bezique_trick import strict_replies, winning_place
from talonax.parity.cards import Suit

Case = dict[str, Any]

TRICKS = ["T01", "T02", "T03", "T04", "T06", "T07", "T08", "T09", "T10", "T12", "T13"]
DEALS = ["S01", "S02"]
TURN_UPS = ["S03", "S05"]
SWAPS = ["W01", "W02", "W03", "W04"]
MELDS = [
    *("M01", "M02", "M03", "M04", "M05", "M07", "M08", "M09", "M10", "M11", "M13", "M14", "M15"),
    *("M16", "M17", "M19", "M20", "M21", "M22"),
]
STRICT = ["P02", "P03", "P04", "P05", "P06", "P08", "P09", "P10", "P11"]
DRAWS = ["D01", "D03"]
LAST_TRICKS = ["R01", "R02", "R03"]
BONUSES = ["A01", "A03", "A04", "A05", "A06"]
ENDS = ["G01", "G03"]

#: Which rule refuses what the cases call not allowed, or not valid.
ERRORS: dict[str, type[Refused]] = {
    "W02": SevenTurnedUp,
    "W03": NotYourTurn,
    "W04": NoSeven,
    "M03": NotAMeld,
    "M07": AlreadyMelded,
    "M09": NotAMeld,
    "M11": AlreadyMelded,
    "M16": NotAMeld,
    "M20": TooManyJokers,
    "M21": NotYourTurn,
    "M22": WrongPhase,
}

KINDS = {
    "TrumpSeven": Kind.SEVEN,
    "TrumpMarriage": Kind.MARRIAGE,
    "NonTrumpMarriage": Kind.MARRIAGE,
    "Bezique": Kind.BEZIQUE,
    "DoubleBezique": Kind.DOUBLE_BEZIQUE,
    "TrumpRun": Kind.RUN,
    "FourAces": Kind.ACES,
    "FourKings": Kind.KINGS,
    "FourQueens": Kind.QUEENS,
    "FourJacks": Kind.JACKS,
}
SUITS = {suit.name[0]: suit for suit in Suit}


@pytest.fixture(scope="module")
def worked(shared: Path) -> dict[str, Case]:
    cases = json.loads((shared / "cases" / "bezique_worked.json").read_text())["cases"]
    return {case["id"]: case for case in cases}


def card(name: str) -> BeziqueCard:
    return BeziqueCard.from_name(name.replace("10", "T").replace("JK", "JO"))


def cards(names: list[str]) -> Cards:
    return tuple(map(card, names))


def position(players: int = 2, /, mode: str = "standard", **fields: Any) -> BeziqueState:
    """Return a position of one's own making, at seat 0's turn unless `fields` say otherwise."""
    state = BeziqueSpec(Rules(players=players, mode=mode)).initial_state(seed=0)
    plain = {"points": (0,) * players, "hands": ((),) * players, "leader": 0}
    return state.with_round(**{**plain, **fields})


def scored(state: BeziqueState, why: str) -> list[int]:
    """Return what each seat has just scored for something."""
    events = [event for event in state.news if isinstance(event, Scored) and event.why == why]
    seats = range(state.spec.num_players)
    return [sum(each.points for each in events if each.player == seat) for seat in seats]


def test_every_case_has_a_test(worked: dict[str, Case]) -> None:
    tested = [*TRICKS, *DEALS, *TURN_UPS, *SWAPS, *MELDS, "L01", *STRICT, *DRAWS, *LAST_TRICKS]
    assert sorted([*tested, *BONUSES, *ENDS]) == sorted(worked)


# Tricks


def played_out(players: int, trump: str, trick: Cards, **fields: Any) -> BeziqueState:
    """Return the game after a trick, led by seat 0."""
    hands = tuple((each,) for each in trick)
    fields = {"trump": SUITS[trump], "hands": hands, **fields}
    state = position(players, **fields)
    for seat, each in enumerate(trick):
        state = state.play_card(seat, each)
        assert state.round.events[-1] == state.news[-1]
    return state


@pytest.mark.parametrize("number", TRICKS)
def test_trick(worked: dict[str, Case], number: str) -> None:
    given, expect = worked[number]["given"], worked[number]["expect"]
    trick = cards(given["trick_in_play_order"])
    assert winning_place(trick, SUITS[given["trump"]]) == expect["winner_position"]
    state = played_out(given["players"], given["trump"], trick)
    assert state.current_player() == state.round.leader == expect["winner_position"]
    assert state.round.phase is Phase.TURN
    assert list(state.round.points) == expect["trump7_play_points"]


@pytest.mark.parametrize("number", LAST_TRICKS)
def test_last_trick(worked: dict[str, Case], number: str) -> None:
    given, expect = worked[number]["given"], worked[number]["expect"]
    trick = cards(given["trick_in_play_order"])
    state = played_out(given["players"], given["trump"], trick, phase=Phase.LAST_NINE)
    assert state.ended is not None
    assert state.ended.last_winner == expect["winner_position"]
    bonus = [0, 0]
    bonus[expect["winner_position"]] = expect["last_trick_bonus"]
    assert scored(state, "last trick") == bonus
    sevens = expect.get("trump7_play_points", [0, 0])
    assert list(state.ended.points) == [a + b for a, b in zip(bonus, sevens, strict=True)]


# The deal, the swap, the draw


@pytest.mark.parametrize("number", DEALS)
def test_deal(worked: dict[str, Case], number: str) -> None:
    players, expect = worked[number]["given"]["players"], worked[number]["expect"]
    state = BeziqueSpec(Rules(players=players, rounds=1)).initial_state(seed=1)
    now = state.round
    assert [len(hand) for hand in now.hands] == expect["hand"]
    assert len(now.stock) == expect["face_down"]
    assert now.turned_up is not None
    assert len({*now.stock, now.turned_up, *(c for hand in now.hands for c in hand)}) == 132
    assert expect["total"] == len(CARDS)
    before = 0
    while not state.is_terminal():
        before += state.round.phase is Phase.TURN
        state = state.apply_move(66) if 66 in state.round.legal_ids else _any_card(state)
    assert before == expect["phase1_tricks"]
    assert state.round.last_tricks == expect["phase2_tricks"]


def _any_card(state: BeziqueState) -> BeziqueState:
    return state.apply_move(state.legal_moves()[0])


@pytest.mark.parametrize("number", TURN_UPS)
def test_turn_up(worked: dict[str, Case], number: str) -> None:
    given, expect = worked[number]["given"], worked[number]["expect"]
    turned_up = card(given["turn_up"])
    deck = [each.id for each in CARDS if each != turned_up]
    deck.insert(9 * given["players"], turned_up.id)
    state = BeziqueSpec(Rules()).initial_state(deck=deck, dealer=given["dealer"])
    assert state.round.turned_up == turned_up
    assert state.round.trump == SUITS[expect["trump"]]
    assert list(state.round.points) == expect["round_score"]


@pytest.mark.parametrize("number", SWAPS)
def test_swap(worked: dict[str, Case], number: str) -> None:
    given, expect = worked[number]["given"], worked[number]["expect"]
    actor = given.get("actor", given["winner"])
    hand, table = cards(given["hand"]), cards(given.get("table", []))
    seats = {actor: hand}
    state = position(
        trump=SUITS[given["trump"]],
        turned_up=card(given["turn_up"]),
        hands=tuple(seats.get(seat, ()) for seat in range(2)),
        tables=tuple(table if seat == actor else () for seat in range(2)),
        leader=given["winner"],
        phase=Phase.TURN,
    )
    if not expect["allowed"]:
        with pytest.raises(Refused) as raised:
            state.swap_seven(actor)
        assert type(raised.value) is ERRORS[number]
        assert actor != state.current_player() or 67 not in state.round.legal_ids
        return
    assert 67 in state.round.legal_ids
    after = state.swap_seven(actor)
    assert after.round.turned_up == card(expect["turn_up"])
    assert set(after.round.hands[actor]) == set(cards(expect["hand"]))
    assert after.round.points[actor] == expect["points"]
    assert after.round.swapped


@pytest.mark.parametrize("number", DRAWS)
def test_last_draw(worked: dict[str, Case], number: str) -> None:
    given, expect = worked[number]["given"], worked[number]["expect"]
    players = given["players"]
    tables = tuple(in_order(cards(table)) for table in given.get("tables", [[]] * players))
    state = position(
        players,
        leader=given["winner"],
        phase=Phase.TURN,
        stock=cards(given.get("face_down", given.get("face_down_top_first"))),
        turned_up=card(given["turn_up"]),
        tables=tables,
    )
    after = state.done(given["winner"])
    drawn = {event.player: event.card for event in after.news if isinstance(event, Drawn)}
    assert drawn == {int(seat): card(name) for seat, name in expect["drawn"].items()}
    assert next(iter(drawn)) == given["winner"]
    assert (after.round.phase is Phase.LAST_NINE) == (expect["phase"] == 2)
    assert after.round.tables == ((),) * players
    for seat, hand in enumerate(after.round.hands):
        assert set(hand) == {drawn[seat], *tables[seat]}
    assert (after.round.stock, after.round.turned_up) == ((), None)
    assert after.current_player() == given["winner"]


# Melds


@pytest.mark.parametrize("number", MELDS)
def test_meld(worked: dict[str, Case], number: str) -> None:
    given, action, expect = (worked[number][key] for key in ("given", "action", "expect"))
    trump, kind = SUITS[given["trump"]], KINDS[action["meld"]]
    used = {KINDS[name]: cards(names) for name, names in given["used_before"].items()}
    fields = {
        "trump": trump,
        "hands": (in_order(cards(given["hand"])), ()),
        "tables": (in_order(cards(given["table"])), ()),
        "used": tuple(frozenset(used.get(each, ())) for each in Kind),
        "phase": Phase.TURN if given["phase"] == 1 else Phase.LAST_NINE,
        "leader": 0 if given["actor_won_last_trick"] else 1,
    }
    state, laid = position(**fields), cards(action["cards"])
    if not expect["valid"]:
        with pytest.raises(Refused) as raised:
            state.declare(0, laid, kind)
        assert type(raised.value) is ERRORS[number]
        return
    after = state.declare(0, laid, kind)
    assert after.round.points == (expect["points"], 0)
    assert set(after.round.tables[0]) == {*laid, *fields["tables"][0]}
    assert set(after.round.hands[0]) == set(fields["hands"][0]) - set(laid)
    assert after.round.used[kind] == {*used.get(kind, ()), *laid}


@pytest.mark.parametrize("number", MELDS)
def test_meld_validator_alone(worked: dict[str, Case], number: str) -> None:
    given, action, expect = (worked[number][key] for key in ("given", "action", "expect"))
    used = {KINDS[name]: cards(names) for name, names in given["used_before"].items()}
    fault = fault_of_meld(
        KINDS[action["meld"]],
        cards(action["cards"]),
        hand=cards(given["hand"]),
        table=cards(given["table"]),
        used=tuple(frozenset(used.get(each, ())) for each in Kind),
        trump=SUITS[given["trump"]],
    )
    # Whose turn it is it does not know.
    if number not in ("M21", "M22"):
        assert (fault is None) == expect["valid"]
        assert fault is None or fault[0] is ERRORS[number]


# What may be played


def types(legal: Cards) -> set[int]:
    return {each.type for each in legal}


def test_phase_1_L01(worked: dict[str, Case]) -> None:
    given, expect = worked["L01"]["given"], worked["L01"]["expect"]
    state = position(
        trump=SUITS[given["trump"]],
        hands=((), in_order(cards(given["hand"]))),
        tables=((), in_order(cards(given["table"]))),
        trick=cards(given["trick_in_play_order"]),
    )
    assert {number % 33 for number in state.round.legal_ids} == types(cards(expect["legal"]))
    for each in cards(given["hand"]):
        assert each.type in state.round.legal_ids
    for each in cards(given["table"]):
        assert 33 + each.type in state.round.legal_ids
    for each in cards(expect["legal"]):
        assert state.play_card(1, each).round.gone[-1] == each


@pytest.mark.parametrize("number", STRICT)
def test_phase_2(worked: dict[str, Case], number: str) -> None:
    given, expect = worked[number]["given"], worked[number]["expect"]
    trump, trick = SUITS[given["trump"]], cards(given["trick_in_play_order"])
    hand, seat = in_order(cards(given["hand"])), len(trick)
    legal = cards(expect["legal"])
    assert set(strict_replies(hand, trick, trump)) == set(legal)
    hands = tuple(hand if each == seat else () for each in range(given["players"]))
    fields = {"trump": trump, "hands": hands, "trick": trick, "phase": Phase.LAST_NINE}
    state = position(given["players"], **fields)
    assert set(state.round.legal_ids) == types(legal)
    for each in hand:
        if each in legal:
            state.play_card(seat, each)
        else:
            with pytest.raises(Refused):
                state.play_card(seat, each)


# The end


@pytest.mark.parametrize("number", BONUSES)
def test_advanced_bonus(worked: dict[str, Case], number: str) -> None:
    given, expect = worked[number]["given"], worked[number]["expect"]
    players, mode, count = given["players"], given["mode"].lower(), given["aces_tens"]
    assert brisque_points(Rules(players=players, mode=mode), count) == expect["bonus"]
    last = cards(["9H.0", "8H.0", "7H.0", "7D.0"])[:players]
    state = position(
        players,
        mode=mode,
        trump=Suit.SPADES,
        phase=Phase.LAST_NINE,
        hands=tuple((each,) for each in last),
        brisques=(count,) + (0,) * (players - 1),
    )
    for seat, each in enumerate(last):
        state = state.play_card(seat, each)
    assert scored(state, "aces and tens")[0] == expect["bonus"]
    assert state.ended is not None
    assert state.ended.points[0] == 10 + expect["bonus"]


@pytest.mark.parametrize("number", ENDS)
def test_game_end(worked: dict[str, Case], number: str) -> None:
    given, expect = worked[number]["given"], worked[number]["expect"]
    first, second = given["round_score"]
    spec = BeziqueSpec(Rules(target=given["target"], reward="win"))
    state = spec.initial_state(seed=0, scores=given["total_before"]).with_round(
        trump=Suit.SPADES,
        phase=Phase.LAST_NINE,
        hands=(cards(["9H.0"]), cards(["8H.0"])),
        points=(first - 10, second),
        leader=0,
    )
    state = state.play_card(0, card("9H.0")).play_card(1, card("8H.0"))
    assert list(state.totals) == expect["total"]
    assert state.is_terminal() == expect["game_over"]
    assert not state.is_truncated()
    assert state.verdict is not None
    assert state.verdict.winners == (expect["winner"],)
    assert state.rewards()[expect["winner"]] == 1.0
