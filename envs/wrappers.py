"""Playing on and on: `AutoReset`, one game at a time, and `rollout`, fast and batched.

A card game that deals on every step, just in case one ended, spends most of its time on dealing.
`rollout` deals ahead, into a queue: a game that ends takes the next deck from it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, NamedTuple, Protocol

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import ArrayLike

from talonax.envs import cards
from talonax.envs.core import Env, Prepared, S, State, select
from talonax.envs.keys import key_words, typed_key

#: The queue holds this many times the decks that random play would use.
MARGIN = 1.05
#: Keys of this many steps of single games are drawn in one call ahead of a rollout (8 bytes each).
KEYS_AHEAD = 2**23


@dataclass(frozen=True)
class AutoReset(Generic[S]):
    """An env whose games start anew when they end: the unbatched reference of `rollout`.

    Attributes:
      env: the game.
    """

    env: Env[S]

    def init(self, key: Array) -> S:
        """Deal a game from a key."""
        return self.env.init(key)

    def step(self, state: S, action: ArrayLike, key: Array) -> tuple[S, S]:
        """Carry out an action, and deal anew from `key` if it ended the game.

        Returns:
          (state, last): `last` is what the action led to, with its rewards; `state` is the same or,
          where that game ended, a fresh deal. The next action acts in `state`.
        """
        last = self.env.step(state, action)
        return select(last.finished, self.env.init(key), last), last


class Acts(Protocol):
    """The part of `talonax.agents.policy.Policy` that a rollout needs."""

    def init(self, env: Any) -> Any:
        """Return the carry of one seat at the start of a game."""

    def see(self, env: Any, state: Any) -> Any:
        """Return what the policy is given of a state."""

    def act(
        self, params: Any, env: Any, view: Any, mask: Array, carry: Any, key: Array
    ) -> tuple[Array, Any]:
        """Choose an action for the seat to move."""


class Rollout(NamedTuple):
    """What `rollout` returns.

    Attributes:
      states: the states after the last step, none of them finished; leaves [B, ..].
      carries: the policy's carry of every seat; leaves [B, P, ..].
      games: int32[], how many games ended.
      trace: what `collect` returned, stacked; leaves [steps, B, ..]; None without `collect`.
    """

    states: Any
    carries: Any
    games: Array
    trace: Any


Collect = Callable[[Any, Array, Any], Any]


def rollout(
    env: Env[Any],
    policy: Acts,
    states: State,
    key: Array,
    steps: int,
    *,
    params: Any = None,
    carries: Any = None,
    collect: Collect | None = None,
) -> Rollout:
    """Play `steps` steps in each of a batch of games, starting anew wherever one ends.

    The distribution is that of `AutoReset`; the stream of decks may differ. No deck is dealt twice.
    Call it under `jit` (env, policy, steps and collect are static). Under `vmap` it is right, but a
    queue that runs dry then deals on every step: vmap over the batch instead.

    Args:
      env: the game.
      policy: plays every seat (`talonax.agents.policy.Seated` gives each seat its own).
      states: a batch; leaves [B, ..]. Finished ones are dealt anew first.
      key: one key, for decks and for the policy.
      steps: how many steps.
      params: handed to the policy.
      carries: what an earlier rollout returned; fresh if None.
      collect: `collect(state, action, last)` of one game: what to record of each step, where `last`
        is the state that the action led to.
    """
    batch = states.terminated.shape[0]
    for_decks, for_steps = jax.random.split(typed_key(key_words(key)))
    dealer = Dealer.ahead(env, for_decks, batch, steps)
    states, dealer = dealer.start(env, states)
    if carries is None:
        carries = fresh_carries(env, policy, batch)

    def body(carry: tuple[Any, ...], keys: Any) -> tuple[tuple[Any, ...], Any]:
        states, carries, dealer, games = carry
        actions, carries = act(env, policy, params, states, carries, _key_words(keys, batch))
        following, last, dealer = dealer.step(env, states, actions)
        carries = restart(env, policy, last.finished, carries)
        seen = None if collect is None else jax.vmap(collect)(states, actions, last)
        games = games + last.finished.sum(dtype=jnp.int32)
        return (following, carries, dealer, games), seen

    start = (states, carries, dealer, jnp.int32(0))
    end, trace = lax.scan(body, start, _step_keys(for_steps, steps, batch))
    states, carries, _, games = end
    return Rollout(states=states, carries=carries, games=games, trace=trace)


def _step_keys(key: Array, steps: int, batch: int) -> tuple[Array, Array | None]:
    """Return what `_key_words` makes keys of, a row a step: drawn ahead, unless it is too much."""
    if steps * batch > KEYS_AHEAD:
        return jax.random.key_data(jax.random.split(key, steps)), None
    for_games, for_steps = jax.random.split(key)
    words = jax.random.bits(for_games, (steps, batch), jnp.uint32)
    return jax.random.bits(for_steps, (steps,), jnp.uint32), words


def _key_words(drawn: tuple[Array, Array | None], batch: int) -> Array:
    """Return uint32[2, batch]: the keys of a step, from a row that `_step_keys` returned."""
    of_step, of_games = drawn
    return game_keys(typed_key(of_step), batch) if of_games is None else _paired(of_games, of_step)


def game_keys(key: Array, batch: int) -> Array:
    """Return uint32[2, batch]: the words of a fresh key for each game of a batch.

    Random words are as good a key as a split, for less; words before games keep each contiguous.
    """
    for_games, for_step = jax.random.split(key)
    words = jax.random.bits(for_games, (batch,), jnp.uint32)
    return _paired(words, jax.random.bits(for_step, dtype=jnp.uint32))


def _paired(of_games: Array, of_step: Array) -> Array:
    """Return uint32[2, B]: keys of a word of each game's own and one of the step's.

    The games' numbers, mixed in, keep any two of a step apart: one draw a game is enough.
    """
    return jnp.stack([of_games, of_step ^ jnp.arange(of_games.shape[0], dtype=jnp.uint32)])


class Dealer(NamedTuple):
    """Deals ahead for a batch of games that go on and on: what a loop over steps carries along.

    A game takes its next deck into its hand not when it has used the last one, but in the next step
    of those in which all games do: that comes in time, since deals last `env.least_steps`.

    Attributes:
      queue: the decks to come.
      hand: the deck that each game uses next; leaves [B, ..].
      used: bool[B], that deck is used.
      waited: int32[], steps since games took decks.
    """

    queue: "_Queue"
    hand: Prepared
    used: Array
    waited: Array

    @staticmethod
    def ahead(env: Env[Any], key: Array, batch: int, steps: int) -> "Dealer":
        """Deal for about `steps` steps of `batch` games; what is missing then is dealt on the spot.

        Args:
          env: the game.
          key: decides all decks.
          batch: how many games play side by side.
          steps: how many steps of each are to come.
        """
        for_queue, for_refill, for_hand = jax.random.split(key, 3)
        decks = min(steps, -(-steps * MARGIN // env.typical_steps)) + 1
        prepared = _prepare(env, for_queue, batch * int(decks))
        queue = _Queue(prepared, jnp.int32(0), key_words(for_refill))
        return Dealer(queue, _prepare(env, for_hand, batch), jnp.zeros(batch, bool), jnp.int32(0))

    def start(self, env: Env[Any], states: Any) -> tuple[Any, "Dealer"]:
        """Return the states (leaves [B, ..]), the finished ones dealt anew."""
        over = states.finished
        fresh = jax.vmap(select)(over, jax.vmap(env.begin)(self.hand), states)
        return fresh, self._taken(env, over)

    def step(self, env: Env[Any], states: Any, actions: Array) -> tuple[Any, Any, "Dealer"]:
        """Carry out legal actions, and deal anew where one ended its game.

        Returns:
          (following, last, dealer): `last` is what each action led to, with its rewards;
          `following` the same, or a fresh deal.
        """
        last = jax.vmap(env.step_dealt)(states, actions, self.hand.deck)
        following = jax.vmap(select)(last.finished, jax.vmap(env.begin)(self.hand), last)
        return following, last, self._served(env, self.used | _used(env, states, last))

    def _served(self, env: Env[Any], used: Array) -> "Dealer":
        """Return the dealer after a step; it is time that games take decks, or not yet."""
        if env.least_steps == 1:
            return self._taken(env, used)
        waited = self.waited + 1
        prepared, *rest = self.queue
        rest, hand, used, waited = lax.cond(
            waited == env.least_steps,
            lambda: _but_prepared(self._taken(env, used)),
            lambda: (rest, self.hand, used, waited),
        )
        return Dealer(_Queue(prepared, *rest), hand, used, waited)

    def _taken(self, env: Env[Any], used: Array) -> "Dealer":
        """Return the dealer after games whose decks are `used` (bool[B]) have taken others."""
        queue, hand = self.queue.take(env, used, self.hand)
        return Dealer(queue, hand, jnp.zeros_like(used), jnp.int32(0))


def _but_prepared(dealer: Dealer) -> tuple[Any, ...]:
    """Return what of a dealer changes: a condition copies all that it returns."""
    _, *rest = dealer.queue
    return rest, dealer.hand, dealer.used, dealer.waited


class _Queue(NamedTuple):
    """Games prepared ahead, and where the next one lies.

    Attributes:
      prepared: leaves [Q, ..].
      head: int32[], the place of the next one.
      key: uint32[2], decides what is dealt when the queue has run dry.
    """

    prepared: Prepared
    head: Array
    key: Array

    def take(self, env: Env[Any], wanted: Array, hand: Prepared) -> "tuple[_Queue, Prepared]":
        """Give each game that wants one the next of the queue; `hand` stays elsewhere.

        A queue that cannot serve all deals a whole batch on the spot. Only what is taken passes
        through the condition: the queue itself would be copied on every step.
        """
        number = wanted.sum(dtype=jnp.int32)
        dry = self.head + number > jax.tree.leaves(self.prepared)[0].shape[0]
        key, taken = lax.cond(
            dry,
            lambda: self._dealt(env, wanted.shape[0]),
            lambda: (self.key, self._following(wanted)),
        )
        hand = jax.tree.map(partial(_choose, wanted), taken, hand)
        return _Queue(self.prepared, jnp.where(dry, self.head, self.head + number), key), hand

    def _following(self, wanted: Array) -> Prepared:
        place = self.head + cards.places_among(wanted)
        following: Prepared = jax.tree.map(
            lambda leaf: leaf.at[place].get(mode="clip"), self.prepared
        )
        return following

    def _dealt(self, env: Env[Any], batch: int) -> tuple[Array, Prepared]:
        key, for_deals = jax.random.split(typed_key(self.key))
        return jax.random.key_data(key), _prepare(env, for_deals, batch)


def _choose(wanted: Array, new: Array, old: Array) -> Array:
    """Return `new` where wanted, along the first axis."""
    return jnp.where(wanted.reshape(-1, *(1,) * (new.ndim - 1)), new, old)


def _prepare(env: Env[Any], key: Array, number: int) -> Prepared:
    return jax.vmap(env.prepare)(jax.random.split(key, number))


def _used(env: Env[Any], before: Any, after: Any) -> Array:
    if not env.deals_again:
        return jnp.asarray(after.finished)
    used: Array = after.finished | (after.deal_no != before.deal_no)
    return used


def fresh_carries(env: Env[Any], policy: Acts, batch: int) -> Any:
    """Return the carry of every seat of every game: leaves [B, P, ..]."""
    return jax.tree.map(
        lambda leaf: jnp.broadcast_to(leaf, (batch, env.num_players, *jnp.shape(leaf))),
        policy.init(env),
    )


def act(
    env: Env[Any], policy: Acts, params: Any, states: Any, carries: Any, words: Array
) -> tuple[Array, Any]:
    """Let the seat to move act in each game of a batch; only its carry moves on.

    Args:
      env: the game.
      policy: acts for every seat.
      params: handed to the policy.
      states: leaves [B, ..].
      carries: leaves [B, P, ..], as `fresh_carries` returns them.
      words: uint32[2, B], the words of a key a game (`game_keys`).

    Returns:
      int32[B], the actions, and the carries after them.
    """

    def one(state: Any, carry: Any, words: Array) -> tuple[Array, Any]:
        key = typed_key(words)
        seat = state.current_player
        own = jax.tree.map(lambda leaf: leaf[seat], carry)
        mask = env.legal_action_mask(state)
        action, own = policy.act(params, env, policy.see(env, state), mask, own, key)
        return action, jax.tree.map(lambda leaf, new: leaf.at[seat].set(new), carry, own)

    return jax.vmap(one, in_axes=(0, 0, 1))(states, carries, words)


def restart(env: Env[Any], policy: Acts, done: Array, carries: Any) -> Any:
    """Return the carries (leaves [B, P, ..]), those of games that are `done` (bool[B]) fresh."""
    fresh = policy.init(env)
    return jax.vmap(
        lambda over, carry: jax.tree.map(lambda new, old: jnp.where(over, new, old), fresh, carry)
    )(done, carries)
