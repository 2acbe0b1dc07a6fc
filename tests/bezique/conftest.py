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
    leader: int = 0,
    trick: tuple[str | None, ...] | None = None,
    **entries: Any,
) -> dict[str, Any]:
    """Return a position in which some cards matter; hands and stock are filled up.

    `stock` may be how many cards are face down; in the last nine tricks nothing is, and hands are
    as large as the largest that is given.
    """
    last = phase == "last"
    hands = tuple(hands[seat] if seat < len(hands) else "" for seat in range(players))
    tables = tuple(tables[seat] if seat < len(tables) else "" for seat in range(players))
    laid = trick or (None,) * players
    if turned_up is None and not last:
        turned_up = f"8{trump}#3"
    given = [
        *hands,
        *tables,
        *filter(None, laid),
        turned_up or "",
        stock if isinstance(stock, str) else "",
    ]
    taken = {card for text in given for card in ids(text)}
    used = {card for text in entries.get("used", {}).values() for card in ids(text)}
    free = iter(fillers(trump, taken | used))
    sizes = [
        len(ids(h)) + len(ids(t)) + (c is not None)
        for h, t, c in zip(hands, tables, laid, strict=True)
    ]
    wanted = max(sizes) if last else HAND - (phase == "turn")
    filled = []
    for hand, size in zip(hands, sizes, strict=True):
        lacking = wanted - size
        filled.append(" ".join([*hand.split(), *(card_name(next(free)) for _ in range(lacking))]))
    if not isinstance(stock, str):
        stock = " ".join(card_name(next(free)) for _ in range(0 if last else stock))
    return {
        "hands": filled,
        "tables": list(tables),
        "phase": phase,
        "trump": trump,
        "turned_up": turned_up,
        "stock": stock,
        "leader": leader,
        "trick": list(laid),
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
