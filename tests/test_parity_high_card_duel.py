"""The reference engine of High Card Duel: recorded games, field cases, literal positions."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from talonax.parity import CardTensor, GameEnv, Move, play_random_episode, spec
from talonax.parity.cards import ALL_CARDS, NUM_RANKS, NUM_SUITS, Card, Rank, Suit
from talonax.parity.high_card_duel import PLANES, HighCardDuelSpec, HighCardDuelState, strength

DUEL = spec("high_card_duel")
WITHOUT_JOKERS = spec("high_card_duel", include_jokers=False)
VARIANTS = {"m02_56": DUEL, "head52": WITHOUT_JOKERS}


@pytest.fixture(scope="module")
def golden(shared: Path) -> list[dict[str, Any]]:
    with gzip.open(shared / "golden" / "high_card_duel_seed.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def dealt(first: str, second: str, *, jokers: bool = True) -> HighCardDuelState:
    game = DUEL if jokers else WITHOUT_JOKERS
    assert isinstance(game, HighCardDuelSpec)
    return HighCardDuelState(game, (Card.from_name(first), Card.from_name(second)))


def played(state: HighCardDuelState) -> HighCardDuelState:
    return state.apply_move(0).apply_move(0)


# Recorded games


def test_recorded_enums(golden: list[dict[str, Any]]) -> None:
    for record in (record for record in golden if record["type"] == "enums"):
        assert [suit.name for suit in Suit] == record["suits"]
        assert [rank.name for rank in Rank] == record["ranks"]
        assert list(range(1, NUM_RANKS + 1)) == record["rank_auto_values"]
        assert [NUM_SUITS, NUM_RANKS, len(ALL_CARDS)] == record["counts"]
        values = [record["values"][str(card.index)] for card in ALL_CARDS]
        ours = [strength(card) for card in ALL_CARDS]
        order = {value: place for place, value in enumerate(sorted(set(values)))}
        assert [order[value] for value in values] == ours


@pytest.mark.parametrize("variant", VARIANTS)
def test_recorded_episodes(golden: list[dict[str, Any]], variant: str) -> None:
    episodes = [r for r in golden if r["type"] == "episode" and r["variant"] == variant]
    assert len(episodes) > 100
    for record in episodes:
        game = VARIANTS[variant]
        episode = play_random_episode(game, record["seed"])
        states = episode.states
        assert [[move.id, move.name] for move in episode.moves] == record["moves"]
        assert [state.current_player() for state in states] == record["players"]
        assert [state.is_terminal() for state in states] == record["terminal"]
        assert [state.facts()["hands"] for state in states] == [record["hands"]] * 3
        assert [state.facts()["revealed"] for state in states] == record["revealed"]
        assert list(states[-1].returns()) == record["rewards"]
        assert episode.rewards == ((0.0, 0.0), states[-1].returns())
        for tensor in record.get("tensors", []):
            _compare_tensor(states[tensor["state"]].to_tensor(tensor["player"]), tensor, variant)


def _compare_tensor(tensor: CardTensor, record: dict[str, Any], variant: str) -> None:
    assert list(tensor.data.shape) == record["shape"]
    assert list(tensor.plane_names) == record["planes"]
    for name in PLANES:
        recorded = _cells(record["flat_hex"][name])
        if record["true_indices"]:
            assert np.flatnonzero(recorded).tolist() == record["true_indices"][name]
        if variant == "head52" and name == "unseen":
            # The recording counts Jokers as unseen though its deck has none.
            recorded &= [card.rank != Rank.JOKER for card in ALL_CARDS]
        assert tensor.flat_plane(name).tolist() == recorded.tolist()


def _cells(flat_hex: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    bits = f"{int(flat_hex, 16):0{len(ALL_CARDS)}b}"
    return np.array([bit == "1" for bit in bits])


def _grid(planes: int, dtype: type = np.bool_) -> np.ndarray[Any, Any]:
    return np.zeros((NUM_SUITS, NUM_RANKS, planes), dtype=dtype)


def _overlap() -> CardTensor:
    return CardTensor(np.ones_like(_grid(2)), ("a", "b"))


def _write() -> None:
    CardTensor.empty(("a",)).data[0, 0, 0] = True


ERRORS: dict[str, Callable[[], object]] = {
    "step before reset": lambda: GameEnv(DUEL).step(0),
    "returns before terminal": lambda: DUEL.initial_state(seed=0).returns(),
    "illegal id": lambda: DUEL.initial_state(seed=0).apply_move(Move(1, "reveal")),
    "illegal name": lambda: DUEL.initial_state(seed=0).apply_move(Move(0, "x")),
    "move after terminal": lambda: played(dealt("AS", "KS")).apply_move(Move(0, "reveal")),
    "exclusive overlap": lambda: _overlap().validate_exclusive_planes(["a", "b"]),
    "partition overlap": lambda: _overlap().validate_partition(["a", "b"]),
    "partition missing": lambda: CardTensor.empty(("a", "b")).validate_partition(["a", "b"]),
    "unknown plane in validate": lambda: _overlap().validate_partition(["a", "zz"]),
    "unknown plane": lambda: _overlap().plane("zz"),
    "bad plane name": lambda: CardTensor.empty(("Bad-Name",)),
    "write": _write,
    "bad index 56": lambda: Card.from_index(56),
    "bad index -1": lambda: Card.from_index(-1),
    "flat size 55": lambda: CardTensor.from_flat_plane("a", np.zeros(55, dtype=np.bool_)),
    "int dtype": lambda: CardTensor(_grid(1, np.int64), ("a",)),
    "shape mismatch": lambda: CardTensor(_grid(2), ("a",)),
}
#: What our own wording has in common with the recorded one.
SAID = {
    "illegal id": "1 (reveal)",
    "illegal name": "0 (x)",
    "move after terminal": "over",
    "unknown plane": "zz",
    "bad plane name": "Bad-Name",
    "write": "read-only",
    "bad index 56": "Card index must be in [0, 55], got 56",
    "bad index -1": "Card index must be in [0, 55], got -1",
    "flat size 55": "55",
    "int dtype": "int64",
    "shape mismatch": "(4, 14, 2)",
}


@pytest.mark.parametrize("situation", ERRORS)
def test_recorded_errors(golden: list[dict[str, Any]], situation: str) -> None:
    for record in (record for record in golden if record["type"] == "errors"):
        recorded = {name: message.partition(":")[0] for name, message in record["cases"]}
        assert set(ERRORS) == set(recorded)
        with pytest.raises((ValueError, KeyError, TypeError, RuntimeError)) as raised:
            ERRORS[situation]()
        assert type(raised.value).__name__ == recorded[situation]
        assert SAID.get(situation, "") in str(raised.value)


# Field cases


@pytest.mark.parametrize(
    ("first", "second", "returns"),
    [
        ("AS", "AH", (0, 0)),
        ("2C", "AD", (-1, 1)),
        ("TD", "9S", (1, -1)),
        ("KH", "KC", (0, 0)),
    ],
)
def test_H01_equal_ranks_are_a_tie(first: str, second: str, returns: tuple[int, int]) -> None:
    assert played(dealt(first, second, jokers=False)).returns() == returns


def _shares(cards: list[Card], *, jokers: bool) -> tuple[float, float, float]:
    outcomes = [
        played(dealt(first.name, second.name, jokers=jokers)).returns()[0]
        for first in cards
        for second in cards
        if first != second
    ]
    total = len(outcomes)
    return outcomes.count(1) / total, outcomes.count(0) / total, outcomes.count(-1) / total


def test_H02_exact_shares_without_jokers() -> None:
    """The case's other half, two Jokers in the deck, is no rule of ours: there are four or none."""
    assert isinstance(WITHOUT_JOKERS, HighCardDuelSpec)
    shares = _shares(WITHOUT_JOKERS.cards, jokers=False)
    assert shares == pytest.approx((0.470588235, 0.058823529, 0.470588235))


def test_exact_shares_with_four_jokers() -> None:
    tie = NUM_RANKS * 4 * 3 / (56 * 55)
    shares = _shares(list(ALL_CARDS), jokers=True)
    assert shares == pytest.approx(((1 - tie) / 2, tie, (1 - tie) / 2))


def test_H03_a_card_is_seen_once_it_is_revealed() -> None:
    states = [dealt("7D", "QS", jokers=False)]
    for _ in range(2):
        states.append(states[-1].apply_move(0))
    assert [len(state.legal_moves()) for state in states] == [1, 1, 0]
    assert [state.current_player() for state in states] == [0, 1, -1]
    assert [_seen(state, 0) for state in states] == [{"7D"}, {"7D"}, {"7D", "QS"}]
    assert [_seen(state, 1) for state in states] == [{"QS"}, {"QS", "7D"}, {"QS", "7D"}]


def _seen(state: HighCardDuelState, player: int) -> set[str]:
    tensor = state.to_tensor(player)
    return {c.name for plane in PLANES[:2] for c in tensor.cards_in_plane(plane)}


def test_every_shared_case_is_tested(shared: Path) -> None:
    cases = json.loads((shared / "cases" / "rule_cases.json").read_text())
    ids = {case["id"] for case in cases if case["game"] == "highcard"}
    assert ids == {"H01", "H02", "H03"}


# Literal positions


@pytest.mark.parametrize(
    ("higher", "lower"), [("JOS", "AH"), ("AS", "KS"), ("KD", "QD"), ("TC", "9C"), ("3H", "2S")]
)
def test_order_of_ranks(higher: str, lower: str) -> None:
    assert played(dealt(higher, lower)).rewards() == (1.0, -1.0)
    assert played(dealt(lower, higher)).rewards() == (-1.0, 1.0)


def test_facts() -> None:
    state = dealt("AH", "JOC")
    assert state.facts() == {"current_player": 0, "hands": [14, 55], "revealed": [0, 0]}
    after = state.apply_move(Move(0, "reveal"))
    assert after.facts() == {"current_player": 1, "hands": [14, 55], "revealed": [1, 0]}
    assert after.rewards() == (0.0, 0.0)


def test_observation_is_the_planes() -> None:
    state = dealt("2S", "AS").apply_move(0)
    for player in (0, 1):
        tensor = state.to_tensor(player)
        tensor.validate_partition(PLANES)
        assert state.observation(player) == tensor.data.astype(float).ravel().tolist()
    assert state.observation(1)[:6] == [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
    with pytest.raises(ValueError, match="'compact'; there is: full"):
        state.observation(0, "compact")


def test_the_deck_without_jokers() -> None:
    state = dealt("2S", "AS", jokers=False)
    assert isinstance(WITHOUT_JOKERS, HighCardDuelSpec)
    state.to_tensor(0).validate_partition(PLANES, WITHOUT_JOKERS.cards)
    without = [card.index for card in WITHOUT_JOKERS.cards]
    assert len(without) == 52
    assert WITHOUT_JOKERS.initial_state(deck=without[::-1]).facts()["hands"] == [54, 53]
    with pytest.raises(ValueError, match="deck: there is no card 13 in this game"):
        WITHOUT_JOKERS.initial_state(deck=[13, *without[1:]])


@pytest.mark.parametrize(
    ("deck", "said"),
    [
        (range(55), "deck: 56 cards are needed, got 55"),
        ([0, 0, *range(2, 56)], "deck: card 0 occurs more than once"),
        ([*range(55), 56], "deck: there is no card 56"),
    ],
)
def test_bad_decks(deck: list[int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        DUEL.initial_state(deck=deck)


def test_sources_of_a_deck() -> None:
    order = list(range(56))
    by_deck = DUEL.initial_state(deck=order)
    assert DUEL.initial_state(decks=lambda number: order[number:] + order[:number]) == by_deck
    assert DUEL.initial_state() == DUEL.initial_state(seed=0)
    assert DUEL.initial_state(seed=1) != DUEL.initial_state(seed=0)
    with pytest.raises(ValueError, match="not seed and deck"):
        DUEL.initial_state(seed=1, deck=order)
    with pytest.raises(TypeError, match="'leader'"):
        DUEL.initial_state(leader=1)


def test_action_names() -> None:
    assert (DUEL.id, DUEL.num_players, DUEL.num_actions) == ("high_card_duel", 2, 1)
    assert DUEL.move_name(0) == "reveal"
    with pytest.raises(ValueError, match="no action 1"):
        DUEL.move_name(1)


def test_information_states_differ_iff_the_player_can_tell() -> None:
    one, other = dealt("7D", "QS"), dealt("7D", "2C")
    assert one.information_state(0) == other.information_state(0)
    assert one.information_state(1) != other.information_state(1)
    assert played(one).information_state(0) != played(other).information_state(0)
    assert hash(one.information_state(0)) == hash(other.information_state(0))
    assert one.apply_move(0).information_state(1) != one.information_state(1)


def test_tie_is_a_scenario() -> None:
    tie = DUEL.scenarios["tie"]
    assert not tie.reached(dealt("AS", "AH"))
    assert tie.reached(played(dealt("AS", "AH")))
    assert not tie.reached(played(dealt("AS", "KS")))
