"""The worked positions of Tysiac on the reference engine: a test of each, named after its id.

The cases write `10S` where we write `TS`, and give some errors other names (see `ERRORS`).
"""

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from talonax.configs.tysiac.schema import Bomba, Rules
from talonax.parity import IllegalMoveError
from talonax.parity.cards import Card, Suit
from talonax.parity.tysiac import (
    BombClosed,
    IllegalBid,
    IllegalContract,
    IllegalReturn,
    InvalidMeldProof,
    MissingMeldProof,
    TysiacSpec,
    TysiacState,
)
from talonax.parity.tysiac_auction import Auction
from talonax.parity.tysiac_pack import ACTIONS, CARDS, MARRIAGES, in_order
from talonax.parity.tysiac_position import Phase

Case = dict[str, Any]

BID_PROOFS = [
    *("B01", "B02", "B03", "B04", "B06", "B07", "B08", "B09", "B10", "B12", "B13", "B14", "B15")
]
TRICKS = ["M01", "M02", "M04", "M05", "M06"]
REPLIES = ["L01", "L02", "L03", "L04", "L05"]
SCORES = ["P01", "P02", "P03", "P04", "P05", "E01", "E02", "E04", "E05", "E06", "X01", "X02", "X04"]

ERRORS = {
    "MissingMeldProof": MissingMeldProof,
    "InvalidMeldProof": InvalidMeldProof,
    "InvalidBid": IllegalBid,
    "InvalidContract": IllegalContract,
    "InvalidMeld": IllegalMoveError,
}
#: The bid is looked at before its proof (*Named errors* of the rules): nobody bids 210.
RULES_WIN = {"B13": IllegalBid}

SUITS = {suit.name[0]: suit for suit in Suit}
PASS = 32


@pytest.fixture(scope="module")
def worked(shared: Path) -> dict[str, Case]:
    cases = json.loads((shared / "cases" / "tysiac_worked.json").read_text())["cases"]
    return {case["id"]: case for case in cases}


def card(name: str) -> Card:
    return Card.from_name(name.replace("10", "T"))


def cards(names: list[str]) -> tuple[Card, ...]:
    return in_order(card(name) for name in names)


def rest(*held: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return all cards but these."""
    return tuple(other for other in CARDS if all(other not in part for part in held))


def position(rules: Rules | None = None, /, **fields: Any) -> TysiacState:
    return TysiacSpec(rules or Rules()).initial_state(seed=0).with_hand(**fields)


def names(state: TysiacState) -> set[str]:
    return {move.name for move in state.legal_moves()}


# Auction


def bidding(hand: tuple[Card, ...], amount: int) -> TysiacState:
    """Return seat 0 with this hand, to answer the bid before this one."""
    auction = Auction(Rules(), to_act=0)
    if amount > 100:
        auction = replace(auction, high_bid=amount - 10, bid_by=1)
    return position(hands=(hand, rest(hand)[:10]), auction=auction)


@pytest.mark.parametrize("number", BID_PROOFS)
def test_bid_proof(worked: dict[str, Case], number: str) -> None:
    given, action, expect = (worked[number][key] for key in ("given", "action", "expect"))
    amount, proof = action["bid"], action["proof"] and cards(action["proof"])
    state = bidding(cards(given["hand"]), amount)
    if expect["result"] == "OK":
        after = state.bid(0, amount, proof)
        assert (after.hand.auction.high_bid, after.hand.auction.bid_by) == (amount, 0)
        assert (after.hand.trump, after.hand.declared) == (None, (frozenset(), frozenset()))
        assert after.hand.known == (frozenset(), frozenset())
        assert f"bid {amount}" in names(state)
    else:
        error = RULES_WIN.get(number, ERRORS[expect["result"]])
        with pytest.raises(error) as raised:
            state.bid(0, amount, proof)
        assert type(raised.value) is error


def with_best_bids(state: TysiacState, highest: int) -> TysiacState:
    """Return the state with hands that can prove bids so high: up to 200, or up to 120."""
    hearts = cards(["KH", "QH"]) if highest == 200 else cards(["KH", "QD"])
    return state.with_hand(hands=(hearts, hearts))


def after_history(case: Case, state: TysiacState) -> TysiacState:
    for seat, call in case["given"]["history"]:
        state = state.pass_(seat) if call == "Pass" else state.bid(seat, call)
    return state


@pytest.mark.parametrize("number", ["I01", "I03", "I07"])
def test_legal_bids(worked: dict[str, Case], number: str) -> None:
    given, expect = worked[number]["given"], worked[number]["expect"]
    start = TysiacSpec(Rules()).initial_state(seed=0, dealer=0)
    state = after_history(worked[number], with_best_bids(start, given["max_provable_bid"]))
    assert state.current_player() == given["to_act"]
    calls = {name.removeprefix("bid ").replace("pass", "Pass") for name in names(state)}
    assert calls == set(expect["legal"])


def test_auction_state_I04(worked: dict[str, Case]) -> None:
    expect = worked["I04"]["expect"]
    state = after_history(worked["I04"], TysiacSpec(Rules()).initial_state(seed=0, dealer=0))
    assert (state.hand.phase is Phase.TAKE) == expect["over"]
    assert state.hand.declarer == state.current_player() == expect["playing_player"]
    assert state.hand.auction.high_bid == expect["bid"]


@pytest.mark.parametrize("number", ["I05", "I06"])
def test_illegal_bid(worked: dict[str, Case], number: str) -> None:
    case = worked[number]
    state = after_history(case, TysiacSpec(Rules()).initial_state(seed=0, dealer=0))
    with pytest.raises(ERRORS[case["expect"]["result"]]):
        state.bid(case["given"]["to_act"], case["action"]["bid"])


# Musik


def taking(case: Case) -> TysiacState:
    hand = cards(case["given"]["hand"])
    musiks = tuple(cards(musik) for musik in case["given"]["musiki"])
    return position(
        hands=(hand, rest(hand, *musiks)),
        musiks=musiks,
        auction=Auction(Rules(), to_act=1, high_bid=100, bid_by=0, passed=(False, True)),
        declarer=0,
        phase=Phase.TAKE,
    )


@pytest.mark.parametrize("number", ["K01", "K03"])
def test_musik(worked: dict[str, Case], number: str) -> None:
    case, expect = worked[number], worked[number]["expect"]
    taken = taking(case).take_musik(0, case["action"]["choose"])
    assert len(taken.hand.hands[0]) == 12
    if "revealed" in expect:
        assert taken.hand.known[0] == set(cards(expect["revealed"]))
    state = taken.return_cards(0, cards(case["action"]["return_cards"]))
    assert state.hand.hands[0] == cards(expect["hand"])
    assert [len(hand) for hand in state.hand.hands] == expect["sizes"]
    if "unused_musik" in expect:
        unused = state.hand.musiks[1 - case["action"]["choose"]] + state.hand.returned
        assert set(unused) == set(cards(expect["unused_musik"]))


def test_two_cards_are_returned_K02(worked: dict[str, Case]) -> None:
    case = worked["K02"]
    with pytest.raises(IllegalReturn):
        taking(case).take_musik(0, 0).return_cards(0, cards(case["action"]["return_cards"]))


# Play


def playing(rules: Rules | None = None, **fields: Any) -> TysiacState:
    table = {"phase": Phase.PLAY, "declarer": 0, "contract": 100, "leader": 0, **fields}
    return position(rules, **table)


@pytest.mark.parametrize("number", TRICKS)
def test_meld_trick(worked: dict[str, Case], number: str) -> None:
    given, expect = worked[number]["given"], worked[number]["expect"]
    lead, follow = card(given["lead"]), card(given["follow"])
    other = [
        each for each in CARDS if each.suit == lead.suit and each.rank.name in ("KING", "QUEEN")
    ]
    state = playing(
        trump=SUITS[given["trump"]] if given["trump"] else None,
        hands=(in_order({lead, *other, card("9S")}), (card("9C"), follow)),
    )
    led = state.play(0, lead, declare=given["declare"])
    after = led.play(1, follow)
    assert led.hand.trump == after.hand.trump
    assert after.hand.trump == (SUITS[expect["trump"]] if expect["trump"] else None)
    assert led.hand.points == (expect["meld_points"], 0)
    assert after.hand.leader == expect["winner"]
    won = [expect["meld_points"], 0]
    won[expect["winner"]] += expect["card_points"]
    assert list(after.hand.points) == won


def test_the_follower_may_not_declare_M07(worked: dict[str, Case]) -> None:
    given, action = worked["M07"]["given"], worked["M07"]["action"]
    hand = cards(given["hand"])
    state = playing(hands=(cards(["9C", "9D"]), hand), table=card(given["lead"]))
    assert state.current_player() == given["actor"]
    with pytest.raises(ERRORS[worked["M07"]["expect"]["result"]]):
        state.play(1, card(action["card"]), declare=True)
    assert names(state) == {"KH", "QH"}


def test_the_partner_must_be_in_hand_M08(worked: dict[str, Case]) -> None:
    given, action = worked["M08"]["given"], worked["M08"]["action"]
    state = playing(hands=(cards(given["hand"]), cards(["9C", "9D"])))
    with pytest.raises(ERRORS[worked["M08"]["expect"]["result"]]):
        state.play(given["actor"], card(action["card"]), declare=True)
    assert names(state) == {"KH", "TH"}


@pytest.mark.parametrize("number", REPLIES)
def test_legal_play(worked: dict[str, Case], number: str) -> None:
    given, expect = worked[number]["given"], worked[number]["expect"]
    state = playing(
        Rules(must_trump_when_void=given["must_trump_when_void"]),
        trump=SUITS[given["trump"]],
        table=card(given["lead"]),
        hands=((), cards(given["hand"])),
    )
    legal = cards(expect["legal"])
    assert {ACTIONS[move.id].name for move in state.legal_moves()} == {each.name for each in legal}
    for each in cards(given["hand"]):
        if each in legal:
            state.play(1, each)
        else:
            with pytest.raises(IllegalMoveError):
                state.play(1, each)


def test_points_of_the_cards_put_aside_P09(worked: dict[str, Case]) -> None:
    case = worked["P09"]
    aside = cards(case["given"]["musik_after"])
    held = rest(aside)
    for seed in range(20):
        rng = random.Random(seed)
        mixed = rng.sample(held, len(held))
        state = playing(
            hands=(in_order(mixed[:10]), in_order(mixed[10:])),
            musiks=(aside[:2], rest()),
            returned=aside[2:],
        )
        while state.ended is None:
            state = state.apply_move(rng.choice(state.legal_moves()))
        melds = sum(MARRIAGES[suit] for suits in state.ended.declared for suit in suits)
        assert sum(state.ended.points) - melds == case["expect"]["total"]


# Score


def scoring(given: Case) -> TysiacState:
    """Return the last trick of a hand, two nines: nothing is added to the points."""
    declarer = given["playing_player"]
    state = playing(
        declarer=declarer,
        leader=declarer,
        contract=given["contract"],
        points=tuple(given["raw_points"]),
        doubling=given["multiplier"],
        auction=Auction(Rules(), to_act=0, high_bid=given["winning_bid"], bid_by=declarer),
        hands=((card("9S"),), (card("9C"),)),
    )
    return replace(state, scores=tuple(given["prior"]))


@pytest.mark.parametrize("number", SCORES)
def test_score(worked: dict[str, Case], number: str) -> None:
    given, expect = worked[number]["given"], worked[number]["expect"]
    declarer = given["playing_player"]
    state = scoring(given)
    nines = [card("9S"), card("9C")]
    end = state.play(declarer, nines[declarer]).play(1 - declarer, nines[1 - declarer])
    assert list(end.scores) == expect["scores"]
    gained = end.scores[declarer] - given["prior"][declarer]
    assert (gained > 0) == expect["contract_made"]
    assert end.is_terminal() == expect.get("game_over", False)
    if "winner" in expect:
        assert end.returns()[expect["winner"]] == 1.0
    if not end.is_terminal():
        assert (end.number, end.hand.phase) == (1, Phase.AUCTION)


@pytest.mark.parametrize("number", ["P07", "P08"])
def test_illegal_contract(worked: dict[str, Case], number: str) -> None:
    given, expect = worked[number]["given"], worked[number]["expect"]
    auction = Auction(Rules(), to_act=1, high_bid=given["winning_bid"], bid_by=0)
    state = position(auction=auction, declarer=0, phase=Phase.CONTRACT)
    with pytest.raises(ERRORS[expect["result"]]):
        state.name_contract(given["playing_player"], given["contract"])


# Bomb


@pytest.mark.parametrize("number", ["X05", "X06", "X07", "X08"])
def test_bomba(worked: dict[str, Case], number: str) -> None:
    given, expect = worked[number]["given"], worked[number]["expect"]
    bomba = Bomba(enabled=given["enabled"], allow_redouble=given.get("allow_redouble", False))
    auction = Auction(Rules(), to_act=1, high_bid=100, bid_by=0)
    state = position(Rules(bomba=bomba), auction=auction, declarer=0, phase=Phase.CONTRACT)
    state = state.with_hand(rules=Rules(bomba=bomba)).name_contract(0, 120)
    if given.get("first_lead_made"):
        state = state.no_bomb(1)
        state = state.play(0, state.hand.hands[0][0])
    steps = {
        "Bomb": lambda state: state.bomb(1),
        "Re-Bomb": lambda state: state.rebomb(0),
        "playing_player:Bomb": lambda state: state.bomb(0),
    }
    *before, refused = worked[number]["action"]["calls"]
    assert len(before) == expect["at"]
    for call in before:
        state = steps[call](state)
    with pytest.raises(IllegalMoveError) as raised:
        steps[refused](state)
    assert isinstance(raised.value, BombClosed) == (number != "X06")


def test_every_worked_case_is_tested(worked: dict[str, Case]) -> None:
    code = Path(__file__).read_text()
    assert len(worked) == 54
    assert [number for number in worked if number not in code] == []
