"""The reference engine of Snapszer against recorded games of two other engines.

`snapszer_seed` was recorded from the program that the rules come from (profile `base`; 31 of its
games pay otherwise than `hungarian`), `vu_schnapsen` from the engine of the VU (profile `vu`).
"""

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from talonax.configs.games import load_rules
from talonax.parity import spec
from talonax.parity.cards import Card, Suit
from talonax.parity.snapszer import SnapszerSpec, SnapszerState, deal_mt19937
from talonax.parity.snapszer_deal import Ending, game_points
from talonax.parity.snapszer_pack import Action, Declare, Exchange, Play, beats, pack

PACK = pack(nines=False)
CAUSES = {
    Ending.MARRIAGE: "auto66",
    Ending.TRICK: "auto66",
    Ending.LAST_TRICK: "last_trick",
    Ending.CLOSER_FAILED: "closer_fail",
}
OTHERWISE_PAID = "closer_lost_gp_not_2"


@pytest.fixture(scope="module")
def seed_records(shared: Path) -> list[dict[str, Any]]:
    return list(_records(shared / "golden" / "snapszer_seed.jsonl.gz"))


@pytest.fixture(scope="module")
def vu_games(shared: Path) -> list[dict[str, Any]]:
    return list(_records(shared / "golden" / "vu_schnapsen.jsonl.gz"))


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt") as lines:
        yield from map(json.loads, lines)


def _of_type(records: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    found = [record for record in records if record["type"] == kind]
    assert found, f"no record of type {kind}"
    return found


def _snapszer(profile: str) -> SnapszerSpec:
    made = spec("snapszer", profile)
    assert isinstance(made, SnapszerSpec)
    return made


def test_deals_follow_the_recorded_generator(seed_records: list[dict[str, Any]]) -> None:
    for record in _of_type(seed_records, "shuffle"):
        doubles = np.random.RandomState(record["seed"]).random_sample(3)
        words = np.random.RandomState(record["seed"]).randint(0, 2**32, 3, dtype=np.uint32)
        assert [repr(float(u)) for u in doubles] == record["double"]
        assert words.tolist() == record["u32"]
        assert deal_mt19937(record["seed"]) == record["deck"]


def test_who_wins_a_trick(seed_records: list[dict[str, Any]]) -> None:
    for record in _of_type(seed_records, "trick_winner"):
        trump = Suit(record["trump"])
        outcomes = [
            "-" if lead == reply else str(int(beats(reply, lead, trump)))
            for lead in PACK.cards
            for reply in PACK.cards
        ]
        assert "".join(outcomes) == record["table"]


def test_replies_in_strict_play(seed_records: list[dict[str, Any]]) -> None:
    state = _snapszer("base").initial_state(seed=0)
    for record in _of_type(seed_records, "reply"):
        position = state.with_deal(
            hands=((), tuple(PACK.cards[card] for card in record["hand"])),
            table=PACK.cards[record["lead"]],
            trump=Suit(record["trump"]),
            turned_up=None,
        )
        assert [move.id for move in position.legal_moves()] == record["legal"]


def test_game_points(seed_records: list[dict[str, Any]]) -> None:
    causes = {cause: ending for ending, cause in CAUSES.items()}
    causes["durchmarsch"] = Ending.DURCHMARSCH
    rules = load_rules("snapszer", "base")
    for record in _of_type(seed_records, "game_points"):
        assert record["winner"] == 0
        ending = causes[record["cause"]]
        state = _snapszer("base").initial_state(seed=0, leader=1)
        closed = state.apply_move(21).deal.closing if ending is Ending.CLOSER_FAILED else None
        tricks, points = (0, record["loser_tricks"]), (0, record["loser_points"])
        assert [game_points(rules, ending, 0, tricks, points, closed), 0] == record["gp"], record


def test_every_recorded_game(seed_records: list[dict[str, Any]]) -> None:
    base = _snapszer("base")
    for game in _of_type(seed_records, "game"):
        _replay(base, game)


def test_hungarian_differs_in_what_a_beaten_closer_pays_alone(
    seed_records: list[dict[str, Any]],
) -> None:
    hungarian = _snapszer("hungarian")
    for game in _of_type(seed_records, "game"):
        end = game["end"]
        if OTHERWISE_PAID in game["flags"]:
            assert end["winner"] != end["cb"]
            two = [2, 0] if end["winner"] == 0 else [0, 2]
            loss = [2.0, -2.0] if end["winner"] == 0 else [-2.0, 2.0]
            game = {**game, "end": {**end, "gp": two, "ret": loss}}
        _replay(hungarian, game)


def _replay(game_spec: SnapszerSpec, game: dict[str, Any]) -> None:
    assert deal_mt19937(game["seed"]) == game["deck"]
    state = game_spec.initial_state(seed=game["seed"])
    assert state == game_spec.initial_state(deck=game["deck"])
    assert state.facts()["trump"] == game["trump"]
    assert state.facts()["turned_up"] == game["up0"]
    assert len(game["steps"]) == game["n"]
    for number, step in enumerate(game["steps"]):
        where = (game["seed"], number)
        assert not state.is_terminal(), where
        assert state.current_player() == step["p"], where
        assert [move.id for move in state.legal_moves()] == step["L"], where
        _compare(state, step, where)
        if number:
            assert state.rewards() == (0.0, 0.0), where
        state = state.apply_move(step["a"])
    _compare(state, game["end"], (game["seed"], "end"))
    _compare_end(state, game["end"])


def _compare(state: SnapszerState, record: dict[str, Any], where: tuple[Any, ...]) -> None:
    facts, closed = state.facts(), state.deal.closing is not None
    assert facts["leader"] == record["lead"], where
    assert [facts["table"], -1] == record["tc"], where
    assert facts["points"] == record["pts"], where
    assert facts["tricks"] == record["tw"], where
    assert [list(PACK.id_list(hand)) for hand in state.deal.hands] == record["h"], where
    assert facts["closed_by"] == record["cb"], where
    assert closed == bool(record["cl"]), where
    assert (closed or facts["turned_up"] == -1) == bool(record["tt"]), where
    assert (0 if closed else len(state.deal.stock)) == record["sr"], where
    if facts["turned_up"] != -1:
        assert facts["turned_up"] == record["up"], where
    assert facts["marriages"] == record["m"], where
    assert _last_trick_winner(state) == record["lw"], where
    for player, recorded in enumerate(record.get("obs", [])):
        seen = state.observation(player, "compact")
        np.testing.assert_allclose(seen, recorded, atol=1e-6, err_msg=str(where))


def _last_trick_winner(state: SnapszerState) -> int:
    winners = [event[1] for event in state.deal.seen[0] if event[0] == "trick"]
    return int(winners[-1]) if winners else -1


def _compare_end(state: SnapszerState, end: dict[str, Any]) -> None:
    result = state.deal.result
    assert state.is_terminal()
    assert result is not None
    assert state.current_player() == -1
    assert state.legal_moves() == ()
    assert result.winner == end["winner"]
    assert CAUSES[result.ending] == end["cause"]
    assert result.game_points == max(end["gp"]) == end["gp"][result.winner]
    assert list(state.returns()) == list(state.rewards()) == end["ret"]
    assert len(end["obs"]) == 2


def test_the_other_engine_under_profile_vu(vu_games: list[dict[str, Any]]) -> None:
    vu = _snapszer("vu")
    for number, game in enumerate(vu_games):
        dealt = [PACK.ids[_vu_card(name)] for name in game["deck"]]
        deck = [*dealt[0:10:2], *dealt[1:10:2], dealt[19], *dealt[10:19]]
        state = vu.initial_state(deck=deck)
        for step in game["log"]:
            seat = step["seat"]
            assert state.current_player() == seat, number
            legal = {move.id for move in state.legal_moves()}
            assert legal == {_vu_action(move) for move in step["legal"]}, number
            assert [state.deal.points[seat], state.deal.pending[seat]] == step["score"], number
            talon = len(state.deal.stock) + (state.deal.turned_up is not None)
            assert talon == step["talon"], number
            state = state.apply_move(_vu_action(step["move"]))
        assert state.deal.result is not None, number
        assert state.deal.result.winner == game["winner"], number
        assert state.deal.result.game_points == game["game_points"], number
        assert state.deal.points[game["winner"]] == game["winner_score"], number
        assert state.returns()[game["winner"]] == game["game_points"], number


def _vu_card(name: str) -> Card:
    return Card.from_name(name.upper())


def _vu_action(move: list[str]) -> int:
    kind, card = move[0], _vu_card(move[1])
    actions: dict[str, Action] = {"p": Play(card), "x": Exchange(), "m": Declare(card)}
    return PACK.action_ids[actions[kind]]


def test_flagged_games_are_those_of_the_flag(seed_records: list[dict[str, Any]]) -> None:
    """The two profiles agree unless the closer's opponent reached 66 first."""
    hungarian, base = load_rules("snapszer", "hungarian"), load_rules("snapszer", "base")
    assert replace(hungarian, closer_beaten="normal") == base
    flagged = [g for g in _of_type(seed_records, "game") if OTHERWISE_PAID in g["flags"]]
    assert {game["end"]["cause"] for game in flagged} == {"auto66"}
    assert {max(game["end"]["gp"]) for game in flagged} == {1, 3}
