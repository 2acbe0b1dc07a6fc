"""The reference engine of Snapszer by literal positions: every flag both ways."""

import random
from typing import Any

import pytest

from talonax.parity import spec
from talonax.parity.cards import Card, Rank, Suit
from talonax.parity.snapszer import SnapszerSpec, SnapszerState, deal_mt19937
from talonax.parity.snapszer_deal import Closing, Ending, game_points
from talonax.parity.snapszer_pack import POINTS

# Ids: S 0..4, H 5..9, D 10..14, C 15..19, each A 10 K Q J. Spades against hearts, JD turned up.
PLAIN_DECK = [*range(5), *range(5, 10), 14, 10, 15, 11, 16, 12, 17, 13, 18, 19]
NONE: tuple[frozenset[Any], frozenset[Any]] = (frozenset(), frozenset())


def snapszer(profile: str | None = None, **flags: Any) -> SnapszerSpec:
    made = spec("snapszer", profile, **flags)
    assert isinstance(made, SnapszerSpec)
    return made


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card.from_name(name) for name in text.split())


def position(
    mine: str, yours: str, flags: dict[str, Any] | None = None, **fields: Any
) -> SnapszerState:
    """Return a position of hands alone: spades are trumps, seat 0 leads, the stock is gone."""
    hands = (cards(mine), cards(yours))
    bare = {"trump": Suit.SPADES, "stock": (), "turned_up": None, "leader": 0}
    state = snapszer(**(flags or {})).initial_state(seed=0)
    return state.with_deal(hands=hands, **{**bare, **fields})


def talon(face_down: str = "JD TD AD", up: str = "AS") -> dict[str, Any]:
    return {"stock": cards(face_down), "turned_up": Card.from_name(up)}


def play(state: SnapszerState, *names: str) -> SnapszerState:
    for name in names:
        moves = {move.name: move for move in state.legal_moves()}
        state = state.apply_move(moves[name])
    return state


def legal(state: SnapszerState) -> set[str]:
    return {move.name for move in state.legal_moves()}


def mask(*ids: int) -> int:
    return sum(2**number for number in ids)


# The deal


def test_deal() -> None:
    state = snapszer().initial_state(deck=PLAIN_DECK)
    assert state.facts() == {
        "current_player": 0,
        "hands": [mask(0, 1, 2, 3, 4), mask(5, 6, 7, 8, 9)],
        "table": -1,
        "stock": [10, 15, 11, 16, 12, 17, 13, 18, 19],
        "turned_up": 14,
        "trump": 2,
        "leader": 0,
        "points": [0, 0],
        "tricks": [0, 0],
        "pending": [0, 0],
        "marriages": [0, 0],
        "closed_by": -1,
        "strict": 0,
        "known": [0, 0],
        "played": [0, 0],
        "deal": 0,
        "scores": [0, 0],
    }
    assert legal(state) == {"AS", "TS", "KS", "QS", "JS", "close"}


def test_deal_with_nines() -> None:
    state = snapszer(nines=True).initial_state(deck=range(24))
    assert state.facts()["hands"] == [mask(*range(6)), mask(*range(6, 12))]
    assert (state.facts()["turned_up"], state.facts()["stock"]) == (12, list(range(13, 24)))
    assert Card.from_name("9S") in state.deal.hands[0]
    assert POINTS[Rank.NINE] == 0
    assert snapszer(nines=True).num_actions == 26
    assert [snapszer(nines=True).move_name(a) for a in (5, 6, 24, 25)] == [
        "9S",
        "AH",
        "exchange",
        "close",
    ]


def test_nines_are_exchanged_and_twelve_tricks_are_played() -> None:
    held = {"leader": 0, "trump": Suit.SPADES, **talon("AD TD KD QD JD")}
    hands = {"hands": (cards("9S JS"), cards("AC TC"))}
    state = snapszer(nines=True).initial_state(seed=0).with_deal(**held, **hands)
    after = play(state, "exchange")
    assert set(after.deal.hands[0]) == set(cards("AS JS"))
    assert after.deal.turned_up == Card.from_name("9S")
    ten_tricks = state.with_deal(
        hands=(cards("9D 9C"), cards("9H JH")), stock=(), turned_up=None, tricks=(10, 0)
    )
    on = play(ten_tricks, "9D", "9H")
    assert not on.is_terminal()
    end = play(on, "9C", "JH")
    assert end.deal.result is not None
    assert end.deal.result.ending is Ending.DURCHMARSCH
    assert end.returns() == (3.0, -3.0)


def test_deal_mt19937_with_nines_is_another_permutation() -> None:
    assert sorted(deal_mt19937(7, 24)) == list(range(24))
    seeded = snapszer(nines=True).initial_state(seed=7)
    assert seeded == snapszer(nines=True).initial_state(deck=deal_mt19937(7, 24))


# Drawing, exchanging, closing


def test_draws_go_to_the_winner_first() -> None:
    state = play(snapszer().initial_state(deck=PLAIN_DECK), "AS", "JH")
    assert state.deal.hands == (cards("TS KS QS JS AD"), cards("AH TH KH QH AC"))
    assert (state.deal.points, state.deal.leader) == ((13, 0), 0)
    after = play(state, "JS", "QH")
    assert after.deal.points == (18, 0)


def test_the_turned_up_card_is_drawn_last_and_known() -> None:
    state = position("AC KD", "JC QD", **talon("TD", "AS"))
    after = play(state, "AC", "JC")
    assert after.deal.hands == (cards("TD KD"), cards("AS QD"))
    assert (after.deal.stock, after.deal.turned_up, after.deal.is_strict) == ((), None, True)
    assert after.deal.known == (frozenset(), frozenset(cards("AS")))
    assert play(after, "KD", "QD").deal.known[1] == frozenset(cards("AS"))


def test_exchange_is_known_until_the_card_is_played() -> None:
    state = position("JS KD", "JC QD", **talon("TD AD KC"))
    after = play(state, "exchange")
    assert set(after.deal.hands[0]) == set(cards("AS KD"))
    assert after.deal.turned_up == Card.from_name("JS")
    assert after.deal.known == (frozenset(cards("AS")), frozenset())
    assert (after.current_player(), after.rewards()) == (0, (0.0, 0.0))
    assert "exchange" not in legal(after)
    assert play(after, "AS").deal.known == NONE


@pytest.mark.parametrize("fewest", [0, 1, 2, 3, 9])
def test_exchange_min_stock(fewest: int) -> None:
    for stock in ("AD TD KD QD JD AC TC KC QC", "AD TD KD", "AD", ""):
        up = Card.from_name("AS") if stock else None
        state = position("JS", "JC", {"exchange_min_stock": fewest})
        state = state.with_deal(stock=cards(stock), turned_up=up)
        enough = len(stock.split()) >= max(1, fewest)
        assert ("exchange" in legal(state)) == enough, stock


@pytest.mark.parametrize("fewest", [1, 3, 9])
def test_close_min_stock(fewest: int) -> None:
    for stock in ("AD TD KD QD JD AC TC KC QC", "AD TD KD", "AD"):
        state = position("JS", "JC", {"close_min_stock": fewest}, **talon(stock))
        assert ("close" in legal(state)) == (len(stock.split()) >= fewest), stock


def test_closing_makes_play_strict_and_stops_the_drawing() -> None:
    state = position("AC KD", "JC QS", **talon())
    closed = play(state, "close")
    assert closed.current_player() == 0
    assert closed.deal.closing == Closing(by=0, tricks=(0, 0), points=(0, 0))
    assert legal(closed) == {"AC", "KD"}
    assert legal(play(closed, "AC")) == {"JC"}
    assert legal(play(state, "AC")) == {"JC", "QS"}
    after = play(closed, "AC", "JC")
    assert [len(hand) for hand in after.deal.hands] == [1, 1]
    assert after.facts()["stock"] == [14, 11, 10, *[-1] * 6]
    assert after.facts()["turned_up"] == 0


def test_no_closing() -> None:
    assert "close" not in legal(position("AC", "JC", {"closing": False}, **talon()))
    assert snapszer(closing=False).num_actions == 22


# Marriages


@pytest.mark.parametrize("lead", ["KD", "QD"])
def test_marriage_scores_and_shows_the_other_half(lead: str) -> None:
    after = play(position("KD QD AC", "JC JD JH", **talon()), lead)
    other_half = "QD" if lead == "KD" else "KD"
    assert after.deal.points == (20, 0)
    assert after.deal.marriages[0] == frozenset({Suit.DIAMONDS})
    assert after.deal.known[0] == frozenset(cards(other_half))


def test_marriage_of_trumps_counts_forty() -> None:
    assert play(position("KS QS", "JC JD", **talon()), "QS").deal.points == (40, 0)


def test_no_marriage_without_the_pair() -> None:
    assert play(position("KD QC", "JC JD", **talon()), "KD").deal.points == (0, 0)


def test_a_marriage_scores_once_per_suit_and_player() -> None:
    state = position("KD QD AC", "JC JD JH", **talon())
    diamonds = frozenset({Suit.DIAMONDS})
    assert play(state.with_deal(marriages=(diamonds, frozenset())), "KD").deal.points == (0, 0)
    assert play(state.with_deal(marriages=(frozenset(), diamonds)), "KD").deal.points == (20, 0)


def test_no_marriage_in_reply() -> None:
    state = position("AC JD", "KC QC", **talon())
    assert play(state, "AC", "KC").deal.marriages == NONE


@pytest.mark.parametrize(("flag", "points"), [(True, 20), (False, 0)])
@pytest.mark.parametrize("declare", ["auto", "optional"])
def test_marriage_when_strict(flag: bool, points: int, declare: str) -> None:
    flags = {"marriage_when_strict": flag, "marriage_declare": declare}
    state = position("KD QD AC", "JC JD JH", flags)
    may_declare = flag and declare == "optional"
    assert ("declare KD" in legal(state)) == may_declare
    assert play(state, "declare KD" if may_declare else "KD").deal.points == (points, 0)


def test_marriage_that_wins_leaves_the_card_in_hand() -> None:
    state = position("KD QD AC", "JC JD JH", points=(46, 50), tricks=(2, 2), **talon())
    end = play(state, "KD")
    assert end.deal.hands == state.deal.hands
    assert end.deal.known == (frozenset(cards("KD QD")), frozenset())
    assert end.deal.played == NONE
    assert (end.deal.table, end.deal.leader, end.deal.tricks) == (None, 0, (2, 2))
    assert (end.returns(), end.current_player()) == ((1.0, -1.0), -1)


@pytest.mark.parametrize(
    ("when", "tricks", "counted", "waiting"),
    [
        ("at_once", 0, 20, 0),
        ("at_once", 1, 20, 0),
        ("after_a_trick", 0, 0, 20),
        ("after_a_trick", 1, 20, 0),
        ("next_trick", 0, 0, 20),
        ("next_trick", 1, 0, 20),
    ],
)
def test_marriage_points(when: str, tricks: int, counted: int, waiting: int) -> None:
    flags = {"marriage_points": when}
    state = position("KD QD AC", "JC TD JH", flags, tricks=(tricks, 0), **talon())
    led = play(state, "KD")
    assert (led.deal.points[0], led.deal.pending[0]) == (counted, waiting)
    won = play(led, "JC")
    assert (won.deal.points, won.deal.pending) == ((26, 0), (0, 0))
    lost = play(led, "TD")
    assert (lost.deal.points, lost.deal.pending) == ((counted, 14), (waiting, 0))


def test_next_trick_is_lost_with_the_last_tricks() -> None:
    flags = {"marriage_points": "next_trick", "marriage_when_strict": True}
    end = play(position("KD QD", "TD AD", flags, tricks=(3, 5), points=(40, 10)), "KD", "AD")
    end = play(end, "TD", "QD")
    assert (end.deal.points, end.deal.pending) == ((40, 38), (20, 0))
    assert end.returns() == (-1.0, 1.0)


def test_pending_points_can_win_with_the_trick() -> None:
    flags = {"marriage_points": "next_trick"}
    state = position("KD QD AC", "JC TD JH", flags, points=(46, 0), tricks=(3, 0), **talon())
    led = play(state, "KD")
    assert not led.is_terminal()
    assert play(led, "JC").returns() == (3.0, -3.0)


def test_optional_declaring() -> None:
    flags = {"marriage_declare": "optional"}
    state = position("KD QD AC", "JC TD JH", flags, **talon())
    assert legal(state) == {"KD", "QD", "AC", "close", "declare KD", "declare QD"}
    plain = play(state, "KD")
    assert (plain.deal.points, plain.deal.marriages, plain.deal.known) == ((0, 0), NONE, NONE)
    declared = play(state, "declare QD")
    assert (declared.deal.points, declared.deal.table) == ((20, 0), Card.from_name("QD"))
    game = snapszer(**flags)
    assert game.num_actions == 30
    assert [game.move_name(action) for action in (22, 23, 28, 29)] == [
        "declare KS",
        "declare QS",
        "declare KC",
        "declare QC",
    ]


@pytest.mark.parametrize(("which", "queen"), [("either", 20), ("king", 0)])
def test_marriage_lead(which: str, queen: int) -> None:
    state = position("KD QD AC", "JC TD JH", {"marriage_lead": which}, **talon())
    assert play(state, "QD").deal.points == (queen, 0)
    assert play(state, "KD").deal.points == (20, 0)
    flags = {"marriage_lead": which, "marriage_declare": "optional"}
    offered = legal(position("KD QD AC", "JC TD JH", flags, **talon()))
    assert "declare KD" in offered
    assert ("declare QD" in offered) == (which == "either")


# End of the deal


@pytest.mark.parametrize("when", ["at_once", "after_trick"])
def test_sixty_six(when: str) -> None:
    flags = {"sixty_six": when}
    state = position("KD QD AC", "JC AD JH", flags, points=(46, 60), tricks=(2, 2), **talon())
    led = play(state, "KD")
    assert led.is_terminal() == (when == "at_once")
    if when == "after_trick":
        assert play(led, "JC").returns() == (1.0, -1.0)
        beaten = play(led, "AD")
        assert beaten.deal.points == (66, 75)
        assert beaten.returns() == (-1.0, 1.0)


def test_after_trick_the_other_wins_if_the_trick_winner_has_not_66() -> None:
    flags = {"sixty_six": "after_trick"}
    state = position("KD QD AC", "JC TD JH", flags, points=(46, 10), tricks=(2, 2), **talon())
    end = play(state, "KD", "TD")
    assert end.deal.points == (66, 24)
    assert end.returns() == (2.0, -2.0)
    assert (end.deal.leader, len(end.deal.hands[0])) == (0, 2)


def test_a_trick_that_makes_66_leaves_the_leader() -> None:
    end = play(position("TS JC", "AS JH", points=(0, 50), tricks=(3, 3)), "TS", "AS")
    assert (end.deal.points, end.deal.leader, end.deal.is_strict) == ((0, 71), 0, True)


def test_hands_run_out() -> None:
    state = position("JD", "QD", points=(40, 60), tricks=(4, 5))
    end = play(state, "JD", "QD")
    assert (end.deal.leader, end.returns()) == (1, (-1.0, 1.0))
    low = play(state.with_deal(points=(10, 60)), "JD", "QD")
    assert low.returns() == (-2.0, 2.0)


@pytest.mark.parametrize(("flag", "points"), [("wins", 2), ("wins_one", 1)])
def test_last_trick(flag: str, points: int) -> None:
    state = position("JD", "QD", {"last_trick": flag}, points=(10, 60), tricks=(4, 5))
    assert play(state, "JD", "QD").returns() == (-float(points), float(points))


def test_the_closer_has_failed_when_hands_run_out() -> None:
    closing = Closing(by=1, tricks=(1, 1), points=(5, 5))
    state = position("JD", "QD", points=(40, 60), tricks=(1, 5), closing=closing)
    end = play(state, "JD", "QD")
    assert end.deal.result is not None
    assert end.deal.result.ending is Ending.CLOSER_FAILED
    assert (end.deal.leader, end.returns()) == (1, (2.0, -2.0))
    wins_one = position("JD", "QD", {"last_trick": "wins_one"}, closing=closing)
    assert play(wins_one, "JD", "QD").returns() == (2.0, -2.0)


@pytest.mark.parametrize(("tricks_then", "points"), [(0, 3), (1, 1)])
@pytest.mark.parametrize("by_66", [False, True])
def test_closer_fail_points(tricks_then: int, points: int, by_66: bool) -> None:
    flags = {"closer_fail_points": 1, "closer_fail_points_trickless": 3}
    closing = Closing(by=0, tricks=(1, tricks_then), points=(10, 10))
    scored = (40, 60) if by_66 else (40, 5)
    state = position("JD", "AD", flags, points=scored, tricks=(2, 2), closing=closing)
    assert play(state, "JD", "AD").returns() == (-float(points), float(points))


@pytest.mark.parametrize(
    ("flag", "closer_points", "closer_tricks", "points"),
    [
        ("fails", 40, 2, 2),
        ("normal", 40, 2, 1),
        ("normal", 20, 2, 2),
        ("normal", 40, 0, 3),
    ],
)
def test_closer_beaten(flag: str, closer_points: int, closer_tricks: int, points: int) -> None:
    """A beaten closer is judged by what he has at the end, whatever `stake_at` says."""
    closing = Closing(by=0, tricks=(0, 2), points=(0, 30))
    for stake_at in ("end", "closing"):
        state = position(
            "JD JC",
            "AD JH",
            {"closer_beaten": flag, "stake_at": stake_at},
            points=(closer_points, 60),
            tricks=(closer_tricks, 2),
            closing=closing,
        )
        assert play(state, "JD", "AD").returns() == (-float(points), float(points))


@pytest.mark.parametrize(("flag", "points"), [("end", 1), ("closing", 3)])
def test_stake_at(flag: str, points: int) -> None:
    closing = Closing(by=0, tricks=(2, 0), points=(30, 0))
    open_deal: dict[str, Any] = {"points": (56, 40), "tricks": (4, 2)}
    state = position("AD", "JD", {"stake_at": flag}, closing=closing, **open_deal)
    assert play(state, "AD", "JD").returns() == (float(points), -float(points))
    nobody_closed = position("AD", "JD", {"stake_at": flag}, **open_deal)
    assert play(nobody_closed, "AD", "JD").returns() == (1.0, -1.0)


@pytest.mark.parametrize(("then", "points"), [((1, 32), 2), ((1, 33), 1), ((0, 40), 3)])
def test_stake_at_closing_looks_at_tricks_and_points(then: tuple[int, int], points: int) -> None:
    closing = Closing(by=0, tricks=(2, then[0]), points=(30, then[1]))
    late: dict[str, Any] = {"points": (56, 60), "tricks": (4, 2), "closing": closing}
    state = position("AD", "JD", {"stake_at": "closing"}, **late)
    assert play(state, "AD", "JD").returns() == (float(points), -float(points))


@pytest.mark.parametrize(
    ("flag", "loser_points", "loser_tricks", "points"),
    [
        ("no_trick", 40, 0, 3),
        ("no_trick", 0, 1, 2),
        ("no_points", 40, 0, 1),
        ("no_points", 20, 0, 2),
        ("no_points", 0, 1, 3),
    ],
)
def test_three_when(flag: str, loser_points: int, loser_tricks: int, points: int) -> None:
    state = position(
        "AD JC",
        "JD JH",
        {"three_when": flag},
        points=(60, loser_points),
        tricks=(4, loser_tricks),
    )
    assert play(state, "AD", "JD").returns() == (float(points), -float(points))


def test_pending_points_do_not_save_from_three() -> None:
    flags = {"three_when": "no_points", "marriage_points": "next_trick"}
    state = position("AD JC", "JD JH", flags, points=(60, 0), tricks=(4, 0), pending=(0, 40))
    assert play(state, "AD", "JD").returns() == (3.0, -3.0)


def test_durchmarsch_pays_three() -> None:
    rules = snapszer(three_when="no_points").rules
    assert game_points(rules, Ending.DURCHMARSCH, 0, (10, 0), (60, 40), None) == 3


def test_profiles() -> None:
    austrian = snapszer("austrian")
    closed = austrian.initial_state(deck=PLAIN_DECK).apply_move(21)
    lost = closed.with_deal(hands=(cards("JS"), cards("AS")), points=(0, 60))
    assert lost.apply_move(4).apply_move(0).returns() == (-3.0, 3.0)
    assert "close" not in legal(snapszer("vu").initial_state(deck=PLAIN_DECK))


# Who leads, and the match


def test_first_leader() -> None:
    assert snapszer(first_leader=1).initial_state(seed=3).current_player() == 1
    assert snapszer(first_leader=1).initial_state(seed=3, leader=0).current_player() == 0
    assert snapszer().initial_state(seed=3, first_leader=1).current_player() == 1
    by_chance = snapszer(first_leader="random")
    leaders = [by_chance.initial_state(seed=seed).current_player() for seed in range(20)]
    assert leaders == [random.Random(seed).randrange(2) for seed in range(20)]
    assert by_chance.initial_state(deck=PLAIN_DECK).deal.leader == random.Random(0).randrange(2)
    for source in ({"seed": 5}, {"deck": PLAIN_DECK}):
        dealt = snapszer().initial_state(leader=1, **source)
        assert dealt.deal.hands == snapszer().initial_state(**source).deal.hands


def end_of_deal(state: SnapszerState, winner: int) -> SnapszerState:
    """Play the last trick of the state's deal, which pays `winner` two points."""
    hands = (cards("AD JC"), cards("JD JH")) if winner == 0 else (cards("JD JH"), cards("AD JC"))
    scored = (60, 10) if winner == 0 else (10, 60)
    names = ("AD", "JD") if winner == 0 else ("JD", "AD")
    last = state.with_deal(
        hands=hands, leader=0, points=scored, tricks=(3, 3), stock=(), turned_up=None
    )
    return play(last, *names)


def test_match() -> None:
    state = snapszer(match=5).initial_state(seed=2**32 - 1)
    paid = [(0.0, 0.0)]
    for number, winner in enumerate([0, 1, 1, 0, 0]):
        assert not state.is_terminal()
        assert state.facts()["deal"] == number
        assert state.deal.leader == number % 2
        fresh = snapszer().initial_state(deck=deal_mt19937((2**32 - 1 + number) % 2**32)).deal
        assert state.deal.hands == fresh.hands
        with pytest.raises(RuntimeError, match="not over"):
            state.returns()
        state = end_of_deal(state, winner)
        paid.append((state.rewards()[0], state.rewards()[1]))
    assert paid[1:] == [(2.0, -2.0), (-2.0, 2.0), (-2.0, 2.0), (2.0, -2.0), (2.0, -2.0)]
    assert (state.scores, state.returns()) == ((6, 4), (2.0, -2.0))
    assert (state.is_terminal(), state.facts()["deal"], state.current_player()) == (True, 4, -1)
    assert state.facts()["points"] == [73, 10]


def test_the_step_that_deals_afresh_pays_once() -> None:
    state = end_of_deal(snapszer(match=5).initial_state(seed=0), 0)
    assert state.rewards() == (2.0, -2.0)
    assert state.ended is not None
    after = state.apply_move(state.legal_moves()[0])
    assert (after.rewards(), after.ended) == ((0.0, 0.0), None)


def test_sources_of_later_deals() -> None:
    game = snapszer(match=5)
    by_deck = end_of_deal(game.initial_state(deck=PLAIN_DECK, leader=1), 0)
    assert (by_deck.deal_number, by_deck.deal.leader) == (1, 0)
    expected = snapszer().initial_state(deck=deal_mt19937(1)).deal
    assert (by_deck.deal.hands, by_deck.deal.stock) == (expected.hands, expected.stock)
    by_function = game.initial_state(decks=lambda n: PLAIN_DECK[n:] + PLAIN_DECK[:n])
    assert by_function.deal.hands[0] == cards("AS TS KS QS JS")
    assert end_of_deal(by_function, 0).deal.hands[0] == cards("TS KS QS JS AH")
    bad_later = game.initial_state(decks=lambda n: PLAIN_DECK if n == 0 else PLAIN_DECK[:-1])
    with pytest.raises(ValueError, match="deck of deal 1: 20 cards are needed, got 19"):
        end_of_deal(bad_later, 0)


def test_scores_of_the_table() -> None:
    game = snapszer(match=7)
    state = game.initial_state(seed=0, scores=(6, 5))
    assert state.facts()["scores"] == [6, 5]
    assert state.observation(0)[-2:] == pytest.approx([6 / 7, 5 / 7])
    assert state.observation(1)[-2:] == pytest.approx([5 / 7, 6 / 7])
    end = end_of_deal(state, 1)
    assert (end.facts()["scores"], end.returns()) == ([6, 7], (-2.0, 2.0))
    assert end_of_deal(snapszer().initial_state(seed=0), 1).facts()["scores"] == [0, 0]
