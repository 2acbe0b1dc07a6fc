"""A deck of Bezique laid out for play: the hands, the card turned up, the stock."""

import jax.numpy as jnp
from jax import Array

from talonax.configs.bezique.schema import Rules
from talonax.envs import cards
from talonax.envs.bezique import words
from talonax.envs.bezique.state import HAND, Dealt, card16, packed_stock
from talonax.envs.bezique.words import DIAMONDS, JOKER, PACK, PACKS, type_of
from talonax.envs.planes import SUITS


def lay_out(rules: Rules, deck: Array) -> Dealt:
    """Return a deck laid out: nine cards a seat, the next turned up, the rest the stock."""
    players = rules.players
    deck = deck.astype(jnp.int32)
    held = deck[: players * HAND].reshape(players, HAND)
    bits = jnp.uint32(1) << (held & (cards.WORD - 1)).astype(jnp.uint32)
    by_word = jnp.where((held >> 5)[..., None] == jnp.arange(words.WORDS), bits[..., None], 0)
    hands = by_word.sum(axis=1, dtype=jnp.uint32)
    rest = deck[players * HAND :]
    if rules.joker_turnup == "redraw":
        rest = _jokers_last(rest)
    return Dealt(
        hands=tuple(words.split(hands[seat]) for seat in range(players)),
        stock=packed_stock(rest[1:]),
        turned_up=card16(rest[0]),
    )


def _jokers_last(rest: Array) -> Array:
    """Return the cards with the Jokers on top moved to the end, in their order."""
    on_top = jnp.cumprod(type_of(rest[:PACKS]) == JOKER, dtype=jnp.int32).sum(dtype=jnp.int32)
    turned = rest
    for number in range(1, PACKS + 1):
        turned = jnp.where(on_top == number, jnp.roll(rest, -number), turned)
    return turned


def trump_of(turned_up: Array) -> Array:
    """Return int32[]: the trump suit; diamonds for a Joker."""
    kind = type_of(turned_up)
    return jnp.where(kind == JOKER, DIAMONDS, PACK.suit(kind))


def is_seven(card: Array) -> Array:
    """Return bool[]: is the card a seven?"""
    kind = type_of(card)
    return (kind >= 0) & (kind < SUITS)


__all__ = ["is_seven", "lay_out", "trump_of"]
