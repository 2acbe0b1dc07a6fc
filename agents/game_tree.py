"""The whole tree of a small game, reduced to what exact solving needs of it.

Chance deals: it branches over the ordered choices of the cards that a game uses, each as likely,
and not over decks. Below that every legal action is tried in every position. A seat cannot tell two
of its decisions apart if it observed and did the same up to there: its *information set* is the
sequence of its own observations (byte by byte) and actions, so that recall is perfect by
construction. What is kept is the sequence form (von Stengel, Efficient computation of behavior
strategies, GEB 14 (1996)): the information sets, and of every end what it pays and which last
decision of each seat leads to it. A *sequence* is an information set with an action taken there,
numbered `1 + set * num_actions + action`; 0 is that of a seat that has not decided yet.

Positions are made a depth at a time, by jitted calls of one size, and refused beyond a limit.
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import Array

from talonax.envs.core import Env

#: Positions that a tree may have, deals and ends included, unless told otherwise.
LIMIT = 2_000_000
#: Positions that one jitted call makes.
CHUNK = 2048
#: So many deals are tried out first, to estimate how large the tree is: up to so many positions.
SAMPLE = 16
SAMPLE_LIMIT = 50_000
#: Larger numbers are told by their order of magnitude.
EXACT = 1e9

Numbers = np.ndarray[Any, Any]


class TreeError(ValueError):
    """A game whose tree cannot be made; the message says why."""


@dataclass(frozen=True)
class InformationSets:
    """What each seat can tell apart: arrays by information set.

    Attributes:
      seat: int64[I], whose decision it is.
      previous: int64[I], the sequence of that seat which leads to it.
      turn: int64[I], how often the seat has decided before.
      legal: bool[I, num_actions], what it may do.
      states: a state of each, leaves [I, ..].
      others: another state of each, if there is one: its seat cannot tell it from the first.
    """

    seat: Numbers
    previous: Numbers
    turn: Numbers
    legal: Numbers
    states: Any
    others: Any


@dataclass(frozen=True)
class GameTree:
    """A game as its sequence form.

    Attributes:
      env: the game.
      deals: how many deals there are, each as likely as the other.
      positions: how many positions, deals and ends included.
      sets: the information sets.
      ends: int64[Z, P], of every end the last sequence of each seat.
      returns: float64[Z, P], what it pays in all.
    """

    env: Env[Any]
    deals: int
    positions: int
    sets: InformationSets
    ends: Numbers
    returns: Numbers


def game_tree(env: Env[Any], limit: int = LIMIT) -> GameTree:
    """Return the tree of a game. The last few are kept: an equal env gets the same one.

    Raises:
      TreeError: it has more than `limit` positions (the message estimates how many), or chance
        decides more than the cards of one deal.
    """
    return _grown(env, limit)


@lru_cache(maxsize=4)
def _grown(env: Env[Any], limit: int) -> GameTree:
    _check_chance(env)
    deals = math.perm(len(env.deck_cards), env.cards_used)
    if deals > limit:
        raise TreeError(_too_large(env, "more than", deals, deals, limit))
    sample, share = _Growth(env), min(1.0, SAMPLE / deals)
    whole = sample.grow(_sample(env), max(int(share * limit), SAMPLE_LIMIT))
    estimate = sample.positions / share
    if estimate > limit:
        about = "about" if whole else "more than"
        raise TreeError(_too_large(env, about, estimate, deals, limit))
    growth = _Growth(env)
    if not growth.grow(_decks(env), limit):
        raise TreeError(_too_large(env, "more than", limit, deals, limit))
    return growth.tree(deals)


def _check_chance(env: Env[Any]) -> None:
    if env.deals_again:
        raise TreeError(
            f"{env.id}: a game of several deals cannot be enumerated under these rules; only the "
            "cards of one deal can"
        )
    decided = jax.eval_shape(env.chance, jax.random.key_data(jax.random.key(0)))
    if decided:
        raise TreeError(
            f"{env.id}: under these rules chance decides {', '.join(decided)}, too, which cannot "
            "be enumerated; only the cards of one deal can"
        )


def _too_large(env: Env[Any], about: str, size: float, deals: int, limit: int) -> str:
    return (
        f"{env.id} is too large to enumerate: {about} {_rounded(size)} positions, from "
        f"{_rounded(deals)} deals of the {env.cards_used} cards that a game uses; the limit is "
        f"{limit:,}"
    )


def _rounded(number: float) -> str:
    return f"{number:,.0f}" if number < EXACT else f"{number:.1e}"


def _sample(env: Env[Any]) -> Iterator[Numbers]:
    """Yield int32[n, len(deck_cards)]: a few decks at random, at most as many as deals exist."""
    deck = np.array(env.deck_cards, np.int32)
    number = min(SAMPLE, math.perm(len(deck), env.cards_used))
    yield np.random.default_rng(0).permuted(np.tile(deck, (number, 1)), axis=1)


def _decks(env: Env[Any]) -> Iterator[Numbers]:
    """Yield int32[n, len(deck_cards)]: a deck for every ordered choice of the cards used."""
    deck, used = np.array(env.deck_cards, np.int32), env.cards_used
    places = itertools.permutations(range(len(deck)), used)
    while chunk := list(itertools.islice(places, CHUNK)):
        top = np.array(chunk)
        left = np.ones((len(top), len(deck)), bool)
        np.put_along_axis(left, top, False, axis=1)
        rest = np.broadcast_to(deck, left.shape)[left].reshape(len(top), -1)
        yield np.concatenate([deck[top], rest], axis=1)


# Positions, many at once ------------------------------------------------------------------------


class _Look(NamedTuple):
    """Positions, leaves [n, ..], and what is to be known of them."""

    states: Any
    over: Any
    seat: Any
    legal: Any
    observed: Any
    rewards: Any


def _look(env: Env[Any], state: Any) -> _Look:
    return _Look(
        states=state,
        over=state.finished,
        seat=state.current_player,
        legal=env.legal_action_mask(state),
        observed=env.observe(state, state.current_player),
        rewards=state.rewards,
    )


@partial(jax.jit, static_argnums=0)
def _dealt(env: Env[Any], decks: Array) -> _Look:
    return jax.vmap(lambda deck: _look(env, env.deal(deck)))(decks)


@partial(jax.jit, static_argnums=0)
def _stepped(env: Env[Any], states: Any, actions: Array) -> _Look:
    return jax.vmap(lambda state, action: _look(env, env.step_legal(state, action)))(
        states, actions
    )


def take(tree: Any, rows: Numbers) -> Any:
    """Return these rows of every leaf, as numpy arrays."""
    return jax.tree.map(lambda leaf: np.asarray(leaf)[rows], tree)


def padded(tree: Any, size: int) -> Any:
    """Return every leaf with its first row repeated up to `size` rows."""
    return jax.tree.map(
        lambda leaf: np.concatenate([leaf, np.repeat(leaf[:1], size - len(leaf), axis=0)]), tree
    )


def joined(pieces: list[Any]) -> Any:
    """Return trees of the same kind with their rows one after the other."""
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *pieces)


class _Frontier(NamedTuple):
    """Positions of one depth in which somebody is to move: leaves [n, ..].

    Attributes:
      states: the states.
      seat: int32[n], who is to move.
      legal: bool[n, num_actions].
      sets: int64[n], the information set of the seat to move.
      sequences: int64[n, P], the last sequence of each seat.
      returns: float64[n, P], what each seat earned so far.
    """

    states: Any
    seat: Numbers
    legal: Numbers
    sets: Numbers
    sequences: Numbers
    returns: Numbers


class _Growth:
    """A tree as it grows."""

    def __init__(self, env: Env[Any]) -> None:
        self.env = env
        self.positions = 0
        #: The number of each information set, by seat, previous sequence and observation.
        self.numbers: dict[tuple[int, int, bytes], int] = {}
        #: What is legal there: bool[num_actions] as bytes.
        self.legal: list[bytes] = []
        #: How many of its positions were met.
        self.met: Numbers = np.zeros(0, np.int64)
        # Pieces of the arrays of `InformationSets` and `GameTree`, by the chunk that they came in.
        self.states: list[Any] = []
        self.others: list[tuple[Numbers, Any]] = []
        self.ends: list[Numbers] = []
        self.returns: list[Numbers] = []

    def grow(self, decks: Iterator[Numbers], limit: int) -> bool:
        """Make the positions that the decks lead to; return whether `limit` was kept."""
        pieces = []
        for deck in decks:
            nothing = np.zeros((len(deck), self.env.num_players))
            dealt = _dealt(self.env, padded(deck, CHUNK))
            pieces.append(self._sort(dealt, nothing.astype(np.int64), nothing))
            if self.positions > limit:
                return False
        while pieces:
            frontier = joined(pieces)
            parents, actions = np.nonzero(frontier.legal)
            pieces = []
            for start in range(0, len(parents), CHUNK):
                chunk = slice(start, start + CHUNK)
                pieces.append(self._children(frontier, parents[chunk], actions[chunk]))
                if self.positions > limit:
                    return False
        return True

    def _children(self, frontier: _Frontier, parents: Numbers, actions: Numbers) -> _Frontier:
        """Carry out `actions` in the positions `parents`."""
        before: _Frontier = take(frontier, parents)
        found = _stepped(
            self.env, padded(before.states, CHUNK), padded(actions.astype(np.int32), CHUNK)
        )
        sequence = 1 + before.sets * self.env.num_actions + actions
        before.sequences[np.arange(len(parents)), before.seat] = sequence
        return self._sort(found, before.sequences, before.returns)

    def _sort(self, found: _Look, sequences: Numbers, returns: Numbers) -> _Frontier:
        """Put the ends aside; return the positions that go on, their information sets numbered."""
        found = take(found, np.arange(len(sequences)))
        returns = returns + found.rewards
        self.positions += len(sequences)
        self.ends.append(sequences[found.over])
        self.returns.append(returns[found.over])
        goes_on = np.flatnonzero(~found.over)
        found, sequences = take(found, goes_on), sequences[goes_on]
        previous = sequences[np.arange(len(goes_on)), found.seat]
        sets = self._number(found, previous)
        return _Frontier(found.states, found.seat, found.legal, sets, sequences, returns[goes_on])

    def _number(self, found: _Look, previous: Numbers) -> Numbers:
        """Return int64[n]: the information set of each position; new ones get new numbers.

        Raises:
          TreeError: two positions of a set in which other actions are legal.
        """
        known, sets = len(self.legal), np.empty(len(previous), np.int64)
        flat = found.observed.reshape(len(previous), math.prod(found.observed.shape[1:]))
        observed = flat + np.float32(0)  # -0 and 0 are the same
        rows = zip(found.seat.tolist(), previous.tolist(), observed, found.legal, strict=True)
        for i, (seat, before, seen, legal) in enumerate(rows):
            number = self.numbers.setdefault((seat, before, seen.tobytes()), len(self.legal))
            sets[i] = number
            if number == len(self.legal):
                self.legal.append(legal.tobytes())
            elif self.legal[number] != legal.tobytes():
                raise TreeError(
                    f"{self.env.id}: what seat {seat} observed does not tell what it may do"
                )
        self._keep(found.states, sets, known)
        return sets

    def _keep(self, states: Any, sets: Numbers, known: int) -> None:
        """Keep the first state of every new set, and another one of those with no second yet."""
        present, first, number = np.unique(sets, return_index=True, return_counts=True)
        _, last = np.unique(sets[::-1], return_index=True)
        self.met = np.append(self.met, np.zeros(len(self.legal) - known, np.int64))
        alone = self.met[present] < 2
        self.met[present] += number
        self.states.append(take(states, first[present >= known]))
        self.others.append((present[alone], take(states, len(sets) - 1 - last[alone])))

    def tree(self, deals: int) -> GameTree:
        """Return what has grown."""
        actions = self.env.num_actions
        owner, others = joined(self.others)
        latest = np.zeros(len(self.legal), np.int64)
        latest[owner] = np.arange(len(owner))
        seat, previous = (np.array([key[i] for key in self.numbers], np.int64) for i in (0, 1))
        sets = InformationSets(
            seat=seat,
            previous=previous,
            turn=_turns(previous, actions),
            legal=np.frombuffer(b"".join(self.legal), bool).reshape(-1, actions),
            states=joined(self.states),
            others=take(others, latest),
        )
        ends, returns = np.concatenate(self.ends), np.concatenate(self.returns)
        return GameTree(self.env, deals, self.positions, sets, ends, returns)


def _turns(previous: Numbers, actions: int) -> Numbers:
    """Return int64[I]: how many information sets of the same seat come before each."""
    turn = np.zeros_like(previous)
    while True:
        later = np.where(previous > 0, turn[(previous - 1) // actions] + 1, 0)
        if (later == turn).all():
            return turn
        turn = later
