"""The rules of High Card Duel as pure functions."""

import jax.numpy as jnp
from jax import Array

from talonax.configs.high_card_duel.schema import Rules
from talonax.envs.planes import CELLS, JOKER, RANKS

#: The ace's value: above the king (column 12) and below the Joker (column 13, worth one more).
ACE_VALUE = JOKER
JOKER_VALUE = JOKER + 1


def deck_cards(rules: Rules) -> tuple[int, ...]:
    """Return the cards that are dealt from: `suit * 14 + rank`, with or without the Jokers."""
    return tuple(card for card in range(CELLS) if rules.include_jokers or card % RANKS != JOKER)


def value(card: Array) -> Array:
    """Return int32[]: the rank's worth. Joker highest, then A K Q .. 2; suits do not count."""
    rank = card % RANKS
    return jnp.where(rank == 0, ACE_VALUE, jnp.where(rank == JOKER, JOKER_VALUE, rank))


def payoff(cards: Array) -> Array:
    """Return float32[2]: +1 to the higher card, -1 to the lower, 0 to both on a tie."""
    first = jnp.sign(value(cards[0]) - value(cards[1]))
    return jnp.stack([first, -first]).astype(jnp.float32)
