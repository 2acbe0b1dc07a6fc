"""What the tests of Tysiac share: its shared cases, and one table to play on both sides.

A test that takes `tables` runs twice: on the env and on the reference engine. Positions are given
in the words of `envs/tysiac/position.py`; what a test does not name is filled in, the same for
both.
"""

import json
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from talonax.configs.rules import as_dict, build
from talonax.configs.tysiac.schema import Rules
from talonax.envs.core import IDLE, select
from talonax.envs.serialize import from_json
from talonax.envs.tysiac.env import Tysiac
from talonax.envs.tysiac.state import NUM_ACTIONS
from talonax.envs.tysiac.view import action_name
from talonax.parity.cards import Card, Suit
from talonax.parity.tysiac import TysiacSpec, TysiacState
from talonax.parity.tysiac_auction import Auction
from talonax.parity.tysiac_pack import CARDS, in_order
from talonax.parity.tysiac_position import Phase

Case = dict[str, Any]

NAMES = [card.name for card in CARDS]
ACTIONS = {action_name(action): action for action in range(NUM_ACTIONS)}
SUITS = {suit.name[0]: suit for suit in Suit}
HAND, MUSIK = 10, 2


@pytest.fixture(scope="session")
def worked(shared: Path) -> dict[str, Case]:
    """The worked cases by id; they write `10S` where we write `TS`."""
    text = (shared / "cases" / "tysiac_worked.json").read_text()
    named = re.sub(r'"10([SCDH])"', r'"T\1"', text)
    return {case["id"]: case for case in json.loads(named)["cases"]}


@pytest.fixture(scope="session")
def rule_cases(shared: Path) -> dict[str, Case]:
    """The cases of `thousand2p` by id."""
    cases = json.loads((shared / "cases" / "rule_cases.json").read_text())
    return {case["id"]: case for case in cases if case["game"] == "thousand2p"}


def rules_of(flags: dict[str, Any] | None) -> Rules:
    rules = build(Rules, flags or {}, "test")
    assert isinstance(rules, Rules)
    return rules


class Table(ABC):
    """A position on one of the two sides; never changes."""

    @property
    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """Everything there is, as `Env.facts` names it."""

    @property
    @abstractmethod
    def paid(self) -> tuple[float, ...]:
        """What the last action earned."""

    @property
    @abstractmethod
    def over(self) -> bool:
        """The match is over, or was cut short."""

    @property
    @abstractmethod
    def cut(self) -> bool:
        """It was cut short."""

    @abstractmethod
    def legal(self) -> set[str]:
        """The names of the legal actions."""

    @abstractmethod
    def sees(self, player: int) -> tuple[list[float], np.ndarray]:
        """What a player observes: the flat observation and the planes."""

    @abstractmethod
    def _do(self, name: str) -> "Table | None":
        """Carry out an action; None if it is not legal."""

    def play(self, *names: str) -> Any:
        """Return the table after the actions of these names, each of which must be legal."""
        table: Table = self
        for name in names:
            after = table._do(name)
            assert after is not None, (name, table.legal())
            table = after
        return table

    def cards(self, fact: str, seat: int) -> set[str]:
        """The names of the cards in a fact by seat: `hands`, `known`, `played`, `musiks`."""
        return {name for i, name in enumerate(NAMES) if self.facts[fact][seat] >> i & 1}

    @property
    def phase(self) -> str:
        return Phase(self.facts["phase"]).name.lower()

    @property
    def trump(self) -> str | None:
        return None if self.facts["trump"] < 0 else "SCDH"[self.facts["trump"]]


@cache
def _compiled(env: Tysiac) -> Any:
    """Return what steps and looks at once: the state after, its facts and its legal actions.

    The action `IDLE` only looks: one compilation for both.
    """

    def after(state: Any, action: Any) -> Any:
        stepped = select(action == IDLE, state, env.step(state, jnp.maximum(action, 0)))
        return stepped, env.facts(stepped), env.legal_action_mask(stepped)

    return jax.jit(after)


@cache
def _seeing(env: Tysiac) -> Any:
    """Return what a player observes, compiled."""
    return jax.jit(
        lambda state, player: (env.observe(state, player), env.card_tensor(state, player))
    )


@dataclass(frozen=True)
class EnvTable(Table):
    """The env: a state, its facts, and its legal actions."""

    env: Tysiac
    state: Any
    told: dict[str, Any]
    mask: Any

    @classmethod
    def at(cls, env: Tysiac, state: Any) -> "EnvTable":
        return cls(env, *jax.device_get(_compiled(env)(state, IDLE)))

    @property
    def facts(self) -> dict[str, Any]:
        return {name: each.tolist() for name, each in self.told.items()}

    @property
    def paid(self) -> tuple[float, ...]:
        return tuple(self.state.rewards.tolist())

    @property
    def over(self) -> bool:
        return bool(self.state.finished)

    @property
    def cut(self) -> bool:
        return bool(self.state.truncated)

    def legal(self) -> set[str]:
        return {self.env.action_name(int(action)) for action in np.flatnonzero(self.mask)}

    def sees(self, player: int) -> tuple[list[float], np.ndarray]:
        flat, planes = jax.device_get(_seeing(self.env)(self.state, player))
        return flat.tolist(), planes

    def _do(self, name: str) -> "EnvTable | None":
        after = jax.device_get(_compiled(self.env)(self.state, ACTIONS[name]))
        return None if after[0].illegal else EnvTable(self.env, *after)


@dataclass(frozen=True)
class EngineTable(Table):
    """The reference engine."""

    state: TysiacState

    @property
    def facts(self) -> dict[str, Any]:
        return dict(self.state.facts())

    @property
    def paid(self) -> tuple[float, ...]:
        return self.state.rewards()

    @property
    def over(self) -> bool:
        return self.state.is_terminal()

    @property
    def cut(self) -> bool:
        return self.state.is_truncated()

    def legal(self) -> set[str]:
        return {move.name for move in self.state.legal_moves()}

    def sees(self, player: int) -> tuple[list[float], np.ndarray]:
        return self.state.observation(player), self.state.to_tensor(player).data

    def _do(self, name: str) -> "EngineTable | None":
        moves = {move.name: move for move in self.state.legal_moves()}
        return EngineTable(self.state.apply_move(moves[name])) if name in moves else None


def filled(given: dict[str, Any]) -> dict[str, Any]:
    """Return a whole position: play, seat 0 declarer of 100 and on lead, unless given otherwise.

    Of the cards that are not named two were never taken, two were returned, the rest was played.
    """
    position = {"phase": "play", "dealer": 1, "high_bid": 100, "bid_by": 0, **given}
    before_musik = position["phase"] in ("auction", "take")
    if position["high_bid"] == 0:
        position["bid_by"] = -1
    rest = [name for name in NAMES if name not in _named(given)]
    if "musiks" not in given:
        aside = [rest.pop() for _ in range(min(MUSIK, len(rest)))]
        position["musiks"] = [" ".join(rest[-MUSIK:]), " ".join(aside)]
    if before_musik:
        return position
    position = {"taken": 0, "contract": 0, **position}
    if position["phase"] != "return" and "returned" not in given:
        position["returned"] = " ".join(rest.pop() for _ in range(min(MUSIK, len(rest))))
    return position if position["phase"] != "play" else _in_play(position, rest)


def _named(given: dict[str, Any]) -> list[str]:
    """Return the cards that a position names, wherever they are."""
    words = [*given["hands"], given.get("table"), given.get("returned"), *given.get("musiks", ())]
    return " ".join(filter(None, words)).split()


def _in_play(position: dict[str, Any], rest: list[str]) -> dict[str, Any]:
    """Return a whole position of play, in which the cards of `rest` were played."""
    defaults = {"leader": 0, "contract": 100}
    position = {**position, **{k: position.get(k) or v for k, v in defaults.items()}}
    hands, table = [each.split() for each in position["hands"]], position.get("table")
    laid = [rest[: len(rest) // 2], rest[len(rest) // 2 :]]
    if table is not None:
        laid[position["leader"]].append(table)
    waiting = hands[1 - position["leader"] if table is not None else position["leader"]]
    return {
        "played": [" ".join(each) for each in laid],
        "tricks": [HAND - len(waiting), 0],
        **position,
    }


class Tables(ABC):
    """Deals and positions on one side."""

    @abstractmethod
    def deal(self, deck: str | list[int], flags: dict[str, Any] | None = None, **table: Any) -> Any:
        """Deal a deck, given by the names of its cards or their numbers."""

    @abstractmethod
    def _laid(self, rules: Rules, position: dict[str, Any]) -> Any:
        """Return the table of a whole position."""

    def position(
        self, hands: tuple[str, str], flags: dict[str, Any] | None = None, **given: Any
    ) -> Any:
        """Return a position of play; `filled` says what is not given."""
        rules = rules_of(flags)
        return self._laid(rules, filled({"hands": list(hands), **given}))


def deck_of(deck: str | list[int]) -> list[int]:
    if isinstance(deck, str):
        return [NAMES.index(name) for name in deck.replace("|", " ").split()]
    return list(deck)


class EnvTables(Tables):
    """The env's side."""

    def deal(self, deck: Any, flags: dict[str, Any] | None = None, **table: Any) -> EnvTable:
        env = Tysiac(rules=rules_of(flags))
        return EnvTable.at(env, env.deal(np.array(deck_of(deck)), **table))

    def _laid(self, rules: Rules, position: dict[str, Any]) -> EnvTable:
        text = {
            "schema": 1,
            "game": "tysiac",
            "version": Tysiac.version,
            "rules": as_dict(rules),
            "position": position,
        }
        env, state = from_json(json.dumps(text))
        return EnvTable.at(env, state)


class EngineTables(Tables):
    """The reference engine's side."""

    def deal(self, deck: Any, flags: dict[str, Any] | None = None, **table: Any) -> EngineTable:
        spec = TysiacSpec(rules_of(flags))
        return EngineTable(spec.initial_state(deck=deck_of(deck), **table))

    def _laid(self, rules: Rules, position: dict[str, Any]) -> EngineTable:
        given = dict(position)
        match = {"hand": given.pop("hand", 0), "scores": given.pop("scores", (0, 0))}
        state = TysiacSpec(rules).initial_state(seed=0, **match)
        phase, bid_by = Phase[given.pop("phase").upper()], given.pop("bid_by")
        shown = [SUITS[suits[-1]] if suits else None for suits in given.pop("shown", ("", ""))]
        auction = Auction(
            rules,
            to_act=1 - (given["dealer"] if bid_by < 0 else bid_by),
            high_bid=given.pop("high_bid"),
            bid_by=bid_by,
            passed=(False, False) if phase is Phase.AUCTION else (bid_by == 1, bid_by == 0),
            shown=(shown[0], shown[1]),
        )
        declarer = -1 if phase is Phase.AUCTION else bid_by
        fields = {name: _engine(name, word) for name, word in given.items()}
        state = state.with_hand(phase=phase, auction=auction, declarer=declarer, **fields)
        return EngineTable(state)


def _engine(name: str, word: Any) -> Any:
    """Return an entry of a position as the engine has it."""

    def cards(text: str) -> tuple[Card, ...]:
        return in_order(CARDS[NAMES.index(each)] for each in text.split())

    if name in ("hands", "musiks"):
        return tuple(cards(each) for each in word)
    if name in ("played", "known"):
        return tuple(frozenset(cards(each)) for each in word)
    if name == "returned":
        return cards(word)
    if name == "table":
        return None if word is None else cards(word)[0]
    if name == "trump":
        return None if word is None else SUITS[word]
    if name == "declared":
        return tuple(frozenset(SUITS[suit] for suit in suits) for suits in word)
    return tuple(word) if isinstance(word, list) else word


@pytest.fixture(params=[EnvTables, EngineTables], ids=["env", "engine"])
def tables(request: pytest.FixtureRequest) -> Tables:
    """Deals and positions, once on the env and once on the engine."""
    made: Tables = request.param()
    return made
