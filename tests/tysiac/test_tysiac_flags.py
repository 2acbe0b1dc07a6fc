"""Every flag of Tysiac both ways, on the env and on the reference engine, on literal positions.

What must come out is worked from the rules. Who must trump (B10), the roundings (B14) and what
returned cards count (B22) are field cases, in `test_tysiac_cases.py`.
"""

from pathlib import Path
from typing import Any

import pytest

from talonax.configs.rules import flag_names
from talonax.configs.tysiac.schema import Rules

#: Seat 0 is forehand and holds the marriages of hearts and diamonds; seat 1 that of clubs.
DECK = "KH QH AH TH AS TS KD QD 9C JC | AC TC KC QC JD 9D TD AD JH 9H | KS QS | JS 9S"
#: Nobody holds a marriage.
NONE = "KS AS TS KC AC TC KD AD TD 9S | KH AH TH QS QC QD 9H 9C 9D JS | QH JH | JC JD"
CHALLENGE = {"proof": "challenge"}
BOMB = {"bomba.enabled": True}
REBOMB = {**BOMB, "bomba.allow_redouble": True}
MARGIN = {"hands": 1, "reward": "margin"}
HANDS = ("9S JS QS KS TS AS 9D JD QD KD", "9C JC QC KC TC AC 9H JH QH KH")

#: Where each flag is tried both ways.
TRIED = {
    "forced_open": "test_forced_open",
    "proof": "test_proof",
    "return_to": "B22",
    "bomba.enabled": "test_bomba",
    "bomba.allow_redouble": "test_bomba",
    "must_trump_when_void": "B10",
    "rounding": "B14",
    "lock": "test_lock",
    "target": "test_target",
    "hands": "test_hands",
    "reward": "test_reward",
    "max_hands": "test_max_hands",
}


def test_every_flag_is_tried_both_ways() -> None:
    assert sorted(TRIED) == sorted(flag_names(Rules))
    here = Path(__file__)
    code = here.read_text() + here.with_name("test_tysiac_cases.py").read_text()
    assert all(f"def test_{name.removeprefix('test_')}" in code for name in TRIED.values())


def last(
    tables: Any, raw: tuple[int, int], flags: dict[str, Any] | None = None, **given: Any
) -> Any:
    """Return the table after the last trick of a hand of seat 0: two nines are left."""
    return tables.position(("9S", "9C"), flags, points=list(raw), **given).play("9S", "9C")


# Before play ------------------------------------------------------------------------------------


def test_forced_open(tables: Any) -> None:
    assert tables.deal(DECK, {"hands": 2}, dealer=1).legal() == {"bid 100"}
    free = tables.deal(DECK, {"hands": 2, "forced_open": False}, dealer=1)
    assert free.legal() == {"pass", "bid 100"}
    assert free.play("bid 100").legal() == {"pass", "bid 110"}
    # The first pass ends the hand at once, without score; it counts as a hand
    out = free.play("pass")
    assert (out.facts["hand"], out.facts["scores"], out.facts["dealer"]) == (1, [0, 0], 0)
    assert (out.phase, out.facts["current_player"], out.paid) == ("auction", 1, (0.0, 0.0))
    end = out.play("pass")
    assert (end.over, end.cut, end.paid) == (True, False, (0.0, 0.0))
    assert end.facts["passed"] == [0, 1]


def test_proof(tables: Any) -> None:
    bids = ("bid 100", "bid 110", "bid 120")
    assert tables.deal(NONE, dealer=1).play(*bids).legal() == {"pass"}
    unproven = tables.deal(NONE, CHALLENGE, dealer=1).play(*bids)
    assert unproven.legal() == {"pass", "bid 130"}
    bluff = unproven.play("bid 130")
    assert bluff.legal() == {"pass", "bid 140", "challenge"}
    held = tables.deal(DECK, dealer=1).play(*bids, "bid 130", "bid 140", "bid 150")
    assert held.legal() == {"pass", "bid 160"}
    # Clubs prove 160 and no more
    assert held.play("bid 160").legal() == {"pass"}


@pytest.mark.parametrize(("proof", "extra"), [("auto", set()), ("challenge", {"challenge"})])
def test_200_is_the_last_bid(tables: Any, proof: str, extra: set[str]) -> None:
    """Under `auto` 190 and 200 both need hearts, so that 200 is never reached in play."""
    hearts = ("KH QH AH TH AS TS KD QD 9C JC", "AC TC KC QC JD 9D TD AD JH 9H")
    table = tables.position(hearts, {"proof": proof}, phase="auction", high_bid=190, bid_by=1)
    assert table.legal() == {"pass", "bid 200"} | extra
    assert table.play("bid 200").legal() == {"pass"} | extra


def test_bomba(tables: Any) -> None:
    def named(flags: dict[str, Any]) -> Any:
        return tables.position(HANDS, flags, phase="contract").play("contract 120")

    plain = named({})
    assert (plain.phase, plain.facts["current_player"]) == ("play", 0)
    one = named(BOMB)
    assert (one.phase, one.facts["current_player"], one.legal()) == ("bomb", 1, {"pass", "bomb"})
    bombed = one.play("bomb")
    assert (bombed.phase, bombed.facts["doubling"]) == ("play", 2)
    two = named(REBOMB)
    assert two.play("pass").phase == "play"
    answer = two.play("bomb")
    assert (answer.phase, answer.legal()) == ("rebomb", {"pass", "re-bomb"})
    assert answer.facts["current_player"] == 0
    assert [answer.play(name).facts["doubling"] for name in ("pass", "re-bomb")] == [2, 4]
    assert answer.play("re-bomb").phase == "play"


# Scores and matches -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lock", "before", "after"),
    [(800, 790, 800), (800, 800, 800), (800, 830, 830), (800, 700, 780), (None, 790, 870)],
)
def test_lock(tables: Any, lock: int | None, before: int, after: int) -> None:
    end = last(tables, (99, 80), {"lock": lock}, scores=[0, before])
    assert end.facts["scores"] == [-100, after]


def test_the_lock_comes_after_doubling_and_does_not_bind_the_declarer(tables: Any) -> None:
    end = last(tables, (100, 80), {**BOMB, **MARGIN}, doubling=2, scores=[790, 700])
    assert end.facts["scores"] == [990, 800]


@pytest.mark.parametrize(("lock", "shown"), [(800, [0.0, 1.0]), (None, [0.0, 0.0])])
def test_who_is_at_the_lock_is_seen(tables: Any, lock: int | None, shown: list[float]) -> None:
    table = tables.position(HANDS, {"lock": lock}, phase="bomb", scores=[790, 800])
    assert table.sees(0)[0][206:208] == shown
    assert table.sees(1)[0][206:208] == shown[::-1]


def test_target(tables: Any) -> None:
    on = last(tables, (100, 0), scores=[890, 0])
    assert (on.facts["scores"], on.over, on.paid) == ([990, 0], False, (0.0, 0.0))
    won = last(tables, (100, 0), scores=[900, 0])
    assert (won.facts["scores"], won.over, won.cut, won.paid) == ([1000, 0], True, False, (1.0, -1))
    assert (won.facts["current_player"], won.phase) == (-1, "over")
    early = last(tables, (100, 0), {"target": 900}, scores=[890, 0])
    assert (early.over, early.paid) == (True, (1.0, -1.0))


def test_without_a_lock_the_declarer_is_counted_first(tables: Any) -> None:
    both = last(tables, (100, 120), {"lock": None}, scores=[950, 950])
    assert (both.facts["scores"], both.paid) == ([1050, 1070], (1.0, -1.0))
    defender = last(tables, (99, 120), {"lock": None}, scores=[950, 950])
    assert (defender.facts["scores"], defender.paid) == ([850, 1070], (-1.0, 1.0))
    assert not last(tables, (99, 40), {"lock": None}, scores=[950, 950]).over


def test_hands(tables: Any) -> None:
    single = last(tables, (100, 80), {"hands": 1})
    assert (single.over, single.cut, single.paid) == (True, False, (1.0, -1.0))
    level = last(tables, (100, 100), {"hands": 1})
    assert (level.over, level.paid) == (True, (0.0, 0.0))
    # Exactly so many hands: the target ends no match of a number of hands
    past = last(tables, (100, 0), {"hands": 3}, scores=[950, 0], hand=1)
    assert (past.over, past.facts["scores"], past.facts["hand"]) == (False, [1050, 0], 2)
    end = last(tables, (99, 0), {"hands": 3}, scores=[1050, 940], hand=2)
    assert (end.facts["scores"], end.over, end.paid) == ([950, 940], True, (1.0, -1.0))


def test_reward(tables: Any) -> None:
    """41 points are 50 for a defender; the lock leaves him 10 of them, or nothing."""
    win = last(tables, (100, 41))
    assert (win.over, win.paid) == (False, (0.0, 0.0))
    for raw, scores, paid in [
        ((100, 41), [0, 0], 50 / 400),
        ((99, 41), [-300, 500], -150 / 400),
        ((100, 41), [0, 790], 90 / 400),
        ((100, 41), [890, 800], 100 / 400),
    ]:
        end = last(tables, raw, {"reward": "margin"}, scores=scores)
        assert end.paid == pytest.approx((paid, -paid))
    won = last(tables, (100, 41), {"reward": "margin"}, scores=[900, 800])
    assert (won.over, won.paid) == (True, (0.25, -0.25))


@pytest.mark.parametrize(
    ("scores", "paid"), [([0, 90], (1.0, -1.0)), ([0, 300], (-1.0, 1.0)), ([0, 100], (0.0, 0.0))]
)
def test_max_hands(tables: Any, scores: list[int], paid: tuple[float, float]) -> None:
    flags = {"max_hands": 7}
    on = last(tables, (100, 0), flags, scores=scores, hand=5)
    assert (on.over, on.facts["hand"]) == (False, 6)
    cut = last(tables, (100, 0), flags, scores=scores, hand=6)
    assert (cut.over, cut.cut, cut.paid) == (True, True, paid)
    margin = last(tables, (100, 0), {**flags, "reward": "margin"}, scores=scores, hand=6)
    assert (margin.cut, margin.paid) == (True, (0.25, -0.25))
    won = last(tables, (100, 0), flags, scores=[900, 0], hand=6)
    assert (won.over, won.cut, won.paid) == (True, False, (1.0, -1.0))
    counted = last(tables, (100, 0), {**flags, "hands": 7}, scores=scores, hand=6)
    assert (counted.over, counted.cut) == (True, False)
