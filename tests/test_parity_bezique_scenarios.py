"""The directed games of Bezique: scenarios, and the decks that lead to their places."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from talonax.configs.bezique.schema import Rules
from talonax.configs.rules import build
from talonax.parity.bezique import BeziqueSpec, BeziqueState
from talonax.parity.bezique_decks import directed_decks
from talonax.parity.bezique_pack import CARDS, Kind, type_name
from talonax.parity.bezique_places import barred_by_run, last_draw
from talonax.parity.bezique_position import Phase
from talonax.parity.bezique_score import leaders
from talonax.parity.cards import Suit

MELDS = {"double_bezique", "second_bezique", "second_pair", "run_after_marriage"}
MELDS |= {"marriage_after_run", "unlike_copies", "joker_quartet"}
CARDPLAY = {"swap", "last_draw", "must_beat", "must_trump", "joker_led", "seven_takes_last"}
BRISQUES = {"brisques", "brisques_short"}

ROUND = [{"rounds": 1}, {"rounds": 1, "players": 4}]


def bezique(**flags: Any) -> BeziqueSpec:
    return BeziqueSpec(build(Rules, flags, "test"))


def walk(spec: BeziqueSpec, name: str, seed: int, **start: Any) -> Iterator[BeziqueState]:
    """Yield the positions of a game in which a scenario chooses."""
    rng = random.Random(seed)
    state = spec.initial_state(**(start or {"seed": 50 * seed}))
    yield state
    while not state.is_terminal():
        move = spec.scenarios[name].choose(state, rng)
        assert move in state.legal_moves()
        state = state.apply_move(move)
        yield state


def first_there(spec: BeziqueSpec, name: str, tries: int, **start: Any) -> BeziqueState:
    """Return the first position that is at the place of a scenario."""
    scenario = spec.scenarios[name]
    for seed in range(tries):
        for state in walk(spec, name, seed, **start):
            if scenario.reached(state):
                return state
    pytest.fail(f"{name} is not reached: {scenario.what}")


def test_scenarios_follow_the_flags() -> None:
    all_of_two = MELDS | CARDPLAY | {"joker_taken", "tied"}
    assert set(bezique(rounds=1).scenarios) == all_of_two
    assert set(bezique().scenarios) == all_of_two | {"won"}
    assert set(bezique(max_rounds=2).scenarios) == all_of_two | {"won", "cut_short"}
    assert set(bezique(rounds=1, players=4).scenarios) == all_of_two | {"must_overtrump"}
    assert set(bezique(rounds=1, mode="advanced").scenarios) == all_of_two | BRISQUES
    redrawn = bezique(rounds=1, joker_turnup="redraw")
    assert set(redrawn.scenarios) == all_of_two - {"joker_taken"}
    assert set(bezique(rounds=1, max_jokers=0).scenarios) == all_of_two - {"joker_quartet"}


@pytest.mark.parametrize("flags", ROUND, ids=str)
def test_directed_decks_lead_to_their_places(flags: dict[str, Any]) -> None:
    spec = bezique(**flags)
    decks = directed_decks(spec.num_players)
    named = (
        set(decks) - {"jokers_turned_up"} - (set() if spec.num_players > 2 else {"must_overtrump"})
    )
    assert named <= set(spec.scenarios)
    for name in named:
        first_there(spec, name, 5, deck=decks[name])


@pytest.mark.parametrize("players", [2, 4])
def test_directed_decks_are_decks(players: int) -> None:
    decks = directed_decks(players)
    assert all(sorted(deck) == list(range(132)) for deck in decks.values())
    assert len({tuple(deck) for deck in decks.values()}) >= len(decks) - 1
    hand = [type_name(CARDS[number].type) for number in decks["double_bezique"][:9]]
    assert hand == ["QS", "QS", "JD", "JD", "AH", "AH", "7C", "8C", "9C"]
    assert type_name(CARDS[decks["joker_taken"][9 * players]].type) == "JO"


def test_the_deck_of_jokers_turned_up() -> None:
    deck = directed_decks(2)["jokers_turned_up"]
    redrawn = bezique(joker_turnup="redraw").initial_state(deck=deck)
    assert [card.is_joker for card in redrawn.round.stock[-2:]] == [True, True]
    assert str(redrawn.round.turned_up) == "KH.0"


@pytest.mark.parametrize("flags", ROUND, ids=str)
@pytest.mark.parametrize("name", ["must_beat", "tied"])
def test_other_scenarios_reach_their_places(name: str, flags: dict[str, Any]) -> None:
    first_there(bezique(**flags), name, 40)


@pytest.mark.parametrize("name", sorted(BRISQUES))
@pytest.mark.parametrize("players", [2, 4])
def test_aces_and_tens_at_the_threshold(name: str, players: int) -> None:
    state = first_there(bezique(rounds=1, players=players, mode="advanced"), name, 40)
    count = {2: 14, 4: 8}[players] - (name == "brisques_short")
    assert count in state.round.brisques
    seat = state.round.brisques.index(count)
    scored = [e for e in state.news if getattr(e, "why", "") == "aces and tens"]
    assert (seat in [e.player for e in scored]) == (name == "brisques")


def test_games_that_end() -> None:
    won = first_there(bezique(target=750), "won", 2)
    assert won.is_terminal()
    assert max(won.totals) >= 750
    cut = first_there(bezique(max_rounds=1), "cut_short", 2)
    assert (cut.is_truncated(), cut.number) == (True, 0)


def test_a_tie_by_its_own_account() -> None:
    state = first_there(bezique(rounds=1), "tied", 40)
    assert len(leaders(state.totals)) == 2
    assert state.returns() == (0.0, 0.0)


@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("double_bezique", lambda f: sum(map(int.bit_count, f["used"][10:15])) == 4),
        ("run_after_marriage", lambda f: any(a & b for a, b in _pairs(f, 0, 3))),
        ("marriage_after_run", lambda f: f["phase"] == 1 and any(f["used"][15:20])),
        ("second_pair", lambda f: f["phase"] == 1 and not f["melded"]),
        ("joker_quartet", lambda f: sum(f["used"][5 * kind + 4] for kind in range(4, 8)) > 0),
        ("swap", lambda f: f["swapped"] == 1 and f["turned_up"] // 16 == 0),
        ("joker_taken", lambda f: f["swapped"] == 1 and f["trump"] == 0 and f["turned_up"] < 4),
        ("last_draw", lambda f: f["phase"] == 2 and f["turned_up"] == -1 and any(f["known"])),
        ("must_trump", lambda f: f["phase"] == 2 and max(f["trick"]) >= 0),
        ("must_beat", lambda f: f["phase"] == 2 and max(f["trick"]) >= 0),
        ("joker_led", lambda f: f["phase"] == 2 and max(f["trick"]) >= 128),
        ("seven_takes_last", lambda f: f["phase"] == 3 and max(f["points"]) >= 30),
    ],
)
def test_scenarios_by_their_own_account(name: str, check: Any) -> None:
    spec, decks = bezique(rounds=1), directed_decks(2)
    start = {"deck": decks[name]} if name in decks else {}
    assert check(first_there(spec, name, 10, **start).facts())


@pytest.mark.parametrize(
    ("hand", "used", "barred"),
    [
        ((18 * 4,), True, True),
        ((18 * 4,), False, False),
        ((18 * 4, 22 * 4 + 1), True, False),
        ((0,), True, False),
    ],
)
def test_a_marriage_that_the_run_forbids(hand: tuple[int, ...], used: bool, barred: bool) -> None:
    """KH.0 of a run lies on the table; QH.0, or that and KH.1, or 7D.0 is in hand."""
    king = CARDS[22 * 4]
    in_run = frozenset({king}) if used else frozenset({CARDS[131]})
    state = (
        bezique()
        .initial_state(seed=0)
        .with_round(
            trump=Suit.HEARTS,
            phase=Phase.TURN,
            leader=0,
            hands=(tuple(CARDS[number] for number in hand), ()),
            tables=((king,), ()),
            used=tuple(in_run if kind is Kind.RUN else frozenset() for kind in Kind),
        )
    )
    assert barred_by_run(state) == barred


@pytest.mark.parametrize(("known", "there"), [((1, 1), True), ((1, 0), False), ((0, 0), False)])
def test_a_last_draw_with_table_cards_in_two_hands(known: tuple[int, int], there: bool) -> None:
    rows = tuple((number,) + (0,) * 32 for number in known)
    state = bezique().initial_state(seed=0).with_round(phase=Phase.LAST_NINE, known=rows)
    assert last_draw(state) == there
    assert not last_draw(state.with_round(phase=Phase.PLAY))


def _pairs(facts: dict[str, Any], one: int, other: int) -> Iterator[tuple[int, int]]:
    used = facts["used"]
    return zip(used[5 * one : 5 * one + 5], used[5 * other : 5 * other + 5], strict=True)
