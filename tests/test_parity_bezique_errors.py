"""What the reference engine of Bezique refuses, by which name, and what it says then."""

import random
from typing import Any

import pytest

from talonax.configs.bezique.schema import Rules
from talonax.configs.rules import build
from talonax.parity import GameEnv, IllegalMoveError, Move
from talonax.parity.bezique import BeziqueSpec, BeziqueState
from talonax.parity.bezique_errors import (
    AlreadyMelded,
    CardNotHeld,
    MeldDone,
    MustBeat,
    MustFollow,
    MustOvertrump,
    MustTrump,
    NoSeven,
    NotAMeld,
    NothingFromHand,
    NotYourTurn,
    Refused,
    SevenTurnedUp,
    TooManyJokers,
    WrongPhase,
)
from talonax.parity.bezique_pack import BeziqueCard, Cards, Kind
from talonax.parity.bezique_position import Phase, in_order
from talonax.parity.cards import Suit

DONE, SWAP, FIRST_MELD = 66, 67, 68


def bezique(**flags: Any) -> BeziqueSpec:
    return BeziqueSpec(build(Rules, flags, "test"))


def pick(text: str) -> Cards:
    """Return cards of these types, of the lowest packs; `KH.2` names the pack."""
    taken: list[BeziqueCard] = []
    for name in text.split():
        if "." not in name:
            name += f".{sum(card.name.startswith(name) for card in taken)}"
        taken.append(BeziqueCard.from_name(name))
    return tuple(taken)


def one(text: str) -> BeziqueCard:
    return pick(text)[0]


def position(hand: str, table: str = "", /, players: int = 2, **fields: Any) -> BeziqueState:
    """Return seat 0 with these cards, in hearts, by default in his turn as the winner."""
    nothing: tuple[Cards, ...] = ((),) * (players - 1)
    plain = {
        "trump": Suit.HEARTS,
        "turned_up": one("9H"),
        "phase": Phase.TURN,
        "leader": 0,
        "points": (0,) * players,
        "hands": (in_order(pick(hand)), *nothing),
        "tables": (in_order(pick(table)), *nothing),
    }
    state = bezique(players=players).initial_state(seed=0)
    return state.with_round(**{**plain, **fields})


def reply(hand: str, trick: str) -> BeziqueState:
    """Return seat 0 as the last of four, to answer in the last nine tricks."""
    leader = 4 - len(trick.split())
    fields = {"phase": Phase.LAST_NINE, "trick": pick(trick), "leader": leader, "turned_up": None}
    return position(hand, players=4, **fields)


def used(**kinds: str) -> tuple[frozenset[BeziqueCard], ...]:
    return tuple(frozenset(pick(kinds.get(kind.name, ""))) for kind in Kind)


def refusal(error: type[Refused], step: Any, *args: Any) -> Refused:
    """Return what a step raises: exactly this error."""
    with pytest.raises(IllegalMoveError) as raised:
        step(*args)
    assert type(raised.value) is error
    assert isinstance(raised.value, Refused)
    return raised.value


# Steps by name


def test_a_step_out_of_its_phase() -> None:
    state = position("KH QH 7H")
    playing = state.with_round(phase=Phase.PLAY)
    refusal(WrongPhase, state.play_card, 0, one("KH"))
    for step, *args in (
        (playing.declare, 0, pick("KH QH"), Kind.MARRIAGE),
        (playing.swap_seven, 0),
        (playing.done, 0),
    ):
        error = refusal(WrongPhase, step, *args)
        assert error.reason == "play; it belongs to the winner's turn"


def test_a_step_of_somebody_else() -> None:
    state = position("KH QH 7H")
    refusal(NotYourTurn, state.declare, 1, pick("KH QH"), Kind.MARRIAGE)
    refusal(NotYourTurn, state.swap_seven, 1)
    refusal(NotYourTurn, state.done, 1)
    error = refusal(NotYourTurn, state.with_round(phase=Phase.PLAY).play_card, 1, one("KH"))
    assert "player 0 is to move, not 1" in str(error)


def test_a_card_that_is_not_held() -> None:
    state = position("KH", phase=Phase.PLAY)
    error = refusal(CardNotHeld, state.play_card, 0, one("KH.1"))
    assert str(error) == (
        "play KH is not legal: KH.1 is neither in hand nor on the table; legal are: 22 (play KH)"
    )
    refusal(
        CardNotHeld, state.with_round(phase=Phase.TURN).declare, 0, pick("QH KH"), Kind.MARRIAGE
    )


@pytest.mark.parametrize(
    ("hand", "trick", "card", "error"),
    [
        ("9D 7D AC 8H", "8D", "AC", MustFollow),
        ("9D 7D AC 8H", "8D", "8H", MustFollow),
        ("9D 7D AC JO", "8D", "JO", MustFollow),
        ("9D 7D AC 8H", "8D", "7D", MustBeat),
        ("9D 7D AC 8H", "7C.1 8D", "9D", MustFollow),
        ("9D AC 8H", "8S", "AC", MustTrump),
        ("9D AC 8H JO", "8S", "JO", MustTrump),
        ("9D AC 8H", "JO", "9D", MustTrump),
        ("9D 9H 8H", "7S JH", "9D", MustTrump),
        ("9D KH 8H", "7S JH", "8H", MustOvertrump),
        ("9D KH 8H", "JO JH", "8H", MustOvertrump),
        ("9D KH 8H", "7H JH", "8H", MustBeat),
    ],
)
def test_duties_of_the_last_nine_tricks(
    hand: str, trick: str, card: str, error: type[Refused]
) -> None:
    state = reply(hand, trick)
    by_name = refusal(error, state.play_card, 0, one(card))
    by_id = refusal(error, state.apply_move, one(card).type)
    assert str(by_name) == str(by_id)
    assert one(card).type not in [move.id for move in by_id.legal]


def test_what_is_no_meld() -> None:
    state = position("KH QH QD KH QS JD AH AD")
    marriage = state.declare
    for cards in ("KH QD", "KH", "KH QH KH", "KH KH", ""):
        refusal(NotAMeld, marriage, 0, pick(cards), Kind.MARRIAGE)
    twice = (one("QS"), one("QS"), one("JD"), one("JD"))
    refusal(NotAMeld, state.declare, 0, twice, Kind.DOUBLE_BEZIQUE)
    refusal(NotAMeld, state.declare, 0, (one("AH"),) * 4, Kind.ACES)
    error = refusal(NotAMeld, state.declare, 0, pick("QS JD"), Kind.DOUBLE_BEZIQUE)
    assert error.reason == "double bezique is not made of: QS.0 JD.0"
    assert error.move == Move(-1, "meld double bezique")


def test_other_refusals_of_melds() -> None:
    aces = "AH AD JO JO.1"
    refusal(TooManyJokers, position(aces).declare, 0, pick(aces), Kind.ACES)
    kings = "KH KD KC KS"
    again = position("9D", kings, used=used(KINGS=kings))
    refusal(AlreadyMelded, again.declare, 0, pick(kings), Kind.KINGS)
    beside = position("QH.1", "KH QH", used=used(KINGS="KH", QUEENS="QH"))
    refusal(NothingFromHand, beside.declare, 0, pick("KH QH"), Kind.MARRIAGE)
    assert beside.declare(0, pick("KH QH.1"), Kind.MARRIAGE).round.points == (40, 0)
    done = position("7H 7H").declare(0, pick("7H"), Kind.SEVEN)
    refusal(MeldDone, done.declare, 0, pick("7H.1"), Kind.SEVEN)


def test_refusals_of_the_swap() -> None:
    refusal(NoSeven, position("AH", "7H").swap_seven, 0)
    refusal(NoSeven, position("7D").swap_seven, 0)
    for seven in ("7H.1", "7D"):
        error = refusal(SevenTurnedUp, position("7H", turned_up=one(seven)).swap_seven, 0)
        assert error.reason == f"{seven[:2]}.{one(seven).pack} is turned up"
    refusal(SevenTurnedUp, position("7H 7H").swap_seven(0).swap_seven, 0)


# Moves by id


@pytest.mark.parametrize(
    ("state", "action", "error"),
    [
        (position("KH QH 7H"), one("KH").type, WrongPhase),
        (position("KH QH 7H"), 33 + one("KH").type, WrongPhase),
        (position("KH", phase=Phase.PLAY), one("QH").type, CardNotHeld),
        (position("KH", phase=Phase.PLAY), 33 + one("KH").type, CardNotHeld),
        (position("", "KH", phase=Phase.PLAY), one("KH").type, CardNotHeld),
        (position("KH", phase=Phase.PLAY), DONE, WrongPhase),
        (position("AH"), SWAP, NoSeven),
        (position("KH QH", phase=Phase.PLAY), FIRST_MELD + 3, WrongPhase),
        (position("KH QH"), FIRST_MELD + 2, NotAMeld),
        (position("9D", "KH QH"), FIRST_MELD + 3, NotAMeld),
        (position("KH QH", melded=True), FIRST_MELD + 3, MeldDone),
    ],
)
def test_moves_are_refused_by_name(state: BeziqueState, action: int, error: type[Refused]) -> None:
    refused = refusal(error, state.apply_move, action)
    assert isinstance(refused.move, Move)
    assert refused.move.id == action
    assert refused.move.name == state.spec.move_name(action)
    assert refused.legal == state.legal_moves()
    with pytest.raises(IllegalMoveError):
        state.cards_of(action)


def test_a_play_from_the_table_is_named_as_such() -> None:
    error = refusal(CardNotHeld, position("KH", phase=Phase.PLAY).apply_move, 33 + one("KH").type)
    assert error.reason == "no such card is on the table"


@pytest.mark.parametrize("move", [-1, 84, Move(66, "swap"), Move(66, "")])
def test_what_is_no_action(move: Move | int) -> None:
    with pytest.raises(IllegalMoveError) as raised:
        position("KH QH").apply_move(move)
    assert not isinstance(raised.value, Refused)


def test_every_illegal_action_is_refused_and_every_legal_one_is_not() -> None:
    for players in (2, 4):
        rng = random.Random(players)
        state = bezique(players=players, rounds=1).initial_state(seed=3)
        while not state.is_terminal():
            legal = {move.id for move in state.legal_moves()}
            for action in rng.sample(range(84), 12):
                if action in legal:
                    assert state.apply_move(action) != state
                else:
                    with pytest.raises(Refused):
                        state.apply_move(action)
            state = state.apply_move(rng.choice(sorted(legal)))
        with pytest.raises(IllegalMoveError, match="the game is over"):
            state.apply_move(66)
        refusal(WrongPhase, state.done, 0)


# The way in


def test_one_source_of_cards() -> None:
    with pytest.raises(ValueError, match="one source of cards is needed, not seed and deck"):
        bezique().initial_state(seed=0, deck=list(range(132)))
    with pytest.raises(ValueError, match="seed: must be 0 or more, got -1"):
        bezique().initial_state(seed=-1)


@pytest.mark.parametrize(
    ("deck", "said"),
    [
        (list(range(131)), "deck: 132 cards are needed, got 131"),
        ([0, *range(131)], "deck: card 0 occurs more than once"),
        ([132, *range(131)], "deck: there is no card 132 in this game"),
    ],
)
def test_bad_decks(deck: list[int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        bezique().initial_state(deck=deck)
    with pytest.raises(ValueError, match=said.replace("deck", "deck of round 4")):
        bezique().initial_state(decks=lambda n: deck, round=4)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"dealer": 2}, r"dealer: must be in 0\.\.1, got 2"),
        ({"dealer": -1}, r"dealer: must be in 0\.\.1, got -1"),
        ({"round": 100}, r"round: must be in 0\.\.99, got 100"),
        ({"round": -1}, r"round: must be in 0\.\.99, got -1"),
        ({"scores": (0, 0, 0)}, r"scores: must be 2 whole numbers, 0 or more, got \(0, 0, 0\)"),
        ({"scores": (0, -10)}, r"scores: must be 2 whole numbers, 0 or more, got \(0, -10\)"),
        ({"scores": (0, 0.5)}, r"scores: must be 2 whole numbers, 0 or more, got \(0, 0\.5\)"),
    ],
)
def test_bad_facts_of_the_table(table: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        bezique().initial_state(seed=0, **table)


def test_other_bad_input() -> None:
    with pytest.raises(ValueError, match=r"round: must be in 0\.\.2, got 3"):
        bezique(rounds=3).initial_state(seed=0, round=3)
    with pytest.raises(TypeError, match="no keyword 'leader' here; the table has: dealer, round, "):
        bezique().initial_state(seed=0, leader=1)
    state = bezique().initial_state(seed=0)
    with pytest.raises(ValueError, match="bezique has no layout 'compact'; there is: full"):
        state.observation(0, "compact")
    with pytest.raises(ValueError, match="there is no action 84; ids end at 83"):
        bezique().move_name(84)
    with pytest.raises(RuntimeError, match="not over"):
        state.returns()
    with pytest.raises(ValueError, match=r"no card is called 'AS'; names are like AS\.0"):
        BeziqueCard.from_name("AS")
    with pytest.raises(RuntimeError, match="reset"):
        GameEnv(bezique()).step(0)
