"""What a player of Blob sees: observations, planes, facts; and that hidden cards show nowhere."""

import random
from itertools import chain, islice
from typing import Any

import pytest

from talonax.configs.blob.schema import Rules
from talonax.configs.rules import build
from talonax.parity.blob import BlobSpec, BlobState
from talonax.parity.blob_pack import CARDS, IDS, in_order
from talonax.parity.blob_view import NUM_PARTITION_PLANES, PLANES
from talonax.parity.cards import Card

#: Rules that open what the default closes, from three players to eight.
RULES: list[dict[str, Any]] = [
    {},
    {"players": 3, "cards": 17, "trumps": ["none"]},
    {"players": 3, "cards": 3, "rounds": "full", "hook": False, "reward": "relative"},
    {"players": 8, "cards": 2, "rounds": "full", "score": "exact_or_tricks", "dealer": 5},
    {"players": 5, "cards": 1, "trumps": ["D"], "reward": "normalised"},
]
every_rules = pytest.mark.parametrize("flags", RULES, ids=str)


def blob(**flags: Any) -> BlobSpec:
    return BlobSpec(build(Rules, flags, "test"))


def ids(text: str) -> list[int]:
    return [IDS[Card.from_name(name)] for name in text.split()]


def deal(*hands: str, dealer: int, **flags: Any) -> BlobState:
    """Return a round of these hands."""
    made = blob(players=len(hands), cards=len(hands[0].split()), **flags)
    return made.initial_state(deck=list(chain(*zip(*map(ids, hands), strict=True))), dealer=dealer)


def do(state: BlobState, *what: int | str) -> BlobState:
    """Return the position after bids, given as numbers, and cards, by their names."""
    for each in what:
        name = f"bid {each}" if isinstance(each, int) else each
        moves = {move.name: move for move in state.legal_moves()}
        state = state.apply_move(moves[name])
    return state


def entries(
    state: BlobState, player: int, first: int = 0, last: int = 255, layout: str = "compact"
) -> dict[int, float]:
    """Return what is not zero of an observation, by index."""
    seen = state.observation(player, layout)
    return {index: seen[index] for index in range(first, last + 1) if seen[index]}


# Three players of two cards; seat 0 begins, seat 2 deals; hearts are trumps.
HANDS = ("AS 3H", "KS QH", "2C AH")


def start(**flags: Any) -> BlobState:
    return deal(*HANDS, dealer=2, **{"trumps": ["H"], **flags})


# Compact


def test_compact_of_the_deal() -> None:
    nobody_bid = {156: -1.0, 157: -1.0, 158: -1.0, 172: -1.0}
    common = {174: 2 / 13, 177: 3 / 8, 179: 1.0, 183: 1.0, 186: 2 / 13, **nobody_bid}
    assert entries(start(), 0) == pytest.approx(
        {
            **dict.fromkeys(ids("AS 3H"), 1.0),
            **common,
            176: 1 / 3,
            **{191: 1 / 13, 192: 1 / 13, 193: 1 / 13, 196: 1.0, 200: 1 / 12, 201: -1.0},
        }
    )
    assert entries(start(), 1) == pytest.approx(
        {
            **dict.fromkeys(ids("KS QH"), 1.0),
            **common,
            176: 2 / 3,
            **{191: 1 / 13, 192: 1 / 13, 193: 1 / 13, 196: 0.5, 200: 10 / 12, 201: -1.0},
        }
    )
    assert entries(start(), 2) == pytest.approx(
        {
            **dict.fromkeys(ids("2C AH"), 1.0),
            **common,
            182: 1.0,
            **{191: 1 / 13, 193: 1 / 13, 194: 1 / 13, 197: 1.0, 200: 1.0, 201: 1.0},
        }
    )


def test_compact_of_bids() -> None:
    one = do(start(), 1)
    assert entries(one, 1, 156, 173) == {156: 0.5, 157: -1.0, 158: -1.0, 172: -1.0}
    assert entries(one, 0, 156, 173) == {156: 0.5, 157: -1.0, 158: -1.0, 172: 0.5}
    assert entries(one, 0, 189, 189) == {189: -0.5}
    none = do(start(), 0)
    assert entries(none, 1, 156, 173) == {157: -1.0, 158: -1.0, 172: -1.0}
    assert entries(none, 0, 156, 173) == {157: -1.0, 158: -1.0}
    assert entries(none, 0, 189, 189) == {}
    done = do(start(), 1, 0, 2)
    assert entries(done, 1, 156, 173) == {156: 0.5, 158: 1.0}
    assert entries(done, 2, 182, 185) == {184: 1.0}


def test_compact_of_the_hook() -> None:
    """Seen by the dealer alone, while the bids go round; -1 if nothing is forbidden."""
    seen = {(): 1.0, (1,): 0.5, (1, 1): 0.0, (2, 1): -1.0, (0, 0): 1.0}
    for bids, forbidden in seen.items():
        state = do(start(), *bids)
        assert state.observation(2, "compact")[201] == forbidden, bids
        assert state.observation(0, "compact")[201] == -1.0
        assert do(start(hook=False), *bids).observation(2, "compact")[201] == -1.0
    assert do(start(), 1, 0, 2).observation(2, "compact")[201] == -1.0


def test_compact_of_an_open_trick() -> None:
    state = do(start(), 1, 0, 2, "AS", "KS")
    table = {52 + 12: 1.0, 52 + 11: 2.0, 104 + 12: 1.0, 104 + 11: 1.0}
    for player in range(3):
        assert entries(state, player, 52, 155) == table
        assert entries(state, player, 190, 190) == {190: pytest.approx(2 / 3)}
        assert entries(state, player, 175, 175) == entries(state, player, 188, 188) == {}
    assert entries(state, 0, 186, 187) == pytest.approx({186: 1 / 13, 187: 1 / 13})
    assert entries(state, 2, 186, 187) == pytest.approx({186: 2 / 13})
    assert entries(state, 0, 0, 51) == {14: 1.0}


def test_compact_of_a_trick_won() -> None:
    state = do(start(), 1, 0, 2, "AS", "KS", "AH")
    played = {104 + card: 1.0 for card in ids("AS KS AH")}
    assert entries(state, 0, 52, 155) == played
    assert entries(state, 2, 164, 173) == {166: 0.5, 172: 1.0, 173: 0.5}
    assert entries(state, 0, 164, 173) == {166: 0.5, 172: 0.5}
    assert entries(state, 2, 174, 175) == {174: 2 / 13, 175: 0.5}
    assert entries(state, 2, 188, 190) == {188: 0.5, 189: -0.5}
    assert entries(state, 2, 191, 200) == pytest.approx({194: 1 / 13})


@pytest.mark.parametrize(
    ("trump", "index"), [("S", 178), ("H", 179), ("C", 180), ("D", 181), ("none", None)]
)
def test_compact_of_trumps(trump: str, index: int | None) -> None:
    state = deal("AS KS QH", "2S 3S 4S", "KC QC 2D", dealer=0, trumps=[trump])
    assert entries(state, 0, 178, 181) == ({index: 1.0} if index else {})
    kinds = {192: 2 / 13, 193: 1 / 13, 196: 1.0}
    own = {"S": {191: 2 / 13, 200: 11.5 / 12}, "H": {191: 1 / 13, 200: 10 / 12}}.get(trump, {})
    assert entries(state, 0, 191, 200) == pytest.approx({**kinds, **own})
    assert entries(state, 2, 192, 199) == pytest.approx({194: 2 / 13, 195: 1 / 13, 198: 0.5})


def test_compact_of_the_end() -> None:
    state = do(start(), 1, 0, 2, "AS", "KS", "AH", "2C", "3H", "QH")
    assert entries(state, 1, 0, 103) == {}
    assert entries(state, 1, 156, 201) == pytest.approx(
        {
            **{156: 0.5, 158: 1.0, 165: 0.5, 166: 0.5, 173: 0.5, 174: 2 / 13, 175: 1.0},
            **{176: 2 / 3, 177: 3 / 8, 179: 1.0, 185: 1.0, 187: 2 / 13, 188: 1.0},
            **{189: 0.5, 201: -1.0},
        }
    )


def test_a_single_round_tells_nothing_of_a_game() -> None:
    state = blob(first_round=3).initial_state(seed=0, scores=(9, 9, 9, 9))
    assert entries(state, 0, 202, 255) == {}


@pytest.mark.parametrize(
    ("done", "ones", "stage"),
    [(0, 1.0, 0), (1, 1.0, 0), (2, 1.0, 0.5), (3, 2 / 3, 0.5), (4, 1 / 3, 0.5), (5, 0, 1)],
)
def test_compact_of_a_full_game(done: int, ones: float, stage: float) -> None:
    """Plan: 2 1, 1 1 1, 2."""
    made = blob(players=3, cards=2, rounds="full")
    state = made.initial_state(seed=0, round=done, scores=(12, 0, 24))
    sizes = [1.0, 0.5, 0.5, 0.5, 0.5][:done]
    told = {
        202: 12 / (done * 12) if done else 0.0,
        204: 24 / (done * 12) if done else 0.0,
        **{210: done / 6, 211: 1 - done / 6, 212: ones, 213: stage, 229: 3 / 8, 230: 2 / 8},
        **{214 + number: size for number, size in enumerate(sizes)},
    }
    told = {index: value for index, value in told.items() if value}
    for player in range(3):
        assert entries(state, player, 202, 255) == pytest.approx(told)


def test_compact_of_a_full_game_at_its_end() -> None:
    state = blob(players=3, cards=1, rounds="full").initial_state(seed=0, round=3)
    while not state.is_terminal():
        state = state.apply_move(state.legal_moves()[-1])
    told = {202 + seat: score / (4 * 11) for seat, score in enumerate(state.scores) if score}
    told |= {210: 1.0, 213: 1.0, 214: 1.0, 215: 1.0, 216: 1.0, 217: 1.0, 229: 3 / 8, 230: 1 / 8}
    assert entries(state, 0, 202, 255) == pytest.approx(told)


def test_only_the_last_15_rounds_are_told() -> None:
    made = blob(players=8, cards=6, rounds="full")
    state = made.initial_state(seed=0, round=17)
    told = [4, 3, 2, *[1] * 9, 2, 3, 4]
    assert state.observation(0, "compact")[214:229] == [size / 6 for size in told]


# Full


@every_rules
def test_full_begins_with_compact_and_the_own_seat(flags: dict[str, Any]) -> None:
    state = blob(**flags).initial_state(seed=0)
    players = state.spec.num_players
    for player in range(players):
        seen = state.observation(player)
        assert seen == state.observation(player, "full")
        assert len(seen) == 264 + 56 * (players - 1)
        assert len(state.observation(player, "compact")) == 256
        assert seen[:256] == state.observation(player, "compact")
        assert seen[256:264] == [float(seat == player) for seat in range(8)]


def test_full_of_voids_and_cards_by_seat() -> None:
    state = do(start(), 1, 0, 2, "AS", "KS", "AH")
    assert entries(state, 0, 264, 263 + 112, "full") == {
        264 + 4 + 11: 1.0,
        **{320 + 0: 1.0, 320 + 4 + 25: 1.0},
    }
    assert entries(state, 1, 264, 263 + 112, "full") == {
        **{264 + 0: 1.0, 264 + 4 + 25: 1.0},
        320 + 4 + 12: 1.0,
    }
    assert entries(state, 2, 264, 263 + 112, "full") == {264 + 4 + 12: 1.0, 320 + 4 + 11: 1.0}


@pytest.mark.parametrize(("led", "suit"), [("2S", 0), ("2H", 1), ("2C", 2), ("2D", 3)])
def test_full_of_the_suit_shown_void(led: str, suit: int) -> None:
    other = "AH" if led == "2S" else "AS"
    state = do(deal(led, other, f"3{led[1]}", dealer=2, hook=False), 0, 0, 0, led, other)
    assert entries(state, 0, 264, 267, "full") == {264 + suit: 1.0}
    assert entries(state, 0, 320, 323, "full") == {}
    assert state.facts()["voids"] == [0, 2**suit, 0]


# Planes


def test_planes() -> None:
    state = do(start(), 1, 0, 2, "AS", "KS", "AH", "2C")
    shown = [
        {
            name: " ".join(card.name for card in in_order(tensor.cards_in_plane(name)))
            for name in PLANES
        }
        for tensor in map(state.to_tensor, range(3))
    ]
    trump = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"
    for player, hand in enumerate(("3H", "QH", "")):
        unseen = shown[player].pop("unseen").split()
        assert len(unseen) == 52 - 4 - len(hand.split())
        assert not {"AS", "KS", "AH", "2C", hand} & set(unseen)
        assert shown[player] == {
            "my_hand": hand,
            "table": "2C",
            "played": "KS AS AH",
            "trump": trump,
        }


def test_planes_without_trump() -> None:
    assert start(trumps=["none"]).to_tensor(0).cards_in_plane("trump") == ()


# Facts


def test_facts() -> None:
    state = do(start(), 1, 0, 2, "AS", "KS")
    assert list(state.facts().items()) == [
        ("current_player", 2),
        ("phase", 1),
        ("hands", [1 << 14, 0, 1 << 23, 0, (1 << 25) | (1 << 26), 0]),
        ("dealer", 2),
        ("round", 0),
        ("cards", 2),
        ("trump", 1),
        ("bids", [1, 0, 2]),
        ("tricks", [0, 0, 0]),
        ("table", [12, 11, -1]),
        ("leader", 0),
        ("played", [1 << 12, 0, 1 << 11, 0, 0, 0]),
        ("voids", [0, 0, 0]),
        ("scores", [0, 0, 0]),
        ("done", 0),
    ]
    won = do(state, "AH").facts()
    assert (won["leader"], won["tricks"], won["voids"]) == (2, [0, 0, 1], [0, 0, 1])
    assert won["table"] == [-1, -1, -1]


def test_facts_of_high_cards_and_no_bid() -> None:
    facts = do(deal("8C AD", "7C 2D", "2S 3S", dealer=1, trumps=["none"]), 0).facts()
    assert facts["hands"] == [0, (1 << 0) | (1 << 19), 1 << 31, 1 << 7, 3, 0]
    assert (facts["bids"], facts["trump"], facts["leader"]) == ([-1, -1, 0], -1, 2)


# What always holds


@every_rules
def test_cards_are_in_one_place_through_random_games(flags: dict[str, Any]) -> None:
    for seed in range(4):
        rng = random.Random(seed)
        state = blob(**flags).initial_state(seed=seed)
        while not state.is_terminal():
            state = state.apply_move(rng.choice(state.legal_moves()))
            everything = [*chain(*state.round.hands), *chain(*state.round.played)]
            size = state.spec.num_players * state.round.size
            assert len(everything) == len(set(everything)) == size
            for player in range(state.spec.num_players):
                state.to_tensor(player).validate_partition(PLANES[:NUM_PARTITION_PLANES], CARDS)


@every_rules
def test_nothing_that_a_player_sees_depends_on_hidden_cards(flags: dict[str, Any]) -> None:
    for seed in range(4):
        rng = random.Random(seed)
        state = blob(**flags).initial_state(seed=seed)
        while not state.is_terminal():
            state = state.apply_move(rng.choice(state.legal_moves()))
            for player in range(state.spec.num_players):
                other = _with_hidden_cards_shuffled(state, player, rng)
                for layout in ("full", "compact"):
                    assert state.observation(player, layout) == other.observation(player, layout)
                assert state.to_tensor(player) == other.to_tensor(player)


def _with_hidden_cards_shuffled(state: BlobState, player: int, rng: random.Random) -> BlobState:
    """Mix what a player cannot see: the hands of the others and the cards that were not dealt."""
    seen = {*state.round.hands[player], *chain(*state.round.played)}
    hidden = [card for card in CARDS if card not in seen]
    rng.shuffle(hidden)
    places = iter(hidden)
    hands = tuple(
        hand if seat == player else in_order(islice(places, len(hand)))
        for seat, hand in enumerate(state.round.hands)
    )
    return state.with_round(hands=hands)
