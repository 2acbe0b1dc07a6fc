"""The rules of Blob on the env, one round: literal positions, expectations from the rules."""

from typing import Any

import jax
import numpy as np
import pytest

# Cards and the deal -------------------------------------------------------------------------------


def test_action_names(make: Any) -> None:
    env = make(players=3, cards=17)
    names = [env.action_name(number) for number in (0, 12, 13, 17, 26, 38, 39, 51)]
    assert names == [
        *("bid 0 or 2S", "bid 12 or AS", "bid 13 or 2H", "bid 17 or 6H"),
        *("2C", "AC", "2D", "AD"),
    ]
    assert env.num_actions == 52
    for number in (-1, 52):
        with pytest.raises(ValueError, match=f"no action {number}; there are: 0 .. 51"):
            env.action_name(number)


def test_the_phase_tells_a_bid_from_a_card(deal: Any) -> None:
    table = deal("2S 3S", "4S 5S", "6S 7S", dealer=2)
    assert table.env.name_in(table.state, 2) == "bid 2"
    assert table.env.name_in(table.do(0, 0, 0).state, 2) == "4S"


@pytest.mark.parametrize("dealer", range(3))
def test_cards_are_dealt_one_at_a_time_from_seat_0(make: Any, at: Any, dealer: int) -> None:
    env = make(players=3, cards=17)
    table = at(env, jax.jit(env.deal)(np.arange(52)[::-1], dealer=dealer, cards=3))
    assert [table.hand(seat) for seat in range(3)] == [
        ["8D", "JD", "AD"],
        ["7D", "TD", "KD"],
        ["6D", "9D", "QD"],
    ]


@pytest.mark.parametrize(("players", "most"), [(3, 17), (4, 13), (5, 10), (6, 8), (7, 7), (8, 6)])
def test_as_many_cards_as_there_are(make: Any, at: Any, players: int, most: int) -> None:
    env = make(players=players, cards=most)
    table = at(env, jax.jit(env.deal)(np.arange(52)))
    hands = [table.hand(seat) for seat in range(players)]
    assert [len(hand) for hand in hands] == [most] * players
    assert len({card for hand in hands for card in hand}) == players * most == env.cards_used
    assert env.max_steps == players * (1 + most)


# Bids ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dealer", range(4))
def test_bids_go_round_once_from_the_dealers_left(deal: Any, dealer: int) -> None:
    table = deal("2S 3S", "4S 5S", "6S 7S", "8S 9S", dealer=dealer)
    order = []
    for number in (0, 1, 0, 2):
        assert table.facts["phase"] == 0
        order.append(table.mover)
        table = table.do(number)
    assert order == [(dealer + steps) % 4 for steps in (1, 2, 3, 4)]
    assert table.facts["phase"] == 1
    assert table.mover == table.facts["leader"] == (dealer + 1) % 4
    assert [table.facts["bids"][seat] for seat in order] == [0, 1, 0, 2]


BIDS = ["bid 0", "bid 1", "bid 2"]


@pytest.mark.parametrize(
    ("before", "legal"),
    [
        ((0, 0), ["bid 0", "bid 1"]),
        ((1, 0), ["bid 0", "bid 2"]),
        ((1, 1), ["bid 1", "bid 2"]),
        ((2, 0), ["bid 1", "bid 2"]),
        ((2, 1), BIDS),
        ((2, 2), BIDS),
    ],
)
def test_the_hook(deal: Any, before: tuple[int, int], legal: list[str]) -> None:
    hands = ("2S 3S", "4S 5S", "6S 7S")
    table = deal(*hands, dealer=1)
    for number in before:
        assert table.legal() == BIDS
        table = table.do(number)
    assert table.mover == 1
    assert table.legal() == legal
    assert deal(*hands, dealer=1, hook=False).do(*before).legal() == BIDS


@pytest.mark.parametrize(
    ("before", "legal"),
    [((0, 0), ["bid 0"]), ((0, 1), ["bid 1"]), ((1, 1), ["bid 0", "bid 1"])],
)
def test_the_hook_with_one_card(deal: Any, before: tuple[int, int], legal: list[str]) -> None:
    assert deal("2S", "4S", "6S", dealer=2).do(*before).legal() == legal
    free = deal("2S", "4S", "6S", dealer=2, hook=False).do(*before)
    assert free.legal() == ["bid 0", "bid 1"]


def test_a_hooked_bid_is_illegal(deal: Any) -> None:
    table = deal("2S 3S", "4S 5S", "6S 7S", dealer=2).do(1, 0)
    after = table.tried(1)
    assert bool(after.illegal)
    assert int(after.current_player) == -1
    assert after.rewards.tolist() == [13.5, 13.5, -27.0]  # 10 + 17: the most that a round pays
    assert not table.tried(2).illegal


# Play ---------------------------------------------------------------------------------------------


def test_suit_is_followed_if_possible(deal: Any) -> None:
    table = deal("2S 3H", "5C AC", "9S 9H", dealer=2, trump="H").do(0, 0, 1)
    assert table.legal() == ["2S", "3H"]
    table = table.do("2S")
    assert table.legal() == ["5C", "AC"]
    assert table.do("AC").legal() == ["9S"]


def test_nobody_must_trump_or_beat(deal: Any) -> None:
    table = deal("2H 3H", "AS 2C", "4H AH", dealer=2, trump="S").do(0, 0, 1, "2H")
    assert table.legal() == ["AS", "2C"]
    assert table.do("2C").legal() == ["4H", "AH"]


@pytest.mark.parametrize(
    ("trump", "plays", "winner"),
    [
        ("S", "2C 3S KC 5C", 1),
        ("H", "2C 3S KC 5C", 2),
        ("C", "4H 2H AH QD", 2),
        ("D", "4H 2H AH QD", 3),
        ("none", "4H 2H AH QD", 2),
        ("none", "2C 3S KC 5C", 2),
    ],
)
def test_who_wins_a_trick(deal: Any, trump: str, plays: str, winner: int) -> None:
    table = deal("2C 4H", "3S 2H", "AH KC", "QD 5C", dealer=3, trump=trump).do(0, 0, 0, 1)
    table = table.do(*plays.split())
    assert table.mover == table.facts["leader"] == winner
    assert table.facts["tricks"] == [int(seat == winner) for seat in range(4)]
    assert table.facts["table"] == [-1] * 4


def test_the_highest_trump_wins(deal: Any) -> None:
    table = deal("KH", "2S", "5S", "AC", "3S", dealer=4).do(0, 0, 0, 0, 0)
    assert table.do("KH", "2S", "5S", "AC", "3S").facts["tricks"] == [0, 0, 1, 0, 0]


@pytest.mark.parametrize("leader", range(8))
def test_play_goes_round_from_the_leader(deal: Any, leader: int) -> None:
    hands = [f"{rank}D" for rank in "23456789"]
    table = deal(*hands, dealer=(leader - 1) % 8).do(*[0] * 7, 0)
    order = [(leader + steps) % 8 for steps in range(8)]
    for number, seat in enumerate(order):
        assert table.mover == seat
        laid = [table.facts["table"][each] for each in order]
        assert [card >= 0 for card in laid] == [place < number for place in range(8)]
        table = table.do(hands[seat])
    assert table.over
    assert table.facts["tricks"] == [0] * 7 + [1]


# The end ------------------------------------------------------------------------------------------

#: Two tricks without trump: seat 0 wins the first, seat 1 the second.
HANDS = ("AH 2C", "KH AC", "2H 3C")
PLAYED = ("AH", "KH", "2H", "2C", "AC", "3C")


def ended(deal: Any, *bids: int, **flags: Any) -> Any:
    return deal(*HANDS, dealer=2, trump="none", hook=False, **flags).do(*bids, *PLAYED)


@pytest.mark.parametrize(
    ("score", "bids", "scores"),
    [
        ("exact", (1, 2, 0), [11, 0, 10]),
        ("exact_or_tricks", (1, 2, 0), [11, 1, 10]),
        ("exact", (0, 0, 2), [0, 0, 0]),
        ("exact_or_tricks", (0, 0, 2), [1, 1, 0]),
        ("exact", (1, 1, 0), [11, 11, 10]),
        ("exact_or_tricks", (1, 1, 0), [11, 11, 10]),
    ],
)
def test_scoring(deal: Any, score: str, bids: tuple[int, ...], scores: list[int]) -> None:
    table = ended(deal, *bids, score=score)
    assert table.over
    assert table.facts["scores"] == table.paid == scores


@pytest.mark.parametrize(
    ("reward", "paid"),
    [
        ("score", [11.0, 0.0, 10.0]),
        ("normalised", [22 / 12 - 1, -1.0, 20 / 12 - 1]),
        ("relative", [11 - 5, 0 - 10.5, 10 - 5.5]),
    ],
)
def test_rewards(deal: Any, reward: str, paid: list[float]) -> None:
    table = deal(*HANDS, dealer=2, trump="none", hook=False, reward=reward)
    for each in (1, 2, 0, *PLAYED[:-1]):
        assert table.paid == [0.0, 0.0, 0.0]
        table = table.do(each)
    table = table.do(PLAYED[-1])
    assert table.paid == pytest.approx(paid)
    assert table.facts["scores"] == [11, 0, 10]
    assert table.env.zero_sum == (reward == "relative")


def test_rewards_divide_by_the_cards_dealt_not_by_the_most(deal: Any) -> None:
    """The env deals up to 17; this round has one."""
    table = deal("AS", "KS", "QS", dealer=2, hook=False, reward="normalised").do(1, 0, 1)
    assert table.do("AS", "KS", "QS").paid == pytest.approx([1.0, 20 / 11 - 1, -1.0])


@pytest.mark.parametrize(
    ("reward", "most"), [("score", 27.0), ("normalised", 1.0), ("relative", 27.0)]
)
def test_the_largest_reward(make: Any, reward: str, most: float) -> None:
    assert make(players=3, cards=17, reward=reward).max_loss == most


def test_the_end_stays_as_it_is(deal: Any) -> None:
    table = ended(deal, 1, 2, 0)
    after = table.do("2S", "AD")  # anything may be tried once the game is over
    for end in (table, after):
        facts = end.facts
        assert (facts["phase"], facts["current_player"], facts["done"]) == (2, -1, 1)
        assert (facts["leader"], facts["bids"], facts["tricks"]) == (1, [1, 2, 0], [1, 1, 0])
        assert facts["hands"] == [0] * 6
        assert facts["table"] == [-1] * 3
    assert after.paid == [0.0, 0.0, 0.0]
    assert len(after.legal()) == 52


def test_a_step_without_action_does_nothing(deal: Any) -> None:
    """`idles`: -1 leaves a position as it is, in every phase."""
    start = deal(*HANDS, dealer=2, trump="none", hook=False)
    idling = jax.jit(start.env.step_dealt)
    for table in (start, start.do(1), start.do(1, 2, 0, "AH"), start.do(1, 2, 0, *PLAYED)):
        idle = idling(table.state, -1, None)
        still = table.state.replace(rewards=np.zeros(3, np.float32))
        for name, value in idle.__dict__.items():
            np.testing.assert_array_equal(value, getattr(still, name), err_msg=name)
