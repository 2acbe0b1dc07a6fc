"""The reference engines of Kuhn and Leduc poker: literal games, and all games against OpenSpiel."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import talonax.configs
from talonax.configs.kuhn_poker.schema import Rules as KuhnRules
from talonax.configs.leduc_poker.schema import Rules as LeducRules
from talonax.configs.rules import RulesError, build, read_yaml
from talonax.parity import GameSpec, GameState, IllegalMoveError, Move, play_random_episode
from talonax.parity import kuhn_poker as kuhn
from talonax.parity import leduc_poker as leduc

KUHN = kuhn.KuhnPokerSpec(KuhnRules())
LEDUC = leduc.LeducPokerSpec(LeducRules())
RULES = {"kuhn_poker": KuhnRules, "leduc_poker": LeducRules}
DECKS = {KUHN.id: 3, LEDUC.id: 6}
USED = {KUHN.id: 2, LEDUC.id: 3}
PLANES = {KUHN.id: kuhn.PLANES, LEDUC.id: leduc.PLANES}
CARDS = {KUHN.id: kuhn.CARDS, LEDUC.id: leduc.CARDS}
both = pytest.mark.parametrize("game", [KUHN, LEDUC], ids=lambda game: game.id)

KUHN_LETTERS = {"p": 0, "b": 1}
LEDUC_LETTERS = {"f": 0, "c": 1, "r": 2}


def kuhn_after(betting: str, cards: tuple[int, int] = (0, 1)) -> kuhn.KuhnPokerState:
    """Return the position after e.g. "pb"."""
    state = kuhn.KuhnPokerState(KUHN, cards)
    for letter in betting:
        state = state.apply_move(KUHN_LETTERS[letter])
    return state


def leduc_after(
    betting: str, cards: tuple[int, int] = (0, 2), public: int = 4
) -> leduc.LeducPokerState:
    """Return the position after e.g. "cc rc"; the space is for the reader."""
    state = leduc.LeducPokerState(LEDUC, cards, public)
    for letter in betting.replace(" ", ""):
        state = state.apply_move(LEDUC_LETTERS[letter])
    return state


def deals(game: GameSpec) -> Iterator[tuple[tuple[int, ...], GameState]]:
    """Yield every deal: the cards used, in order, and the position."""
    numbers = range(DECKS[game.id])
    for used in itertools.permutations(numbers, USED[game.id]):
        unused = [card for card in numbers if card not in used]
        yield used, game.initial_state(deck=[*used, *unused])


def positions(state: GameState) -> Iterator[GameState]:
    """Yield a position and all that can come of it."""
    yield state
    for move in state.legal_moves():
        yield from positions(state.apply_move(move))


# Rules as data


@pytest.mark.parametrize("name", RULES)
def test_the_profile_is_the_schema_without_flags(name: str) -> None:
    folder = Path(talonax.configs.__file__).parent / name
    assert build(RULES[name], read_yaml(folder / "standard.yaml"), name) == RULES[name]()
    with pytest.raises(RulesError, match=r"mine\.yaml: ante: no such flag"):
        build(RULES[name], {"ante": 2}, "mine.yaml")


# Kuhn poker


@pytest.mark.parametrize(
    ("betting", "cards", "returns"),
    [
        ("pp", (2, 0), (1, -1)),
        ("pp", (0, 1), (-1, 1)),
        ("bb", (1, 0), (2, -2)),
        ("bb", (1, 2), (-2, 2)),
        ("bp", (0, 2), (1, -1)),
        ("pbp", (2, 0), (-1, 1)),
        ("pbb", (2, 1), (2, -2)),
        ("pbb", (0, 1), (-2, 2)),
    ],
)
def test_kuhn_endings(betting: str, cards: tuple[int, int], returns: tuple[int, int]) -> None:
    for end in range(len(betting)):
        state = kuhn_after(betting[:end], cards)
        assert state.current_player() == end % 2
        assert not state.is_terminal()
        assert state.rewards() == (0, 0)
        assert [str(move) for move in state.legal_moves()] == ["0 (pass)", "1 (bet)"]
    state = kuhn_after(betting, cards)
    assert state.is_terminal()
    assert state.current_player() == -1
    assert state.legal_moves() == ()
    assert state.returns() == state.rewards() == returns


def test_kuhn_facts() -> None:
    deal = KUHN.initial_state(deck=[2, 0, 1])
    assert deal.facts() == {"current_player": 0, "cards": [2, 0], "bets": [-1, -1, -1]}
    passed = deal.apply_move(0).apply_move(1)
    assert passed.facts() == {"current_player": 0, "cards": [2, 0], "bets": [0, 1, -1]}
    assert passed.apply_move(1).facts() == {
        "current_player": -1,
        "cards": [2, 0],
        "bets": [0, 1, 1],
    }


def test_kuhn_observation() -> None:
    assert kuhn_after("", (2, 1)).observation(0) == [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert kuhn_after("pb", (2, 1)).observation(1) == [0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0]
    assert kuhn_after("pbb", (2, 1)).observation(0) == [1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1]


def test_kuhn_cards_are_spades_seen_at_a_showdown() -> None:
    assert [card.name for card in kuhn.CARDS] == ["JS", "QS", "KS"]
    assert _seen(kuhn_after("pb", (2, 0)), 0) == {"my_hand": "KS", "unseen": "JS QS"}
    assert _seen(kuhn_after("pbp", (2, 0)), 1) == {"my_hand": "JS", "unseen": "QS KS"}
    shown = {"my_hand": "JS", "opponent": "KS", "unseen": "QS"}
    assert _seen(kuhn_after("pbb", (2, 0)), 1) == shown
    assert _seen(kuhn_after("pp", (2, 0)), 1) == shown


def test_kuhn_information_states() -> None:
    assert kuhn_after("pb", (2, 0)).information_state(0) == (("hand", 0, 2), "pass", "bet")
    shown = (("hand", 1, 0), "bet", "bet", ("shown", 2))
    assert kuhn_after("bb", (2, 0)).information_state(1) == shown
    assert kuhn_after("bp", (2, 0)).information_state(1) == (("hand", 1, 0), "bet", "pass")


# Leduc poker


@pytest.mark.parametrize(
    ("betting", "cards", "public", "returns"),
    [
        ("rf", (0, 4), 2, (1, -1)),
        ("crf", (4, 0), 2, (-1, 1)),
        ("rrf", (4, 0), 2, (-3, 3)),
        ("crrf", (4, 0), 2, (3, -3)),
        ("cc rf", (0, 4), 2, (1, -1)),
        ("rc crf", (4, 0), 2, (-3, 3)),
        ("rrc rf", (4, 0), 2, (5, -5)),
        ("crrc rrf", (4, 0), 2, (-9, 9)),
        ("crrc crrf", (0, 4), 2, (9, -9)),
        ("cc cc", (4, 2), 0, (1, -1)),
        ("cc cc", (4, 2), 3, (-1, 1)),  # a pair of queens beats a king
        ("rc rc", (0, 4), 1, (7, -7)),  # and so does one of jacks
        ("rrc crrc", (3, 4), 0, (-13, 13)),
        ("crrc rrc", (5, 1), 4, (13, -13)),
        ("rrc rrc", (2, 3), 4, (0, 0)),  # suits do not count
        ("cc rc", (5, 4), 0, (0, 0)),
    ],
)
def test_leduc_endings(
    betting: str, cards: tuple[int, int], public: int, returns: tuple[int, int]
) -> None:
    state = leduc_after(betting, cards, public)
    assert state.is_terminal()
    assert state.current_player() == -1
    assert state.legal_moves() == ()
    assert state.returns() == state.rewards() == returns
    before = leduc_after(betting[:-1], cards, public)
    assert not before.is_terminal()
    assert before.rewards() == (0, 0)


@pytest.mark.parametrize(
    ("betting", "player", "legal", "pot"),
    [
        ("", 0, "cr", [1, 1]),
        ("c", 1, "cr", [1, 1]),
        ("r", 1, "fcr", [3, 1]),
        ("cr", 0, "fcr", [1, 3]),
        ("rr", 0, "fc", [3, 5]),
        ("crr", 1, "fc", [5, 3]),
        ("cc", 0, "cr", [1, 1]),
        ("crrc", 0, "cr", [5, 5]),
        ("rc c", 1, "cr", [3, 3]),
        ("rc r", 1, "fcr", [7, 3]),
        ("rc cr", 0, "fcr", [3, 7]),
        ("rrc rr", 0, "fc", [9, 13]),
        ("rrc crr", 1, "fc", [13, 9]),
    ],
)
def test_leduc_betting(betting: str, player: int, legal: str, pot: list[int]) -> None:
    state = leduc_after(betting)
    assert state.current_player() == player
    assert [move.id for move in state.legal_moves()] == [LEDUC_LETTERS[letter] for letter in legal]
    assert state.facts()["pot"] == pot


def test_leduc_facts() -> None:
    deal = LEDUC.initial_state(deck=[5, 0, 3, 1, 2, 4])
    facts = {"current_player": 0, "cards": [5, 0], "public": 3, "round": 0}
    assert deal.facts() == {**facts, "actions": [-1] * 8, "pot": [1, 1]}
    assert leduc_after("crrc r", (5, 0), 3).facts() == {
        **facts,
        "current_player": 1,
        "round": 1,
        "actions": [1, 2, 2, 1, 2, -1, -1, -1],
        "pot": [9, 5],
    }
    end = {**facts, "current_player": -1, "actions": [2, 0] + [-1] * 6, "pot": [3, 1]}
    assert leduc_after("rf", (5, 0), 3).facts() == end
    assert leduc_after("cc cc", (5, 0), 3).facts()["round"] == 1


def test_leduc_observation() -> None:
    own, public, none = [0, 0, 0, 0, 0, 1], [0, 0, 0, 1, 0, 0], [0, 0]
    call, rise = [1, 0], [0, 1]
    deal = leduc_after("", (5, 0), 3)
    assert deal.observation(0) == [1, 0, *own, *[0] * 22, 1 / 13, 1 / 13]
    state = leduc_after("rc r", (0, 5), 3)
    first, second = [*rise, *call, *none, *none], [*rise, *none, *none, *none]
    assert state.observation(1) == [0, 1, *own, *public, *first, *second, 3 / 13, 7 / 13]
    folded = state.apply_move(leduc.FOLD)
    assert folded.observation(1) == state.observation(1)


def test_leduc_a_fold_in_the_first_round_keeps_the_public_card_hidden() -> None:
    state = leduc_after("rf", (0, 5), 3)
    assert state.observation(0)[8:14] == [0] * 6
    assert _seen(state, 0) == {"my_hand": "JS", "unseen": "QS KS JH QH KH"}


def test_leduc_cards_are_seen_when_turned_up_and_shown() -> None:
    assert [card.name for card in leduc.CARDS] == ["JS", "JH", "QS", "QH", "KS", "KH"]
    turned_up = {"my_hand": "KH", "public": "QH", "unseen": "JS QS KS JH"}
    assert _seen(leduc_after("cc", (0, 5), 3), 1) == turned_up
    assert _seen(leduc_after("cc rf", (0, 5), 3), 1) == turned_up
    shown = {**turned_up, "opponent": "JS", "unseen": "QS KS JH"}
    assert _seen(leduc_after("cc cc", (0, 5), 3), 1) == shown


def test_leduc_information_states() -> None:
    state = leduc_after("crc", (0, 5), 3)
    before = leduc_after("cr", (0, 5), 3)
    assert before.information_state(1) == (("hand", 1, 5), "call", "raise")
    assert state.information_state(0) == (("hand", 0, 0), "call", "raise", "call", ("public", 3))
    end = state.apply_move(1).apply_move(1)
    assert end.information_state(0)[5:] == ("call", "call", ("shown", 5))
    assert leduc_after("cc rf").information_state(0)[-1] == "fold"


# Both


def _seen(state: GameState, player: int) -> dict[str, str]:
    """Return the cards of each plane that is not empty."""
    tensor = state.to_tensor(player)
    planes = {name: tensor.cards_in_plane(name) for name in tensor.plane_names}
    return {name: " ".join(card.name for card in cards) for name, cards in planes.items() if cards}


@both
def test_promises_hold_in_every_position(game: GameSpec) -> None:
    lengths = set()
    for _, deal in deals(game):
        for state in positions(deal):
            rewards = state.rewards()
            assert sum(rewards) == 0
            for player in range(2):
                tensor = state.to_tensor(player)
                assert tensor.plane_names == PLANES[game.id]
                tensor.validate_partition(PLANES[game.id], CARDS[game.id])
                lengths.add(len(state.observation(player)))
                hash(state.information_state(player))
    assert lengths == {11 if game is KUHN else 32}


@both
def test_hidden_cards_change_nothing_that_a_player_sees(game: GameSpec) -> None:
    """Positions with the same information state have the same view; there are many such."""
    views: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    count = 0
    for _, deal in deals(game):
        for state in positions(deal):
            for player in range(2):
                own = state.rewards()[player]
                view = (
                    state.observation(player),
                    state.to_tensor(player),
                    state.legal_moves(),
                    own,
                )
                assert views.setdefault(state.information_state(player), view) == view
                count += 1
    assert len(views) < count


@both
def test_names_and_illegal_moves(game: GameSpec) -> None:
    names = ["pass", "bet"] if game is KUHN else ["fold", "call", "raise"]
    assert game.num_players == 2
    assert [game.move_name(action) for action in range(game.num_actions)] == names
    deal = game.initial_state()
    with pytest.raises(ValueError, match=rf"no action 7; there are: 0 \({names[0]}\), 1"):
        game.move_name(7)
    with pytest.raises(IllegalMoveError, match=f"move 7 is not legal; legal are: .*{names[-1]}"):
        deal.apply_move(7)
    with pytest.raises(IllegalMoveError, match=r"1 \(x\) is not legal"):
        deal.apply_move(Move(1, "x"))
    with pytest.raises(ValueError, match="'compact'; there is: full"):
        deal.observation(0, "compact")
    with pytest.raises(RuntimeError, match="not over yet"):
        deal.returns()
    assert game.scenarios == {}


def test_moves_that_are_not_legal_yet_or_any_more() -> None:
    with pytest.raises(IllegalMoveError, match=r"0 \(fold\) is not legal; legal are: 1 \(call\)"):
        leduc_after("cc").apply_move(leduc.FOLD)
    with pytest.raises(IllegalMoveError, match=r"2 \(raise\) is not legal; legal are: 0 \(fold\)"):
        leduc_after("crr").apply_move(2)
    with pytest.raises(IllegalMoveError, match=r"1 \(call\): the game is over"):
        leduc_after("rf").apply_move(1)
    with pytest.raises(IllegalMoveError, match=r"0 \(pass\): the game is over"):
        kuhn_after("pp").apply_move(0)


@both
def test_sources_of_a_deck(game: GameSpec) -> None:
    size = DECKS[game.id]
    order = list(range(size))
    by_deck = game.initial_state(deck=order)
    assert game.initial_state(decks=lambda number: order[number:] + order[:number]) == by_deck
    assert by_deck.facts()["cards"] == [0, 1]
    assert game.initial_state() == game.initial_state(seed=0)
    dealt = [game.initial_state(seed=seed).facts()["cards"] for seed in range(300)]
    assert all(list(cards) in dealt for cards in itertools.permutations(order, 2))
    episodes = [play_random_episode(game, seed) for seed in range(20)]
    assert len({episode.moves for episode in episodes}) > 3
    with pytest.raises(ValueError, match="not seed and deck"):
        game.initial_state(seed=1, deck=order)
    with pytest.raises(ValueError, match=f"deck: {size} cards are needed, got {size - 1}"):
        game.initial_state(deck=order[1:])
    with pytest.raises(ValueError, match=f"deck: there is no card {size} in this game"):
        game.initial_state(deck=[*order[1:], size])
    with pytest.raises(ValueError, match="deck: card 1 occurs more than once"):
        game.initial_state(deck=[1, *order[1:]])
    with pytest.raises(TypeError, match="no keyword 'dealer' here; the table has: nothing"):
        game.initial_state(dealer=1)


# OpenSpiel


def _side_by_side(
    ours: GameState, theirs: Any, chance: tuple[int, ...]
) -> Iterator[tuple[GameState, Any]]:
    """Yield all that can come of a position on both sides; `chance` is what theirs is to deal."""
    while theirs.is_chance_node():
        theirs.apply_action(chance[0])
        chance = chance[1:]
    yield ours, theirs
    for move in ours.legal_moves():
        yield from _side_by_side(ours.apply_move(move), theirs.child(move.id), chance)


@pytest.mark.parametrize(
    ("game", "information_sets", "ends"),
    [(KUHN, 12, 6 * 5), (LEDUC, 936, 120 * (4 + 5 * 9))],
    ids=[KUHN.id, LEDUC.id],
)
def test_every_game_agrees_with_openspiel(game: GameSpec, information_sets: int, ends: int) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="needs the extra `openspiel`")
    peer = pyspiel.load_game(game.id)
    assert peer.num_distinct_actions() == game.num_actions
    pairs: set[tuple[Any, str]] = set()
    ended = 0
    for cards, deal in deals(game):
        for ours, theirs in _side_by_side(deal, peer.new_initial_state(), cards):
            assert ours.is_terminal() == theirs.is_terminal()
            assert [move.id for move in ours.legal_moves()] == theirs.legal_actions()
            if ours.is_terminal():
                assert list(ours.returns()) == theirs.returns()
                ended += 1
            else:
                mover = theirs.current_player()
                assert ours.current_player() == mover
                pairs.add((ours.information_state(mover), theirs.information_state_string(mover)))
    assert ended == ends
    # One to one: neither side tells apart what the other does not.
    assert len({mine for mine, _ in pairs}) == len({told for _, told in pairs}) == len(pairs)
    assert len(pairs) == information_sets
