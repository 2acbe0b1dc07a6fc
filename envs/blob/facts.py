"""What there is to say of a Blob position, hidden cards too, as plain integers."""

import jax.numpy as jnp
from jax import Array

from talonax.configs.blob.schema import Rules
from talonax.envs import cards
from talonax.envs.blob.state import (
    BIDDING,
    NO_BID,
    NO_CARD,
    OVER,
    PLAYING,
    WORDS,
    BlobState,
    suits_of,
)


def phase(state: BlobState) -> Array:
    """Return int32[]: the index into `PHASES`."""
    playing = jnp.where(state.round_over, OVER, PLAYING)
    phase = jnp.where(state.finished, OVER, jnp.where(state.bidding, BIDDING, playing))
    return phase.astype(jnp.int32)


def bids(state: BlobState) -> Array:
    """Return int32[P]: the bids, -1 where none is made yet."""
    seats = jnp.arange(state.num_players)
    order = (seats - state.dealer - 1) % state.num_players
    return jnp.where(order < state.turn, state.counters.all(state.bids), NO_BID)


def rounds_done(rules: Rules, state: BlobState) -> Array:
    """Return int32[]: rounds done; those of a full game are counted from its first."""
    before = state.round if rules.rounds == "full" else jnp.zeros_like(state.round)
    return before + state.round_over


def table(state: BlobState) -> Array:
    """Return int32[P]: the card of each seat in the open trick, -1 if none."""
    laid = [hand & state.table for hand in state.dealt]
    return jnp.stack([jnp.where(cards.is_empty(c), NO_CARD, cards.kth(c, 0)) for c in laid])


def facts(rules: Rules, state: BlobState) -> dict[str, Array]:
    """Return everything there is, as plain integers; a set of cards as the masks of its words."""
    return {
        "current_player": state.current_player,
        "phase": phase(state),
        "hands": state.hands().reshape(WORDS * rules.players),
        "dealer": state.dealer,
        "round": state.round,
        "cards": state.cards,
        "trump": state.trump,
        "bids": bids(state),
        "tricks": state.counters.all(state.tricks),
        "table": table(state),
        "leader": state.leader,
        "played": state.played().reshape(WORDS * rules.players),
        "voids": suits_of(rules.players).all(state.voids),
        "scores": state.scores,
        "done": rounds_done(rules, state),
    }


__all__ = ["bids", "facts", "phase", "rounds_done", "table"]
