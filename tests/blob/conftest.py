"""What the tests of Blob's env share: a table to bid and play on by name, and the recorded games.

Envs that differ in nothing that shapes arrays or rules share their compiled functions: tests deal
small hands from `LARGE` envs by the keyword `cards`, and choose the trump by the keyword `round`.
"""

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from talonax.configs.blob.schema import DECK_SIZE, Rules
from talonax.configs.rules import build
from talonax.envs.blob.env import Blob, BlobState
from talonax.envs.blob.view import card_name, card_number
from talonax.envs.core import opening

Record = dict[str, Any]

#: The round whose trump is this, under the rules' trumps.
ROUND_OF = {"S": 0, "H": 1, "C": 2, "D": 3, "none": 4}


@cache
def make_env(observation: str = "full", **flags: Any) -> Blob:
    rules = build(Rules, {k: list(v) if k == "trumps" else v for k, v in flags.items()}, "test")
    assert isinstance(rules, Rules)
    return Blob(rules=rules, observation=observation)


@pytest.fixture(scope="session")
def make() -> Callable[..., Blob]:
    """Make an env under some flags; every set of flags is made once."""
    return make_env


def ids_of(text: str) -> list[int]:
    return [card_number(name) for name in text.split()]


@pytest.fixture(scope="session")
def ids() -> Callable[[str], list[int]]:
    """The numbers of the cards named in a text."""
    return ids_of


def deck_of_hands(hands: list[list[int]]) -> np.ndarray:
    """Return the deck that deals these hands, one card at a time; all other cards follow."""
    dealt = list(chain.from_iterable(zip(*hands, strict=True)))
    return np.array([*dealt, *(card for card in range(DECK_SIZE) if card not in dealt)])


@pytest.fixture(scope="session")
def deck_of() -> Callable[[list[list[int]]], np.ndarray]:
    """The deck that deals some hands."""
    return deck_of_hands


# A table ------------------------------------------------------------------------------------------


@cache
def compiled(env: Blob) -> Any:
    """Return `step`, what there is to see of a state (facts and mask), and `deal`."""

    def look(state: BlobState) -> Any:
        return env.facts(state), env.legal_action_mask(state)

    return jax.jit(env.step), jax.jit(look), jax.jit(env.deal)


@dataclass(frozen=True)
class Table:
    """A position of the env; never changes."""

    env: Blob
    state: BlobState

    @property
    def facts(self) -> dict[str, Any]:
        return {name: each.tolist() for name, each in self._seen[0].items()}

    @property
    def _seen(self) -> Any:
        return jax.device_get(compiled(self.env)[1](self.state))

    @property
    def paid(self) -> list[float]:
        return self.state.rewards.tolist()

    @property
    def over(self) -> bool:
        return bool(self.state.finished)

    @property
    def mover(self) -> int:
        return int(self.state.current_player)

    def tried(self, action: int) -> BlobState:
        """The state after an action that need not be legal."""
        state: BlobState = compiled(self.env)[0](self.state, action)
        return state

    def legal(self) -> list[str]:
        """The names of the legal actions."""
        numbers = np.flatnonzero(self._seen[1])
        return [self.env.name_in(self.state, int(number)) for number in numbers]

    def do(self, *actions: int | str) -> "Table":
        """Bid numbers and play cards by name, each of which must be legal."""
        table = self
        for action in actions:
            number = action if isinstance(action, int) else card_number(action)
            after = table.tried(number)
            assert not after.illegal, (action, table.legal())
            table = Table(self.env, after)
        return table

    def sees(self, player: int, first: int, last: int) -> dict[int, float]:
        """What is not zero of the entries first .. last of the full observation, by index."""
        seen = np.asarray(_observed(self.env)(self.state))[player]
        assert seen.shape == self.env.observation_shape
        return {i: float(seen[i]) for i in range(first, last + 1) if seen[i]}

    def hand(self, seat: int) -> list[str]:
        """The names of the cards in a hand."""
        words = self.facts["hands"][2 * seat : 2 * seat + 2]
        members = words[0] | words[1] << 32
        return [card_name(card) for card in range(DECK_SIZE) if members >> card & 1]


@cache
def _observed(env: Blob) -> Any:
    seats = jnp.arange(env.num_players)
    return jax.jit(lambda state: jax.vmap(partial(env.observe, state))(seats))


def deal_table(*hands: str, dealer: int, trump: str = "S", **flags: Any) -> Table:
    """Deal a single round of these hands; other facts of the table may be given like flags."""
    held = [ids_of(hand) for hand in hands]
    env = make_env(players=len(hands), cards=DECK_SIZE // len(hands), **flags)
    table = {"dealer": dealer, "round": ROUND_OF[trump], "cards": len(held[0])}
    return Table(env, compiled(env)[2](deck_of_hands(held), **table))


@pytest.fixture(scope="session")
def deal() -> Callable[..., Table]:
    """Deal hands given by the names of their cards."""
    return deal_table


@pytest.fixture(scope="session")
def at() -> type[Table]:
    """The table of any env and state."""
    return Table


@pytest.fixture(scope="session")
def described() -> Callable[..., Table]:
    """The table that a position describes in the words of `envs/blob/position.py`."""

    def describe(env: Blob, **given: Any) -> Table:
        return Table(env, env.from_position(opening(env.num_players, 0), given))

    return describe


# Many games at once -------------------------------------------------------------------------------


class Replay(NamedTuple):
    """Games of one number of players, to be played side by side.

    Attributes:
      decks: int[G, 52].
      dealer, round, cards: int[G].
      watcher: int[G], the seat whose observation is looked at when the game is over; before, it is
        that of the player to move.
      actions: int[G, T], -1 after the end.
    """

    decks: np.ndarray
    dealer: np.ndarray
    round: np.ndarray
    cards: np.ndarray
    watcher: np.ndarray
    actions: np.ndarray


#: Games that are played side by side: one shape, one compilation.
SIDE_BY_SIDE = 64
#: Facts that a replay tells.
TOLD = (*("current_player", "phase", "trump", "bids", "tricks", "leader", "voids", "scores"),)


@cache
def _player(env: Blob) -> Any:
    def play(deck: jax.Array, table: dict[str, jax.Array], watcher: Any, actions: jax.Array) -> Any:
        def look(state: BlobState) -> dict[str, jax.Array]:
            facts = env.facts(state)
            seat = jnp.where(state.finished, watcher, state.current_player)
            return {
                **{name: facts[name] for name in TOLD},
                "mask": env.legal_action_mask(state),
                "rewards": state.rewards,
                "seen": env.observe(state, seat),
            }

        def step(state: BlobState, action: jax.Array) -> Any:
            return env.step(state, jnp.maximum(action, 0)), look(state)

        return jax.lax.scan(step, env.deal(deck, **table), actions)[1]

    return jax.jit(jax.vmap(play))


def replay_games(env: Blob, games: Replay) -> dict[str, np.ndarray]:
    """Return what there is to see before each action and at the end: leaves [G, T + 1, ..]."""
    number = len(games.decks)
    places = np.arange(-(-number // SIDE_BY_SIDE) * SIDE_BY_SIDE) % number
    parts = []
    for chosen in places.reshape(-1, SIDE_BY_SIDE):
        deck, dealer, index, dealt, watcher, actions = (each[chosen] for each in games)
        table = {"dealer": dealer, "round": index, "cards": dealt}
        actions = np.pad(actions, ((0, 0), (0, 1)), constant_values=-1)
        parts.append(jax.device_get(_player(env)(deck, table, watcher, actions)))
    return {name: np.concatenate([part[name] for part in parts])[:number] for name in parts[0]}


@pytest.fixture(scope="session")
def replay() -> Callable[[Blob, Replay], dict[str, np.ndarray]]:
    """Play many games at once, and look at every position."""
    return replay_games


@pytest.fixture(scope="session")
def side_by_side() -> Callable[..., Replay]:
    """Lay out games to be played: hands, dealer, round, watcher and actions of each."""

    def lay_out(env: Blob, games: list[tuple[list[list[int]], int, int, int, list[int]]]) -> Replay:
        hands, dealer, index, watcher, played = zip(*games, strict=True)
        actions = np.full((len(games), env.max_steps), -1, np.int32)
        for row, each in zip(actions, played, strict=True):
            row[: len(each)] = each
        return Replay(
            decks=np.stack([deck_of_hands(each) for each in hands]),
            dealer=np.array(dealer),
            round=np.array(index),
            cards=np.array([len(each[0]) for each in hands]),
            watcher=np.array(watcher),
            actions=actions,
        )

    return lay_out


# Recorded games -----------------------------------------------------------------------------------


def _records(path: Path) -> Iterator[Record]:
    with gzip.open(path, "rt") as lines:
        yield from map(json.loads, lines)


@pytest.fixture(scope="session")
def blob_seed(shared: Path) -> dict[str, list[Record]]:
    """Games recorded from the program that the rules come from, by type of record."""
    found: dict[str, list[Record]] = {}
    for record in _records(shared / "golden" / "blob_seed.jsonl.gz"):
        found.setdefault(record["type"], []).append(record)
    return found


@pytest.fixture(scope="session")
def oh_hell(shared: Path) -> list[Record]:
    """Games recorded from OpenSpiel; `from_openspiel` translates its cards."""
    return list(_records(shared / "golden" / "openspiel_oh_hell.jsonl.gz"))


@pytest.fixture(scope="session")
def rule_cases(shared: Path) -> dict[str, Record]:
    """The cases of Blob by id."""
    cases = json.loads((shared / "cases" / "rule_cases.json").read_text())
    return {case["id"]: case for case in cases if case["game"] == "blob"}


#: OpenSpiel's card is `rank * 4 + suit`, ranks 2 .. A; its suits in its order.
OTHER_SUITS, OTHER_RANKS = "CDSH", "23456789TJQKA"


@pytest.fixture(scope="session")
def from_openspiel() -> Callable[[int], int]:
    """The number of a card of OpenSpiel."""
    names = [rank + suit for rank in OTHER_RANKS for suit in OTHER_SUITS]
    return [card_number(name) for name in names].__getitem__
