"""What a player of Snapszer sees and remembers: observations, planes, information states."""

import itertools
import random
from typing import Any

import pytest

from talonax.parity import CardTensor, spec
from talonax.parity.snapszer import SnapszerSpec, SnapszerState
from talonax.parity.snapszer_view import NUM_PARTITION_PLANES, PLANES

# Ids: S 0..4, H 5..9, D 10..14, C 15..19, each A 10 K Q J. Spades against hearts, JD turned up.
PLAIN_DECK = [*range(5), *range(5, 10), 14, 10, 15, 11, 16, 12, 17, 13, 18, 19]


def snapszer(profile: str | None = None, **flags: Any) -> SnapszerSpec:
    made = spec("snapszer", profile, **flags)
    assert isinstance(made, SnapszerSpec)
    return made


def play(state: SnapszerState, *names: str) -> SnapszerState:
    for name in names:
        moves = {move.name: move for move in state.legal_moves()}
        state = state.apply_move(moves[name])
    return state


# What is seen


def test_compact_observation() -> None:
    state = play(snapszer().initial_state(deck=PLAIN_DECK), "KS", "JH", "TS")
    assert state.facts()["marriages"] == [1, 0]
    mine, yours = state.observation(0, "compact"), state.observation(1, "compact")
    assert len(mine) == len(yours) == 80
    assert [i for i, value in enumerate(mine[:64]) if value] == [0, 3, 4, 10, 21, 62]
    assert [i for i, value in enumerate(yours[:64]) if value] == [5, 6, 7, 8, 15, 21, 62]
    points = (20 + 4 + 2) / 120
    assert mine[64:] == pytest.approx([0, 0, 0.7, 0.8, points, 0, 0.1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    assert yours[64:] == pytest.approx([0, 0, 0.7, 0.8, 0, points, 0, 0.1, 1, 0, 0, 0, 0, 0, 0, 0])


def test_compact_observation_of_a_closed_talon() -> None:
    state = snapszer().initial_state(deck=PLAIN_DECK).apply_move(21)
    assert state.observation(0, "compact")[64:] == [1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0]
    assert state.observation(1, "compact")[64:] == [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0]


def test_full_observation_adds_what_is_known() -> None:
    state = play(snapszer().initial_state(deck=PLAIN_DECK), "KS", "JH")
    state = state.with_deal(pending=(20, 40))
    seen = state.observation(1)
    assert seen[:80] == state.observation(1, "compact")
    added = seen[80:]
    assert [i for i, value in enumerate(added[:80]) if value] == [14, 20 + 9, 40 + 2, 60 + 3]
    assert added[80:] == pytest.approx([0, 0, 0, 0, 1, 0, 0, 0, 40 / 120, 20 / 120])
    closed = snapszer().initial_state(deck=PLAIN_DECK).apply_move(21)
    assert closed.observation(0)[80 + 14] == 1.0


def test_observation_with_nines() -> None:
    state = snapszer(nines=True).initial_state(deck=range(24))
    assert len(state.observation(0, "compact")) == 92
    assert len(state.observation(0)) == 92 + 4 * 24 + 10
    assert state.observation(0, "compact")[78:80] == [1.1, 1.2]


def test_unknown_layout() -> None:
    with pytest.raises(ValueError, match="'tiny'; there are: compact, full"):
        snapszer().initial_state(seed=0).observation(0, "tiny")


def test_planes() -> None:
    state = play(snapszer().initial_state(deck=PLAIN_DECK), "KS", "JH", "QS")
    tensor = state.to_tensor(1)
    assert tensor.plane_names == PLANES
    shown = {name: {card.name for card in tensor.cards_in_plane(name)} for name in PLANES}
    assert shown == {
        "my_hand": {"AH", "TH", "KH", "QH", "AC"},
        "table": {"QS"},
        "played": {"KS", "JH"},
        "turned_up": {"JD"},
        "opponent_known": set(),
        "unseen": {*["AS", "TS", "JS", "AD", "TD", "KD", "QD", "TC", "KC", "QC", "JC"]},
        "trump": {*["AD", "TD", "KD", "QD", "JD"]},
    }
    assert {card.name for card in state.to_tensor(0).cards_in_plane("my_hand")} == {
        *["AS", "TS", "JS", "AD"]
    }
    after_marriage = play(snapszer().initial_state(deck=PLAIN_DECK), "KS")
    known = after_marriage.to_tensor(1).cards_in_plane("opponent_known")
    assert [card.name for card in known] == ["QS"]


@pytest.mark.parametrize("profile", ["hungarian", "base", "austrian", "vu"])
@pytest.mark.parametrize("nines", [False, True])
def test_planes_and_facts_hold_through_random_games(profile: str, nines: bool) -> None:
    game = snapszer(profile, nines=nines)
    for seed in range(20):
        rng = random.Random(seed)
        state = game.initial_state(seed=seed)
        while not state.is_terminal():
            state = state.apply_move(rng.choice(state.legal_moves()))
            _check_cards(state)


def _check_cards(state: SnapszerState) -> None:
    deal = state.deal
    everything = [*deal.hands[0], *deal.hands[1], *deal.stock, *deal.played[0], *deal.played[1]]
    everything += [deal.turned_up] if deal.turned_up else []
    assert sorted(deal.pack.ids[card] for card in everything) == list(range(deal.pack.size))
    for player in (0, 1):
        tensor: CardTensor = state.to_tensor(player)
        tensor.validate_partition(PLANES[:NUM_PARTITION_PLANES], deal.pack.cards)
        assert deal.known[player] <= set(deal.hands[player])


@pytest.mark.parametrize("profile", ["hungarian", "austrian", "vu"])
def test_nothing_that_a_player_sees_depends_on_hidden_cards(profile: str) -> None:
    for seed in range(20):
        rng = random.Random(seed)
        state = snapszer(profile).initial_state(seed=seed)
        while not state.is_terminal():
            state = state.apply_move(rng.choice(state.legal_moves()))
            for player in (0, 1):
                other = _with_hidden_cards_shuffled(state, player, rng)
                for layout in ("compact", "full"):
                    assert state.observation(player, layout) == other.observation(player, layout)
                assert state.to_tensor(player) == other.to_tensor(player)
                assert state.information_state(player) == other.information_state(player)


def _with_hidden_cards_shuffled(
    state: SnapszerState, player: int, rng: random.Random
) -> SnapszerState:
    deal, opponent = state.deal, 1 - player
    secret = [card for card in deal.hands[opponent] if card not in deal.known[opponent]]
    hidden = [*secret, *deal.stock]
    rng.shuffle(hidden)
    hand = (*hidden[: len(secret)], *deal.known[opponent])
    hands = (hand, deal.hands[1]) if opponent == 0 else (deal.hands[0], hand)
    return state.with_deal(hands=hands, stock=tuple(hidden[len(secret) :]))


# What is remembered


def _both(deck_a: list[int], deck_b: list[int], *names: str) -> tuple[SnapszerState, SnapszerState]:
    game = snapszer()
    return tuple(play(game.initial_state(deck=deck), *names) for deck in (deck_a, deck_b))  # type: ignore[return-value]


def test_information_states_are_equal_until_a_difference_is_seen() -> None:
    swapped = list(PLAIN_DECK)
    swapped[11], swapped[12] = swapped[12], swapped[11]
    before = _both(PLAIN_DECK, swapped, "JS")
    for player in (0, 1):
        one, other = (state.information_state(player) for state in before)
        assert one == other
        assert hash(one) == hash(other)
    drawn = _both(PLAIN_DECK, swapped, "JS", "QH")
    for player in (0, 1):
        assert drawn[0].information_state(player) != drawn[1].information_state(player)


@pytest.mark.parametrize("profile", ["hungarian", "austrian", "vu"])
def test_information_states_are_equal_iff_the_games_look_equal(profile: str) -> None:
    """Hidden cards change places in the deck, the same actions are played again."""
    alike = {True: 0, False: 0}
    for seed in range(40):
        rng = random.Random(seed)
        walk = _walk([snapszer(profile).initial_state(seed=seed)], rng, rng.randrange(1, 14))
        player = rng.randrange(2)
        for _ in range(10):
            other = _replayed(walk, _deck_with_hidden_cards_moved(walk, player, rng))
            if other is None:
                continue
            same = all(
                _look(a, player) == _look(b, player) for a, b in zip(walk, other, strict=True)
            )
            alike[same] += 1
            ours, theirs = walk[-1].information_state(player), other[-1].information_state(player)
            assert (ours == theirs) == same
    assert min(alike.values()) > 5


def _walk(states: list[SnapszerState], rng: random.Random, steps: int) -> list[SnapszerState]:
    while len(states) <= steps and not states[-1].is_terminal():
        states.append(states[-1].apply_move(rng.choice(states[-1].legal_moves())))
    return states


def _deck_with_hidden_cards_moved(
    walk: list[SnapszerState], player: int, rng: random.Random
) -> list[int]:
    """Return the deck with four cards, not in the player's first hand nor turned up, mixed."""
    deal = walk[0].deal
    order = [*deal.hands[0], *deal.hands[1], *([deal.turned_up] if deal.turned_up else [])]
    deck = [deal.pack.ids[card] for card in (*order, *deal.stock)]
    theirs = range(5, 10) if player == 0 else range(5)
    places = rng.sample([*theirs, *range(11, 20)], 4)
    moved = [deck[place] for place in places]
    rng.shuffle(moved)
    for place, card in zip(places, moved, strict=True):
        deck[place] = card
    return deck


def _replayed(walk: list[SnapszerState], deck: list[int]) -> list[SnapszerState] | None:
    """Return the same actions played from another deck, if they are legal there."""
    states = [walk[0].spec.initial_state(deck=deck)]
    for before, after in itertools.pairwise(walk):
        action = _action_between(before, after)
        if action not in {move.id for move in states[-1].legal_moves()}:
            return None
        states.append(states[-1].apply_move(action))
    return states


def _action_between(before: SnapszerState, after: SnapszerState) -> int:
    return next(m.id for m in before.legal_moves() if before.apply_move(m) == after)


def _look(state: SnapszerState, player: int) -> tuple[Any, ...]:
    """Return what a player sees of a position: observation, planes, own choices, rewards."""
    mine = state.legal_moves() if state.current_player() == player else ()
    seen = state.observation(player), state.to_tensor(player), mine
    return *seen, state.is_terminal(), state.rewards()


def test_a_draw_is_seen_by_who_draws() -> None:
    swapped = list(PLAIN_DECK)
    swapped[12], swapped[13] = swapped[13], swapped[12]
    one, other = _both(PLAIN_DECK, swapped, "JS", "QH")
    assert one.information_state(0) == other.information_state(0)
    assert one.information_state(1) != other.information_state(1)


def test_information_state_remembers_the_order_of_events() -> None:
    first = play(snapszer().initial_state(deck=PLAIN_DECK), "AS", "JH", "TS", "QH")
    second = play(snapszer().initial_state(deck=PLAIN_DECK), "TS", "QH", "AS", "JH")
    assert first.facts()["played"] == second.facts()["played"]
    for player in (0, 1):
        assert first.information_state(player) != second.information_state(player)


def test_information_state_of_public_events() -> None:
    game = snapszer().initial_state(deck=PLAIN_DECK)
    closed, open_ = play(game, "close", "AS"), play(game, "AS")
    assert closed.information_state(1) != open_.information_state(1)
    assert ("close", 0) in closed.information_state(1)
    seen = play(game, "KS").information_state(1)
    assert ("marriage", 0, 2, 20) in seen
    assert ("play", 0, 2) in seen
    assert seen[-1] == ("to move", 1, (5, 6, 7, 8, 9))
    assert play(game, "KS").information_state(0)[-1] == ("to move", 1, ())
    assert ("my turn", (0, 1, 2, 3, 4, 21)) in play(game, "KS").information_state(0)
    assert ("my turn", (0, 1, 2, 3, 4, 21)) not in seen


def test_information_state_goes_on_through_a_match() -> None:
    one, other = (_second_deal(random.Random(seed)) for seed in (0, 1))
    assert one.deal == other.deal
    for player in (0, 1):
        assert one.information_state(player) != other.information_state(player)
        assert one.past[player][0][0] == "dealt"
        assert one.past[player][-1][0] == "end"


def _second_deal(rng: random.Random) -> SnapszerState:
    state = snapszer(match=7).initial_state(seed=0)
    while not state.deal_number:
        state = state.apply_move(rng.choice(state.legal_moves()))
    return state
