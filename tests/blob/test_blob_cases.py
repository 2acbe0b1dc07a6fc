"""Field cases of Blob (group C) on the env: one test for each, named after its id.

What a case asks and expects is read from the shared file. It speaks of its own flags: `hook` is
ours; of the families of `scoring`, `ten_plus_bid` is our `score: exact` and `tricks_plus_ten` our
`score: exact_or_tricks`; `schedule: down_up` with `one_card_rounds: players` is our `rounds: full`.
"""

from typing import Any

import jax
import numpy as np
import pytest

from talonax.configs.blob.schema import round_cards
from talonax.configs.rules import RulesError

#: Cases that speak of rules, or of things, that Blob's env does not have.
OUT_OF_SCOPE = {
    "C05": "scoring=open_spiel_off_bid_penalty: a miss never costs here",
    "C12": "trump_rule=highest_bidder_names: here trumps rotate",
    "C18": "a sane lead of a rule-based bot: an env has no opinion on moves",
}
#: Four hands of six cards, each of one suit: nothing is ever followed but by its own seat.
SUITS = ("2S 3S 4S 5S 6S 7S", "2H 3H 4H 5H 6H 7H", "2C 3C 4C 5C 6C 7C", "2D 3D 4D 5D 6D 7D")


def numbers(table: Any) -> list[int]:
    """Return the legal bids."""
    return [int(name.removeprefix("bid ")) for name in table.legal()]


def first_cards(number: int) -> list[str]:
    return [" ".join(hand.split()[:number]) for hand in SUITS]


def test_C01_the_hook(deal: Any, rule_cases: Any) -> None:
    case = rule_cases["C01"]
    hands = first_cards(case["situation"]["cards"])
    asked = zip(case["situation"]["others"], case["expected"]["legal"], strict=True)
    for others, expected in asked:
        assert numbers(deal(*hands, dealer=0).do(*others)) == expected
        free = deal(*hands, dealer=0, hook=False).do(*others)
        assert numbers(free) == list(range(6))


def test_C02_the_hook_is_the_dealers_wherever_he_sits(deal: Any, rule_cases: Any) -> None:
    situation, expected = rule_cases["C02"]["situation"], rule_cases["C02"]["expected"]
    table = deal(*first_cards(situation["cards"]), dealer=situation["dealer"])
    order, legal = [], {}
    for seat, bid in [*situation["bids_in_order"], situation["then"], ("P0", None)]:
        order.append(table.mover)
        legal[seat] = numbers(table)
        table = table if bid is None else table.do(bid)
    assert order == expected["bidding_order"]
    assert {seat: legal[seat] for seat in ("P3", "P0")} == {
        seat: expected[seat] for seat in ("P3", "P0")
    }


def test_C03_the_hook_with_one_card(deal: Any, rule_cases: Any) -> None:
    """`hook_exempt_one_card` is false here: the hook holds."""
    situation = rule_cases["C03"]["situation"]
    for total, expected in zip(
        situation["others_total"], rule_cases["C03"]["expected"]["false"], strict=True
    ):
        bids = [1] * total + [0] * (3 - total)
        assert numbers(deal(*first_cards(1), dealer=0).do(*bids)) == expected


@pytest.mark.parametrize(
    ("score", "family"), [("exact", "ten_plus_bid"), ("exact_or_tricks", "tricks_plus_ten")]
)
def test_C04_scoring(make: Any, described: Any, rule_cases: Any, score: str, family: str) -> None:
    """The last of six tricks goes to the last of the case's players."""
    case = rule_cases["C04"]
    bids, won = map(list, zip(*case["situation"]["bid_tricks"], strict=True))
    env = make(players=4, cards=13, trumps=("none",), score=score, hook=False)
    table = described(
        env,
        dealer=2,
        leader=3,
        hands=["7S", "7H", "7C", "7D"],
        played=[hand[:-3] for hand in SUITS],
        bids=bids,
        tricks=[*won[:3], won[3] - 1],
    ).do("7D", "7S", "7H", "7C")
    assert table.over
    assert table.facts["tricks"] == won
    assert table.paid == case["expected"][family]


def test_C06_the_largest_hands(make: Any, rule_cases: Any) -> None:
    case = rule_cases["C06"]
    for players, most in zip(
        case["situation"]["players"], case["expected"]["no_turn_up"], strict=True
    ):
        assert make(players=players, cards=most).cards_used == players * most
        with pytest.raises(RulesError, match=rf"cards: {most + 1} is not allowed: .* 1\.\.{most}"):
            make(players=players, cards=most + 1)


def test_C07_the_plan_of_rounds(make: Any, rule_cases: Any) -> None:
    """The case counts `players` rounds of one card in all; the rules, and the recorded games, have
    `players` more after the way down.
    """
    situation, expected = rule_cases["C07"]["situation"], rule_cases["C07"]["expected"]
    env = make(players=situation["players"], cards=situation["start"], rounds="full")
    plan = list(round_cards(env.rules))
    down = situation["start"]
    assert plan[:down] + plan[down + 1 :] == expected["schedule"]
    assert (len(plan), sum(plan)) == (expected["rounds"] + 1, expected["tricks"] + 1)
    assert env.max_steps == 3 * (len(plan) + sum(plan))


def test_C08_trumps_rotate_where_all_is_dealt(make: Any) -> None:
    deal = jax.jit(make(players=4, cards=13).deal)
    trumps = [int(deal(np.arange(52), round=number).trump) for number in range(6)]
    assert trumps == [0, 1, 2, 3, -1, 0]


def test_C09_who_wins_a_trick(deal: Any, rule_cases: Any) -> None:
    case = rule_cases["C09"]
    for asked, winner in zip(
        case["situation"]["cases"], case["expected"]["winner_index"], strict=True
    ):
        plays = asked["plays"]
        table = deal(*plays, dealer=len(plays) - 1, trump=asked["trump"] or "none", hook=False)
        table = table.do(*[0] * len(plays), *plays)
        assert table.facts["tricks"].index(1) == winner


def test_C10_only_the_suit_is_followed(deal: Any, rule_cases: Any) -> None:
    case = rule_cases["C10"]
    trump = case["situation"]["trump"]
    for asked, legal in zip(case["situation"]["cases"], case["expected"]["legal"], strict=True):
        lead, hand = asked["lead"], " ".join(asked["hand"])
        table = deal(f"{lead} 6H 7H", hand, "2C 3C 4C", dealer=2, trump=trump)
        assert set(table.do(0, 0, 0, lead).legal()) == set(legal)


def test_C11_dealer_and_leader_move_on(make: Any, rule_cases: Any) -> None:
    situation, expected = rule_cases["C11"]["situation"], rule_cases["C11"]["expected"]
    env = make(
        players=situation["players"], cards=4, rounds="full", dealer=situation["dealer_round_0"]
    )
    deal = jax.jit(env.deal)
    states = [deal(np.arange(52), round=number) for number in situation["rounds"]]
    assert [int(state.dealer) for state in states] == expected["dealer"]
    assert [int(state.leader) for state in states] == expected["leader"]


def test_C13_a_bid_of_nothing_is_not_no_bid(deal: Any) -> None:
    """What seat 0 sees of the bids: nothing from seat 0, or nothing yet from seat 0."""
    one = deal(*first_cards(3), dealer=0).do(0)
    other = deal(*first_cards(3), dealer=3).do(0)
    assert one.sees(0, 156, 157) == {156: -1.0}
    assert other.sees(0, 156, 157) == {157: -1.0}


def test_C14_cards_that_nobody_holds_stay_unseen(make: Any, at: Any, rule_cases: Any) -> None:
    """No card is turned up here: four are out of play, and never seen."""
    case = rule_cases["C14"]
    env = make(players=case["situation"]["players"], cards=case["situation"]["cards"])
    table, lowest = at(env, jax.jit(env.deal)(np.arange(52))), jax.jit(env.legal_action_mask)
    planes = jax.jit(env.card_tensor)
    hands = [table.hand(seat) for seat in range(8)]
    assert sum(map(len, hands)) == case["expected"]["in_hands"]
    while not table.over:
        table = at(env, table.tried(int(np.argmax(lowest(table.state)))))
    for seat in range(8):
        shown = np.asarray(planes(table.state, seat)).sum(axis=(0, 1))
        unseen = case["expected"]["unseen"] + case["expected"]["turned_up"]
        assert shown[:4].tolist() == [0, 0, case["expected"]["in_hands"], unseen]


def test_every_case_is_tested_or_out_of_scope(rule_cases: Any) -> None:
    tested = {name.split("_")[1] for name in globals() if name.startswith("test_C")}
    assert tested | set(OUT_OF_SCOPE) == set(rule_cases)
    assert all(OUT_OF_SCOPE.values())
