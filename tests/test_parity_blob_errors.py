"""What the reference engine of Blob refuses, and what it says then."""

from typing import Any

import pytest

from talonax.configs.blob.schema import Rules
from talonax.configs.rules import build
from talonax.parity import GameEnv, IllegalMoveError, Move
from talonax.parity.blob import (
    BlobSpec,
    BlobState,
    HookedBid,
    IllegalBid,
    NotInHand,
    OutOfTurn,
    Revoke,
)
from talonax.parity.cards import Card

#: Two cards for each of three: 2S 5H, 3S 6H, 4S 7S.
DECK = [0, 1, 2, 16, 17, 5]


def blob(**flags: Any) -> BlobSpec:
    return BlobSpec(build(Rules, {"players": 3, "cards": 2, **flags}, "test"))


def start(**flags: Any) -> BlobState:
    """Return the plain deal; seat 0 begins, seat 2 is the dealer."""
    return blob(**flags).initial_state(deck=DECK, dealer=2)


def playing() -> BlobState:
    return start().bid(0, 0).bid(1, 0).bid(2, 1)


def card(name: str) -> Card:
    return Card.from_name(name)


# Decks and tables


@pytest.mark.parametrize(
    ("deck", "said"),
    [
        (range(5), "deck: 6 cards at least are needed, got 5"),
        ([1, 1, *range(2, 6)], "deck: card 1 occurs more than once"),
        ([*range(52), 3], "deck: card 3 occurs more than once"),
        ([*range(51), 52], "deck: there is no card 52"),
        ([-1, *range(51)], "deck: there is no card -1"),
    ],
)
def test_bad_decks(deck: list[int], said: str) -> None:
    with pytest.raises(ValueError, match=f"^{said}"):
        blob().initial_state(deck=deck)
    with pytest.raises(ValueError, match=f"^{said}"):
        blob().initial_state(decks=lambda number: deck)


def test_a_bad_later_deck_is_numbered() -> None:
    decks = {0: range(52), 1: range(2)}
    state = blob(rounds="full").initial_state(decks=decks.__getitem__)
    while sum(map(len, state.round.hands)) > 1:
        state = state.apply_move(state.legal_moves()[0])
    with pytest.raises(ValueError, match=r"^deck of deal 1: 3 cards at least are needed, got 2"):
        state.apply_move(state.legal_moves()[0])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"seed": -1}, "seed: must be 0 or more, got -1"),
        ({"seed": 0, "deck": DECK}, "not seed and deck"),
        ({"deck": DECK, "decks": lambda n: DECK}, "not deck and decks"),
        ({"dealer": 3}, r"dealer: must be in 0\.\.2, got 3"),
        ({"dealer": -1}, r"dealer: must be in 0\.\.2, got -1"),
        ({"round": -1}, "round: must be a whole number from 0 up, got -1"),
        ({"round": 0.5}, r"round: must be a whole number from 0 up, got 0\.5"),
        ({"cards": 0}, r"cards: must be in 1\.\.2, the rules' `cards`, got 0"),
        ({"cards": 3}, r"cards: must be in 1\.\.2, the rules' `cards`, got 3"),
        ({"scores": (0, 0)}, r"scores: must be 3 whole numbers from 0 up, got \(0, 0\)"),
        ({"scores": (0, 0, -1)}, "scores: must be 3 whole numbers from 0 up"),
        ({"scores": (0, 0, 0.5)}, "scores: must be 3 whole numbers from 0 up"),
    ],
)
def test_bad_tables(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        blob().initial_state(**arguments)


def test_a_full_game_fixes_the_cards_by_the_round() -> None:
    full = blob(rounds="full")
    with pytest.raises(ValueError, match=r"^cards: got 1, but in a full game the round says"):
        full.initial_state(cards=1, round=1)
    with pytest.raises(ValueError, match=r"^cards: got 2, but in a full game"):
        full.initial_state(cards=2)
    with pytest.raises(ValueError, match=r"^round: must be in 0\.\.5, got 6"):
        full.initial_state(round=6)
    with pytest.raises(ValueError, match=r"^round: must be in 0\.\.5, got -1"):
        full.initial_state(round=-1)
    assert full.initial_state(round=5).done == 5
    assert blob().initial_state(round=600, cards=2).round.index == 600


def test_unknown_facts_and_layouts() -> None:
    with pytest.raises(TypeError, match=r"'leader'.*dealer, round, cards, scores"):
        blob().initial_state(leader=1)
    with pytest.raises(ValueError, match="no layout 'long'; there are: full, compact"):
        start().observation(0, "long")


# Bids


@pytest.mark.parametrize("number", [3, -1, 60])
def test_illegal_bids(number: int) -> None:
    said = rf"^bid {number} is not legal: a bid is 0\.\.2; legal are: 0 \(bid 0\), 1 \(bid 1\)"
    with pytest.raises(IllegalBid, match=said) as raised:
        start().bid(0, number)
    assert not isinstance(raised.value, HookedBid)
    assert raised.value.legal == start().legal_moves()


def test_hooked_bids() -> None:
    state = start().bid(0, 1).bid(1, 0)
    said = r"^bid 1 is not legal: the dealer may not .* 2, the cards dealt; legal are: 0 \(bid 0\)"
    with pytest.raises(HookedBid, match=said):
        state.bid(2, 1)
    with pytest.raises(HookedBid):
        state.apply_move(1)
    assert issubclass(HookedBid, IllegalBid)
    assert start(hook=False).bid(0, 1).bid(1, 0).bid(2, 1).round.bids == (1, 0, 1)


# Play


def test_cards_not_held() -> None:
    said = r"^3S is not legal: player 0 does not hold it; legal are: 0 \(2S\), 16 \(5H\)"
    with pytest.raises(NotInHand, match=said):
        playing().play(0, card("3S"))
    with pytest.raises(NotInHand, match="JOS is not legal"):
        playing().play(0, card("JOS"))


def test_revokes() -> None:
    state = playing().play(0, card("2S"))
    said = r"^6H is not legal: player 1 holds spades, which were led; legal are: 1 \(3S\)$"
    with pytest.raises(Revoke, match=said):
        state.play(1, card("6H"))
    with pytest.raises(Revoke):
        state.apply_move(17)
    with pytest.raises(Revoke):
        state.apply_move(Move(17, "6H"))


# Turns and phases


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (lambda: start().bid(1, 0), "bid 0 is not legal: player 0 is to move, not 1"),
        (lambda: start().play(0, card("2S")), "2S is not legal: the phase is: bidding"),
        (lambda: playing().bid(0, 1), "bid 1 is not legal: the phase is: playing"),
        (lambda: playing().play(2, card("4S")), "4S is not legal: player 0 is to move, not 2"),
    ],
)
def test_out_of_turn(step: Any, said: str) -> None:
    with pytest.raises(OutOfTurn, match=f"^{said}; legal are: "):
        step()


def test_nothing_is_legal_when_the_game_is_over() -> None:
    state = playing()
    for name in ("2S", "3S", "7S", "4S", "5H", "6H"):
        state = state.play(state.current_player(), card(name))
    assert state.is_terminal()
    for move in (0, Move(0, "2S"), 99):
        with pytest.raises(IllegalMoveError, match="the game is over"):
            state.apply_move(move)
    with pytest.raises(OutOfTurn, match="the phase is: over; legal are: nothing"):
        state.play(2, card("4S"))


# Moves by id


def test_moves_carry_the_name_of_their_phase() -> None:
    assert start().apply_move(Move(1, "bid 1")) == start().apply_move(1) == start().bid(0, 1)
    assert playing().apply_move(Move(0, "2S")) == playing().play(0, card("2S"))
    for state, move in [(start(), Move(0, "2S")), (playing(), Move(0, "bid 0"))]:
        with pytest.raises(IllegalMoveError) as raised:
            state.apply_move(move)
        assert type(raised.value) is IllegalMoveError
        assert raised.value.legal == state.legal_moves()


@pytest.mark.parametrize(
    ("action", "error", "move"),
    [
        (3, IllegalBid, Move(3, "bid 3")),
        (51, IllegalBid, Move(51, "bid 51")),
        (52, IllegalMoveError, 52),
        (-1, IllegalMoveError, -1),
    ],
)
def test_illegal_ids_while_bidding(
    action: int, error: type[IllegalMoveError], move: Move | int
) -> None:
    with pytest.raises(IllegalMoveError) as raised:
        start().apply_move(action)
    assert type(raised.value) is error
    assert raised.value.move == move
    with pytest.raises(IllegalMoveError):
        start().spec.move(action, start())


def test_an_illegal_id_while_playing() -> None:
    with pytest.raises(NotInHand) as raised:
        playing().apply_move(3)
    assert raised.value.move == Move(3, "5S")


def test_names_of_actions() -> None:
    made = blob()
    assert made.num_actions == 52
    assert [made.move_name(action) for action in (0, 2, 3, 51)] == (
        ["bid 0 or 2S", "bid 2 or 4S", "5S", "AD"]
    )
    for action in (-1, 52):
        with pytest.raises(ValueError, match=f"there is no action {action}; ids end at 51"):
            made.move_name(action)


# Ends


@pytest.mark.parametrize("what", ["returns", "winner"])
def test_there_is_no_outcome_before_the_end(what: str) -> None:
    with pytest.raises(RuntimeError, match=f"^{what}: the game is not over yet"):
        getattr(playing(), what)()


def test_a_position_has_only_its_own_fields() -> None:
    with pytest.raises(TypeError, match="colour"):
        start().with_round(colour=1)


def test_an_env_needs_a_deal_and_takes_a_deck() -> None:
    env = GameEnv(blob())
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)
    assert env.reset(deck=DECK) == blob().initial_state(deck=DECK)
    with pytest.raises(IllegalBid):
        env.step(3)
    state, rewards, done = env.step(2)
    assert (state.current_player(), rewards, done) == (2, (0.0, 0.0, 0.0), False)
