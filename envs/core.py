"""The contract that every game keeps: `State`, `Env`, and what they promise.

One game, unbatched, as pure functions: the user vmaps. An `Env` is plain data (its rules and the
layout of its observations), so it is hashable, costs nothing to build and may be a static argument.
A `State` holds the position alone: observations and legal actions are functions of it, computed
where they are used, so that search trees and replay buffers can hold many states.

A game writes what stands under *What a game writes*; everything else follows from it. The smallest
example is `envs/high_card_duel/`.
"""

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array
from jax.typing import ArrayLike

from talonax.configs.rules import rules_hash
from talonax.envs import cards
from talonax.envs.given import check_keywords, check_order, integers, is_concrete
from talonax.envs.keys import key_words, typed_key
from talonax.envs.positions import check_names, fitted
from talonax.envs.stage import once
from talonax.envs.symmetry import SuitSymmetry

#: `current_player` of a finished state: nobody is to move.
NOBODY = -1
#: The action that does nothing (`Env.idles`).
IDLE = -1

LAYOUTS = ("full", "compact")


class State(struct.PyTreeNode):
    """A position. Games add their own fields.

    Attributes:
      current_player: int32[], the seat to move; -1 once finished.
      rewards: float32[P], what the last step alone earned, by seat.
      terminated: bool[], the game is over.
      truncated: bool[], the game was cut off; the rewards of that step are final.
      illegal: bool[], it ended because the last action was not legal.
    """

    current_player: Array
    rewards: Array
    terminated: Array
    truncated: Array
    illegal: Array

    @property
    def finished(self) -> Array:
        """bool[]: terminated or truncated."""
        return self.terminated | self.truncated


def opening(num_players: int, first: ArrayLike) -> dict[str, Any]:
    """Return the fields of `State` for a game that begins with seat `first` to move."""
    return {
        "current_player": jnp.asarray(first, jnp.int32),
        "rewards": jnp.zeros(num_players, jnp.float32),
        "terminated": jnp.bool_(False),
        "truncated": jnp.bool_(False),
        "illegal": jnp.bool_(False),
    }


class Prepared(NamedTuple):
    """What chance has decided of a game that is not begun.

    Attributes:
      deck: deal 0, as `Env.pack_deck` makes it.
      key: uint32[2], decides later deals; None if there are none.
      table: what else is left to chance, by table keyword.
    """

    deck: Any
    key: Array | None
    table: dict[str, Array]


S = TypeVar("S", bound=State)


def select(condition: Array, yes: S, no: S) -> S:
    """Return `yes` where `condition` (bool[]) holds, else `no`, field by field."""
    chosen: S = jax.tree.map(lambda a, b: jnp.where(condition, a, b), yes, no)
    return chosen


def _replace(state: S, **changes: Any) -> S:
    changed: S = state.replace(**changes)
    return changed


@dataclass(frozen=True)
class Env(abc.ABC, Generic[S]):
    """A game under one set of rules.

    Attributes:
      rules: the frozen `Rules` dataclass of the game.
      observation: the layout of observations, `"full"` or `"compact"`.

    Class attributes:
      id: the registered name.
      version: bumped when behaviour changes.
      summary: one line of what the game is.
      layouts: the layouts of observations that exist.
      phases: names of the phases; an action id may mean different things in each.
      idles: whether `_apply` itself leaves a position alone if the action is `IDLE` (rewards zero,
        the rest as it was). Cheaper than choosing field by field between two positions, which is
        what happens otherwise.
      table_keywords: what `deal` takes beside deck and key.
    """

    rules: Any
    observation: str = "full"

    id: ClassVar[str]
    version: ClassVar[int] = 1
    summary: ClassVar[str]
    layouts: ClassVar[tuple[str, ...]] = ("full",)
    phases: ClassVar[tuple[str, ...]] = ("play",)
    idles: ClassVar[bool] = False
    table_keywords: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        if self.observation not in self.layouts:
            raise ValueError(
                f"{self.id} has no observation {self.observation!r}; there are: "
                f"{', '.join(self.layouts)}"
            )

    # What a game writes -------------------------------------------------------------------------

    @property
    @abc.abstractmethod
    def num_players(self) -> int:
        """Number of seats."""

    @property
    @abc.abstractmethod
    def num_actions(self) -> int:
        """Number of action ids, `0 .. num_actions - 1`."""

    @property
    @abc.abstractmethod
    def observation_shape(self) -> tuple[int, ...]:
        """Shape of what `observe` returns."""

    @property
    @abc.abstractmethod
    def max_steps(self) -> int:
        """A proven bound on the steps of a whole game or match."""

    @property
    @abc.abstractmethod
    def max_loss(self) -> float:
        """The largest |reward| that one step can pay."""

    @property
    @abc.abstractmethod
    def deck_cards(self) -> tuple[int, ...]:
        """The numbers of the cards that a deck orders."""

    @property
    @abc.abstractmethod
    def plane_names(self) -> tuple[str, ...]:
        """Names of the planes of `card_tensor`; the partition planes come first."""

    @property
    @abc.abstractmethod
    def num_partition_planes(self) -> int:
        """How many of the first planes partition the deck."""

    @abc.abstractmethod
    def action_name(self, action: int) -> str:
        """Return the name of an action id, as the table view and errors print it."""

    @abc.abstractmethod
    def _deal(self, deck: Any, key: Array | None, table: Mapping[str, Any]) -> S:
        """Lay out the first deal. `deck` is what `pack_deck` made of an order.

        `key` decides later deals: the state keeps it where `deals_again`, and needs none elsewhere.
        """

    @abc.abstractmethod
    def _legal_set(self, state: S) -> Array:
        """Return the set of legal actions, of a state that is not finished."""

    @abc.abstractmethod
    def _apply(self, state: S, action: Array, next_deck: Any) -> S:
        """Carry out a legal action in a state that is not finished.

        `next_deck` is the deck of the next deal, for games of several deals (else None).
        """

    @abc.abstractmethod
    def _observe(self, state: S, player: Array) -> Array:
        """Return what `player` observes: float32[*observation_shape]."""

    @abc.abstractmethod
    def card_tensor(self, state: S, player: ArrayLike) -> Array:
        """Return bool[4, 14, n]: the planes of `plane_names` as `player` knows them."""

    @abc.abstractmethod
    def redeal(self, state: S, player: ArrayLike, key: Array) -> S:
        """Draw, uniformly, a world consistent with what `player` knows.

        A world is all that chance decided. Returns the state that the same actions lead to in it,
        with a fresh `state.key`; what `player` observes is unchanged. Two states that he cannot
        tell apart give the same result under one key.
        """

    @abc.abstractmethod
    def facts(self, state: S) -> dict[str, Array]:
        """Return everything there is, hidden things too, as plain integers, by name.

        The reference engine's `facts` returns the same; lockstep compares them at every step.
        """

    @abc.abstractmethod
    def render(self, state: S, player: int | None = None) -> str:
        """Return the table as text, as `player` sees it; `None` shows everything."""

    # What a game may override -------------------------------------------------------------------

    @property
    def cards_used(self) -> int:
        """How many cards from the top of a deck the game ever looks at."""
        return len(self.deck_cards)

    @property
    def deals_again(self) -> bool:
        """Whether a step may deal anew (a match); if so, states hold `key` and `deal_no`."""
        return False

    @property
    def copies(self) -> int:
        """How many equal cards lie in a cell of `card_tensor`. Each place has as many partition
        planes, one after the other: for at least one copy, at least two, ..
        """
        return 1

    @property
    def typical_steps(self) -> int:
        """Steps that one deal lasts under random play; sizes queues, nothing else."""
        return 16

    @property
    def least_steps(self) -> int:
        """A proven bound: of the steps from one deal to the end of it, or to the next, there are at
        least so many.
        """
        return 1

    @property
    def zero_sum(self) -> bool:
        """Whether the rewards of every step sum to zero: so they do between two, by default."""
        return self.num_players == 2

    def name_in(self, state: S, action: int) -> str:
        """Return the name of an action id in this position: where ids mean different things by
        phase, what it means here; otherwise `action_name`.
        """
        del state
        return self.action_name(action)

    def phase(self, state: S) -> Array:
        """Return int32[]: the index into `phases` of what is being decided."""
        return jnp.zeros_like(state.current_player)

    def deck(self, key: Array, n: ArrayLike) -> Array:
        """Return int32[len(deck_cards)]: the deck of deal `n`, shuffled from `fold_in(key, n)`."""
        return self._shuffled(key, n, len(self.deck_cards))

    def pack_deck(self, deck: Array, **table: Any) -> Any:
        """Return the deck as a queue of decks stores it: the order itself, by default.

        Of `deck` there may be no more than the first `cards_used` cards. `table` is what `deal` was
        given, for games whose lay-out depends on it.
        """
        del table
        return deck

    def observation_entries(self) -> list[tuple[str, int, str]]:
        """Return name, width and meaning of each entry of a flat observation, in order.

        Games that observe planes have none.
        """
        return []

    def suit_symmetry(self) -> SuitSymmetry | None:
        """Return what belongs to which suit, if all suits but the trump suit are alike (None)."""
        return None

    def chance(self, key: Array) -> dict[str, Array]:
        """Return the table keywords that chance decides beside the deck of deal 0 (none here)."""
        del key
        return {}

    def position(self, state: S) -> dict[str, Any]:
        """Return the game's own fields as plain values that a person can read (`serialize`)."""
        return {
            name: jax.tree.map(lambda leaf: np.asarray(leaf).tolist(), value)
            for name, value in state.__dict__.items()
            if name not in State.__dataclass_fields__ and value is not None
        }

    def from_position(self, common: dict[str, Array], position: Mapping[str, Any]) -> S:
        """Return the state that `position` describes: the inverse of `position`.

        Args:
          common: the fields of `State`.
          position: what `position` returned, or what a person wrote.

        Raises:
          ValueError: it is no position of this game; the message names the entry.
        """
        like = jax.eval_shape(self.init, jax.random.key(0))
        own = {
            name: value
            for name, value in like.__dict__.items()
            if name not in common and value is not None
        }
        check_names(f"{self.id}: position", position, own)
        fields = {name: fitted(name, position[name], own[name]) for name in own}
        state: S = like.replace(**common, **fields)
        return state

    @property
    def tally_of(self) -> Mapping[str, str]:
        """Of which other count a count of `tally` is a part, by their names (nothing here)."""
        return {}

    def tally(self, state: S, action: Array, after: S) -> dict[str, Array]:
        """Return int32[] counts of what is worth counting in one step, by name (nothing here)."""
        del state, action, after
        return {}

    # What follows -------------------------------------------------------------------------------

    @cached_property
    def rules_hash(self) -> str:
        """12 hex digits that name the game, its version and its rules."""
        return rules_hash(self.id, self.version, self.rules)

    def observation_layout(self) -> dict[str, slice]:
        """Return the slice of each entry of a flat observation, by name; they tile it in order."""
        layout, start = {}, 0
        for name, width, _ in self.observation_entries():
            layout[name] = slice(start, start + width)
            start += width
        return layout

    def init(self, key: Array) -> S:
        """Deal a game from a key: `deal(deck(key, 0), key=key)` and what else chance decides."""
        return self.begin(self.prepare(key))

    def prepare(self, key: Array) -> Prepared:
        """Draw all that `begin` needs to start a game: what a queue of decks holds."""
        words = key_words(key)
        deck = self.pack_deck(self._shuffled(words, 0, self.cards_used))
        return Prepared(deck, words if self.deals_again else None, self.chance(words))

    def begin(self, prepared: Prepared) -> S:
        """Start the game that was prepared."""
        return self._deal(prepared.deck, prepared.key, prepared.table)

    def deal(self, deck: ArrayLike | Sequence[int], *, key: Array | None = None, **table: Any) -> S:
        """Deal a game from an explicit deck.

        Args:
          deck: int[len(deck_cards)], the order of the cards, the top first.
          key: where the decks of later deals come from; key 0 if None.
          **table: facts of the table (`table_keywords`); each overrides the rule of that name.

        Raises:
          ValueError: a concrete deck that is no order of the game's cards, or a concrete fact that
            the table cannot have. Traced values are the caller's duty.
          TypeError: an unknown keyword.
        """
        check_keywords(f"{self.id}: deal()", table, self.table_keywords)
        check_order(f"{self.id}: a deck", deck, self.deck_cards)
        words = key_words(jax.random.key(0) if key is None else key)
        order = jnp.asarray(deck, jnp.int32)
        return self._deal(self.pack_deck(order, **table), words, {**self.chance(words), **table})

    def legal_set(self, state: S) -> Array:
        """Return the set of legal actions: uint32[], or uint32[W]; all of them once finished."""
        every = cards.constant(range(self.num_actions), self.num_actions)
        return jnp.where(state.finished, every, self._legal_set(state))

    def legal_action_mask(self, state: S) -> Array:
        """Return bool[num_actions]: the legal actions; all true once finished, so that samplers
        never divide by zero.
        """
        return cards.unpack(self.legal_set(state), self.num_actions)

    def step(self, state: S, action: ArrayLike, *unexpected: Any) -> S:
        """Carry out an action.

        A finished state steps to itself with zero rewards. An illegal action, one out of range too,
        ends the game: its actor gets `-max_loss`, the others share `+max_loss`, `illegal` is set.

        Args:
          state: the position.
          action: int[], an action id.

        Raises:
          TypeError: a third argument (`step` takes no key: chance comes from `state.key`), or an
            action that is no integer.
        """
        if unexpected:
            raise TypeError(
                f"{self.id}: step(state, action) takes no key: what chance decides comes from "
                "state.key; for auto-resets use talonax.envs.wrappers.AutoReset"
            )
        action, in_range = self._action(action)
        legal = in_range & cards.contains(self._legal_set(state), action)
        stepped = self._advance(state, jnp.where(legal, action, IDLE), self._next_deck(state))
        return self._punish(state, stepped, ~legal & ~state.finished)

    def step_legal(self, state: S, action: ArrayLike) -> S:
        """Carry out an action that the caller knows to be legal: `step` without the test."""
        return self.step_dealt(state, self._action(action)[0], self._next_deck(state))

    def step_dealt(self, state: S, action: ArrayLike, next_deck: Any) -> S:
        """Carry out a legal action, with the deck of the next deal handed in.

        Args:
          state: the position.
          action: int[], a legal action.
          next_deck: an order of the cards, or `pack_deck` of it; used only if the action ends a
            deal and the game goes on. None will do where `deals_again` is false.
        """
        return self._advance(state, jnp.asarray(action, jnp.int32), next_deck)

    def observe(self, state: S, player: ArrayLike) -> Array:
        """Return what `player` observes: float32[*observation_shape].

        Raises:
          ValueError: a concrete `player` that is no seat. (-1, the
            `current_player` of a finished state, is let through and gives seat 0's view, so that
            batched code need not care.)
        """
        if is_concrete(player) and not NOBODY <= int(np.asarray(player)) < self.num_players:
            raise ValueError(f"player {player} is no seat; there are: 0 .. {self.num_players - 1}")
        return self._observe(state, jnp.maximum(jnp.asarray(player, jnp.int32), 0))

    def _action(self, action: ArrayLike) -> tuple[Array, Array]:
        given = integers("an action", action)
        in_range = (given >= 0) & (given < self.num_actions)
        return given.astype(jnp.int32), in_range

    def _next_deck(self, state: S) -> Any:
        if not self.deals_again:
            return None
        match: Any = state
        return self.pack_deck(self._shuffled(match.key, match.deal_no + 1, self.cards_used))

    def _shuffled(self, key: Array, n: ArrayLike, top: int) -> Array:
        """Return int32[top]: the first cards of `deck(key, n)`; fewer are dealt for less."""
        key = jax.random.fold_in(typed_key(key_words(key)), n)
        order = once(cards.shuffle(key, len(self.deck_cards), top).astype(jnp.uint32))
        order = order.astype(jnp.int32)
        if self.deck_cards == tuple(range(len(self.deck_cards))):
            return order
        return jnp.array(self.deck_cards, jnp.int32)[order]

    def _advance(self, state: S, action: Array, next_deck: Any) -> S:
        """Apply a legal action; a finished state, and one with the action `IDLE`, rests."""
        if isinstance(next_deck, Array | np.ndarray):
            next_deck = self.pack_deck(jnp.asarray(next_deck))
        action = jnp.where(state.finished, IDLE, action)
        action = once((action - IDLE).astype(jnp.uint32)).astype(jnp.int32) + IDLE
        moved = self._apply(state, action, next_deck)
        if self.idles:
            return moved
        resting = _replace(state, rewards=jnp.zeros_like(state.rewards))
        return select(action == IDLE, resting, moved)

    def _punish(self, before: S, after: S, illegal: Array) -> S:
        seats = jnp.arange(self.num_players)
        shared = self.max_loss / (self.num_players - 1)
        fine = jnp.where(seats == before.current_player, -self.max_loss, shared)
        return _replace(
            after,
            current_player=jnp.where(illegal, NOBODY, after.current_player),
            rewards=jnp.where(illegal, fine.astype(jnp.float32), after.rewards),
            terminated=after.terminated | illegal,
            illegal=after.illegal | illegal,
        )
