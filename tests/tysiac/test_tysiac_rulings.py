"""A test for each ruling of Tysiac's page, and for each small print of the rules, on both sides."""

from typing import Any

import numpy as np
import pytest

#: Seat 0 is forehand and holds the marriages of hearts and diamonds; seat 1 that of clubs.
DECK = "KH QH AH TH AS TS KD QD 9C JC | AC TC KC QC JD 9D TD AD JH 9H | KS QS | JS 9S"
#: Seat 0 holds the marriages of spades, clubs and diamonds, seat 1 nothing that proves a bid.
THREE = "KS QS KC QC KD QD 9S 9C 9D 9H | AS TS JS AC TC JC AD TD JD QH | KH AH | TH JH"
CHALLENGE = {"proof": "challenge"}
MARGIN = {"hands": 1, "reward": "margin"}
TO_120 = ("bid 100", "bid 110", "bid 120")
HAND = slice(0, 24)
PROVEN = 212


def last(tables: Any, raw: tuple[int, int], flags: Any = None, **given: Any) -> Any:
    """Return the table after the last trick of a hand of seat 0: two nines are left."""
    return tables.position(("9S", "9C"), flags, points=list(raw), **given).play("9S", "9C")


# Marriages --------------------------------------------------------------------------------------


@pytest.mark.parametrize("card", ["KD", "QD"])
def test_a_marriage_is_declared_with_either_card_on_any_lead(tables: Any, card: str) -> None:
    start = tables.deal(DECK, MARGIN, dealer=1).play("bid 100", "pass", "musik 1", "JS", "9S")
    first = start.play("contract 100", f"declare {card}")
    assert (first.facts["points"], first.trump) == ([80, 0], "D")
    later = start.play("contract 100", "9C", "AC", f"declare {card[0]}C")
    assert (later.facts["points"], later.trump) == ([0, 11 + 60], "C")


def test_declaring_counts_whoever_wins_the_trick(tables: Any) -> None:
    after = tables.position(("KD QD 9C", "AD 9H JH")).play("declare KD", "AD")
    assert (after.facts["points"], after.facts["leader"]) == ([80, 4 + 11], 1)


def test_declaring_is_a_choice_and_its_time_passes_with_the_card(tables: Any) -> None:
    table = tables.position(("KD QD 9C", "9D 9H JH"))
    assert {"KD", "declare KD", "QD", "declare QD"} <= table.legal()
    led = table.play("KD")
    assert (led.trump, led.facts["declared"], led.facts["points"]) == (None, [0, 0], [0, 0])
    assert led.cards("known", 0) == set()
    assert led.play("9D").legal() == {"QD", "9C"}


def test_the_trick_is_judged_by_the_trump_that_its_lead_has_made(tables: Any) -> None:
    """Once diamonds are declared and led, a heart trumps no more: neither his duty nor a win."""
    must = {"must_trump_when_void": True}
    before = tables.position(("KD QD 9C", "9S 9H JH"), must, trump="H")
    assert before.play("declare KD").legal() == {"9S", "9H", "JH"}
    assert before.play("QD").legal() == {"9H", "JH"}
    ruffed = before.play("QD", "9H")
    assert ruffed.facts["leader"] == 1
    assert before.play("declare QD", "9H").facts["leader"] == 0


def test_the_other_half_is_known_until_it_is_played(tables: Any) -> None:
    led = tables.position(("KD QD 9C", "9D 9H JH")).play("declare KD")
    assert led.cards("known", 0) == {"QD"}
    assert led.play("9D").cards("known", 0) == {"QD"}
    assert led.play("9D", "QD").cards("known", 0) == set()


# Proofs -----------------------------------------------------------------------------------------


def test_the_lowest_marriage_that_suffices_is_shown(tables: Any) -> None:
    table = tables.deal(THREE, CHALLENGE, dealer=0).play("bid 100", "bid 110", "bid 120")
    shown = table.play("bid 130", "challenge")
    assert shown.cards("known", 0) == {"KS", "QS"}
    higher = table.play("bid 130", "bid 140", "bid 150", "challenge")
    assert higher.cards("known", 0) == {"KC", "QC"}
    assert higher.facts["proven"] == 60


def test_the_challenger_still_passes_or_raises(tables: Any) -> None:
    table = tables.deal(THREE, CHALLENGE, dealer=0).play(*TO_120, "bid 130", "challenge")
    assert (table.facts["current_player"], table.phase) == (1, "auction")
    assert table.legal() == {"pass", "bid 140"}
    assert table.play("pass").facts["declarer"] == 0


def test_a_bid_covered_by_a_marriage_shown_cannot_be_challenged(tables: Any) -> None:
    table = tables.deal(THREE, CHALLENGE, dealer=0).play(*TO_120, "bid 130", "challenge")
    # 40 covers no bid of 150, the 60 shown then covers no 170
    at_150 = table.play("bid 140", "bid 150")
    assert at_150.legal() == {"pass", "bid 160", "challenge"}
    assert at_150.play("challenge").legal() == {"pass", "bid 160"}
    at_170 = at_150.play("challenge", "bid 160", "bid 170")
    assert "challenge" in at_170.legal()
    # ... and one that was shown for more covers less
    jumped = tables.deal(DECK, CHALLENGE, dealer=1).play(*TO_120, "bid 130", "challenge")
    assert jumped.cards("known", 1) == {"KC", "QC"}
    assert "challenge" not in jumped.play("bid 140", "bid 150").legal()


@pytest.mark.parametrize("seat", [0, 1])
def test_the_standing_bid_is_proven_once_the_marriage_was_shown(tables: Any, seat: int) -> None:
    table = tables.deal(DECK, CHALLENGE, dealer=1).play(*TO_120, "bid 130")
    assert table.sees(seat)[0][PROVEN] == 0
    shown = table.play("challenge")
    assert shown.sees(seat)[0][PROVEN] == 1
    assert shown.play("bid 140").sees(seat)[0][PROVEN] == 0
    assert shown.play("bid 140", "bid 150").sees(seat)[0][PROVEN] == 1
    auto = tables.deal(DECK, dealer=1).play(*TO_120, "bid 130")
    assert auto.sees(seat)[0][PROVEN] == 0


def test_a_lost_challenge_costs_the_bid_and_ends_the_hand(tables: Any) -> None:
    """No bomb, nothing for the challenger, and the hand counts."""
    flags = {**CHALLENGE, "bomba.enabled": True, "reward": "margin"}
    table = tables.deal(THREE, flags, dealer=1, scores=[100, 200])
    table = table.play(*TO_120, "bid 130")
    assert table.facts["bid_by"] == 1
    end = table.play("challenge")
    assert end.facts["scores"] == [100, 70]
    assert end.paid == pytest.approx((130 / 400, -130 / 400))
    assert (end.facts["hand"], end.phase, end.facts["dealer"]) == (1, "auction", 0)


def test_a_proof_is_known_until_it_is_played_or_two_cards_were_returned(tables: Any) -> None:
    shown = tables.deal(THREE, CHALLENGE, dealer=0).play(*TO_120, "bid 130", "challenge")
    defends = shown.play("bid 140", "pass", "musik 0", "KH", "AH", "contract 400", "QH")
    assert defends.cards("known", 0) == {"KS", "QS"}
    declares = shown.play("pass", "musik 0", "9S")
    assert declares.cards("known", 0) == {"KS", "QS", "KH", "AH"}
    assert declares.play("9C").cards("known", 0) == set()


# Musik and contract -----------------------------------------------------------------------------


def test_while_one_card_is_returned_the_musik_counts_as_known(tables: Any) -> None:
    table = tables.deal(DECK, dealer=1).play("bid 100", "pass", "musik 0", "KS")
    assert table.cards("known", 0) == {"KS", "QS"}
    assert table.play("9C").cards("known", 0) == set()


def test_returned_cards_are_no_part_of_the_points_shown(tables: Any) -> None:
    """With 95 in tricks and TS, KD (14) returned, 100 is made; 95 is what everybody sees."""
    given = {"musiks": ["TS KD", "9H JH"], "returned": "TS KD"}
    flags = {**MARGIN, "return_to": "declarer"}
    table = tables.position(("9S", "9C"), flags, points=[95, 0], **given)
    assert table.sees(0)[0][210] == pytest.approx(95 / 300)
    end = table.play("9S", "9C")
    assert (end.facts["points"], end.facts["scores"]) == ([95, 0], [100, 0])


def test_the_musik_that_was_not_taken_counts_for_nobody(tables: Any) -> None:
    given = {"musiks": ["9H JH", "TS KD"], "returned": "9H JH"}
    end = last(tables, (97, 0), {**MARGIN, "return_to": "declarer"}, **given)
    assert end.facts["scores"] == [-100, 0]
    assert last(tables, (98, 0), {**MARGIN, "return_to": "declarer"}, **given).paid[0] > 0


def test_a_contract_is_at_least_the_winning_bid(tables: Any) -> None:
    table = tables.deal(DECK, dealer=1).play("bid 100", "bid 110", "pass", "musik 0", "KS", "QS")
    assert table.legal() == {f"contract {amount}" for amount in range(110, 401, 10)}


# Scores -----------------------------------------------------------------------------------------


def test_the_contract_is_compared_with_exact_points(tables: Any) -> None:
    flags = {**MARGIN, "rounding": "up"}
    assert last(tables, (119, 31), flags, contract=120).facts["scores"] == [-120, 40]
    assert last(tables, (120, 31), flags, contract=120).facts["scores"] == [120, 40]


def test_a_bomb_doubles_what_was_rounded_and_then_the_lock_binds(tables: Any) -> None:
    flags = {**MARGIN, "bomba.enabled": True}
    end = last(tables, (100, 41), flags, doubling=2, scores=[0, 690])
    assert end.facts["scores"] == [200, 790]
    assert last(tables, (100, 41), flags, doubling=2, scores=[0, 760]).facts["scores"] == [200, 800]


def test_level_totals_pay_nothing_where_the_number_of_hands_ends_the_match(tables: Any) -> None:
    end = last(tables, (100, 100), {"hands": 2}, scores=[50, 50], hand=1)
    assert (end.over, end.cut, end.facts["scores"], end.paid) == (True, False, [150, 150], (0, 0))


def test_a_match_that_is_cut_short_pays_by_the_totals(tables: Any) -> None:
    end = last(tables, (100, 0), {"max_hands": 2}, scores=[-200, 50], hand=1)
    assert (end.cut, end.facts["scores"], end.paid) == (True, [-100, 50], (-1.0, 1.0))


def test_a_passed_out_hand_counts_as_a_hand(tables: Any) -> None:
    flags = {"forced_open": False, "max_hands": 2}
    end = tables.deal(DECK, flags, scores=[30, 20]).play("pass", "pass")
    assert (end.over, end.cut, end.facts["scores"], end.paid) == (True, True, [30, 20], (1.0, -1.0))


# Deals ------------------------------------------------------------------------------------------


def test_the_step_that_ends_a_hand_deals_the_next(tables: Any) -> None:
    after = last(tables, (100, 60), scores=[10, 20], hand=3, dealer=1)
    facts = after.facts
    assert (facts["hand"], facts["dealer"], facts["current_player"]) == (4, 0, 1)
    assert (facts["scores"], facts["points"], facts["tricks"]) == ([110, 80], [0, 0], [0, 0])
    assert [len(after.cards("hands", seat)) for seat in (0, 1)] == [10, 10]
    assert facts["last"] == [-1, -1]
    assert after.legal() == {"bid 100"}


@pytest.mark.parametrize(
    ("table", "dealer"), [({}, 0), ({"hand": 3}, 1), ({"hand": 3, "dealer": 0}, 0)]
)
def test_the_dealer_is_the_hands_number_mod_2_unless_given(
    tables: Any, table: dict[str, int], dealer: int
) -> None:
    start = tables.deal(DECK, **table)
    assert (start.facts["dealer"], start.facts["current_player"]) == (dealer, 1 - dealer)


def test_hidden_cards_influence_nothing_that_is_seen(tables: Any) -> None:
    """The opponent's returned cards and the musik not taken: two tables, one view."""
    hands = "KH QH AH TH AS TS KD QD 9C JC", "AC TC KC QC JD 9D TD AD JH 9H"
    calls = ("bid 100", "pass", "musik 0")
    one = tables.deal(f"{hands[0]} {hands[1]} KS QS JS 9S", dealer=1).play(*calls, "KS", "9C")
    other = tables.deal(f"{hands[0]} {hands[1]} KS QS 9S JS", dealer=1).play(*calls, "QS", "JC")
    for a, b in zip(one.sees(1), other.sees(1), strict=True):
        np.testing.assert_array_equal(a, b)
    assert one.sees(0)[0][HAND] != other.sees(0)[0][HAND]
