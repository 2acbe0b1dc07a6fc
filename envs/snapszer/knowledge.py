"""What a seat can know of the other's hand: from the cards that are gone, and from replies.

Re-dealing (`redeal.py`) and bots stand on it. Everything here follows from public events and the
seat's own hand; nothing reads a hidden card.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from talonax.envs import cards, pairs, tricks
from talonax.envs.snapszer.observation import played, turned_up_lies
from talonax.envs.snapszer.rules import STRICT_DUTY, trump_of
from talonax.envs.snapszer.state import NO_CARD, Sizes, SnapszerState


def unseen(sizes: Sizes, state: SnapszerState, player: Array) -> Array:
    """Return the cards that are in the opponent's hand or the stock, `player` cannot tell where."""
    gone = played(sizes, state)
    turned_up = cards.single(
        jnp.where(turned_up_lies(state), state.turned_up, NO_CARD), sizes.num_cards
    )
    seen = pairs.of(state.hands, player) | pairs.other(state.known, player)
    every = cards.constant(range(sizes.num_cards), sizes.num_cards)
    return every & ~(seen | gone[0] | gone[1] | turned_up)


class Plays(NamedTuple):
    """What the opponent has played, by trick.

    Attributes:
      card: int32[tricks], his card, -1 where he has not played.
      led: bool[tricks], he led it.
      reply_to: int32[tricks], the card that he followed with it, -1 where he led or has not played.
    """

    card: Array
    led: Array
    reply_to: Array


def plays_of(sizes: Sizes, state: SnapszerState, opponent: Array) -> Plays:
    """Return what `opponent` (int32[], a seat) has played in this deal."""
    trick = jnp.arange(sizes.tricks)
    done = state.tricks_done.astype(jnp.int32)
    leads = (state.leads.astype(jnp.int32) >> trick & 1) == opponent
    record = [
        jnp.stack([sizes.queue.peek(each, t) for t in range(sizes.tricks)]) for each in state.record
    ]
    his, other = (
        pairs.of((record[0], record[1]), opponent),
        pairs.other((record[0], record[1]), opponent),
    )
    open_lead = ~state.leading & (trick == done) & (state.leader == opponent)
    has_played = (trick < done) | open_lead
    return Plays(
        card=jnp.where(has_played, his, NO_CARD),
        led=has_played & leads,
        reply_to=jnp.where(has_played & ~leads, other, NO_CARD),
    )


def excluded(sizes: Sizes, state: SnapszerState, plays: Plays) -> Array:
    """Return the cards that his replies in a closed deal have shown that he does not hold.

    Nobody draws after closing, so what was not held then is not held now. (Once the stock is gone,
    what is unseen is in his hand.)
    """
    trump = trump_of(sizes, state)

    def shown(reply: Array, led: Array) -> Array:
        return tricks.not_held(sizes.pack, STRICT_DUTY, reply, led, led, trump)

    strict = state.closed & (jnp.arange(sizes.tricks) >= draws_made(sizes, state))
    each = jax.vmap(shown)(plays.card, plays.reply_to)
    return union(jnp.where(strict & (plays.reply_to >= 0), each, jnp.uint32(0)))


def draws_made(sizes: Sizes, state: SnapszerState) -> Array:
    """Return int32[]: how often both have drawn."""
    return (sizes.stock + 1 - state.stock_left.astype(jnp.int32)) >> 1


def union(sets: Array) -> Array:
    """Return the union of uint32[k] sets."""
    united: Array = jax.lax.reduce(sets, jnp.uint32(0), jax.lax.bitwise_or, (0,))
    return united
