"""The rules of Blob on the reference engine: literal positions, every flag both ways."""

from itertools import chain
from typing import Any

import pytest

from talonax.configs.blob.schema import Rules
from talonax.configs.rules import build
from talonax.parity.blob import BlobSpec, BlobState
from talonax.parity.blob_pack import CARDS, IDS, PLAYS
from talonax.parity.blob_round import Phase
from talonax.parity.cards import Card
from talonax.parity.game import shuffled

PACK = range(52)


def blob(**flags: Any) -> BlobSpec:
    return BlobSpec(build(Rules, flags, "test"))


def deal(*hands: str, dealer: int = 0, **flags: Any) -> BlobState:
    """Return a single round of these hands, by default dealt by seat 0."""
    held = [[IDS[Card.from_name(name)] for name in hand.split()] for hand in hands]
    made = blob(players=len(hands), cards=len(held[0]), **flags)
    return made.initial_state(deck=list(chain(*zip(*held, strict=True))), dealer=dealer)


def do(state: BlobState, *what: int | str) -> BlobState:
    """Return the position after bids, given as numbers, and cards, by their names."""
    for each in what:
        name = f"bid {each}" if isinstance(each, int) else each
        moves = {move.name: move for move in state.legal_moves()}
        state = state.apply_move(moves[name])
    return state


def names(state: BlobState) -> list[str]:
    return [move.name for move in state.legal_moves()]


# Cards and the deal


def test_cards_and_their_ids() -> None:
    assert [PLAYS[number].name for number in (0, 12, 13, 26, 38, 39, 51)] == (
        ["2S", "AS", "2H", "2C", "AC", "2D", "AD"]
    )
    assert len(CARDS) == len(set(CARDS)) == 52
    assert [card.name[0] for card in CARDS[:13]] == list("23456789TJQKA")


def test_cards_are_dealt_one_at_a_time_from_seat_0() -> None:
    for dealer in range(3):
        state = blob(players=3, cards=2).initial_state(deck=PACK, dealer=dealer)
        hands = [[card.name for card in hand] for hand in state.round.hands]
        assert hands == [["2S", "5S"], ["3S", "6S"], ["4S", "7S"]]


def test_a_deck_may_be_as_short_as_the_deal() -> None:
    made = blob(players=3, cards=2)
    short = made.initial_state(deck=[51, 0, 13, 7, 8, 9])
    whole = [51, 0, 13, 7, 8, 9, *(card for card in PACK if card not in (51, 0, 13, 7, 8, 9))]
    assert short == made.initial_state(deck=whole)
    assert [IDS[card] for card in short.round.hands[0]] == [7, 51]


def test_seeds_and_decks_of_later_deals() -> None:
    made = blob(players=3, cards=2, rounds="full")

    def deals(**source: Any) -> list[list[list[int]]]:
        state = made.initial_state(**source)
        told: list[list[list[int]]] = []
        while not state.is_terminal():
            if state.ended is not None or not told:
                told.append([[IDS[card] for card in hand] for hand in state.round.hands])
            state = state.apply_move(state.legal_moves()[0])
        return told

    def dealt(deck: list[int], size: int) -> list[list[int]]:
        return [sorted(deck[: 3 * size][seat::3]) for seat in range(3)]

    sizes = [2, 1, 1, 1, 1, 2]
    seeded = [dealt(shuffled(range(len(CARDS)))(5 + n), size) for n, size in enumerate(sizes)]
    assert deals(seed=5) == deals(decks=lambda n: shuffled(range(len(CARDS)))(5 + n)) == seeded
    assert deals(deck=list(PACK))[0] == dealt(list(PACK), 2)
    assert deals(deck=list(PACK))[1:] == deals(seed=0)[1:]
    assert made.initial_state() == made.initial_state(seed=0) != made.initial_state(seed=1)


def test_decks_count_from_the_first_round_played() -> None:
    asked: list[int] = []

    def decks(number: int) -> list[int]:
        asked.append(number)
        return shuffled(range(len(CARDS)))(number)

    state = blob(players=3, cards=2, rounds="full").initial_state(decks=decks, round=3)
    while not state.is_terminal():
        state = state.apply_move(state.legal_moves()[0])
    assert asked == [0, 1, 2]


# Bids


@pytest.mark.parametrize("dealer", range(4))
def test_bids_go_round_once_from_the_dealers_left(dealer: int) -> None:
    state = blob(cards=3).initial_state(seed=0, dealer=dealer)
    order = []
    for number in (0, 1, 1, 3):
        order.append(state.current_player())
        assert state.round.phase is Phase.BIDDING
        state = do(state, number)
    assert order == [(dealer + distance) % 4 for distance in (1, 2, 3, 4)]
    assert state.round.phase is Phase.PLAYING
    assert state.current_player() == state.facts()["leader"] == (dealer + 1) % 4
    assert [state.round.bids[seat] for seat in order] == [0, 1, 1, 3]


def test_the_hook_is_for_the_dealer_alone() -> None:
    state = do(blob(players=3, cards=2).initial_state(seed=0), 2)
    assert names(state) == ["bid 0", "bid 1", "bid 2"]
    assert names(do(state, 0)) == ["bid 1", "bid 2"]
    assert names(do(state, 1)) == ["bid 0", "bid 1", "bid 2"]
    free = do(blob(players=3, cards=2, hook=False).initial_state(seed=0), 2, 0)
    assert names(free) == ["bid 0", "bid 1", "bid 2"]


# Play


def test_suit_is_followed_if_possible() -> None:
    state = do(deal("2S 3H", "5C AC", "9S 9H", dealer=2), 0, 0, 1, "2S")
    assert names(state) == ["5C", "AC"]
    assert names(do(state, "AC")) == ["9S"]


def test_who_is_void_need_not_trump() -> None:
    state = do(deal("2H 3H", "AS 2C", "4H 5H", dealer=2, trumps=["S"]), 0, 0, 1, "2H")
    assert names(state) == ["AS", "2C"]


@pytest.mark.parametrize(
    ("trump", "plays", "winner"),
    [
        ("S", "2C 3S KC 5C", 1),
        ("C", "2C 3S KC 5C", 2),
        ("H", "4H 2H AH QD", 2),
        ("D", "4H 2H AH QD", 3),
        ("none", "4H 2H AH QD", 2),
    ],
)
def test_who_wins_a_trick(trump: str, plays: str, winner: int) -> None:
    state = deal("2C 4H", "3S 2H", "AH KC", "QD 5C", dealer=3, trumps=[trump])
    state = do(state, 0, 0, 0, 1, *plays.split())
    assert state.round.winners == [winner]
    assert state.current_player() == state.facts()["leader"] == winner
    assert state.facts()["tricks"] == [int(seat == winner) for seat in range(4)]


def test_a_higher_trump_wins_and_a_plain_card_never() -> None:
    state = deal("KH", "2S", "5S", "AC", "3S", dealer=4, trumps=["S"], hook=False)
    assert do(state, 0, 0, 0, 0, 0, "KH", "2S", "5S", "AC", "3S").round.winners == [2]
    no_trump = deal("2H", "AS", "AC", "3H", "AD", dealer=4, trumps=["none"], hook=False)
    assert do(no_trump, 0, 0, 0, 0, 0, "2H", "AS", "AC", "3H", "AD").round.winners == [3]


def test_trump_rotates_by_the_index() -> None:
    made = blob(trumps=["D", "none", "S"])
    trumps = [made.initial_state(round=index).facts()["trump"] for index in range(5)]
    assert trumps == [3, -1, 0, 3, -1]
    assert blob(first_round=4).initial_state().facts()["trump"] == -1
    assert blob(first_round=2).initial_state().facts()["trump"] == 2


# The end of a round


#: Two tricks without trump: seat 0 wins the first, seat 1 the second.
HANDS = ("AH 2C", "KH AC", "2H 3C")
PLAYED = ("AH", "KH", "2H", "2C", "AC", "3C")


def ended(*bids: int, **flags: Any) -> BlobState:
    """Return the end of the round in which seats 0 and 1 win a trick each."""
    return do(deal(*HANDS, dealer=2, trumps=["none"], hook=False, **flags), *bids, *PLAYED)


@pytest.mark.parametrize(
    ("flags", "scores"),
    [({"score": "exact"}, (11, 0, 10)), ({"score": "exact_or_tricks"}, (11, 1, 10))],
)
def test_scoring(flags: dict[str, Any], scores: tuple[int, ...]) -> None:
    state = ended(1, 2, 0, **flags)
    assert (state.scores, state.rewards(), state.returns()) == (scores, scores, scores)
    assert ended(0, 0, 2, **flags).scores == ((0, 0, 0) if scores[1] == 0 else (1, 1, 0))


@pytest.mark.parametrize(
    ("reward", "paid"),
    [
        ("score", (11.0, 0.0, 10.0)),
        ("normalised", (22 / 12 - 1, -1.0, 20 / 12 - 1)),
        ("relative", (11 - 5, 0 - 10.5, 10 - 5.5)),
    ],
)
def test_rewards(reward: str, paid: tuple[float, ...]) -> None:
    state = ended(1, 2, 0, reward=reward)
    assert state.rewards() == state.returns() == pytest.approx(paid)
    assert state.scores == (11, 0, 10)


def test_only_the_step_that_ends_a_round_pays() -> None:
    state = deal(*HANDS, dealer=2, trumps=["none"], hook=False, reward="normalised")
    for each in (0, 0, 0, *PLAYED[:-1]):
        assert state.rewards() == (0.0, 0.0, 0.0)
        state = do(state, each)
    assert do(state, PLAYED[-1]).rewards() == pytest.approx((-1, -1, 20 / 12 - 1))


def test_the_end_stays_as_it_is() -> None:
    state = ended(1, 2, 0)
    facts = state.facts()
    assert (state.is_terminal(), state.current_player(), names(state)) == (True, -1, [])
    assert (facts["phase"], facts["leader"], facts["done"]) == (2, 1, 1)
    assert facts["hands"] == [0] * 6
    assert facts["table"] == [-1] * 3
    assert facts["bids"] == [1, 2, 0]


def test_the_winner_is_the_first_of_the_highest() -> None:
    assert ended(1, 1, 0).winner() == 0
    assert ended(2, 1, 0).winner() == 1
    assert ended(2, 2, 0).winner() == 2
    assert ended(2, 2, 2).winner() == 0


# A full game


def test_a_full_game_moves_dealer_trump_and_cards_on() -> None:
    state = blob(players=3, cards=2, rounds="full", dealer=1).initial_state(seed=0)
    told, paid = [], [0.0, 0.0, 0.0]
    while not state.is_terminal():
        facts = state.facts()
        row = tuple(facts[name] for name in ("done", "round", "cards", "dealer", "trump"))
        if row not in told:
            told.append(row)
            assert state.current_player() == (state.round.dealer + 1) % 3
        state = state.apply_move(state.legal_moves()[-1])
        paid = [sum(pair) for pair in zip(paid, state.rewards(), strict=True)]
    assert told == [
        *[(0, 0, 2, 1, 0), (1, 1, 1, 2, 1), (2, 2, 1, 0, 2)],
        *[(3, 3, 1, 1, 3), (4, 4, 1, 2, -1), (5, 5, 2, 0, 0)],
    ]
    assert list(state.returns()) == paid == list(state.scores)
    assert (state.facts()["done"], state.facts()["round"]) == (6, 5)


def test_a_full_game_from_the_middle() -> None:
    rule = blob(players=3, cards=3, rounds="full", first_round=5).initial_state(seed=2)
    table = blob(players=3, cards=3, rounds="full").initial_state(seed=2, round=5)
    assert rule.facts() == table.facts()
    facts = rule.facts()
    assert [facts[name] for name in ("done", "round", "cards", "dealer", "trump")] == (
        [5, 5, 1, 2, 0]
    )
    sizes = []
    state = rule
    while not state.is_terminal():
        state = state.apply_move(state.legal_moves()[0])
        if state.ended is not None:
            sizes.append(state.ended.size)
    assert (sizes, state.facts()["done"]) == ([1, 2, 3], 8)


# The table


def test_the_dealer_given_is_taken_as_given() -> None:
    made = blob(players=5, dealer=3, first_round=4)
    assert made.initial_state().round.dealer == 2
    assert made.initial_state(dealer=4).round.dealer == 4
    assert made.initial_state(dealer=4, round=1).round.dealer == 4
    assert made.initial_state(round=1).round.dealer == 4
    assert made.initial_state(round=1).round.index == 1


def test_cards_given() -> None:
    state = blob(cards=7).initial_state(seed=0, cards=2)
    assert (state.facts()["cards"], [len(hand) for hand in state.round.hands]) == (2, [2] * 4)
    assert names(state) == ["bid 0", "bid 1", "bid 2"]
    same = blob(cards=2).initial_state(seed=0)
    assert state.round.hands == same.round.hands
    assert state.observation(1) == same.observation(1)
    end = do(state, 0, 0, 0, 0)
    while not end.is_terminal():
        end = end.apply_move(end.legal_moves()[0])
    assert end.facts()["done"] == 1


def test_scores_given_are_totals_and_earn_nothing() -> None:
    state = blob(players=3, cards=1, hook=False).initial_state(seed=0, scores=(30, 5, 0))
    assert state.scores == (30, 5, 0)
    state = do(state, 1, 1, 1)
    while not state.is_terminal():
        state = state.apply_move(state.legal_moves()[0])
    won = state.round.winners[0]
    assert state.returns() == tuple(11.0 * (seat == won) for seat in range(3))
    assert state.scores == tuple(s + 11 * (seat == won) for seat, s in enumerate((30, 5, 0)))
    assert state.winner() == 0
