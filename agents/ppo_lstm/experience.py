"""Playing to learn: rollouts that keep what an update needs.

States are kept, not observations: they are lean, and observed again at the update. Of the LSTM's
memory only what every chunk starts from is kept; the rest is computed again, with the same resets.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from talonax.agents.distributions import categorical, masked_logits
from talonax.agents.network import Carry, NetworkPolicy
from talonax.envs.core import Env, typed_key
from talonax.envs.wrappers import Dealer, fresh_carries, restart


class Decision(NamedTuple):
    """What is kept of each step; leaves [T, B, ..].

    Attributes:
      state: the position before it.
      seat: int32, who moved.
      action: int32, what was done.
      log_probs: float32[A], of all actions, by the policy that played.
      value: float32, of the position for who moved, in reward units.
      reward: float32[P], what the step paid.
      done: bool, it ended its game.
      learns: bool, the learner moved (not an opponent).
      magnet: float32[A], log probabilities by the magnet; None without.
    """

    state: Any
    seat: Array
    action: Array
    log_probs: Array
    value: Array
    reward: Array
    done: Array
    learns: Array
    magnet: Array | None


class Table(NamedTuple):
    """A batch of games in progress, and what those who play them remember; leaves [B, ..].

    Attributes:
      states: the positions.
      carries: [B, P, ..], the learner's carry of each seat.
      magnet: the same of the magnet; None without.
      opponents: the same of each opponent, by group.
    """

    states: Any
    carries: Carry
    magnet: Carry | None
    opponents: tuple[Any, ...]


class Opponent(NamedTuple):
    """Who sits opposite in a slice of the batch.

    Attributes:
      policy: what plays there.
      params: its parameters.
      first: the first game of the slice.
      last: the one after its last.
    """

    policy: Any
    params: Any
    first: int
    last: int


def own_carry(carries: Any, seats: Array) -> Any:
    """Return the carries (leaves [B, ..]) of `seats` (int32[B]) from those of all ([B, P, ..])."""
    return jax.tree.map(lambda leaf: leaf[jnp.arange(seats.shape[0]), seats], carries)


def moved_on(carries: Any, seats: Array, after: Any) -> Any:
    """Return all carries, that of the seat to move replaced."""
    rows = jnp.arange(seats.shape[0])
    return jax.tree.map(lambda leaf, new: leaf.at[rows, seats].set(new), carries, after)


def sit_down(
    env: Env[Any], policy: NetworkPolicy, key: Array, batch: int, *, magnet: bool, opponents: Any
) -> Table:
    """Return a batch of fresh games; `opponents` as `play_on` takes them."""
    states = jax.vmap(env.init)(jax.random.split(key, batch))
    carries = fresh_carries(env, policy, batch)
    others = tuple(fresh_carries(env, each.policy, each.last - each.first) for each in opponents)
    copies = jax.tree.map(jnp.copy, carries) if magnet else None
    return Table(states, carries, copies, others)


def play_on(
    env: Env[Any],
    policy: NetworkPolicy,
    params: Any,
    magnet: Any,
    opponents: tuple[Opponent, ...],
    table: Table,
    key: Array,
    steps: int,
    chunk: int,
) -> tuple[Table, Decision, Carry]:
    """Play `steps` steps of each game, games that end being followed by fresh ones.

    In a slice of the batch that has an opponent, the learner has seat `game % P` and the opponent
    all others.

    Returns:
      the table as it is then; the decisions, leaves [steps, B, ..]; the learner's carries that each
      chunk starts from, leaves [steps / chunk, B, P, ..].
    """
    batch = table.states.terminated.shape[0]
    for_deals, for_actions = jax.random.split(key)
    dealer = Dealer.ahead(env, for_deals, batch, steps)
    seated = _learners_seat(env, opponents, batch)

    def step(carry: tuple[Table, Dealer], key: Array) -> tuple[Any, Decision]:
        table, dealer = carry
        for_learner, for_others = jax.random.split(typed_key(key))
        states, seats = table.states, table.states.current_player
        seen = jax.vmap(partial(policy.see, env))(states)
        mask = jax.vmap(env.legal_action_mask)(states)
        own, logits, values = policy.apply(params, env, own_carry(table.carries, seats), seen)
        actions = categorical(logits, mask).sample(seed=for_learner).astype(jnp.int32)
        told, magnet_carries = None, table.magnet
        if table.magnet is not None:
            remembers = own_carry(table.magnet, seats)
            followed, others, _ = policy.apply(magnet, env, remembers, seen)
            told = masked_logits(others, mask)
            magnet_carries = moved_on(table.magnet, seats, followed)
        learns = (seated < 0) | (seated == seats)
        theirs, remembered = _opponents_act(env, opponents, table, mask, for_others)
        actions = jnp.where(learns, actions, theirs)
        following, last, dealer = dealer.step(env, states, actions)
        done = last.finished
        decision = Decision(
            state=states,
            seat=seats,
            action=actions,
            log_probs=masked_logits(logits, mask),
            value=values,
            reward=last.rewards,
            done=done,
            learns=learns,
            magnet=told,
        )
        carries = restart(env, policy, done, moved_on(table.carries, seats, own))
        if magnet_carries is not None:
            magnet_carries = restart(env, policy, done, magnet_carries)
        remembered = tuple(
            restart(env, each.policy, done[each.first : each.last], carry)
            for each, carry in zip(opponents, remembered, strict=True)
        )
        return (Table(following, carries, magnet_carries, remembered), dealer), decision

    def chunk_of(carry: tuple[Table, Dealer], keys: Array) -> tuple[Any, tuple[Decision, Carry]]:
        start = carry[0].carries
        after, decisions = jax.lax.scan(step, carry, keys)
        return after, (decisions, start)

    keys = jax.random.bits(for_actions, (steps // chunk, chunk, 2), jnp.uint32)
    (table, _), (decisions, starts) = jax.lax.scan(chunk_of, (table, dealer), keys)
    flat = jax.tree.map(lambda leaf: leaf.reshape(steps, *leaf.shape[2:]), decisions)
    return table, flat, starts


def _learners_seat(env: Env[Any], opponents: tuple[Opponent, ...], batch: int) -> Array:
    """Return int32[batch]: the learner's only seat, -1 where it has all."""
    games = jnp.arange(batch)
    seated = jnp.full(batch, -1)
    for each in opponents:
        there = (games >= each.first) & (games < each.last)
        seated = jnp.where(there, games % env.num_players, seated)
    return seated


def _opponents_act(
    env: Env[Any], opponents: tuple[Opponent, ...], table: Table, mask: Array, key: Array
) -> tuple[Array, tuple[Any, ...]]:
    """Return int32[B], what the opponents would do, and their carries after it."""
    batch = mask.shape[0]
    actions, remembered = jnp.zeros(batch, jnp.int32), []
    for number, (each, carries) in enumerate(zip(opponents, table.opponents, strict=True)):
        here = slice(each.first, each.last)
        states = jax.tree.map(lambda leaf, here=here: leaf[here], table.states)
        seats = states.current_player
        keys = jax.random.split(jax.random.fold_in(key, number), each.last - each.first)

        def one(state: Any, mask: Array, carry: Any, key: Array, each: Opponent = each) -> Any:
            view = each.policy.see(env, state)
            return each.policy.act(each.params, env, view, mask, carry, key)

        chosen, after = jax.vmap(one)(states, mask[here], own_carry(carries, seats), keys)
        actions = actions.at[here].set(chosen)
        remembered.append(moved_on(carries, seats, after))
    return actions, tuple(remembered)
