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
from talonax.agents.network import Carry, NetworkPolicy, Seen
from talonax.envs.core import Env
from talonax.envs.keys import typed_key
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


class Players(NamedTuple):
    """Who plays, and by what.

    Attributes:
      env: the game.
      policy: the learner's.
      params: the learner's parameters.
      magnet: the parameters of the magnet, which only tells what it would do; None without.
      opponents: who else plays. In the slice of the batch that has an opponent the learner has seat
        `game % P`, and the opponent all others.
    """

    env: Env[Any]
    policy: NetworkPolicy
    params: Any
    magnet: Any = None
    opponents: tuple[Opponent, ...] = ()


def sit_down(players: Players, key: Array, batch: int) -> Table:
    """Return a batch of fresh games."""
    env, policy = players.env, players.policy
    states = jax.vmap(env.init)(jax.random.split(key, batch))
    carries = fresh_carries(env, policy, batch)
    others = tuple(
        fresh_carries(env, each.policy, each.last - each.first) for each in players.opponents
    )
    magnet = None if players.magnet is None else jax.tree.map(jnp.copy, carries)
    return Table(states, carries, magnet, others)


def play_on(
    players: Players, table: Table, key: Array, steps: int, chunk: int
) -> tuple[Table, Decision, Carry]:
    """Play `steps` steps of each game, games that end being followed by fresh ones.

    Returns:
      the table as it is then; the decisions, leaves [steps, B, ..]; the learner's carries that each
      chunk starts from, leaves [steps / chunk, B, P, ..].
    """
    batch = table.states.terminated.shape[0]
    for_deals, for_actions = jax.random.split(key)
    dealer = Dealer.ahead(players.env, for_deals, batch, steps)

    def chunk_of(carry: tuple[Table, Dealer], keys: Array) -> tuple[Any, tuple[Decision, Carry]]:
        after, decisions = jax.lax.scan(partial(_step, players), carry, keys)
        return after, (decisions, carry[0].carries)

    keys = jax.random.bits(for_actions, (steps // chunk, chunk, 2), jnp.uint32)
    (table, _), (decisions, starts) = jax.lax.scan(chunk_of, (table, dealer), keys)
    flat = jax.tree.map(lambda leaf: leaf.reshape(steps, *leaf.shape[2:]), decisions)
    return table, flat, starts


def _step(
    players: Players, carry: tuple[Table, Dealer], words: Array
) -> tuple[tuple[Table, Dealer], Decision]:
    """Let whoever is to move act in each game, and deal anew where one ended."""
    env, policy, (table, dealer) = players.env, players.policy, carry
    for_learner, for_others = jax.random.split(typed_key(words))
    states, seats = table.states, table.states.current_player
    seen = jax.vmap(partial(policy.see, env))(states)
    mask = jax.vmap(env.legal_action_mask)(states)
    after, logits, values = policy.apply(players.params, env, own_carry(table.carries, seats), seen)
    values = jax.vmap(partial(policy.learned_value, players.params, env))(states, values)
    magnet, told = _magnet_tells(players, table, seen, mask)
    theirs, remembered = _opponents_act(players, table, mask, for_others)
    seated = _learners_seat(players, mask.shape[0])
    learns = (seated < 0) | (seated == seats)
    own = categorical(logits, mask).sample(seed=for_learner).astype(jnp.int32)
    actions = jnp.where(learns, own, theirs)
    following, last, dealer = dealer.step(env, states, actions)
    decision = Decision(
        state=states,
        seat=seats,
        action=actions,
        log_probs=masked_logits(logits, mask),
        value=values,
        reward=last.rewards,
        done=last.finished,
        learns=learns,
        magnet=told,
    )
    carries = moved_on(table.carries, seats, after)
    moved = Table(following, carries, magnet, remembered)
    return (_forget(players, moved, last.finished), dealer), decision


def _magnet_tells(
    players: Players, table: Table, seen: Seen, mask: Array
) -> tuple[Carry | None, Array | None]:
    """Return the magnet's carries, and float32[B, A]: its log probabilities; None without it."""
    if table.magnet is None:
        return None, None
    seats = table.states.current_player
    own = own_carry(table.magnet, seats)
    after, logits, _ = players.policy.apply(players.magnet, players.env, own, seen)
    return moved_on(table.magnet, seats, after), masked_logits(logits, mask)


def _forget(players: Players, table: Table, done: Array) -> Table:
    """Return the table with all that was remembered of games that are `done` (bool[B]) fresh."""
    env, policy = players.env, players.policy
    opponents = tuple(
        restart(env, each.policy, done[each.first : each.last], carries)
        for each, carries in zip(players.opponents, table.opponents, strict=True)
    )
    magnet = None if table.magnet is None else restart(env, policy, done, table.magnet)
    return Table(table.states, restart(env, policy, done, table.carries), magnet, opponents)


def _learners_seat(players: Players, batch: int) -> Array:
    """Return int32[batch]: the learner's only seat, -1 where it has all."""
    games = jnp.arange(batch)
    seated = jnp.full(batch, -1)
    for each in players.opponents:
        there = (games >= each.first) & (games < each.last)
        seated = jnp.where(there, games % players.env.num_players, seated)
    return seated


def _opponents_act(
    players: Players, table: Table, mask: Array, key: Array
) -> tuple[Array, tuple[Any, ...]]:
    """Return int32[B], what the opponents would do, and their carries after it."""
    env, actions, remembered = players.env, jnp.zeros(mask.shape[0], jnp.int32), []
    for number, (each, carries) in enumerate(zip(players.opponents, table.opponents, strict=True)):
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
