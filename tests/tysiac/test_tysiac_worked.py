"""The worked positions of Tysiac, on the env and on the reference engine, each named after its id.

The engine takes proofs by name and has its own errors for what is wrong with them; the env has
masks. So what a case refuses is illegal on both sides, and on the engine refused by name.
"""

import random
from pathlib import Path
from typing import Any

import pytest

from talonax.configs.tysiac.schema import Rules
from talonax.parity import IllegalMoveError
from talonax.parity.cards import Card
from talonax.parity.tysiac import (
    BombClosed,
    IllegalBid,
    IllegalContract,
    IllegalReturn,
    InvalidMeldProof,
    MissingMeldProof,
    TysiacSpec,
)
from talonax.parity.tysiac_auction import Auction
from talonax.parity.tysiac_pack import CARDS

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
}
#: The bid is looked at before its proof (*Named errors* of the rules): nobody bids 210.
RULES_WIN = {"B13": IllegalBid}
#: The cards shown are too small, but the hand holds a marriage that suffices: the bid is legal.
HOLDS_ANOTHER = {"B03"}

PACK = [card.name for card in CARDS]
SUITS = {suit: [name for name in PACK if name[1] == suit] for suit in "SCDH"}


def rest(*held: str) -> list[str]:
    """Return all cards but these."""
    return [name for name in PACK if name not in held]


# Auction


def bidding(tables: Any, hand: list[str], amount: int) -> Any:
    """Return the table at which seat 0, with this hand, may answer the bid before this one."""
    other = rest(*hand)[:10]
    before = {"high_bid": amount - 10, "bid_by": 1} if amount > 100 else {"high_bid": 0}
    return tables.position((" ".join(hand), " ".join(other)), phase="auction", **before)


@pytest.mark.parametrize("number", BID_PROOFS)
def test_bid_proof(tables: Any, worked: dict[str, Case], number: str) -> None:
    given, action, expect = (worked[number][key] for key in ("given", "action", "expect"))
    amount = action["bid"]
    table = bidding(tables, given["hand"], amount)
    legal = expect["result"] == "OK" or number in HOLDS_ANOTHER
    assert (f"bid {amount}" in table.legal()) == legal
    if legal:
        after = table.play(f"bid {amount}")
        assert (after.facts["high_bid"], after.facts["bid_by"]) == (amount, 0)
        assert (after.trump, after.facts["declared"]) == (None, [0, 0])
        assert after.facts["known"] == [0, 0]


@pytest.mark.parametrize("number", BID_PROOFS)
def test_bid_proof_by_name(worked: dict[str, Case], number: str) -> None:
    given, action, expect = (worked[number][key] for key in ("given", "action", "expect"))
    amount, shown = action["bid"], action["proof"]
    hand = tuple(Card.from_name(name) for name in given["hand"])
    auction = Auction(Rules(), to_act=0, high_bid=amount - 10, bid_by=1)
    if amount == 100:
        auction = Auction(Rules(), to_act=0)
    start = TysiacSpec(Rules()).initial_state(seed=0)
    state = start.with_hand(hands=(hand, start.hand.hands[1]), auction=auction)
    proof = shown and tuple(Card.from_name(name) for name in shown)
    if expect["result"] == "OK":
        assert state.bid(0, amount, proof).hand.auction.high_bid == amount
        return
    error = RULES_WIN.get(number, ERRORS[expect["result"]])
    with pytest.raises(error) as raised:
        state.bid(0, amount, proof)
    assert type(raised.value) is error


#: Seat 0 holds no marriage, seat 1 the one of hearts, which proves any bid.
DECK = "KS AS TS KC AC TC KD AD TD 9S KH QH AH TH 9H 9C 9D JS JC JD QS QC QD JH"


def after_history(tables: Any, case: Case) -> Any:
    """Return the table after the calls of a case, dealer 0."""
    table = tables.deal(DECK, dealer=0)
    for seat, call in case["given"]["history"]:
        assert table.facts["current_player"] == seat
        table = table.play("pass" if call == "Pass" else f"bid {call}")
    return table


@pytest.mark.parametrize("number", ["I01", "I03", "I07"])
def test_legal_bids(tables: Any, worked: dict[str, Case], number: str) -> None:
    given, expect = worked[number]["given"], worked[number]["expect"]
    assert given["max_provable_bid"] == (200 if given["to_act"] == 1 else 120)
    table = after_history(tables, worked[number])
    assert table.facts["current_player"] == given["to_act"]
    calls = {name.removeprefix("bid ").replace("pass", "Pass") for name in table.legal()}
    assert calls == set(expect["legal"])


def test_auction_state_I04(tables: Any, worked: dict[str, Case]) -> None:
    expect = worked["I04"]["expect"]
    facts = after_history(tables, worked["I04"]).facts
    assert (facts["phase"] == 1) == expect["over"]
    assert facts["declarer"] == facts["current_player"] == expect["playing_player"]
    assert facts["high_bid"] == expect["bid"]


@pytest.mark.parametrize("number", ["I05", "I06"])
def test_illegal_bid(tables: Any, worked: dict[str, Case], number: str) -> None:
    case = worked[number]
    table = after_history(tables, case)
    assert table.facts["current_player"] == case["given"]["to_act"]
    amount = case["action"]["bid"]
    assert f"bid {amount}" not in table.legal()
    if hasattr(table.state, "bid"):
        with pytest.raises(ERRORS[case["expect"]["result"]]):
            table.state.bid(case["given"]["to_act"], amount)


# Musik


def taking(tables: Any, case: Case) -> Any:
    hand, musiks = case["given"]["hand"], case["given"]["musiki"]
    other = rest(*hand, *musiks[0], *musiks[1])
    musik = [" ".join(each) for each in musiks]
    return tables.position((" ".join(hand), " ".join(other)), phase="take", musiks=musik)


@pytest.mark.parametrize("number", ["K01", "K03"])
def test_musik(tables: Any, worked: dict[str, Case], number: str) -> None:
    case, expect = worked[number], worked[number]["expect"]
    chosen, returned = case["action"]["choose"], case["action"]["return_cards"]
    taken = taking(tables, case).play(f"musik {chosen}")
    assert len(taken.cards("hands", 0)) == 12
    assert taken.cards("known", 0) == set(case["given"]["musiki"][chosen])
    if "revealed" in expect:
        assert taken.cards("known", 0) == set(expect["revealed"])
    table = taken.play(*returned)
    assert table.cards("hands", 0) == set(expect["hand"])
    assert [len(table.cards("hands", seat)) for seat in (0, 1)] == expect["sizes"]
    if "unused_musik" in expect:
        aside = table.cards("musiks", 1 - chosen) | set(returned)
        assert aside == set(expect["unused_musik"])


def test_two_cards_are_returned_K02(tables: Any, worked: dict[str, Case]) -> None:
    case = worked["K02"]
    taken = taking(tables, case).play("musik 0")
    one = taken.play(*case["action"]["return_cards"])
    assert (one.phase, one.facts["current_player"]) == ("return", 0)
    assert one.legal() == one.cards("hands", 0)
    if hasattr(taken.state, "return_cards"):
        cards = [Card.from_name(name) for name in case["action"]["return_cards"]]
        with pytest.raises(IllegalReturn):
            taken.state.return_cards(0, cards)


# Play


@pytest.mark.parametrize("number", TRICKS)
def test_meld_trick(tables: Any, worked: dict[str, Case], number: str) -> None:
    given, expect = worked[number]["given"], worked[number]["expect"]
    lead, follow = given["lead"], given["follow"]
    couple = {f"K{lead[1]}", f"Q{lead[1]}"} if given["declare"] else set()
    table = tables.position((" ".join({lead, *couple, "9S"}), f"9C {follow}"), trump=given["trump"])
    led = table.play(f"declare {lead}" if given["declare"] else lead)
    after = led.play(follow)
    assert led.trump == after.trump == expect["trump"]
    assert led.facts["points"] == [expect["meld_points"], 0]
    assert after.facts["leader"] == expect["winner"]
    won = [expect["meld_points"], 0]
    won[expect["winner"]] += expect["card_points"]
    assert after.facts["points"] == won


def test_the_follower_may_not_declare_M07(tables: Any, worked: dict[str, Case]) -> None:
    given, action = worked["M07"]["given"], worked["M07"]["action"]
    table = tables.position(("9C", " ".join(given["hand"])), table=given["lead"])
    assert table.facts["current_player"] == given["actor"]
    assert f"declare {action['card']}" not in table.legal()
    assert table.legal() == {"KH", "QH"}


def test_the_partner_must_be_in_hand_M08(tables: Any, worked: dict[str, Case]) -> None:
    given, action = worked["M08"]["given"], worked["M08"]["action"]
    table = tables.position((" ".join(given["hand"]), "9C 9D"))
    assert table.facts["current_player"] == given["actor"]
    assert f"declare {action['card']}" not in table.legal()
    assert table.legal() == {"KH", "TH"}


@pytest.mark.parametrize(("number", "card"), [("M07", "KH"), ("M08", "KH")])
def test_an_illegal_declaration_by_name(worked: dict[str, Case], number: str, card: str) -> None:
    """`InvalidMeld` is our `IllegalMoveError`; what is legal is told with it."""
    given = worked[number]["given"]
    start = TysiacSpec(Rules()).initial_state(seed=0)
    hand = tuple(Card.from_name(name) for name in given["hand"])
    nine = (Card.from_name("9C"),)
    hands = (nine, hand) if given["actor"] == 1 else (hand, nine)
    led = Card.from_name(given["lead"]) if "lead" in given else None
    phase = type(start.hand.phase).PLAY
    state = start.with_hand(hands=hands, table=led, leader=0, declarer=0, phase=phase)
    with pytest.raises(IllegalMoveError, match="declares, nobody else; legal are:"):
        state.play(given["actor"], Card.from_name(card), declare=True)


@pytest.mark.parametrize("number", REPLIES)
def test_legal_play(tables: Any, worked: dict[str, Case], number: str) -> None:
    given, expect = worked[number]["given"], worked[number]["expect"]
    flags = {"must_trump_when_void": given["must_trump_when_void"]}
    where = {"trump": given["trump"], "table": given["lead"]}
    table = tables.position(("", " ".join(given["hand"])), flags, **where)
    assert table.legal() == set(expect["legal"])


def test_points_of_the_cards_put_aside_P09(tables: Any, worked: dict[str, Case]) -> None:
    case = worked["P09"]
    aside = case["given"]["musik_after"]
    musiks = {"musiks": [" ".join(aside[2:]), " ".join(aside[:2])], "returned": " ".join(aside[2:])}
    rng = random.Random(0)
    held = rng.sample(rest(*aside), 20)
    hands = (" ".join(held[:10]), " ".join(held[10:]))
    table = tables.position(hands, {"hands": 1}, contract=100, **musiks)
    while not table.over:
        plain = sorted(name for name in table.legal() if name in PACK)
        table = table.play(rng.choice(plain))
    assert sum(table.facts["points"]) == case["expect"]["total"]


# Score


def scoring(tables: Any, given: Case) -> Any:
    """Return the last trick of a hand, two nines: nothing is added to the points."""
    return tables.position(
        ("9S", "9C"),
        bid_by=given["playing_player"],
        high_bid=given["winning_bid"],
        contract=given["contract"],
        leader=given["playing_player"],
        points=given["raw_points"],
        doubling=given["multiplier"],
        scores=given["prior"],
    )


@pytest.mark.parametrize("number", SCORES)
def test_score(tables: Any, worked: dict[str, Case], number: str) -> None:
    given, expect = worked[number]["given"], worked[number]["expect"]
    declarer = given["playing_player"]
    nines = ["9S", "9C"]
    end = scoring(tables, given).play(nines[declarer], nines[1 - declarer])
    assert end.facts["scores"] == expect["scores"]
    gained = expect["scores"][declarer] - given["prior"][declarer]
    assert (gained > 0) == expect["contract_made"]
    assert end.over == expect.get("game_over", False)
    if "winner" in expect:
        assert end.paid[expect["winner"]] == 1.0
    if not end.over:
        assert (end.facts["hand"], end.phase) == (1, "auction")


@pytest.mark.parametrize("number", ["P07", "P08"])
def test_illegal_contract(tables: Any, worked: dict[str, Case], number: str) -> None:
    given, expect = worked[number]["given"], worked[number]["expect"]
    assert expect["result"] == "InvalidContract"
    hands = (" ".join(PACK[:10]), " ".join(PACK[10:20]))
    table = tables.position(hands, phase="contract", high_bid=given["winning_bid"])
    assert table.facts["current_player"] == given["playing_player"]
    named = {int(name.removeprefix("contract ")) for name in table.legal()}
    assert named == set(range(given["winning_bid"], 401, 10))
    assert given["contract"] not in named
    if hasattr(table.state, "name_contract"):
        with pytest.raises(IllegalContract):
            table.state.name_contract(given["playing_player"], given["contract"])


# Bomb


@pytest.mark.parametrize("number", ["X05", "X06", "X07", "X08"])
def test_bomba(tables: Any, worked: dict[str, Case], number: str) -> None:
    given, action = worked[number]["given"], worked[number]["action"]
    flags = {
        "bomba.enabled": given["enabled"],
        "bomba.allow_redouble": given.get("allow_redouble", False),
    }
    hands = (" ".join(PACK[:10]), " ".join(PACK[10:20]))
    table = tables.position(hands, flags, phase="contract").play("contract 120")
    if given.get("first_lead_made"):
        table = table.play("pass", "9S")
    *before, refused = [call.split(":")[-1].lower() for call in action["calls"]]
    assert len(before) == worked[number]["expect"]["at"]
    table = table.play(*before)
    seat = 0 if refused == "re-bomb" or action["calls"][-1].startswith("playing_player") else 1
    assert refused not in table.legal() or table.facts["current_player"] != seat
    if hasattr(table.state, "bomb"):
        steps = {"bomb": table.state.bomb, "re-bomb": table.state.rebomb}
        with pytest.raises(IllegalMoveError) as raised:
            steps[refused](seat)
        assert isinstance(raised.value, BombClosed) == (number != "X06")


def test_every_worked_case_is_tested(worked: dict[str, Case]) -> None:
    code = Path(__file__).read_text()
    assert len(worked) == 54
    assert [number for number in worked if number not in code] == []
