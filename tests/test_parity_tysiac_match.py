"""Scores and matches of the reference engine of Tysiac: literal positions, every flag both ways."""

from dataclasses import replace
from typing import Any

import pytest

from talonax.configs.rules import build
from talonax.configs.tysiac.schema import Rules
from talonax.parity.cards import Card
from talonax.parity.tysiac import TysiacSpec, TysiacState
from talonax.parity.tysiac_auction import Auction
from talonax.parity.tysiac_pack import in_order
from talonax.parity.tysiac_position import Ending, Phase

# Ids: S 0..5, C 6..11, D 12..17, H 18..23, each 9 J Q K 10 A. Seat 0 has spades and 9C .. KC, seat
# 1 TC, AC, diamonds and 9H, JH; the musiki are QH, KH and TH, AH.
PLAIN_DECK = list(range(24))
BOMB = {"bomba.enabled": True}
REDOUBLE = {**BOMB, "bomba.allow_redouble": True}


def tysiac(**flags: Any) -> TysiacSpec:
    return TysiacSpec(build(Rules, flags, "test"))


def cards(text: str) -> tuple[Card, ...]:
    return in_order(Card.from_name(name) for name in text.split())


def start(flags: dict[str, Any] | None = None, **table: Any) -> TysiacState:
    """Return the plain deal; seat 0 is forehand by default."""
    return tysiac(**(flags or {})).initial_state(deck=PLAIN_DECK, **{"dealer": 1, **table})


def position(
    mine: str, yours: str, flags: dict[str, Any] | None = None, **fields: Any
) -> TysiacState:
    """Return a position of play, seat 0 the declarer of 100 and on lead by default."""
    state = start(flags)
    auction = Auction(state.spec.rules, to_act=1, high_bid=100, bid_by=0, passed=(False, True))
    table = {"phase": Phase.PLAY, "declarer": 0, "contract": 100, "leader": 0, "auction": auction}
    return state.with_hand(hands=(cards(mine), cards(yours)), **{**table, **fields})


def play(state: TysiacState, *names: str) -> TysiacState:
    for name in names:
        moves = {move.name: move for move in state.legal_moves()}
        state = state.apply_move(moves[name])
    return state


# Score


@pytest.mark.parametrize(
    ("rounding", "tens"),
    [("up", (50, 50, 50)), ("nearest", (40, 50, 50)), ("nearest_down", (40, 40, 50))],
)
def test_rounding(rounding: str, tens: tuple[int, int, int]) -> None:
    for points, scored in zip((44, 45, 46), tens, strict=True):
        state = position("9S", "9C", {"rounding": rounding}, points=(100, points))
        assert play(state, "9S", "9C").scores == (100, scored)


@pytest.mark.parametrize(
    ("lock", "before", "after"),
    [
        (800, 790, 800),
        (800, 800, 800),
        (800, 830, 830),
        (800, 700, 780),
        (800, -50, 30),
        (900, 790, 870),
        (None, 790, 870),
        (None, 930, 1010),
    ],
)
def test_lock(lock: int | None, before: int, after: int) -> None:
    state = position("9S", "9C", {"lock": lock}, points=(99, 80))
    end = play(replace(state, scores=(0, before)), "9S", "9C")
    assert end.scores == (-100, after)


def test_the_lock_comes_after_doubling_and_does_not_bind_the_declarer() -> None:
    state = position("9S", "9C", BOMB, points=(100, 80), doubling=2)
    end = play(replace(state, scores=(790, 700)), "9S", "9C")
    assert end.scores == (990, 800)


# Match or hand


def last(
    flags: dict[str, Any], points: tuple[int, int], scores: tuple[int, int], number: int = 0
) -> TysiacState:
    """Return the game after the last trick of a hand in which seat 0 declares 100."""
    state = replace(position("9S", "9C", flags, points=points), scores=scores, number=number)
    return play(state, "9S", "9C")


def test_target() -> None:
    on = last({}, (100, 0), (890, 0))
    assert (on.scores, on.is_terminal(), on.rewards()) == ((990, 0), False, (0.0, 0.0))
    won = last({}, (100, 0), (900, 0))
    assert (won.scores, won.rewards(), won.is_truncated()) == ((1000, 0), (1.0, -1.0), False)
    assert (won.current_player(), won.legal_moves()) == (-1, ())
    assert won.facts()["phase"] == 7
    early = last({"target": 900}, (100, 0), (890, 0))
    assert early.returns() == (1.0, -1.0)


def test_without_a_lock_the_declarer_is_counted_first() -> None:
    flags: dict[str, Any] = {"lock": None}
    both = last(flags, (100, 120), (950, 950))
    assert (both.scores, both.returns()) == ((1050, 1070), (1.0, -1.0))
    defender = last(flags, (99, 120), (950, 950))
    assert (defender.scores, defender.returns()) == ((850, 1070), (-1.0, 1.0))
    assert not last({}, (99, 120), (950, 950)).is_terminal()


@pytest.mark.parametrize(
    ("points", "paid"), [((100, 80), (1.0, -1.0)), ((99, 0), (-1.0, 1.0)), ((100, 100), (0.0, 0.0))]
)
def test_a_single_hand(points: tuple[int, int], paid: tuple[float, float]) -> None:
    end = last({"hands": 1}, points, (0, 0))
    assert (end.is_terminal(), end.is_truncated(), end.returns()) == (True, False, paid)


def test_exactly_so_many_hands() -> None:
    """The target ends no match of a number of hands."""
    past_target = last({"hands": 3}, (100, 0), (950, 0), number=1)
    assert (past_target.is_terminal(), past_target.scores) == (False, (1050, 0))
    end = last({"hands": 3}, (99, 0), (1050, 940), number=2)
    assert (end.scores, end.is_terminal(), end.returns()) == ((950, 940), True, (1.0, -1.0))


@pytest.mark.parametrize("scores", [(0, 0), (-300, 500)])
def test_margin(scores: tuple[int, int]) -> None:
    flags: dict[str, Any] = {"reward": "margin"}
    made = last(flags, (100, 41), scores)
    assert made.rewards() == pytest.approx((50 / 400, -50 / 400))
    lost = last(flags, (99, 41), scores)
    assert lost.rewards() == pytest.approx((-150 / 400, 150 / 400))
    assert not made.is_terminal()


def test_margin_is_of_totals_the_lock_applied() -> None:
    flags = {"reward": "margin"}
    assert last(flags, (100, 41), (0, 790)).rewards() == pytest.approx((90 / 400, -90 / 400))
    assert last(flags, (100, 41), (900, 800)).returns() == pytest.approx((0.25, -0.25))


@pytest.mark.parametrize(
    ("scores", "paid"), [((0, 90), (1.0, -1.0)), ((0, 300), (-1.0, 1.0)), ((0, 100), (0.0, 0.0))]
)
def test_truncation(scores: tuple[int, int], paid: tuple[float, float]) -> None:
    on = last({"max_hands": 7}, (100, 0), scores, number=5)
    assert (on.is_terminal(), on.is_truncated(), on.number) == (False, False, 6)
    cut = last({"max_hands": 7}, (100, 0), scores, number=6)
    assert (cut.is_terminal(), cut.is_truncated(), cut.returns()) == (True, True, paid)
    margin = last({"max_hands": 7, "reward": "margin"}, (100, 0), scores, number=6)
    assert (margin.is_truncated(), margin.returns()) == (True, (0.25, -0.25))


def test_the_target_in_the_last_hand_is_no_truncation() -> None:
    won = last({"max_hands": 7}, (100, 0), (900, 0), number=6)
    assert (won.is_terminal(), won.is_truncated()) == (True, False)
    last_hand = last({"max_hands": 7, "hands": 7}, (100, 0), (0, 0), number=6)
    assert (last_hand.is_terminal(), last_hand.is_truncated()) == (True, False)


def test_a_new_hand_knows_nothing_of_the_last() -> None:
    after = last({}, (100, 0), (0, 0))
    fresh = tysiac().initial_state(deck=PLAIN_DECK, dealer=0, hand=1, scores=(100, 0))
    assert {**after.facts(), "hands": [], "musiks": []} == {
        **fresh.facts(),
        **{"hands": [], "musiks": []},
    }


@pytest.mark.parametrize(
    ("hands", "max_hands", "over"), [(0, 60, False), (0, 1, True), (1, 1, True)]
)
def test_a_hand_passed_out_counts_as_a_hand(hands: int, max_hands: int, over: bool) -> None:
    flags = {"forced_open": False, "hands": hands, "max_hands": max_hands}
    after = play(start(flags), "pass")
    assert after.ended is not None
    assert after.ended.ending is Ending.PASSED_OUT
    assert (after.scores, after.rewards(), after.is_terminal()) == ((0, 0), (0.0, 0.0), over)
    assert after.is_truncated() == (over and not hands)
    assert after.number == (0 if over else 1)
    facts = after.facts()
    if over:
        assert (facts["phase"], facts["declarer"], facts["passed"]) == (7, -1, [1, 0])
