"""Promises of play: dealing, steps, rewards, ends, illegal actions."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from talonax.envs.checks.trial import POSITIONS, Trial
from talonax.envs.core import NOBODY, State

BASE_FIELDS = ("current_player", "rewards", "terminated", "truncated", "illegal")
DECKS = 3


def check_playing(trial: Trial) -> None:
    """Run all checks of this module."""
    check_leaves(trial)
    check_decks(trial)
    check_dealing(trial)
    check_flags(trial)
    check_least_steps(trial)
    check_rewards(trial)
    check_legal_steps(trial)
    check_finished(trial)
    check_illegal(trial)


def check_leaves(trial: Trial) -> None:
    """init, deal, step and redeal agree in structure, shapes, dtypes and weak types."""
    env, key = trial.env, trial.keys[0]
    start = jax.eval_shape(env.init, key)
    trial.require(isinstance(start, State), "a state is a talonax.envs.core.State")
    wanted = {"current_player": ((), "int32"), "rewards": ((env.num_players,), "float32")}
    for name in BASE_FIELDS:
        leaf = getattr(start, name)
        shape, dtype = wanted.get(name, ((), "bool"))
        trial.require(
            leaf.shape == shape and leaf.dtype == dtype, f"{name} is {dtype}{list(shape)}"
        )
    if env.deals_again:
        key_leaf = getattr(start, "key", None)
        trial.require(key_leaf is not None and key_leaf.shape == (2,), "a match's key is uint32[2]")
        trial.require(getattr(start, "deal_no", None) is not None, "a match has deal_no")
    others = {
        "step": jax.eval_shape(env.step, start, jnp.int32(0)),
        "step_legal": jax.eval_shape(env.step_legal, start, jnp.int32(0)),
        "deal": jax.eval_shape(env.deal, jnp.array(env.deck_cards)),
        "begin": jax.eval_shape(lambda key: env.begin(env.prepare(key)), key),
    }
    for name, state in others.items():
        trial.require(
            _signature(state) == _signature(start), f"{name} and init return the same kind of state"
        )


def _signature(state: Any) -> Any:
    leaves = jax.tree_util.tree_leaves_with_path(state)
    return [
        (jax.tree_util.keystr(path), leaf.shape, leaf.dtype, getattr(leaf, "weak_type", False))
        for path, leaf in leaves
    ]


def check_decks(trial: Trial) -> None:
    """A deck is an order of the game's cards; keys and deals have decks of their own."""
    env = trial.env
    decks = jax.jit(jax.vmap(lambda key: jax.vmap(lambda n: env.deck(key, n))(jnp.arange(DECKS))))
    orders = np.asarray(decks(trial.keys))
    ordered = np.sort(orders, axis=-1) == np.sort(env.deck_cards)
    trial.require(ordered, "a deck is an order of deck_cards")
    flat = {tuple(order) for order in orders.reshape(-1, orders.shape[-1]).tolist()}
    trial.require(len(flat) > 1, "keys and deals have decks of their own")
    if len(env.deck_cards) >= DECKS**2:  # so many orders that none comes twice
        trial.require(len(flat) == orders.shape[0] * DECKS, "no deck comes twice")


def check_dealing(trial: Trial) -> None:
    """`init(key)` is `deal(deck(key, 0), key=key, **chance(key))`; typed and raw keys are alike."""
    env = trial.env
    states = trial.init(trial.keys)

    def deal(key: jax.Array) -> Any:
        return env.deal(env.deck(key, 0), key=key, **env.chance(key))

    def beneath(key: jax.Array) -> Any:
        deck = env.deck(key, 0)
        order = jnp.concatenate([deck[: env.cards_used], deck[env.cards_used :][::-1]])
        return env.deal(order, key=key, **env.chance(key)), env.begin(env.prepare(key))

    dealt = jax.jit(jax.vmap(deal))(trial.keys)
    turned, begun = jax.jit(jax.vmap(beneath))(trial.keys)
    trial.require_same(turned, dealt, "no card beyond cards_used is looked at")
    trial.require_same(dealt, states, "init(key) deals deck(key, 0)")
    trial.require_same(begun, states, "begin(prepare(key)) is init(key)")
    typed = trial.init(jax.random.wrap_key_data(trial.keys))
    trial.require_same(typed, states, "typed and raw keys are alike")


def check_flags(trial: Trial) -> None:
    """Whoever is to move is a seat, nobody once finished; legal play is never `illegal`."""
    states, _ = trial.recording
    over = states.terminated | states.truncated
    mover = states.current_player
    trial.require((mover == NOBODY) == over, "current_player is -1 exactly in finished states")
    trial.require((mover >= NOBODY) & (mover < trial.env.num_players), "current_player is a seat")
    trial.require(~states.illegal, "legal actions never set illegal")
    length = int((~over).sum(axis=0).max())
    bound = trial.env.max_steps
    trial.require(length <= bound, f"no game takes {length} steps: max_steps is {bound}")


def check_least_steps(trial: Trial) -> None:
    """No deal takes fewer steps than `least_steps`."""
    states, _ = trial.recording
    over = states.terminated | states.truncated
    number = states.deal_no if trial.env.deals_again else np.zeros_like(over, int)
    ends = (np.diff(number, axis=0) != 0) | (~over[:-1] & over[1:])
    least = trial.env.least_steps
    for game in range(ends.shape[1]):
        steps = np.diff(np.flatnonzero(ends[:, game]), prepend=-1)
        if (steps < least).any():
            trial.fail(f"a deal takes least_steps = {least} at the least", f"game {game}")


def check_rewards(trial: Trial) -> None:
    """Rewards are of the last step only, finite, within max_loss, and sum to zero if promised."""
    states, _ = trial.recording
    rewards, bound = states.rewards, trial.env.max_loss
    trial.require(np.isfinite(rewards), "rewards are finite")
    trial.require(np.abs(rewards) <= bound, f"no |reward| exceeds max_loss = {bound}")
    trial.require(rewards[0] == 0, "nothing is earned before the first step")
    if trial.env.zero_sum:
        trial.require(np.abs(rewards.sum(-1)) < 1e-4, "the rewards of a step sum to zero")
    at = trial.positions
    owing = at.states.replace(rewards=np.full_like(at.states.rewards, bound))
    found = jax.device_get(trial.step(owing, at.actions))
    earned = np.where(at.finished[:, None], 0, at.after.rewards)
    trial.require_same(found.rewards, earned, "rewards are what the last step alone earned", at)


def check_legal_steps(trial: Trial) -> None:
    """step, step_legal and step_dealt agree on legal actions, whatever the integer's type."""
    env, at = trial.env, trial.positions
    alive = ~at.finished

    def dealt(state: Any, action: jax.Array) -> Any:
        if not env.deals_again:
            return env.step_dealt(state, action, None), state
        deck = env.deck(state.key, state.deal_no + 1)
        ordered = env.step_dealt(state, action, deck)
        return ordered, env.step_dealt(state, action, env.pack_deck(deck))

    after = _where(trial, alive, at.after, at.states)
    compared = {
        "step in a batch is step in a scan": trial.step(at.states, at.actions),
        "step_legal is step on legal actions": jax.jit(jax.vmap(env.step_legal))(
            at.states, at.actions
        ),
    }
    ordered, packed = jax.jit(jax.vmap(dealt))(at.states, at.actions)
    compared["step_dealt with the next deck is step"] = ordered
    if env.deals_again:
        compared["step_dealt takes a packed deck, too"] = packed
    for promise, found in compared.items():
        trial.require_same(_where(trial, alive, found, at.states), after, promise, at)
        resting = _where(trial, alive, at.states, found)
        same = at.states.replace(
            rewards=np.where(alive[:, None], at.states.rewards, 0).astype(np.float32)
        )
        trial.require_same(resting, same, f"{promise}: a finished state rests", at)


def _where(trial: Trial, chosen: np.ndarray, yes: Any, no: Any) -> Any:
    def one(a: Any, b: Any) -> Any:
        a, b = np.asarray(a), np.asarray(b)
        return np.where(np.expand_dims(chosen, tuple(range(1, a.ndim))), a, b)

    return jax.tree.map(one, yes, no)


def check_finished(trial: Trial) -> None:
    """A finished state steps to itself with zero rewards, whatever the action."""
    at, over = trial.positions, trial.positions.finished
    trial.require(over.any(), "some game ends")
    resting = at.states.replace(rewards=np.zeros_like(at.states.rewards))
    for action in (0, trial.env.num_actions - 1, trial.env.num_actions, -1):
        found = trial.step(at.states, jnp.full(POSITIONS, action, jnp.int32))
        trial.require_same(
            _where(trial, over, found, resting),
            resting,
            f"action {action}: a finished state steps to itself with zero rewards",
            at,
        )


def check_illegal(trial: Trial) -> None:
    """An illegal action ends the game, its actor pays; the batch's other games do not notice."""
    env, at = trial.env, trial.positions
    mask = np.asarray(trial.look(at.states).mask)
    rng, odd = np.random.default_rng(1), np.arange(POSITIONS) % 2 == 1
    barred = np.argmax(np.where(mask, -1.0, rng.random(mask.shape)), axis=1)
    wrong = {
        "a masked action": np.where(mask.all(axis=1), env.num_actions, barred),
        "a negative action": np.full(POSITIONS, -1),
        "an action too large": np.full(POSITIONS, env.num_actions),
        "an action far too large": np.full(POSITIONS, 2**31 - 1),
    }
    seats = np.arange(env.num_players)
    share = env.max_loss / (env.num_players - 1)
    fine = np.where(seats == at.states.current_player[:, None], -env.max_loss, share)
    for what, action in wrong.items():
        mixed = np.where(odd, at.actions, action).astype(np.int32)
        found = jax.device_get(trial.step(at.states, mixed))
        hit = ~odd & ~at.finished
        unhurt = _where(trial, odd & ~at.finished, found, at.after)
        trial.require_same(unhurt, at.after, f"{what}: other games of the batch go on as ever", at)
        ended = found.terminated & found.illegal & (found.current_player == NOBODY)
        trial.require(ended | ~hit, f"{what} terminates, sets illegal, nobody moves on", at)
        paid = np.isclose(found.rewards, fine.astype(np.float32)).all(axis=1)
        trial.require(paid | ~hit, f"{what}: its actor pays max_loss, the others share it", at)
        trial.require(found.illegal <= hit, f"{what}: only an illegal action sets illegal", at)
