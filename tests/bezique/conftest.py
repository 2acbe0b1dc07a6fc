"""What the tests of Bezique's env share: positions put together from a few cards, and played."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jax
import numpy as np
import pytest

from talonax.configs.bezique.schema import Rules
from talonax.configs.rules import build
from talonax.envs.bezique.env import Bezique, BeziqueState
from talonax.envs.bezique.view import action_name, card_name, card_number, members
from talonax.envs.core import opening

CARDS, WORDS, HAND = 132, 5, 9
KINDS = ["marriage", "bezique", "double", "run", "aces", "kings", "queens", "jacks"]


@cache
def make_env(**flags: Any) -> Bezique:
    rules = build(Rules, {"rounds": 1, **flags}, "test")
    assert isinstance(rules, Rules)
    return Bezique(rules=rules)


@cache
def compiled(env: Bezique) -> Any:
    """Return `step`, and all that there is to see of a state: facts and mask."""
    return jax.jit(env.step), jax.jit(lambda s: (env.facts(s), env.legal_action_mask(s)))


def ids(text: str) -> list[int]:
    return [card_number(name) for name in text.split()]


def fillers(trump: str, taken: set[int]) -> list[int]:
    """Return the cards that fill up hands and stock: weak plain ones first, trump sevens last."""
    order = sorted(
        (rank == "7" and suit == trump, suit == trump, "89T7".find(rank) % 5, card)
        for card in range(CARDS)
        for rank, suit in [_rank_and_suit(card)]
        if card not in taken
    )
    return [card for *_, card in order]


def _rank_and_suit(card: int) -> tuple[str, str]:
    name = card_name(card)
    return name[0], name[1]


@dataclass
class Table:
    """A game to be played by the names of its actions.

    Attributes:
      env: the env.
      state: where it stands.
    """

    env: Bezique
    state: BeziqueState
    rewards: list[list[float]] = field(default_factory=list)

    def do(self, *actions: str) -> "Table":
        """Carry out actions by name; all must be legal."""
        step, _ = compiled(self.env)
        names = [action_name(i) for i in range(self.env.num_actions)]
        for action in actions:
            assert action in self.legal, f"{action} is not among {sorted(self.legal)}"
            self.state = step(self.state, names.index(action))
            self.rewards.append(np.asarray(self.state.rewards).tolist())
        return self

    @property
    def facts(self) -> dict[str, Any]:
        found, _ = compiled(self.env)[1](self.state)
        return {name: np.asarray(value).tolist() for name, value in found.items()}

    @property
    def legal(self) -> set[str]:
        _, mask = compiled(self.env)[1](self.state)
        return {action_name(int(i)) for i in np.flatnonzero(mask)}

    @property
    def melds(self) -> set[str]:
        return {name.removeprefix("meld ") for name in self.legal if name.startswith("meld ")}

    def _set(self, name: str, place: int = 0) -> set[str]:
        five = self.facts[name][WORDS * place : WORDS * (place + 1)]
        return {card_name(card) for card in members(five)}

    def hand(self, seat: int) -> set[str]:
        return self._set("hands", seat)

    def table(self, seat: int) -> set[str]:
        return self._set("tables", seat)

    @property
    def gone(self) -> set[str]:
        return self._set("gone")

    def used(self, kind: str) -> set[str]:
        return self._set("used", KINDS.index(kind))

    def known(self, seat: int) -> dict[str, int]:
        types = [action_name(kind) for kind in range(33)]
        counts = self.facts["known"][33 * seat : 33 * (seat + 1)]
        return {name: number for name, number in zip(types, counts, strict=True) if number}


def position(
    players: int = 2,
    trump: str = "H",
    hands: tuple[str, ...] = (),
    tables: tuple[str, ...] = (),
    phase: str = "turn",
    turned_up: str | None = None,
    stock: str | int = 11,
    trick: tuple[str | None, ...] | None = None,
    **entries: Any,
) -> dict[str, Any]:
    """Return a position in which some cards matter; hands and stock are filled up.

    `stock` may be how many cards are face down; in the last nine tricks nothing is, and hands are
    as large as the largest that is given.
    """
    last = phase == "last"
    hands = (*hands, *[""] * (players - len(hands)))
    tables = (*tables, *[""] * (players - len(tables)))
    trick = trick or (None,) * players
    turned_up = turned_up or (None if last else f"8{trump}#3")
    listed = stock if isinstance(stock, str) else ""
    shown = [*hands, *tables, *filter(None, trick), turned_up or "", listed]
    shown += [*entries.get("used", {}).values(), *entries.get("last_trick", [])]
    free = iter(fillers(trump, {card for text in shown for card in ids(text)}))
    sizes = [
        len(ids(h)) + len(ids(t)) + (c is not None)
        for h, t, c in zip(hands, tables, trick, strict=True)
    ]
    wanted = max(sizes) if last else HAND - (phase == "turn")

    def filled(text: str, lacking: int) -> str:
        return " ".join([*text.split(), *(card_name(next(free)) for _ in range(lacking))])

    return {
        "hands": [filled(hand, wanted - size) for hand, size in zip(hands, sizes, strict=True)],
        "tables": list(tables),
        "phase": phase,
        "trump": trump,
        "turned_up": turned_up,
        "stock": listed if listed or last else filled("", int(stock)),
        "trick": list(trick),
        **entries,
    }


@pytest.fixture(scope="session")
def make() -> Callable[..., Bezique]:
    """Make an env of one round, or under other flags; every set of flags is made once."""
    return make_env


@pytest.fixture(scope="session")
def sit() -> Callable[..., Table]:
    """Sit down at a table: `sit(flags, **what position() takes)`."""

    def sit(flags: dict[str, Any] | None = None, **entries: Any) -> Table:
        env = make_env(**(flags or {}))
        if "players" in (flags or {}):
            entries = {"players": flags["players"], **entries}  # type: ignore[index]
        return Table(env, env.from_position(opening(env.num_players, 0), position(**entries)))

    return sit


@pytest.fixture(scope="session")
def deal() -> Callable[..., Table]:
    """Deal from a deck: `deal(deck, flags, **table)`."""

    def deal(deck: Any, flags: dict[str, Any] | None = None, **table: Any) -> Table:
        env = make_env(**(flags or {}))
        return Table(env, env.deal(np.asarray(deck), **table))

    return deal


@pytest.fixture(scope="session")
def last_trick(sit: Callable[..., Table]) -> Callable[..., Table]:
    """Play the last trick, spades trump: `last_trick(hands of one card, flags, **entries)`."""

    def play(hands: tuple[str, ...], flags: dict[str, Any], **entries: Any) -> Table:
        table = sit(flags, trump="S", phase="last", hands=hands, **entries)
        return table.do(*(name.split("#")[0] for name in hands))

    return play
