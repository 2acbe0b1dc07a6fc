"""What the reference engine of Snapszer refuses, and what it says then."""

from typing import Any

import pytest

from talonax.configs.rules import RulesError
from talonax.parity import GameEnv, IllegalMoveError, Move, spec
from talonax.parity.snapszer import SnapszerSpec, SnapszerState, deal_mt19937

# Ids: S 0..4, H 5..9, D 10..14, C 15..19, each A 10 K Q J. Spades against hearts, JD turned up.
PLAIN_DECK = [*range(5), *range(5, 10), 14, 10, 15, 11, 16, 12, 17, 13, 18, 19]


def snapszer(profile: str | None = None, **flags: Any) -> SnapszerSpec:
    made = spec("snapszer", profile, **flags)
    assert isinstance(made, SnapszerSpec)
    return made


# Errors


@pytest.mark.parametrize(
    ("deck", "said"),
    [
        (range(19), "deck: 20 cards are needed, got 19"),
        ([1, 1, *range(2, 20)], "deck: card 1 occurs more than once"),
        ([*range(19), 20], "deck: there is no card 20"),
        ([*range(19), -1], "deck: there is no card -1"),
    ],
)
def test_bad_decks(deck: list[int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        snapszer().initial_state(deck=deck)
    with pytest.raises(ValueError, match=said):
        snapszer().initial_state(decks=lambda number: deck)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"seed": -1}, "seed: must be in"),
        ({"seed": 2**32}, "seed: must be in"),
        ({"seed": 0, "deck": PLAIN_DECK}, "not seed and deck"),
        ({"deck": PLAIN_DECK, "decks": lambda n: PLAIN_DECK}, "not deck and decks"),
        ({"leader": 2}, "leader: must be 0 or 1, got 2"),
        ({"leader": 0, "first_leader": 0}, "the same thing"),
        ({"scores": (0, 0)}, "scores: there are none"),
    ],
)
def test_bad_tables(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        snapszer().initial_state(**arguments)


@pytest.mark.parametrize("scores", [(7, 0), (0, -1), (1,), (1, 2, 3)])
def test_bad_scores(scores: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"scores: must be two numbers in 0\.\.6"):
        snapszer(match=7).initial_state(scores=scores)


def test_unknown_facts_and_flags() -> None:
    with pytest.raises(TypeError, match=r"'dealer'.*leader, first_leader, scores"):
        snapszer().initial_state(dealer=1)
    with pytest.raises(RulesError, match="no such flag"):
        snapszer(bidding=True)
    with pytest.raises(ValueError, match="seed: must be in"):
        deal_mt19937(-1)


def test_no_source_means_seed_0() -> None:
    assert snapszer().initial_state() == snapszer().initial_state(seed=0)


@pytest.mark.parametrize("move", [5, 20, 22, -1, Move(0, "TS"), Move(22, "declare KS")])
def test_illegal_moves(move: Move | int) -> None:
    state = snapszer().initial_state(deck=PLAIN_DECK)
    with pytest.raises(IllegalMoveError, match=r"legal are: 0 \(AS\), 1 \(TS\)") as raised:
        state.apply_move(move)
    assert raised.value.legal == state.legal_moves()
    assert state == snapszer().initial_state(deck=PLAIN_DECK)


def test_an_illegal_id_is_named() -> None:
    with pytest.raises(IllegalMoveError, match=r"^move 20 \(exchange\) is not legal"):
        snapszer().initial_state(deck=PLAIN_DECK).apply_move(20)


def test_unknown_actions_have_no_name() -> None:
    for action in (-1, 22):
        with pytest.raises(ValueError, match="no action"):
            snapszer().move_name(action)
    assert [snapszer().move_name(action) for action in (0, 19, 20, 21)] == [
        "AS",
        "JC",
        "exchange",
        "close",
    ]


def test_a_position_does_not_change() -> None:
    state = snapszer().initial_state(deck=PLAIN_DECK)
    with pytest.raises(AttributeError):
        state.scores = (1, 1)  # type: ignore[misc]
    with pytest.raises(AttributeError):
        state.deal.points = (1, 1)  # type: ignore[misc]
    with pytest.raises(TypeError, match="luck"):
        state.with_deal(luck=1)


def test_env() -> None:
    env = GameEnv(snapszer())
    state = env.reset(deck=PLAIN_DECK)
    assert state == snapszer().initial_state(deck=PLAIN_DECK)
    done = False
    while not done:
        state, rewards, done = env.step(state.legal_moves()[0])
    assert rewards == state.returns()
    with pytest.raises(IllegalMoveError, match="the game is over"):
        env.step(0)
    assert isinstance(env.reset(seed=1), SnapszerState)
