"""Kuhn and Leduc poker: payments, what is legal, against OpenSpiel; what is seen; re-dealing."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import talonax
from talonax.agents.game_tree import game_tree
from talonax.envs import pages
from talonax.envs.core import Env
from talonax.envs.serialize import PositionError, from_json, to_json
from talonax.parity import lockstep

GAMES = ("kuhn_poker", "leduc_poker")
#: The lengths of the longest games.
LONGEST = {"kuhn_poker": 3, "leduc_poker": 8}
#: Standard deviations that a count may lie out; keys are fixed.
FAR = 5


@cache
def make(game: str) -> Env[Any]:
    return talonax.make(game)


def deck_of(env: Env[Any], top: list[int]) -> list[int]:
    return top + [card for card in env.deck_cards if card not in top]


@cache
def player_of(game: str) -> Any:
    """A compiled function that plays decks and actions (padded with -1), and notes every step."""
    env = make(game)

    def play(deck: jax.Array, actions: jax.Array) -> Any:
        def step(state: Any, action: jax.Array) -> Any:
            after = env.step(state, action)
            goes = action >= 0
            after = jax.tree.map(lambda a, b: jnp.where(goes, a, b), after, state)
            return after, (after, env.legal_action_mask(after))

        start = env.deal(deck)
        _, (states, legal) = jax.lax.scan(step, start, actions)
        states = jax.tree.map(lambda a, b: jnp.concatenate([a[None], b]), start, states)
        return states, jnp.concatenate([env.legal_action_mask(start)[None], legal])

    return jax.jit(jax.vmap(play))


def play(game: str, decks: list[list[int]], actions: list[list[int]]) -> tuple[Any, Any]:
    """Return the states (leaves [games, steps + 1, ..]) and masks of games with these actions."""
    rows = np.full((len(actions), LONGEST[game]), -1, np.int32)
    for row, done in zip(rows, actions, strict=True):
        row[: len(done)] = done
    full = jnp.array([deck_of(make(game), deck) for deck in decks])
    played: tuple[Any, Any] = jax.device_get(player_of(game)(full, rows))
    return played


def at(states: Any, game: int, step: int) -> Any:
    return jax.tree.map(lambda leaf: jnp.asarray(leaf[game, step]), states)


# The rules --------------------------------------------------------------------------------------

PASS, BET = 0, 1
FOLD, CALL, RAISE = 0, 1, 2
JACK, QUEEN, KING = 0, 1, 2
J1, J2, Q1, Q2, K1, K2 = range(6)

KUHN_ENDS = [
    ([KING, QUEEN], [PASS, PASS], 1),
    ([JACK, QUEEN], [PASS, PASS], -1),
    ([KING, QUEEN], [BET, BET], 2),
    ([JACK, QUEEN], [BET, BET], -2),
    ([JACK, KING], [BET, PASS], 1),
    ([KING, JACK], [PASS, BET, PASS], -1),
    ([KING, JACK], [PASS, BET, BET], 2),
    ([QUEEN, KING], [PASS, BET, BET], -2),
]
LEDUC_ENDS = [
    ([K1, Q1, J1], [CALL, CALL, CALL, CALL], 1),
    ([K1, Q1, Q2], [CALL, CALL, CALL, CALL], -1),
    ([J1, K1, J2], [RAISE, CALL, RAISE, CALL], 7),
    ([Q1, Q2, K1], [RAISE, RAISE, CALL, CALL, CALL], 0),
    ([K1, J1, Q1], [RAISE, FOLD], 1),
    ([K1, J1, Q1], [CALL, RAISE, FOLD], -1),
    ([K1, J1, Q1], [RAISE, RAISE, FOLD], -3),
    ([K1, J1, Q1], [CALL, RAISE, RAISE, FOLD], 3),
    ([K1, J1, J2], [RAISE, CALL, CALL, RAISE, FOLD], -3),
    ([J1, K1, Q1], [CALL, CALL, RAISE, RAISE, CALL], -9),
    ([J1, K1, K2], [CALL, RAISE, RAISE, CALL, CALL, RAISE, RAISE, CALL], -13),
    ([K1, J1, Q2], [CALL, RAISE, RAISE, CALL, CALL, RAISE, RAISE, FOLD], 9),
]


@pytest.mark.parametrize(("game", "ends"), [(GAMES[0], KUHN_ENDS), (GAMES[1], LEDUC_ENDS)])
def test_who_wins_and_how_much(game: str, ends: list[Any]) -> None:
    decks, actions, won = (list(each) for each in zip(*ends, strict=True))
    states, legal = play(game, decks, actions)
    for i, done in enumerate(actions):
        steps = len(done)
        assert not states.terminated[i, :steps].any()
        assert states.terminated[i, steps]
        assert not states.illegal[i, steps]
        assert states.rewards[i, steps].tolist() == [won[i], -won[i]]
        assert (states.rewards[i, :steps] == 0).all()
        assert legal[i, np.arange(steps), done].all()
    assert abs(states.rewards).max() == make(game).max_loss


def test_leduc_allows_a_fold_only_when_something_is_owed_and_two_raises_a_round() -> None:
    actions = [CALL, RAISE, RAISE, CALL, RAISE, CALL]
    _, legal = play("leduc_poker", [[K1, Q1, J1]], [actions])
    assert [np.flatnonzero(mask).tolist() for mask in legal[0, : len(actions)]] == [
        [CALL, RAISE],
        [CALL, RAISE],
        [FOLD, CALL, RAISE],
        [FOLD, CALL],
        [CALL, RAISE],
        [FOLD, CALL, RAISE],
    ]


def test_seat_0_acts_first_in_both_rounds_of_leduc() -> None:
    actions = [CALL, RAISE, CALL, RAISE, CALL]
    states, _ = play("leduc_poker", [[K1, Q1, J1]], [actions])
    assert states.current_player[0, : len(actions) + 1].tolist() == [0, 1, 0, 0, 1, -1]
    env = make("leduc_poker")
    phases = [int(env.phase(at(states, 0, step))) for step in range(len(actions) + 1)]
    assert [env.phases[phase] for phase in phases] == ["first"] * 3 + ["second"] * 3


@pytest.mark.parametrize("game", GAMES)
def test_states_are_small(game: str) -> None:
    leaves = jax.tree.leaves(jax.eval_shape(make(game).init, jax.random.key(0)))
    assert sum(leaf.size * leaf.dtype.itemsize for leaf in leaves) <= 32


@pytest.mark.parametrize("game", GAMES)
def test_in_lockstep_with_the_engine(game: str) -> None:
    report = lockstep.run(game, games=300)
    assert report.steps > 500
    assert report.first is None
    assert report.differences == 0


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_that_of_openspiel(game: str) -> None:
    """All of them: who is to move, what is legal and what is paid, action for action."""
    pyspiel = pytest.importorskip("pyspiel", reason="the extra `openspiel` is not installed")
    ends: list[Any] = []

    def walk(state: Any, cards: list[int], done: list[int], noted: list[Any]) -> None:
        if state.is_terminal():
            ends.append((cards, done, [*noted, (-1, None)], state.returns()))
        elif state.is_chance_node():
            for card in state.legal_actions():
                walk(state.child(card), [*cards, card], done, noted)
        else:
            legal = state.legal_actions()
            for action in legal:
                more = [*noted, (state.current_player(), legal)]
                walk(state.child(action), cards, [*done, action], more)

    walk(pyspiel.load_game(game).new_initial_state(), [], [], [])
    states, legal = play(game, [end[0] for end in ends], [end[1] for end in ends])
    assert len(ends) >= 30
    assert legal.shape[1:] == (LONGEST[game] + 1, make(game).num_actions)
    for i, (_, done, noted, returns) in enumerate(ends):
        last = len(done)
        assert states.current_player[i, : last + 1].tolist() == [mover for mover, _ in noted]
        assert [np.flatnonzero(mask).tolist() for mask in legal[i, :last]] == [
            allowed for _, allowed in noted[:-1]
        ]
        assert states.rewards[i, last].tolist() == returns


# What is seen -----------------------------------------------------------------------------------


def test_a_kuhn_observation_is_as_documented() -> None:
    env = make("kuhn_poker")
    states, _ = play("kuhn_poker", [[QUEEN, KING]], [[PASS, BET, BET]])
    seen = np.asarray(env.observe(at(states, 0, 2), 1))
    assert seen.tolist() == [0, 1, *[0, 0, 1], *[1, 0, 0, 1, 0, 0]]
    seen = np.asarray(env.observe(at(states, 0, 3), 0))
    assert seen.tolist() == [1, 0, *[0, 1, 0], *[1, 0, 0, 1, 0, 1]]


def test_a_leduc_observation_is_as_documented() -> None:
    env = make("leduc_poker")
    layout = env.observation_layout()
    states, _ = play("leduc_poker", [[K2, Q1, J1]], [[CALL, RAISE, CALL, RAISE, FOLD]])

    def entry(step: int, name: str, player: int = 0) -> list[float]:
        seen: list[float] = np.asarray(env.observe(at(states, 0, step), player))[layout[name]]
        return np.asarray(seen).tolist()

    assert entry(2, "seat", 1) == [0, 1]
    assert entry(0, "card") == [0, 0, 0, 0, 0, 1]
    assert entry(2, "public") == [0] * 6
    assert entry(3, "public") == [1, 0, 0, 0, 0, 0]
    assert entry(2, "first_round") == [1, 0, 0, 1, 0, 0, 0, 0]
    assert entry(3, "first_round") == [1, 0, 0, 1, 1, 0, 0, 0]
    assert entry(4, "second_round") == [0, 1] + [0] * 6
    assert entry(4, "pot") == pytest.approx([7 / 13, 3 / 13])
    assert entry(4, "pot", 1) == pytest.approx([3 / 13, 7 / 13])
    last = [np.asarray(env.observe(at(states, 0, step), 0)).tolist() for step in (4, 5)]
    assert last[0] == last[1]  # a fold is not told


@pytest.mark.parametrize(("game", "sets"), [("kuhn_poker", 12), ("leduc_poker", 936)])
def test_the_information_state_has_perfect_recall(game: str, sets: int) -> None:
    """It tells apart just what a seat can tell apart by all that it observed and did."""
    env, found = make(game), game_tree(make(game)).sets
    look = jax.jit(jax.vmap(lambda state: env.information_state(state, state.current_player)))
    first, other = np.asarray(look(found.states)), np.asarray(look(found.others))
    np.testing.assert_array_equal(first, other)
    hands = [np.stack(each.hands, axis=1) for each in (found.states, found.others)]
    assert (hands[0] != hands[1]).any(axis=1).all()  # the other state is another one
    assert len({tuple(row) for row in first.tolist()}) == len(first) == sets


def test_information_states_in_figures() -> None:
    states, _ = play("kuhn_poker", [[QUEEN, KING]], [[PASS, BET, PASS]])
    env = make("kuhn_poker")
    assert env.information_state(at(states, 0, 1), 1).tolist() == [1, KING, 0, -1, -1]
    assert env.information_state(at(states, 0, 3), 0).tolist() == [0, QUEEN, 0, 1, 0]
    states, _ = play("leduc_poker", [[K2, Q1, J1]], [[CALL, RAISE, CALL, RAISE, FOLD]])
    env = make("leduc_poker")
    told = [1, RAISE, 1, -1, -1, -1, -1, -1]
    assert env.information_state(at(states, 0, 2), 0).tolist() == [0, K2, -1, 1, 2] + [-1] * 6
    assert env.information_state(at(states, 0, 3), 1).tolist() == [1, Q1, J1, *told]
    assert env.information_state(at(states, 0, 5), 1).tolist()[-4:] == [RAISE, FOLD, -1, -1]


@pytest.mark.parametrize(
    ("game", "deck", "actions", "shown"),
    [
        ("kuhn_poker", [QUEEN, KING], [PASS, BET, BET], True),
        ("kuhn_poker", [QUEEN, KING], [PASS, BET, PASS], False),
        ("leduc_poker", [Q1, K1, J1], [CALL, CALL, CALL, CALL], True),
        ("leduc_poker", [Q1, K1, J1], [CALL, CALL, RAISE, FOLD], False),
    ],
)
def test_the_opponents_card_is_shown_at_a_showdown_only(
    game: str, deck: list[int], actions: list[int], shown: bool
) -> None:
    env = make(game)
    states, _ = play(game, [deck], [actions])
    plane = env.plane_names.index("opponent")
    for step in range(len(actions) + 1):
        state = at(states, 0, step)
        known = shown and step == len(actions)
        for player, card in ((0, "K"), (1, "Q")):
            there = np.asarray(env.card_tensor(state, player))[..., plane]
            assert there.sum() == known
            text = env.render(state, player)
            assert (f"{card}S" in text) == known
            assert ("over" in text) == (step == len(actions))
        assert {"QS", "KS"} <= set(env.render(state).split())


# Re-dealing -------------------------------------------------------------------------------------


def drawn(game: str, deck: list[int], actions: list[int], player: int) -> np.ndarray[Any, Any]:
    """Return the cards (the opponent's, and the public one of Leduc) of many re-deals."""
    env = make(game)
    states, _ = play(game, [deck], [actions])
    keys = jax.random.split(jax.random.key(1), 6_000)
    dealt = jax.jit(jax.vmap(env.redeal, (None, None, 0)))(
        at(states, 0, len(actions)), player, keys
    )
    assert (np.asarray(dealt.hands[player]) == deck[player]).all()
    cards = [dealt.hands[1 - player]] + ([dealt.public] if game == "leduc_poker" else [])
    return np.stack(cards, axis=1)


@pytest.mark.parametrize(
    ("game", "deck", "actions", "player", "worlds"),
    [
        ("kuhn_poker", [QUEEN, KING], [BET], 1, [(0,), (1,)]),
        ("kuhn_poker", [QUEEN, KING], [BET, PASS], 0, [(0,), (2,)]),
        ("kuhn_poker", [QUEEN, KING], [BET, BET], 0, [(2,)]),
        (
            "leduc_poker",
            [Q1, K1, J1],
            [CALL],
            1,
            [(a, b) for a in range(6) for b in range(6) if a != b and K1 not in (a, b)],
        ),
        (
            "leduc_poker",
            [Q1, K1, J1],
            [RAISE, FOLD],
            0,
            [(a, b) for a in range(6) for b in range(6) if a != b and Q1 not in (a, b)],
        ),
        ("leduc_poker", [Q1, K1, J1], [CALL, CALL], 0, [(a, J1) for a in (J2, Q2, K1, K2)]),
        (
            "leduc_poker",
            [Q1, K1, J1],
            [CALL, CALL, RAISE, FOLD],
            1,
            [(a, J1) for a in (1, 2, 3, 5)],
        ),
        ("leduc_poker", [Q1, K1, J1], [CALL] * 4, 1, [(Q1, J1)]),
    ],
)
def test_redeal_draws_every_world_alike(
    game: str, deck: list[int], actions: list[int], player: int, worlds: list[tuple[int, ...]]
) -> None:
    cards = drawn(game, deck, actions, player)
    counts = {world: int((cards == world).all(axis=1).sum()) for world in worlds}
    assert sum(counts.values()) == len(cards)
    share = 1 / len(worlds)
    spread = (share * (1 - share) * len(cards)) ** 0.5
    assert all(abs(count - share * len(cards)) <= FAR * spread for count in counts.values())


# Positions --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "ends"), [(GAMES[0], KUHN_ENDS), (GAMES[1], LEDUC_ENDS)])
def test_positions_there_and_back(game: str, ends: list[Any]) -> None:
    deck, actions, _ = ends[-1]
    states, _ = play(game, [deck], [actions])
    env = make(game)
    ended = [env.step(at(states, 0, 1), env.num_actions)]  # by an action that there is not
    for state in [at(states, 0, step) for step in range(len(actions) + 1)] + ended:
        made, read = from_json(to_json(env, state))
        assert made == env
        for one, other in zip(jax.tree.leaves(read), jax.tree.leaves(state), strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("game", GAMES)
def test_the_position_on_the_page_is_read(game: str) -> None:
    page = Path(pages.__file__).parent / game / "README.md"
    text = re.search(r"```json\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert text is not None
    env, state = from_json(text[1])
    last = json.loads(text[1])["position"]["actions"][-1]
    assert last in ("bet", "raise")
    assert not bool(state.finished)
    assert int(state.current_player) == (0 if game == "kuhn_poker" else 1)
    told = env.position(state)
    assert told == json.loads(text[1])["position"]


@pytest.mark.parametrize(
    ("position", "said"),
    [
        ([], "an object is needed"),
        ({"cards": ["JS", "KH", "QS"]}, "no 'actions'"),
        ({"cards": ["JS", "KH"], "actions": []}, "3 different ones are needed"),
        ({"cards": ["JS", "KH", "JS"], "actions": []}, "3 different ones are needed"),
        ({"cards": "JS KH QS", "actions": []}, "a list of names is needed"),
        ({"cards": ["JS", "KH", "AS"], "actions": []}, "there are: JS, JH, QS, QH, KS, KH"),
        ({"cards": ["JS", "KH", "QS"], "actions": ["bet"]}, "there are: fold, call, raise"),
        ({"cards": ["JS", "KH", "QS"], "actions": ["fold"]}, "'fold' is not legal at place 0"),
        (
            {"cards": ["JS", "KH", "QS"], "actions": ["raise"] * 3},
            "'raise' is not legal at place 2",
        ),
        (
            {"cards": ["JS", "KH", "QS"], "actions": ["raise", "fold", "call"]},
            "'call' is not legal at place 2",
        ),
        (
            {"cards": ["JS", "KH", "QS"], "actions": ["raise", "fold"]},
            "the game goes on by its state, and is over by its actions",
        ),
    ],
)
def test_a_wrong_position_is_refused(position: Any, said: str) -> None:
    written = json.loads(to_json(make("leduc_poker"), make("leduc_poker").init(jax.random.key(0))))
    del written["state"]
    written["position"] = position
    with pytest.raises(PositionError, match=re.escape(said)):
        from_json(json.dumps(written))


def test_names_of_actions() -> None:
    for game, names in (("kuhn_poker", "pass bet"), ("leduc_poker", "fold call raise")):
        env = make(game)
        assert [env.action_name(i) for i in range(env.num_actions)] == names.split()
        for wrong in (-1, env.num_actions):
            with pytest.raises(ValueError, match=f"{game} has no action {wrong}; there are: 0"):
                env.action_name(wrong)


def test_what_is_counted() -> None:
    for game, deck, actions, counted in [
        ("kuhn_poker", [0, 1], [PASS, BET, BET], {"bets": 2, "showdowns": 1, "folds": 0}),
        ("kuhn_poker", [0, 1], [BET, PASS], {"bets": 1, "showdowns": 0, "folds": 1}),
        (
            "leduc_poker",
            [J1, J2, Q1],
            [RAISE, CALL, CALL, CALL],
            {"raises": 1, "showdowns": 1, "ties": 1, "folds": 0},
        ),
        (
            "leduc_poker",
            [J1, J2, Q1],
            [RAISE, RAISE, FOLD],
            {"raises": 2, "showdowns": 0, "ties": 0, "folds": 1},
        ),
    ]:
        env = make(game)
        states, _ = play(game, [deck], [actions])
        total = dict.fromkeys(counted, 0)
        for step, action in enumerate(actions):
            before, after = at(states, 0, step), at(states, 0, step + 1)
            for name, number in env.tally(before, jnp.int32(action), after).items():
                total[name] += int(number)
        assert total == counted
