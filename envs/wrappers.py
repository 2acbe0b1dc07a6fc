"""Playing on and on: `AutoReset`, one game at a time, and `rollout`, fast and batched.

A card game that deals on every step, just in case one ended, spends most of its time on dealing.
`rollout` deals ahead, into a queue: a game that ends takes the next deck from it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import ArrayLike

from talonax.envs.core import Env, Prepared, S, State, key_words, select, typed_key

#: The queue holds this many times the decks that random play would use.
MARGIN = 1.25


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
    for_queue, for_start, for_steps = jax.random.split(typed_key(key_words(key)), 3)
    decks = min(steps, -(-steps * MARGIN // env.typical_steps)) + 1
    queue = _Queue(_prepare(env, for_queue, batch * int(decks)), jnp.int32(0), for_start)
    queue, hand = queue.take(env, jnp.ones(batch, bool), _prepare(env, for_start, batch))
    started = jax.vmap(env.begin)(hand)
    queue, hand = queue.take(env, states.finished, hand)
    states = jax.vmap(select)(states.finished, started, states)
    if carries is None:
        carries = fresh_carries(env, policy, batch)

    def body(carry: tuple[Any, ...], step_key: Array) -> tuple[tuple[Any, ...], Any]:
        states, carries, hand, queue, games = carry
        actions, carries = act(env, policy, params, states, carries, step_key)
        last = jax.vmap(env.step_dealt)(states, actions, hand.deck)
        done = last.finished
        following = jax.vmap(select)(done, jax.vmap(env.begin)(hand), last)
        carries = _restart(env, policy, done, carries)
        queue, hand = queue.take(env, _used(env, states, last), hand)
        seen = None if collect is None else jax.vmap(collect)(states, actions, last)
        games = games + done.sum(dtype=jnp.int32)
        return (following, carries, hand, queue, games), seen

    start = (states, carries, hand, queue, jnp.int32(0))
    end, trace = lax.scan(body, start, jax.random.split(for_steps, steps))
    return Rollout(states=end[0], carries=end[1], games=end[4], trace=trace)


class _Queue(NamedTuple):
    """Games prepared ahead, and where the next one lies.

    Attributes:
      prepared: leaves [Q, ..].
      head: int32[], the place of the next one.
      key: decides what is dealt when the queue runs dry.
    """

    prepared: Prepared
    head: Array
    key: Array

    def take(self, env: Env[Any], wanted: Array, hand: Prepared) -> "tuple[_Queue, Prepared]":
        """Give each game that wants one the next of the queue; `hand` stays elsewhere."""
        number = wanted.sum(dtype=jnp.int32)
        size = jax.tree.leaves(self.prepared)[0].shape[0]
        queue = lax.cond(
            self.head + number > size, lambda: self._refilled(env, wanted.shape[0]), lambda: self
        )
        place = queue.head + jnp.cumsum(wanted, dtype=jnp.int32) - 1
        place = jnp.clip(place, 0, size - 1)
        taken = jax.tree.map(
            lambda all_: all_.at[place].get(mode="promise_in_bounds"), queue.prepared
        )
        hand = jax.vmap(
            lambda want, new, old: jax.tree.map(lambda a, b: jnp.where(want, a, b), new, old)
        )(wanted, taken, hand)
        return queue._replace(head=queue.head + number), hand

    def _refilled(self, env: Env[Any], batch: int) -> "_Queue":
        """Deal a batch on the spot, over the first places: those were taken long ago."""
        key, for_deals = jax.random.split(self.key)
        fresh = _prepare(env, for_deals, batch)
        prepared = jax.tree.map(lambda all_, new: all_.at[:batch].set(new), self.prepared, fresh)
        return _Queue(prepared, jnp.int32(0), key)


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
    env: Env[Any], policy: Acts, params: Any, states: Any, carries: Any, key: Array
) -> tuple[Array, Any]:
    """Let the seat to move act in each game; only its carry moves on."""

    def one(state: Any, carry: Any, key: Array) -> tuple[Array, Any]:
        seat = state.current_player
        own = jax.tree.map(lambda leaf: leaf[seat], carry)
        mask = env.legal_action_mask(state)
        action, own = policy.act(params, env, policy.see(env, state), mask, own, key)
        return action, jax.tree.map(lambda leaf, new: leaf.at[seat].set(new), carry, own)

    batch = states.terminated.shape[0]
    return jax.vmap(one)(states, carries, jax.random.split(key, batch))


def _restart(env: Env[Any], policy: Acts, done: Array, carries: Any) -> Any:
    fresh = policy.init(env)
    return jax.vmap(
        lambda over, carry: jax.tree.map(lambda new, old: jnp.where(over, new, old), fresh, carry)
    )(done, carries)
