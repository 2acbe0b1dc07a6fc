"""Blob's env against recorded games of two other engines, batched by the number of players.

`blob_seed` was recorded from the program that the rules come from. Its encodings divide bids and
tricks by another number than its own document says: each record's `spec` tells what the document
wants, and that is laid over. `openspiel_oh_hell` was recorded from OpenSpiel, whose misses count
below zero where Blob's count nothing.
"""

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from talonax.configs.blob.schema import round_cards
from talonax.envs.blob.env import Blob
from talonax.envs.blob.observation import entries, see

Record = dict[str, Any]

COMPACT_SIZE = 256
#: Where an encoding tells of the full game that its round belongs to.
GAME = slice(202, 256)
CLOSE = 1e-6

SEED_PLAYERS = (3, 4, 6, 7, 8)
OPENSPIEL_PLAYERS = (3, 4, 5, 6, 7)


def large(make: Any, players: int, **flags: Any) -> Blob:
    env: Blob = make(players=players, cards=52 // players, observation="compact", **flags)
    return env


def allowed(mask: np.ndarray) -> list[int]:
    return np.flatnonzero(mask).tolist()


def encoding(values: Record) -> np.ndarray:
    return np.array([values.get(str(index), 0.0) for index in range(COMPACT_SIZE)])


# blob_seed: single rounds -------------------------------------------------------------------------


@pytest.fixture(scope="module", params=SEED_PLAYERS, ids="{} players".format)
def played(
    request: pytest.FixtureRequest, make: Any, replay: Any, side_by_side: Any, blob_seed: Any
) -> list[tuple[Record, dict[str, np.ndarray]]]:
    """The recorded rounds of one number of players, with what the env shows of each."""
    env = large(make, request.param)
    games = [game for game in blob_seed["game"] if game["players"] == request.param]
    laid = []
    for game in games:
        actions = [action for _, _, action, _ in game["steps"]]
        watcher = game["enc_scoring"]["p"]
        laid.append((game["hands"], game["dealer"], game["round"], watcher, actions))
    seen = replay(env, side_by_side(env, laid))
    return [
        (game, {name: values[i] for name, values in seen.items()}) for i, game in enumerate(games)
    ]


def test_every_recorded_decision(played: Any) -> None:
    assert len(played) == 50
    for game, seen in played:
        for number, (seat, phase, _, legal) in enumerate(game["steps"]):
            where = game["id"], number
            assert seen["current_player"][number] == seat, where
            assert seen["phase"][number] == phase, where
            assert allowed(seen["mask"][number]) == legal, where
            assert not seen["rewards"][number].any(), where
        assert (seen["trump"] == game["trump"]).all(), game["id"]


def test_every_recorded_end(played: Any) -> None:
    for game, seen in played:
        end, where, last = game["end"], game["id"], len(game["steps"])
        assert (seen["phase"][last], seen["current_player"][last]) == (2, -1), where
        assert seen["rewards"][last].tolist() == end["scores"], where
        assert seen["scores"][last].tolist() == end["scores"], where
        told = [seen[name][last].tolist() for name in ("bids", "tricks")]
        assert told == [end["bids"], end["won"]], where
        voids = [[suit for suit in range(4) if each >> suit & 1] for each in seen["voids"][last]]
        assert voids == game["voids"], where
        players = game["players"]
        ends = [players * (number + 2) for number in range(game["cards"])]
        assert seen["leader"][ends].tolist() == [trick["winner"] for trick in game["tricks"]], where


def test_every_recorded_encoding(played: Any) -> None:
    compared = 0
    for game, seen in played:
        for record in [*game["enc"], game["enc_scoring"]]:
            wanted = encoding({**record["enc"], **record.get("spec", {})})
            assert record is game["enc_scoring"] or record["p"] == game["steps"][record["d"]][0]
            ours = seen["seen"][record["d"]]
            wrong = np.flatnonzero(np.abs(ours - wanted) > CLOSE)
            assert not wrong.size, (game["id"], record["d"], wrong, ours[wrong], wanted[wrong])
            compared += 1
    assert compared > 250


def test_the_document_differs_from_the_program(played: Any) -> None:
    """Without the overlay the encodings differ: it is not idle."""
    program = [
        np.abs(seen["seen"][record["d"]] - encoding(record["enc"])).max()
        for game, seen in played
        for record in game["enc"]
        if record.get("spec")
    ]
    assert len(program) > 100
    assert min(program) > CLOSE


# blob_seed: full games ----------------------------------------------------------------------------


def test_the_plan_of_rounds(make: Any, blob_seed: Any) -> None:
    for record in blob_seed["rounds"]:
        env = make(players=record["players"], cards=record["start"], rounds="full")
        assert list(round_cards(env.rules)) == record["rounds"]
        assert env.max_steps == sum(record["players"] * (1 + n) for n in record["rounds"])


def _contexts(blob_seed: Any, players: int) -> dict[int, list[tuple[Record, Record]]]:
    """Return context and encoding of each, by the cards of the first round."""
    found: dict[int, list[tuple[Record, Record]]] = {}
    for game in blob_seed["game"]:
        for record in game["enc"]:
            context = record.get("ctx", {"num_players": 0})
            if context["num_players"] == players:
                listed = found.setdefault(context["start_cards"], [])
                listed.append((context, record["enc_ctx"]))
    return found


def _tell(env: Blob, state: Any, number: Any, scores: Any) -> jax.Array:
    """Return what an observation tells of a full game: all else is as in a single round."""
    layout = env.observation_layout()
    position = see(env.rules, state.replace(round=number, scores=scores), jnp.int32(0))
    parts = [
        each for each in entries(env.rules, "compact") if layout[each.name].start >= GAME.start
    ]
    return jnp.concatenate([each.read(position).reshape(each.width) for each in parts])


@pytest.mark.parametrize("players", SEED_PLAYERS)
def test_every_context_of_a_full_game(make: Any, deal: Any, blob_seed: Any, players: int) -> None:
    contexts = _contexts(blob_seed, players)
    state = deal(*(f"{rank}S" for rank in "23456789"[:players]), dealer=0).state
    envs = {
        start: make(players=players, cards=start, rounds="full", observation="compact")
        for start in contexts
    }

    def look(given: dict[int, Any]) -> dict[int, jax.Array]:
        return {
            start: jax.vmap(partial(_tell, envs[start], state))(*each)
            for start, each in given.items()
        }

    given = {
        start: (
            np.array([context["rounds_completed"] for context, _ in listed]),
            np.array([context["cumulative_scores"] for context, _ in listed]),
        )
        for start, listed in contexts.items()
    }
    seen = jax.device_get(jax.jit(look)(given))
    assert sum(map(len, seen.values())) > 50
    for start, listed in contexts.items():
        for (context, wanted), ours in zip(listed, seen[start], strict=True):
            plan = round_cards(envs[start].rules)
            assert list(plan[: context["rounds_completed"]]) == context["previous_cards"]
            np.testing.assert_allclose(ours, encoding(wanted)[GAME], atol=CLOSE)


def _hands(players: int, tricks: list[list[Any]]) -> list[list[int]]:
    """Return the hands that were played as these tricks: [leader, cards, winner]."""
    hands: list[list[int]] = [[] for _ in range(players)]
    for leader, cards, _ in tricks:
        for distance, card in enumerate(cards):
            hands[(leader + distance) % players].append(card)
    return hands


def _actions(players: int, record: Record) -> Iterator[int]:
    for distance in range(1, players + 1):
        yield record["bids"][(record["dealer"] + distance) % players]
    for _, cards, _ in record["tricks"]:
        yield from cards


#: What the rounds of a full game are held against.
TOLD = ("cards", "trump", "dealer", "round", "scores")


def test_every_full_game_round_by_round(make: Any, blob_seed: Any, deck_of: Any) -> None:
    for game in blob_seed["full_game"]:
        players, rounds = game["players"], game["rounds"]
        env = make(players=players, cards=game["start"], rounds="full")
        decks = [deck_of(_hands(players, each["tricks"])) for each in rounds]
        steps = [
            (number, action)
            for number, each in enumerate(rounds)
            for action in _actions(players, each)
        ]
        following = np.array([decks[min(number + 1, len(decks) - 1)] for number, _ in steps])

        def step(state: Any, given: Any, env: Blob = env) -> Any:
            legal = env.legal_action_mask(state)[given[0]]
            after = env.step_dealt(state, *given)
            told = {name: getattr(state, name) for name in TOLD}
            return after, (legal, told, after.rewards)

        def play(deck: Any, given: Any, env: Blob = env, step: Any = step) -> Any:
            return jax.lax.scan(step, env.deal(deck), given)

        actions = np.array([action for _, action in steps])
        end, seen = jax.jit(play)(decks[0], (actions, following))
        legal, told, rewards = jax.device_get(seen)
        assert legal.all()
        first = np.flatnonzero([True, *(a[0] != b[0] for a, b in pairwise(steps))])
        last = [*(first[1:] - 1), len(steps) - 1]
        for name in ("cards", "trump", "dealer"):
            assert told[name][first].tolist() == [each[name] for each in rounds], name
        assert told["round"][first].tolist() == list(range(len(rounds)))
        assert rewards[last].tolist() == [each["scores"] for each in rounds]
        assert not np.delete(rewards, last, axis=0).any()
        before = [each["totals"] for each in rounds[:-1]]
        assert told["scores"][first[1:]].tolist() == before
        assert end.scores.tolist() == [total for _, total in sorted(game["final"])]
        assert bool(end.terminated)
        assert len(rounds) == game["num_rounds"]


# OpenSpiel ----------------------------------------------------------------------------------------

#: Our round, under the rules' trumps, of the suit of a card of OpenSpiel.
SUITS = {"C": 2, "D": 3, "S": 0, "H": 1}


@pytest.mark.parametrize("players", OPENSPIEL_PLAYERS)
def test_every_game_of_openspiel(
    make: Any, replay: Any, side_by_side: Any, oh_hell: Any, from_openspiel: Any, players: int
) -> None:
    env = large(make, players)
    games = [game for game in oh_hell if game["players"] == players]
    assert len(games) == 160
    laid = []
    for game in games:
        hands = [[from_openspiel(card) for card in hand] for hand in game["hands"]]
        bids = [game["bids"][seat] for seat in game["bid_order"]]
        cards = [from_openspiel(card) for _, card in game["plays"]]
        trump = SUITS["CDSH"[game["trump_card"] % 4]]
        laid.append((hands, game["dealer"], trump, 0, bids + cards))
    seen = replay(env, side_by_side(env, laid))
    for i, game in enumerate(games):
        order = [*game["bid_order"], *(seat for seat, _ in game["plays"])]
        plays = [sorted(map(from_openspiel, legal)) for legal in game["legal"]]
        last = len(order)
        assert seen["current_player"][i][: last + 1].tolist() == [*order, -1], i
        assert list(map(allowed, seen["mask"][i][:last])) == [*game["bid_legal"], *plays], i
        ends = [players * (number + 2) for number in range(game["tricks"])]
        assert seen["leader"][i][ends].tolist() == game["trick_winners"], i
        assert seen["tricks"][i][last].tolist() == game["tricks_won"], i
        scores = [max(0.0, score) for score in game["returns_os"]]
        assert seen["rewards"][i].sum(axis=0).tolist() == scores == game["blob"], i
