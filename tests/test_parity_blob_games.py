"""Whole games of Blob on the reference engine: what always holds, memory, and the scenarios."""

import random
from collections.abc import Callable, Iterator
from itertools import chain, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talonax.configs.blob.schema import Rules
from talonax.configs.rules import build
from talonax.parity import IllegalMoveError, Move, play_random_episode
from talonax.parity.blob import BlobSpec, BlobState
from talonax.parity.blob_pack import IDS
from talonax.parity.blob_round import Phase
from talonax.parity.cards import Card

#: Rules that open what the default closes, from three players to eight.
RULES: list[dict[str, Any]] = [
    {},
    {"players": 3, "cards": 6, "trumps": ["none"], "hook": False, "reward": "relative"},
    {"players": 3, "cards": 3, "rounds": "full", "score": "exact_or_tricks"},
    {"players": 8, "cards": 2, "rounds": "full", "dealer": 5, "first_round": 3},
    {"players": 5, "cards": 1, "trumps": ["D", "H"], "reward": "normalised", "first_round": 1},
]
every_rules = pytest.mark.parametrize("flags", RULES, ids=str)


def blob(flags: dict[str, Any]) -> BlobSpec:
    return BlobSpec(build(Rules, flags, "test"))


# Episodes


@every_rules
def test_an_episode_keeps_the_promises(flags: dict[str, Any]) -> None:
    made = blob(flags)
    for seed in range(3):
        episode = play_random_episode(made, seed)
        assert episode == play_random_episode(made, seed)
        for state, move in zip(episode.states[:-1], episode.moves, strict=True):
            _check_open_state(made, state, move)
        end = episode.states[-1]
        assert end.is_terminal()
        assert (end.current_player(), end.legal_moves()) == (-1, ())
        assert end.facts()["current_player"] == -1
        totals = tuple(map(sum, zip(*episode.rewards, strict=True)))
        assert end.returns() == pytest.approx(totals)


def _check_open_state(made: BlobSpec, state: Any, move: Move) -> None:
    ids = [option.id for option in state.legal_moves()]
    assert ids
    assert ids == sorted(set(ids))
    assert set(ids) <= set(range(made.num_actions))
    for option in state.legal_moves():
        assert option.name in made.move_name(option.id).split(" or ")
    assert state.apply_move(move) == state.apply_move(move.id)
    assert made.move(move.id, state) == move
    for action in set(range(-1, made.num_actions + 1)) - set(ids):
        with pytest.raises(IllegalMoveError):
            state.apply_move(action)


@every_rules
def test_steps_by_name_are_the_moves_by_id(flags: dict[str, Any]) -> None:
    for before, after in pairwise(play_random_episode(blob(flags), 4).states):
        assert isinstance(before, BlobState)
        player = before.current_player()
        move = next(m for m in before.legal_moves() if before.apply_move(m) == after)
        if before.round.phase is Phase.BIDDING:
            assert move.name == f"bid {move.id}"
            assert before.bid(player, move.id) == after
        else:
            assert before.play(player, Card.from_name(move.name)) == after


@settings(max_examples=60, deadline=None)
@given(
    players=st.integers(3, 8),
    cards=st.integers(1, 17),
    deck=st.permutations(range(52)),
    dealer=st.integers(0, 2),
    index=st.integers(0, 9),
    hook=st.booleans(),
    rng=st.randoms(use_true_random=False),
)
def test_what_holds_of_every_round(
    players: int,
    cards: int,
    deck: list[int],
    dealer: int,
    index: int,
    hook: bool,
    rng: random.Random,
) -> None:
    cards = min(cards, 52 // players)
    state = blob({"players": players, "cards": cards, "hook": hook}).initial_state(
        deck=deck, dealer=dealer, round=index
    )
    turns = []
    while not state.is_terminal():
        turns.append(state.current_player())
        _check_legal(state)
        state = state.apply_move(rng.choice(state.legal_moves()))
    ended = state.round
    assert turns[:players] == [(dealer + 1 + seat) % players for seat in range(players)]
    assert len(turns) == players * (1 + cards)
    assert sum(ended.tricks) == len(ended.completed) == cards
    assert not hook or sum(ended.bids_made) != cards
    assert sorted(IDS[card] for card in chain(*ended.played)) == sorted(deck[: players * cards])
    for seat, (bid, won) in enumerate(zip(ended.bids_made, ended.tricks, strict=True)):
        assert state.returns()[seat] == (10 + bid if bid == won else 0)
    _check_tricks(state)


def _check_legal(state: BlobState) -> None:
    facts, names = state.facts(), [move.name for move in state.legal_moves()]
    player, hand = state.current_player(), state.round.hands[state.current_player()]
    if facts["phase"] == 0:
        left = state.round.size - sum(state.round.bids_made)
        hooked = state.spec.rules.hook and player == facts["dealer"]
        wanted = [b for b in range(state.round.size + 1) if not (hooked and b == left)]
        assert names == [f"bid {number}" for number in wanted]
        return
    led = state.round.trick.cards[0].suit if state.round.trick.cards else None
    following = [card.name for card in hand if card.suit == led]
    assert names == (following or [card.name for card in hand])


def _check_tricks(state: BlobState) -> None:
    """Who leads, and who wins: no card beats the winner's."""
    ended, order = state.round, "23456789TJQKA"
    leader = (ended.dealer + 1) % ended.players
    for trick, winner in zip(ended.completed, ended.winners, strict=True):
        assert trick.leader == leader
        best = trick.cards[(winner - leader) % ended.players]
        for card in trick.cards:
            if card.suit == best.suit:
                assert order.index(card.name[0]) <= order.index(best.name[0])
            else:
                assert card.suit != ended.trump
        assert best.suit in (ended.trump, trick.cards[0].suit)
        leader = winner


# What is remembered


@every_rules
def test_information_states_are_equal_iff_the_games_look_equal(flags: dict[str, Any]) -> None:
    """Cards change places in the deck of some deal, and the same is played."""
    alike = {True: 0, False: 0}
    for seed in range(60):
        rng = random.Random(seed)
        walk = _random_walk(blob(flags), seed, rng)
        player = rng.randrange(walk[0].spec.num_players)
        for _ in range(6):
            other = _replayed(walk, rng)
            if other is None:
                continue
            looks = [(_look(a, player), _look(b, player)) for a, b in zip(walk, other, strict=True)]
            same = all(mine == yours for mine, yours in looks)
            alike[same] += 1
            ours, theirs = walk[-1].information_state(player), other[-1].information_state(player)
            assert (ours == theirs) == same
            assert not same or hash(ours) == hash(theirs)
    assert min(alike.values()) > 4


def _random_walk(made: BlobSpec, seed: int, rng: random.Random) -> list[BlobState]:
    walk = [made.initial_state(seed=seed)]
    for _ in range(rng.randrange(2, 30)):
        if not walk[-1].is_terminal():
            walk.append(walk[-1].apply_move(rng.choice(walk[-1].legal_moves())))
    return walk


def _replayed(walk: list[BlobState], rng: random.Random) -> list[BlobState] | None:
    """Return the same actions with two cards of one deal exchanged, if they are legal."""
    first, changed = walk[0], rng.randrange(walk[-1].deal + 1)
    deck = list(first.decks(changed))
    dealt = range(first.spec.num_players * first.plan[first.done + changed])
    one, other = rng.choice(dealt), rng.randrange(len(deck))
    deck[one], deck[other] = deck[other], deck[one]

    def decks(number: int) -> list[int]:
        return deck if number == changed else list(first.decks(number))

    states = [first.spec.initial_state(decks=decks)]
    for before, after in pairwise(walk):
        action = next(m.id for m in before.legal_moves() if before.apply_move(m) == after)
        if action not in [move.id for move in states[-1].legal_moves()]:
            return None
        states.append(states[-1].apply_move(action))
    return states


def _look(state: BlobState, player: int) -> tuple[Any, ...]:
    """Return what a player sees of a position."""
    mine = state.legal_moves() if state.current_player() == player else ()
    seen = state.observation(player), state.to_tensor(player), mine, state.current_player()
    return *seen, state.is_terminal(), state.rewards()


def test_information_state_of_events() -> None:
    made = blob({"players": 3, "cards": 2, "trumps": ["none", "H"], "rounds": "full"})
    deck = [12, 11, 25, 0, 1, 13]
    state = made.initial_state(deck=deck, dealer=2, scores=(5, 0, 7))
    for action in (1, 0, 0, 12, 11, 25):
        state = state.apply_move(action)
    begun = (("start", 5, 0, 7), ("round", 0, 2, 2, -1))
    bids = (("bid", 0, 1), ("bid", 1, 0), ("bid", 2, 0))
    played = (("play", 0, 12), ("play", 1, 11), ("play", 2, 25), ("trick", 0))
    assert state.information_state(1) == (
        1,
        *begun,
        ("dealt", 1, (1, 11)),
        bids[0],
        ("my turn", 1, (0, 1, 2)),
        *bids[1:],
        played[0],
        ("my turn", 1, (1, 11)),
        *played[1:],
        ("to move", 0, ()),
    )
    assert state.information_state(0)[-1] == ("to move", 0, (0,))
    assert ("my turn", 2, (0, 2)) in state.information_state(2)
    assert ("dealt", 0, (0, 12)) not in state.information_state(2)
    for action in (0, 1, 13):
        state = state.apply_move(action)
    events = state.information_state(2)[1:]
    assert [event for event in events if event[0] in ("round", "scores")] == (
        [("round", 0, 2, 2, -1), ("scores", 16, 0, 17), ("round", 1, 1, 0, 1)]
    )
    assert events.index(("dealt", 2, (13, 25))) < events.index(("scores", 16, 0, 17))
    assert [event[0] for event in events[-3:]] == ["round", "dealt", "to move"]


def test_the_scores_at_the_start_are_remembered() -> None:
    one, other = (blob({}).initial_state(seed=3, scores=scores) for scores in ([0] * 4, [1] * 4))
    assert one.information_state(0) != other.information_state(0)


# Scenarios


def _walk(made: BlobSpec, name: str, seed: int) -> Iterator[BlobState]:
    rng = random.Random(seed)
    state = made.initial_state(seed=seed)
    yield state
    while not state.is_terminal():
        move = made.scenarios[name].choose(state, rng)
        assert move in state.legal_moves()
        state = state.apply_move(move)
        yield state


@every_rules
def test_scenarios_reach_their_places(flags: dict[str, Any]) -> None:
    made = blob(flags)
    for name, scenario in made.scenarios.items():
        found = any(
            scenario.reached(state) for seed in range(150) for state in _walk(made, name, seed)
        )
        assert found, f"{name}: {scenario.what}"


def test_scenarios_follow_the_flags() -> None:
    hooks = {"hooked_at_0", "hooked_at_all", "unhooked"}
    tricks = {"trumped", "overtrumped", "two_voids"}
    assert set(blob({}).scenarios) == hooks | tricks | {"nobody_makes_it"}
    free = {"hook": False}
    assert set(blob(free).scenarios) == tricks | {"nobody_makes_it", "all_make_it"}
    plain = {"trumps": ["S", "none"], "first_round": 1, "hook": False, "cards": 1}
    assert set(blob(plain).scenarios) == {"no_trump", "nobody_makes_it", "all_make_it"}
    full = hooks | tricks | {"hooked_with_one_card", "no_trump", "nobody_makes_it", "tie"}
    assert set(blob({"rounds": "full"}).scenarios) == full | {"whole"}
    late = {"rounds": "full", "first_round": 6, "trumps": ["none", "S"], "cards": 3}
    assert set(blob(late).scenarios) == full
    last = {"rounds": "full", "first_round": 8, "trumps": ["S", "H"], "cards": 3}
    assert set(blob(last).scenarios) == full - {"no_trump", "hooked_with_one_card"}


def _facts_there(name: str, flags: dict[str, Any]) -> list[dict[str, Any]]:
    made = blob(flags)
    there = [
        state.facts()
        for seed in range(20)
        for state in _walk(made, name, seed)
        if made.scenarios[name].reached(state)
    ]
    assert there, name
    return there


def _left(facts: dict[str, Any]) -> int:
    assert facts["current_player"] == facts["dealer"]
    assert facts["bids"].count(-1) == 1
    return int(facts["cards"] - sum(facts["bids"]) - 1)


@pytest.mark.parametrize(
    ("name", "flags", "check"),
    [
        ("hooked_at_0", {}, lambda f: _left(f) == 0),
        ("hooked_at_all", {}, lambda f: _left(f) == f["cards"]),
        ("hooked_with_one_card", {"cards": 1}, lambda f: _left(f) in (0, 1) and f["cards"] == 1),
        ("unhooked", {}, lambda f: _left(f) < 0),
        ("no_trump", {"trumps": ["none"]}, lambda f: f["trump"] == -1 and any(f["voids"])),
        ("trumped", {"trumps": ["C"]}, lambda f: any(v & ~4 for v in f["voids"])),
        ("overtrumped", {}, lambda f: sum(map(bool, (v & ~1 for v in f["voids"]))) > 1),
        ("two_voids", {}, lambda f: max(v.bit_count() for v in f["voids"]) > 1),
        ("nobody_makes_it", {}, lambda f: all(b != t for b, t in _bids_and_tricks(f))),
        ("all_make_it", {"hook": False}, lambda f: all(b == t for b, t in _bids_and_tricks(f))),
        (
            "tie",
            {"rounds": "full", "cards": 1},
            lambda f: f["phase"] == 2 and sorted(f["scores"])[-1] == sorted(f["scores"])[-2],
        ),
        ("whole", {"rounds": "full", "cards": 2}, lambda f: f["phase"] == 2 and f["done"] == 7),
    ],
)
def test_scenarios_by_their_own_account(
    name: str, flags: dict[str, Any], check: Callable[[dict[str, Any]], bool]
) -> None:
    assert all(map(check, _facts_there(name, flags)))


@pytest.mark.parametrize("cards", [1, 5])
def test_hooks_are_reached_in_every_game(cards: int) -> None:
    made = blob({"cards": cards})
    for name in {"hooked_at_0", "hooked_at_all", "unhooked", "hooked_with_one_card"}:
        if name in made.scenarios:
            for seed in range(30):
                states = _walk(made, name, seed)
                assert any(map(made.scenarios[name].reached, states)), (name, seed)


def _is_there(name: str, state: BlobState) -> bool:
    """Return whether a position is at a place, by its facts."""
    facts = state.facts()
    if name in ("nobody_makes_it", "all_make_it", "tie"):
        if facts["phase"] != 2:
            return False
        made = [bid == tricks for bid, tricks in _bids_and_tricks(facts)]
        best = sorted(state.scores)[-2:]
        return {"nobody_makes_it": not any(made), "all_make_it": all(made)}.get(
            name, best[0] == best[1]
        )
    if facts["phase"] != 0 or facts["current_player"] != facts["dealer"]:
        return False
    left = _left(facts)
    return {"hooked_at_0": left == 0, "hooked_at_all": left == state.round.size}.get(name, left < 0)


@pytest.mark.parametrize(
    ("names", "flags"),
    [
        (("hooked_at_0", "hooked_at_all", "unhooked", "nobody_makes_it"), {"cards": 2}),
        (("all_make_it", "nobody_makes_it"), {"cards": 1, "players": 3, "hook": False}),
        (("tie",), {"rounds": "full", "cards": 1, "players": 3}),
    ],
)
def test_places_are_told_from_others_in_random_games(
    names: tuple[str, ...], flags: dict[str, Any]
) -> None:
    made = blob(flags)
    told = {(name, answer): 0 for name in names for answer in (True, False)}
    for seed in range(60):
        for state in play_random_episode(made, seed).states:
            assert isinstance(state, BlobState)
            for name in names:
                answer = made.scenarios[name].reached(state)
                assert answer == _is_there(name, state), (name, seed)
                told[name, answer] += 1
    assert all(told.values()), told


def _bids_and_tricks(facts: dict[str, Any]) -> Iterator[tuple[int, int]]:
    assert facts["phase"] == 2
    return zip(facts["bids"], facts["tricks"], strict=True)
