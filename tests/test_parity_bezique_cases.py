"""Field cases of Bezique (group D) on the reference engine: one test for each, named after its id.

A case speaks of its own flags: `turned_joker` is our `joker_turnup`, `brisques: advanced` our
`mode: advanced`, `seven_played_phase1` with nothing for phase 2 our `seven_in_phase2: false`,
`double_bezique: at_once` and `joker_led_phase2: must_trump` are the rules themselves. It writes
`KH#1` where we write `KH.0`.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from talonax.configs.bezique.schema import Rules
from talonax.configs.rules import build
from talonax.parity.bezique import BeziqueSpec, BeziqueState
from talonax.parity.bezique_errors import (
    AlreadyMelded,
    CardNotHeld,
    MeldDone,
    NotYourTurn,
    SevenTurnedUp,
    WrongPhase,
)
from talonax.parity.bezique_melds import meld_of
from talonax.parity.bezique_pack import CARDS, BeziqueCard, Cards, Kind
from talonax.parity.bezique_position import Phase, in_order
from talonax.parity.bezique_score import brisque_points, leaders, meld_points
from talonax.parity.bezique_trick import strict_replies, winning_place
from talonax.parity.cards import Suit

#: Cases, or parts of them, that speak of rules that Bezique does not have here.
OUT_OF_SCOPE = {
    "D01": "double_bezique=incremental: here only four cards laid at once (other half tested)",
    "D21": "reform_meld=true: here a card is in a kind of meld once (other half tested)",
    "D22": "carte_blanche: a hand without court cards scores nothing here",
    "D24": "target_check=immediate: totals are compared after the round (other half tested)",
    "D27": "joker_led_phase2=free: here a trump must be played (other half tested)",
}

SUITS = {suit.name[0]: suit for suit in Suit}


@pytest.fixture(scope="module")
def cases(shared: Path) -> dict[str, dict[str, Any]]:
    listed = json.loads((shared / "cases" / "rule_cases.json").read_text())
    return {case["id"]: case for case in listed if case["game"] == "bezique4"}


def pick(text: str) -> Cards:
    """Return cards of these types, of the lowest packs; `KH.2` names the pack."""
    taken: list[BeziqueCard] = []
    for name in text.split():
        if "." not in name:
            name += f".{sum(card.name.startswith(name) for card in taken)}"
        taken.append(BeziqueCard.from_name(name))
    return tuple(taken)


def position(flags: dict[str, Any] | None = None, **fields: Any) -> BeziqueState:
    """Return a position, by default of the turn of seat 0 as the winner of a trick."""
    rules = build(Rules, flags or {}, "test")
    plain = {"points": (0,) * rules.players, "phase": Phase.TURN, "leader": 0}
    state = BeziqueSpec(rules).initial_state(seed=0)
    return state.with_round(**{**plain, **fields})


def turn(trump: str, hand: str, table: str = "", **fields: Any) -> BeziqueState:
    hands, tables = (in_order(pick(hand)), ()), (in_order(pick(table)), ())
    return position(trump=SUITS[trump], hands=hands, tables=tables, **fields)


def used(**kinds: str) -> tuple[frozenset[BeziqueCard], ...]:
    return tuple(frozenset(pick(kinds.get(kind.name, ""))) for kind in Kind)


def again(state: BeziqueState) -> BeziqueState:
    """Return the position at the next turn of seat 0, with the same cards."""
    return state.with_round(melded=False)


def melds(state: BeziqueState) -> set[str]:
    """Return the legal melds."""
    names = (move.name for move in state.legal_moves())
    return {name.removeprefix("meld ") for name in names if name.startswith("meld ")}


def test_every_case_has_a_test(cases: dict[str, Any], shared: Path) -> None:
    words = (shared / "cases" / "field_cases.md").read_text()
    listed = set(re.findall(r"^\| (D\d\d) \|", words, flags=re.MULTILINE))
    assert listed == set(cases)
    tested = {name[5:8] for name in globals() if re.match(r"test_D\d\d", name)}
    assert tested | set(OUT_OF_SCOPE) == listed
    assert set(OUT_OF_SCOPE) - tested == {"D22"}


def test_D01_double_bezique_only_at_once() -> None:
    first, second = pick("QS.0 JD.0"), pick("QS.1 JD.1")
    state = turn("C", "QS QS JD JD 7C").declare(0, first, Kind.BEZIQUE)
    assert state.round.points == (40, 0)
    state = again(state)
    with pytest.raises(AlreadyMelded):
        state.declare(0, first + second, Kind.DOUBLE_BEZIQUE)
    assert melds(state) == {"seven", "bezique"}
    assert state.declare(0, second, Kind.BEZIQUE).round.points == (80, 0)
    at_once = turn("C", "QS QS JD JD").declare(0, first + second, Kind.DOUBLE_BEZIQUE)
    assert at_once.round.points == (500, 0)


def test_D03_a_card_goes_from_one_kind_to_another() -> None:
    kings = "KH KS KD KC"
    state = turn("S", "QH", kings, used=used(KINGS=kings), points=(80, 0))
    after = state.declare(0, pick("KH QH"), Kind.MARRIAGE)
    assert after.round.points == (100, 0)


def test_D04_copies_are_told_apart() -> None:
    state = turn("C", "KH KH QH QH").declare(0, pick("KH.0 QH.0"), Kind.MARRIAGE)
    state = again(state)
    for text in ("KH.0 QH.1", "KH.1 QH.0", "KH.0 QH.0"):
        with pytest.raises(AlreadyMelded):
            state.declare(0, pick(text), Kind.MARRIAGE)
    by_name, by_id = state.declare(0, pick("KH.1 QH.1"), Kind.MARRIAGE), state.apply_move(71)
    assert by_name == by_id
    assert by_name.round.points == (40, 0)


def test_D05_a_run_swallows_the_marriage_that_comes_after() -> None:
    pair, run = pick("KD QD"), pick("AD TD KD QD JD")
    start = turn("D", "AD TD KD QD JD")
    marriage_first = again(start.declare(0, pair, Kind.MARRIAGE)).declare(0, run, Kind.RUN)
    assert marriage_first.round.points == (290, 0)
    run_first = again(start.declare(0, run, Kind.RUN))
    with pytest.raises(AlreadyMelded, match=r"KD\.0 has been in a meld already: run"):
        run_first.declare(0, pair, Kind.MARRIAGE)
    assert run_first.round.points == (250, 0)


def test_D06_run_and_double_bezique_as_first_melds() -> None:
    run = turn("H", "AH TH KH QH JH 7C 8C 9C 7S")
    assert "run" in melds(run)
    assert run.apply_move(75).round.points == (250, 0)
    double = turn("H", "QS QS JD JD 7C 8C 9C 7S 8S")
    assert "double bezique" in melds(double)
    assert double.apply_move(74).round.points == (500, 0)


def test_D07_jokers_stand_in_quartets_only(cases: dict[str, Any]) -> None:
    situation, expected = cases["D07"]["situation"], cases["D07"]["expected"]["points"]
    trump = SUITS[situation["trump"]]
    for names, points in zip(situation["candidates"], expected, strict=True):
        laid = pick(" ".join(names))
        made = [meld for kind in Kind if (meld := meld_of(kind, laid, trump)) is not None]
        assert [meld_points(meld, trump) for meld in made] == ([points] if points else [])


def check_winners(case: dict[str, Any]) -> None:
    trump = SUITS[case["situation"]["trump"]]
    tricks = [pick(" ".join(names)) for names in case["situation"]["tricks"]]
    winners = [winning_place(trick, trump) for trick in tricks]
    assert winners == case["expected"]["winner_index"]


def test_D08_a_joker_wins_only_when_led(cases: dict[str, Any]) -> None:
    check_winners(cases["D08"])


def test_D09_of_equal_cards_the_first_wins(cases: dict[str, Any]) -> None:
    check_winners(cases["D09"])


def test_D10_the_trump_seven() -> None:
    deck = [card.id for card in CARDS if card != pick("7C")[0]]
    deck.insert(18, pick("7C")[0].id)
    turned = BeziqueSpec(Rules()).initial_state(deck=deck, dealer=0)
    assert turned.round.points == (10, 0)
    fields: dict[str, Any] = {"trump": Suit.CLUBS, "hands": (pick("7C"), pick("7C.1 9D"))}
    state = position(**fields, leader=1, turned_up=pick("AC")[0])
    assert state.swap_seven(1).round.points == (0, 10)
    with pytest.raises(NotYourTurn):
        state.swap_seven(0)
    with pytest.raises(SevenTurnedUp):
        state.with_round(turned_up=pick("7C.2")[0]).swap_seven(1)
    trick = {"phase": Phase.PLAY, "leader": 1, "trick": pick("AC")}
    lost = position(**fields | trick).play_card(0, pick("7C")[0])
    assert (lost.round.points, lost.round.last_winner) == ((10, 0), 1)


@pytest.mark.parametrize(("counts", "points"), [(False, 0), (True, 10)])
def test_D10_the_trump_seven_in_phase_2(counts: bool, points: int) -> None:
    state = position(
        {"seven_in_phase2": counts},
        trump=Suit.CLUBS,
        phase=Phase.LAST_NINE,
        hands=(pick("7C 9D"), pick("9D.1 8D")),
    )
    assert state.play_card(0, pick("7C")[0]).round.points == (points, 0)


def test_D11_there_is_always_a_trump_suit() -> None:
    for turnup in ("diamonds", "redraw"):
        spec = BeziqueSpec(Rules(joker_turnup=turnup))
        for seed in range(200):
            now = spec.initial_state(seed=seed).round
            assert now.trump in Suit
            dealt = [*now.hands[0], *now.hands[1], *now.stock, now.turned_up]
            assert sorted(card.id for card in dealt if card) == list(range(len(CARDS)))
            assert turnup == "diamonds" or not (now.turned_up and now.turned_up.is_joker)
    jokers = sum(card.is_joker for card in CARDS)
    assert jokers / len(CARDS) == pytest.approx(0.03030303)


@pytest.mark.parametrize(("players", "stock", "first"), [(2, 113, 57), (4, 95, 24)])
def test_D12_counts(players: int, stock: int, first: int) -> None:
    now = BeziqueSpec(Rules(players=players)).initial_state(seed=0).round
    assert len(now.stock) == stock
    assert (len(now.stock) + 1) % players == 0
    assert (len(now.stock) + 1) // players == first


def test_D13_the_last_draw() -> None:
    state = position(
        leader=1,
        stock=pick("9D"),
        turned_up=pick("AC")[0],
        hands=(pick("7D 7D 7D 7D 8D 8D"), pick("7S 7S 7S 7S 8S 8S 8S 8S")),
        tables=(pick("KH QH"), ()),
    ).done(1)
    now = state.round
    assert pick("9D")[0] in now.hands[1]
    assert set(pick("AC KH QH")) < set(now.hands[0])
    assert (now.phase, now.tables, [len(hand) for hand in now.hands]) == (2, ((), ()), [9, 9])


@pytest.mark.parametrize("place", range(5))
def test_D15_the_duties_of_phase_2(cases: dict[str, Any], place: int) -> None:
    situation, expected = cases["D15"]["situation"], cases["D15"]["expected"]["legal"]
    case, trump = situation["cases"][place], SUITS[situation["trump"]]
    trick, hand = pick(" ".join(case["trick"])), pick(" ".join(case["hand"]))
    # Cards of the hand are other copies than the equal one that was led.
    hand = tuple(CARDS[card.id + (card in trick)] for card in hand)
    legal = strict_replies(hand, trick, trump)
    assert [card.name[:2] for card in legal] == expected[place]


def test_D17_melds_are_checked() -> None:
    aces = pick("AS AH AD AC")
    hands = (in_order(aces), in_order(pick("KH AS.1 AH.1 AD.1 AC.1")))
    state = position(trump=Suit.CLUBS, hands=hands, tables=((), ()))
    with pytest.raises(NotYourTurn):
        state.declare(1, pick("AS.1 AH.1 AD.1 AC.1"), Kind.ACES)
    with pytest.raises(CardNotHeld, match=r"QH\.0 is neither"):
        state.with_round(leader=1).declare(1, pick("KH QH"), Kind.MARRIAGE)
    for phase in (Phase.LAST_NINE, Phase.PLAY):
        with pytest.raises(WrongPhase):
            state.with_round(phase=phase).declare(0, aces, Kind.ACES)
    before_last_draw = state.with_round(stock=pick("9D"))
    once = before_last_draw.declare(0, aces, Kind.ACES)
    assert once.round.points == (100, 0)
    with pytest.raises(MeldDone):
        once.declare(0, aces, Kind.ACES)


@pytest.mark.parametrize(("reply", "bonus"), [("7C", (0, 20)), ("9D", (10, 0))])
def test_D18_the_last_trick(reply: str, bonus: tuple[int, int]) -> None:
    state = position(
        {"seven_in_phase2": False},
        trump=Suit.CLUBS,
        phase=Phase.LAST_NINE,
        hands=(pick("AD"), pick(reply)),
    )
    state = state.play_card(0, pick("AD")[0]).play_card(1, pick(reply)[0])
    assert state.ended is not None
    assert state.ended.points == bonus


def test_D19_brisques(cases: dict[str, Any]) -> None:
    situation, expected = cases["D19"]["situation"], cases["D19"]["expected"]
    for name, players in (("two_players", 2), ("four_players", 4)):
        for counts, points in zip(situation[name], expected[name], strict=True):
            advanced, standard = Rules(players=players, mode="advanced"), Rules(players=players)
            assert [brisque_points(advanced, count) for count in counts] == points
            assert [brisque_points(standard, count) for count in counts] == [0] * players


def test_D20_one_meld_of_several() -> None:
    state = turn("H", "QS JD QS JD QH QC KS 7C 8C")
    wanted = {"double bezique", "bezique", "four queens", "marriage SPADES"}
    assert melds(state) == wanted
    after = state.apply_move(74)
    assert after.round.points == (500, 0)
    assert melds(after) == set()


def test_D21_a_broken_meld_is_not_made_again() -> None:
    queens = "QS QH QD QC"
    state = turn("S", "QH.1", "QS QH QD", used=used(QUEENS=queens), points=(60, 0))
    assert melds(state) == set()
    with pytest.raises(AlreadyMelded):
        state.declare(0, pick("QS QH QD QH.1"), Kind.QUEENS)


def test_D23_ties_have_no_seat(cases: dict[str, Any]) -> None:
    situation, expected = cases["D23"]["situation"], cases["D23"]["expected"]
    assert [list(leaders(tuple(scores))) for scores in situation["scores"]] == expected["winners"]


def test_D24_the_target_is_looked_at_after_the_round() -> None:
    state = BeziqueSpec(Rules(target=1500)).initial_state(seed=0, scores=(1460, 1490))
    state = state.with_round(
        trump=Suit.HEARTS,
        points=(0, 0),
        phase=Phase.TURN,
        leader=0,
        hands=(pick("KH QH"), ()),
    )
    after = state.declare(0, pick("KH QH"), Kind.MARRIAGE)
    assert after.round.points == (40, 0)
    assert not after.is_terminal()


def test_D25_the_trump_suit_outlives_the_turned_up_card() -> None:
    state = turn("C", "7C", turned_up=pick("AC")[0], stock=pick("9D"))
    after = state.swap_seven(0)
    assert (after.round.turned_up, after.round.trump) == (pick("7C")[0], Suit.CLUBS)
    gone = after.done(0)
    assert (gone.round.turned_up, gone.round.trump) == (None, Suit.CLUBS)


def test_D27_a_led_joker_asks_for_trumps(cases: dict[str, Any]) -> None:
    situation, expected = cases["D27"]["situation"], cases["D27"]["expected"]
    trump, trick = SUITS[situation["trump"]], pick("JO")
    hand = pick(" ".join(situation["hand"]))
    legal = strict_replies(hand, trick, trump)
    assert [card.name[:2] for card in legal] == expected["must_trump"]
    for reply in hand:
        winner = expected["winner_index"][reply.name[:2]]
        assert winning_place((*trick, reply), trump) == winner
