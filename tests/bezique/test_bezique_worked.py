"""The worked cases of Bezique (`bezique_worked.json`), each by its id, as actions on the env."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from talonax.envs.bezique.state import first_tricks
from talonax.envs.bezique.view import card_name, card_number

#: Kinds of meld as the cases name them, and as `used` does.
USED = {
    "TrumpMarriage": "marriage",
    "Bezique": "bezique",
    "TrumpRun": "run",
    "FourKings": "kings",
}
CASES = {"trick": 11, "deal": 4, "swap": 4, "meld": 19, "legal_phase1": 1, "legal_phase2": 9}
CASES |= {"draw": 2, "last_trick": 3, "advanced_bonus": 5, "game_end": 2}


def named(card: str) -> str:
    """`10H.1` as `TH#1`, `JK.0` as `JO#0`."""
    return card.replace("10", "T").replace("JK", "JO").replace(".", "#")


def all_named(cards: list[str]) -> str:
    return " ".join(map(named, cards))


def types(cards: list[str]) -> list[str]:
    return [named(card).split("#")[0] for card in cards]


@pytest.fixture(scope="module")
def cases(shared: Path) -> dict[str, Any]:
    read = json.loads((shared / "cases" / "bezique_worked.json").read_text())
    return {case["id"]: case for case in read["cases"]}


def flags_of(given: dict[str, Any]) -> dict[str, Any]:
    mode = given.get("mode", "Standard").lower()
    return {"players": given.get("players", 2), "mode": mode}


def trick(case: dict[str, Any], sit: Any) -> None:
    given, expect = case["given"], case["expect"]
    hands = tuple(map(named, given["trick_in_play_order"]))
    table = sit(
        {"players": len(hands)},
        trump=given["trump"],
        phase="play",
        hands=hands,
        turned_up=f"9{given['trump']}#3",
    )
    table.do(*types(given["trick_in_play_order"]))
    assert table.facts["leader"] == expect["winner_position"]
    assert table.facts["points"] == expect["trump7_play_points"]


def deal(case: dict[str, Any], sit: Any) -> None:
    given, expect = case["given"], case["expect"]
    env = sit({"players": given["players"]}).env
    deck = list(range(132))
    if "turn_up" in given:
        card = card_number(named(given["turn_up"]))
        deck.remove(card)
        deck.insert(9 * env.num_players, card)
    state = env.deal(np.array(deck), dealer=given.get("dealer", env.num_players - 1))
    facts = {name: np.asarray(value).tolist() for name, value in env.facts(state).items()}
    if "turn_up" in given:
        assert "DCHS"[facts["trump"]] == expect["trump"]
        assert facts["points"] == expect["round_score"]
        return
    assert len(deck) == expect["total"]
    assert [len(hand) for hand in hands_of(facts, env.num_players)] == expect["hand"]
    assert len(facts["stock"]) == expect["face_down"]
    assert first_tricks(env.num_players) == expect["phase1_tricks"]
    assert expect["phase2_tricks"] == 9


def hands_of(facts: dict[str, Any], players: int) -> list[list[int]]:
    words = facts["hands"]
    return [
        [c for c in range(132) if words[5 * seat + c // 32] >> c % 32 & 1]
        for seat in range(players)
    ]


def swap(case: dict[str, Any], sit: Any) -> None:
    given, expect = case["given"], case["expect"]
    actor = given.get("actor", given["winner"])
    hand, lying = all_named(given["hand"]), all_named(given.get("table", []))
    table = sit(
        trump=given["trump"],
        leader=given["winner"],
        hands=(hand, "") if actor == 0 else ("", hand),
        tables=(lying, "") if actor == 0 else ("", lying),
        turned_up=named(given["turn_up"]),
    )
    assert ("swap the seven" in table.legal) == expect["allowed"]
    if not expect["allowed"]:
        return
    table.do("swap the seven")
    assert card_name(table.facts["turned_up"]) == named(expect["turn_up"])
    assert set(map(named, expect["hand"])) <= table.hand(actor)
    assert named(expect["turn_up"]) not in table.hand(actor)
    assert table.facts["points"][actor] == expect["points"]


def meld_name(case: dict[str, Any]) -> str:
    kind, cards = case["action"]["meld"], types(case["action"]["cards"])
    if "Marriage" in kind:
        return f"marriage {cards[0][1]}"
    if kind.startswith("Four"):
        return f"four {kind[4:].lower()}" + (" with a Joker" if "JO" in cards else "")
    return {
        "Bezique": "bezique",
        "DoubleBezique": "double bezique",
        "TrumpRun": "trump run",
        "TrumpSeven": "trump seven",
    }[kind]


def meld(case: dict[str, Any], sit: Any) -> None:
    given, expect = case["given"], case["expect"]
    used = {USED[kind]: all_named(cards) for kind, cards in given["used_before"].items()}
    won = given["actor_won_last_trick"]
    table = sit(
        trump=given["trump"],
        phase="turn" if given["phase"] == 1 else "last",
        leader=0 if won else 1,
        hands=(all_named(given["hand"]),),
        tables=(all_named(given["table"]),),
        used=used,
    )
    assert (meld_name(case) in table.melds) == expect["valid"]
    if not expect["valid"]:
        return
    table.do(f"meld {meld_name(case)}")
    assert table.facts["points"] == [expect["points"], 0]
    cards = set(map(named, case["action"]["cards"]))
    assert table.table(0) == cards | set(map(named, given["table"]))
    assert not table.hand(0) & cards


def legal(case: dict[str, Any], sit: Any) -> None:
    given, expect = case["given"], case["expect"]
    laid, players = list(map(named, given["trick_in_play_order"])), given.get("players", 2)
    phase = "play" if case["kind"] == "legal_phase1" else "last"
    hand, lying = given["hand"], given.get("table", [])
    leader = (-len(laid)) % players  # seat 0 is to move
    places: list[str | None] = [None] * players
    for step, card in enumerate(laid):
        places[(leader + step) % players] = card
    table = sit(
        {"players": players},
        trump=given["trump"],
        phase=phase,
        leader=leader,
        trick=tuple(places),
        hands=(all_named(hand),),
        tables=(all_named(lying),),
    )
    found = {name.removesuffix(" from the table") for name in table.legal}
    others = {name.split("#")[0] for name in table.hand(0)} - set(types(hand))
    assert found - others == set(types(expect["legal"]))
    if phase == "play":
        assert others <= found
        assert {f"{name} from the table" for name in types(lying)} <= table.legal


def draw(case: dict[str, Any], sit: Any) -> None:
    given, expect = case["given"], case["expect"]
    stock = given.get("face_down") or given["face_down_top_first"]
    tables = tuple(all_named(cards) for cards in given.get("tables", []))
    table = sit(
        {"players": given["players"]},
        trump="H",
        leader=given["winner"],
        stock=all_named(stock),
        turned_up=named(given["turn_up"]),
        tables=tables,
    ).do("done")
    for seat, card in expect["drawn"].items():
        assert named(card) in table.hand(int(seat))
    for seat, cards in enumerate(given.get("tables", [])):
        assert table.table(seat) == set(expect["tables"][seat]) == set()
        assert set(map(named, cards)) <= table.hand(seat)
    assert table.facts["phase"] == expect["phase"] == 2


def last_trick(case: dict[str, Any], sit: Any) -> None:
    given, expect = case["given"], case["expect"]
    cards = given["trick_in_play_order"]
    table = sit(trump=given["trump"], phase="last", hands=tuple(map(named, cards)))
    table.do(*types(cards))
    points = list(expect.get("trump7_play_points", [0, 0]))
    points[expect["winner_position"]] += expect["last_trick_bonus"]
    assert table.facts["points"] == points
    assert table.state.terminated


def advanced_bonus(case: dict[str, Any], sit: Any) -> None:
    given, expect = case["given"], case["expect"]
    flags = flags_of(given)
    hands = ("8H#0", "9H#0", "8H#1", "8H#2")[: flags["players"]]
    won = [given["aces_tens"], *[0] * (flags["players"] - 1)]
    table = sit(flags, trump="S", phase="last", hands=hands, brisques=won)
    table.do(*(hand.split("#")[0] for hand in hands))
    assert table.facts["points"][0] == expect["bonus"]


def game_end(case: dict[str, Any], sit: Any) -> None:
    given, expect = case["given"], case["expect"]
    # The last trick, 10, is seat 0's
    points = [given["round_score"][0] - 10, given["round_score"][1]]
    flags = {"rounds": 0, "target": given["target"], "reward": "win"}
    table = sit(
        flags,
        trump="S",
        phase="last",
        hands=("9H#0", "8H#0"),
        scores=given["total_before"],
        points=points,
    ).do("9H", "8H")
    assert table.facts["totals"] == expect["total"]
    assert bool(table.state.terminated) == expect["game_over"]
    assert int(np.argmax(table.rewards[-1])) == expect["winner"]


RUN: dict[str, Callable[[dict[str, Any], Any], None]] = {
    "trick": trick,
    "deal": deal,
    "swap": swap,
    "meld": meld,
    "legal_phase1": legal,
    "legal_phase2": legal,
    "draw": draw,
    "last_trick": last_trick,
    "advanced_bonus": advanced_bonus,
    "game_end": game_end,
}
IDS = [
    *(f"T{i:02}" for i in (1, 2, 3, 4, 6, 7, 8, 9, 10, 12, 13)),
    *(f"S{i:02}" for i in (1, 2, 3, 5)),
    *(f"W{i:02}" for i in (1, 2, 3, 4)),
    *(f"M{i:02}" for i in (1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 19, 20, 21, 22)),
    "L01",
    *(f"P{i:02}" for i in (2, 3, 4, 5, 6, 8, 9, 10, 11)),
    *("D01", "D03", "R01", "R02", "R03"),
    *("A01", "A03", "A04", "A05", "A06", "G01", "G03"),
]


def test_every_case_is_here(cases: dict[str, Any]) -> None:
    assert list(cases) == IDS
    kinds = [case["kind"] for case in cases.values()]
    assert {kind: kinds.count(kind) for kind in CASES} == CASES
    assert len(kinds) == sum(CASES.values())


@pytest.mark.parametrize("name", IDS)
def test_case(cases: dict[str, Any], sit: Any, name: str) -> None:
    case = cases[name]
    RUN[case["kind"]](case, sit)
