"""What every reference engine offers: the interface that lockstep and third parties program to.

A `GameSpec` is a game under one set of rules; it deals a `GameState`, an immutable position, which
every legal `Move` turns into a new one. The engines are written to be read, and to be another
person's reading of the rules than the JAX environments are: the two are held against each other.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self, TypeVar

from talonax.parity.card_tensor import CardTensor

#: `decks(n)` is the order of the cards of deal n, as the game numbers them.
Decks = Callable[[int], Sequence[int]]

#: What there is in a position, hidden things too, as plain numbers.
Facts = dict[str, int | list[int]]

#: `current_player()` when the game is over.
NOBODY = -1


@dataclass(frozen=True)
class Move:
    """An action by its number, and its name for people."""

    id: int
    name: str

    def __str__(self) -> str:
        return f"{self.id} ({self.name})"


class IllegalMoveError(ValueError):
    """A move that is not legal in the position; says which one, and which were.

    Attributes:
      move: what was tried.
      legal: the moves that are legal there.
    """

    def __init__(self, move: "Move | int", legal: Sequence[Move]) -> None:
        super().__init__(move, legal)
        self.move = move
        self.legal = tuple(legal)

    def __str__(self) -> str:
        if not self.legal:
            return f"move {self.move}: the game is over, no move is legal"
        return f"move {self.move} is not legal; legal are: {', '.join(map(str, self.legal))}"


class Refused(IllegalMoveError):
    """A move that a rule forbids, and which rule; engines derive errors with names from it.

    Attributes:
      reason: the rule, in words.
    """

    def __init__(self, move: "Move | int", legal: Sequence[Move], reason: str = "") -> None:
        super().__init__(move, legal)
        self.reason = reason

    def __str__(self) -> str:
        name = self.move.name if isinstance(self.move, Move) else self.move
        may = ", ".join(map(str, self.legal)) or "nothing"
        return f"{name} is not legal: {self.reason}; legal are: {may}"


class GameState(ABC):
    """A position; immutable. Subclasses are frozen dataclasses.

    Attributes:
      spec: the game that it is a position of.
    """

    spec: "GameSpec"

    @abstractmethod
    def current_player(self) -> int:
        """Return the seat to move, or -1 when the game is over."""

    @abstractmethod
    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves by rising id; none when the game is over."""

    @abstractmethod
    def is_terminal(self) -> bool:
        """Return whether the game is over."""

    @abstractmethod
    def rewards(self) -> tuple[float, ...]:
        """Return what the last move alone earned each seat."""

    def returns(self) -> tuple[float, ...]:
        """Return what the whole game earned each seat.

        Raises:
          RuntimeError: the game is not over.
        """
        if not self.is_terminal():
            raise RuntimeError("returns: the game is not over yet")
        return self._in_all()

    def _in_all(self) -> tuple[float, ...]:
        """Return what was earned since the game began; here, for games that pay at their end."""
        return self.rewards()

    @abstractmethod
    def to_tensor(self, player: int) -> CardTensor:
        """Return where the cards are, as far as `player` knows."""

    @abstractmethod
    def observation(self, player: int, layout: str = "full") -> list[float]:
        """Return what `player` observes, flat.

        Raises:
          ValueError: the game has no such layout; the message says which exist.
        """

    @abstractmethod
    def facts(self) -> Facts:
        """Return everything that there is, hidden things too, as plain numbers."""

    @abstractmethod
    def information_state(self, player: int) -> tuple[Any, ...]:
        """Return all that `player` has seen so far, in order (perfect recall); hashable.

        Two positions that he cannot tell apart have the same, and only those.
        """

    @abstractmethod
    def _after(self, move: Move) -> Self:
        """Return the position after `move`, which is legal."""

    def apply_move(self, move: Move | int) -> Self:
        """Return the position after `move`, given whole or by its id.

        Raises:
          IllegalMoveError: the move is not legal here, or its name is not that of its id.
        """
        legal = self.legal_moves()
        for option in legal:
            if move == (option if isinstance(move, Move) else option.id):
                return self._after(option)
        raise IllegalMoveError(self._named(move), legal)

    def _named(self, move: Move | int) -> Move | int:
        """Return an id with the name of its action, if there is such an action at all."""
        if isinstance(move, Move) or move not in range(self.spec.num_actions):
            return move
        return Move(move, self.spec.move_name(move))


class Paying:
    """What a position of a game of several deals does besides, which each pays for itself.

    Attributes:
      earned: what the last move earned each seat.
      total: what all moves did.
    """

    earned: tuple[float, ...]
    total: tuple[float, ...]

    def rewards(self) -> tuple[float, ...]:
        """Return what the last move alone earned each seat."""
        return self.earned

    def _in_all(self) -> tuple[float, ...]:
        return self.total


_S = TypeVar("_S", bound=GameState)


@dataclass(frozen=True)
class Scenario(Generic[_S]):
    """A way of choosing moves that drives a game to a rare place.

    Attributes:
      what: the place in words.
      choose: picks a legal move; random, but steered.
      reached: whether a position is there.
    """

    what: str
    choose: Callable[[_S, random.Random], Move]
    reached: Callable[[_S], bool]


@dataclass(frozen=True)
class GameSpec(ABC):
    """A game under one set of rules.

    Attributes:
      id: the game's name.
      rules: the frozen `Rules` of its schema.
    """

    id: ClassVar[str]

    rules: Any

    @property
    @abstractmethod
    def num_players(self) -> int:
        """The number of seats; a game that has always as many declares a `ClassVar`."""

    @property
    @abstractmethod
    def num_actions(self) -> int:
        """The number of action ids, legal or not."""

    @abstractmethod
    def move_name(self, action_id: int) -> str:
        """Return the name of an action.

        Raises:
          ValueError: there is no such action.
        """

    @abstractmethod
    def initial_state(
        self,
        *,
        seed: int | None = None,
        deck: Sequence[int] | None = None,
        decks: Decks | None = None,
        **table: Any,
    ) -> GameState:
        """Return a freshly dealt position, from one source of cards; none means `seed=0`.

        Args:
          seed: the number that all deals follow from.
          deck: the order of the cards of the first deal.
          decks: gives the order of the cards of every deal.
          **table: what the game calls the facts of its table, e.g. who leads.

        Raises:
          ValueError: several sources, a bad deck, or a bad fact of the table.
          TypeError: a fact that this game's table has not.
        """

    @property
    def scenarios(self) -> Mapping[str, Scenario[Any]]:
        """Ways to reach this game's rare places, by name; those that these rules allow."""
        return {}

    def move(self, action_id: int, state: GameState) -> Move:
        """Return the legal move of that id in `state`.

        Raises:
          IllegalMoveError: it is not legal there.
        """
        for option in state.legal_moves():
            if option.id == action_id:
                return option
        raise IllegalMoveError(state._named(action_id), state.legal_moves())


@dataclass(frozen=True)
class Episode:
    """A game from deal to end.

    Attributes:
      states: the positions, first and last included: one more than moves.
      moves: the moves made.
      rewards: what each move earned each seat.
    """

    states: tuple[GameState, ...]
    moves: tuple[Move, ...]
    rewards: tuple[tuple[float, ...], ...]


def play_random_episode(spec: GameSpec, seed: int) -> Episode:
    """Play one game from `initial_state(seed=seed)`, every move drawn uniformly from `seed`."""
    rng = random.Random(seed)
    states = [spec.initial_state(seed=seed)]
    moves: list[Move] = []
    while not states[-1].is_terminal():
        moves.append(rng.choice(states[-1].legal_moves()))
        states.append(states[-1].apply_move(moves[-1]))
    return Episode(tuple(states), tuple(moves), tuple(state.rewards() for state in states[1:]))


class GameEnv:
    """The game as an environment with a position of its own, for those who prefer `step`."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        self._state: GameState | None = None

    def reset(self, seed: int | None = None, deck: Sequence[int] | None = None) -> GameState:
        """Deal afresh, as `GameSpec.initial_state` does, and return the position.

        Raises:
          ValueError: both a seed and a deck, or a bad deck.
        """
        self._state = self.spec.initial_state(seed=seed, deck=deck)
        return self._state

    def step(self, move: Move | int) -> tuple[GameState, tuple[float, ...], bool]:
        """Make a move; return the position, what the move earned, and whether the game is over.

        Raises:
          RuntimeError: nothing has been dealt yet.
          IllegalMoveError: the move is not legal.
        """
        if self._state is None:
            raise RuntimeError("step: call reset first, nothing has been dealt")
        self._state = self._state.apply_move(move)
        return self._state, self._state.rewards(), self._state.is_terminal()


def deck_source(
    seed: int | None, deck: Sequence[int] | None, decks: Decks | None, seeded: Decks
) -> Decks:
    """Return the one source of decks that was given.

    Args:
      seed: a seed; 0 if there is no source at all.
      deck: the first deal's deck. Later deals, where a game has them, are those of seeds 1, 2, ..
      decks: the source itself.
      seeded: gives the deck of a seed.

    Raises:
      ValueError: more than one was given.
    """
    sources = {"seed": seed, "deck": deck, "decks": decks}
    given = [name for name, source in sources.items() if source is not None]
    if len(given) > 1:
        raise ValueError(f"one source of cards is needed, not {' and '.join(given)}")
    if decks is not None:
        return decks
    if deck is not None:
        first = deck
        return lambda number: seeded(number) if number else first
    start = seed or 0
    return lambda number: seeded(start + number)


def shuffled(ids: Sequence[int]) -> Decks:
    """Return what gives the deck of a seed: Python's own generator shuffles the ids in order."""

    def deck(seed: int) -> list[int]:
        order = list(ids)
        random.Random(seed).shuffle(order)
        return order

    return deck


def check_deck(deck: Sequence[int], ids: Collection[int], name: str = "deck") -> list[int]:
    """Return `deck` as a list if it is a permutation of `ids`.

    Raises:
      ValueError: it is not; the message begins with `name` and names the card.
    """
    cards = [int(card) for card in deck]
    if len(cards) != len(ids):
        raise ValueError(f"{name}: {len(ids)} cards are needed, got {len(cards)}")
    for card in cards:
        if card not in ids:
            raise ValueError(f"{name}: there is no card {card} in this game")
    for card in cards:
        if cards.count(card) > 1:
            raise ValueError(f"{name}: card {card} occurs more than once")
    return cards


def check_table(table: Mapping[str, Any], known: Collection[str]) -> None:
    """Check that a game's table has all these facts.

    Raises:
      TypeError: it has not; the message says which exist.
    """
    for name in table:
        if name not in known:
            raise TypeError(
                f"initial_state: no keyword {name!r} here; the table has: "
                f"{', '.join(known) or 'nothing'}"
            )
