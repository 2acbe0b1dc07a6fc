"""Promises of `suit_symmetry`: what a table says belongs to a suit does, and suits are alike."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from talonax.envs import cards
from talonax.envs.checks.trial import PIECE, SEED, Trial
from talonax.envs.core import Env
from talonax.envs.keys import typed_key
from talonax.envs.planes import SUITS
from talonax.envs.symmetry import SuitSymmetry, renamed, renamed_numbers


def check_renaming(trial: Trial) -> None:
    """Deals whose plain suits are renamed go on as the same deals do, with the names changed."""
    symmetry = trial.env.suit_symmetry()
    if symmetry is None:
        return
    same = jax.jit(jax.vmap(partial(_goes_on_alike, trial.env, symmetry)))
    for what, holds in same(trial.keys).items():
        promise = f"suit_symmetry: once plain suits are renamed, the same is {what}"
        trial.require(bool(holds.all()), promise)


def _goes_on_alike(env: Env[Any], symmetry: SuitSymmetry, words: Array) -> dict[str, Array]:
    """Return by name, bool[PIECE] each: what is so at the steps of the first deal of a game."""
    for_order, for_play = jax.random.split(jax.random.fold_in(typed_key(words), SEED))
    deck = env.deck(words, 0)
    plainly = env.deal(deck, key=words)
    order = _new_names(symmetry, env.observe(plainly, 0), for_order)
    numbers = renamed_numbers(symmetry.cards, len(env.deck_cards), order)
    other = env.deal(numbers[deck], key=words)

    def step(both: tuple[Any, Any], bits: Array) -> tuple[tuple[Any, Any], dict[str, Array]]:
        state, other = both
        action = cards.draw_one(env.legal_set(state), bits)
        holds = _alike(env, symmetry, state, other, order)
        table = lax.switch(
            env.phase(state),
            [partial(renamed_numbers, each, env.num_actions, order) for each in symmetry.actions],
        )
        return (env.step(state, action), env.step(other, table[action])), holds

    _, holds = lax.scan(step, (plainly, other), jax.random.bits(for_play, (PIECE,), jnp.uint32))
    return holds


def _new_names(symmetry: SuitSymmetry, observation: Array, key: Array) -> Array:
    """Return int32[4]: an order drawn at random that leaves the trump suit its name."""
    told = observation.ravel()[symmetry.trump : symmetry.trump + SUITS] != 0
    drawn = jax.random.permutation(key, SUITS)
    trump = jnp.argmax(told)
    swapped = jnp.where(drawn == trump, drawn[trump], drawn).at[trump].set(trump)
    return jnp.where(told.any(), swapped, drawn).astype(jnp.int32)


def _alike(
    env: Env[Any], symmetry: SuitSymmetry, state: Any, other: Any, order: Array
) -> dict[str, Array]:
    """Return by name, bool[]: what agrees between a position and the same under other names."""
    later = state.deal_no > 0 if env.deals_again else jnp.bool_(False)
    seats = jnp.arange(env.num_players)
    seen, theirs = (
        jax.vmap(env.observe, (None, 0))(each, seats).reshape(env.num_players, -1)
        for each in (state, other)
    )
    own = jax.vmap(partial(renamed, symmetry.observation), (0, None))(seen, order)
    masks = [renamed(each, env.legal_action_mask(state), order) for each in symmetry.actions]
    mask = lax.select_n(env.phase(state), *masks)
    return {
        "seen": later | (own == theirs).all(),
        "legal": later | state.finished | (mask == env.legal_action_mask(other)).all(),
        "paid": later | (state.rewards == other.rewards).all(),
    }
