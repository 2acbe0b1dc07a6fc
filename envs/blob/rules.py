"""The rules of Blob as functions of a position (`README.md`, section *Rules*).

A step first decides what happens (`Move`), then every field follows from that (`carry_out`).
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax
from jax.typing import ArrayLike

from talonax.configs.blob.schema import Rules, round_cards
from talonax.envs import cards, tricks
from talonax.envs.blob.state import (
    NO_CARD,
    NO_SUIT,
    PACK,
    SUIT_NAMES,
    WORDS,
    BlobState,
    Dealt,
    small,
    suits_of,
)
from talonax.envs.core import IDLE
from talonax.envs.seats import row
from talonax.envs.stage import once

#: A bid that is made pays this and the bid.
MADE = 10

DUTY = tricks.Obligations(follow=True)


# The rounds ---------------------------------------------------------------------------------------


def cards_of(rules: Rules, number: Array) -> Array:
    """Return int32[]: how many cards are dealt in round `number` of a full game."""
    return jnp.array(round_cards(rules), jnp.int32)[number]


def trump_of(rules: Rules, number: Array) -> Array:
    """Return int32[]: the trump suit of round `number`, -1 for none."""
    suits = [SUIT_NAMES.find(name) if name != "none" else NO_SUIT for name in rules.trumps]
    trump: Array = jnp.array(suits, jnp.int32)[lax.rem(number, jnp.int32(len(suits)))]
    return trump


def lay_out(deck: Array, players: int, number: ArrayLike, most: int) -> Dealt:
    """Return the hands of a round: `number` (at most `most`) cards a seat, dealt one at a time."""
    order = jnp.asarray(deck)[: players * most].reshape(most, players).astype(jnp.int32)
    order = jnp.where(jnp.arange(most)[:, None] < number, order, NO_CARD)
    word, bit = order[..., None] >> 5, order[..., None] & (cards.WORD - 1)
    bits = jnp.where(word == jnp.arange(WORDS), jnp.uint32(1) << bit.astype(jnp.uint32), 0)
    return Dealt(hands=bits.sum(axis=0, dtype=jnp.uint32))


# What may be done ---------------------------------------------------------------------------------


def legal_set(rules: Rules, state: BlobState) -> Array:
    """Return the set of legal actions: bids, or cards."""
    mine = row(state.dealt, state.current_player) & ~state.gone
    # The card that wins is as good as the card led: only the suit led binds.
    following = mine & PACK.suit_set(state.led)
    play = jnp.where(cards.is_empty(following), mine, following)
    return jnp.where(state.bidding, _bids(rules, state), play)


def _bids(rules: Rules, state: BlobState) -> Array:
    number = state.cards.astype(jnp.uint32)
    low = (jnp.uint32(2) << number) - 1
    if rules.hook:
        low = low & ~jnp.where(
            state.turn == state.num_players - 1, cards.single(hooked(state), cards.WORD), 0
        )
    return jnp.stack([low, jnp.zeros_like(low)])


def hooked(state: BlobState) -> Array:
    """Return int32[]: the bid that would make the bids so far add up to the cards dealt; it may lie
    outside of `0 .. C`, below or above.
    """
    return state.cards.astype(jnp.int32) - bids_so_far(state)


def bids_so_far(state: BlobState) -> Array:
    """Return int32[]: the sum of the bids made."""
    return state.counters.all(state.bids).sum(dtype=jnp.int32)


# What happens -------------------------------------------------------------------------------------


class Move(NamedTuple):
    """What an action does. All False for an idle one.

    Attributes:
      bids: it is a bid.
      plays: it is a card.
      leads: the first card of a trick.
      wins: the card wins the trick so far.
      void: it shows that its player has nothing of the suit led.
      takes: it completes the trick.
      ends: it ends the round.
      number: the bid, or the card.
      suit: suit of the card.
      seat: who moves.
      following: who moves next, if the round goes on.
    """

    bids: Array
    plays: Array
    leads: Array
    wins: Array
    void: Array
    takes: Array
    ends: Array
    number: Array
    suit: Array
    seat: Array
    following: Array


MOVE_BITS = {"number": 6, "suit": 2, "seat": 3, "following": 3}


def move_of(state: BlobState, action: Array) -> Move:
    """Return what `action` does; an idle one, `IDLE`, does nothing."""
    players = state.num_players
    acts = action != IDLE
    bids, plays = acts & state.bidding, acts & ~state.bidding
    number = jnp.maximum(action, 0)
    seat = jnp.maximum(state.current_player, 0)
    leads = plays & (state.on_table == 0)
    better = tricks.beats(PACK, number, state.best, state.trump.astype(jnp.int32))
    wins = plays & (leads | better)
    takes = plays & (state.on_table == players - 1)
    suit = PACK.suit(number)
    after = jnp.where(seat == players - 1, 0, seat + 1)
    winner = jnp.where(wins, seat, state.best_by)
    return Move(
        bids=bids,
        plays=plays,
        leads=leads,
        wins=wins,
        void=plays & ~leads & (suit != state.led),
        takes=takes,
        ends=takes & (state.laid == state.cards.astype(jnp.int32) * players - 1),
        number=number,
        suit=suit,
        seat=seat,
        following=jnp.where(takes, winner, after),
    )


def carry_out(state: BlobState, move: Move) -> BlobState:
    """Return the position after a move, with the round's score still to be counted."""
    winner = move.following
    played = _when(move.plays, cards.single(move.number, PACK.size))
    suits = suits_of(state.num_players)
    shown = suits.only(move.seat, 1 << jnp.maximum(state.led.astype(jnp.int32), 0))
    won = state.counters.only(winner, 1)
    bid = state.counters.only(move.seat, move.number)
    table = state.table | played
    led = jnp.where(move.leads, small(move.suit), state.led)
    best = jnp.where(move.wins, small(move.number), state.best)
    after: BlobState = state.replace(
        current_player=jnp.where(move.bids | move.plays, move.following, state.current_player),
        turn=state.turn + (move.bids | move.plays).astype(jnp.int8),
        leader=jnp.where(move.takes, small(winner), state.leader),
        gone=state.gone | played,
        table=_when(~move.takes, table),
        last=jnp.where(move.takes, table, state.last),
        led=jnp.where(move.takes, small(NO_SUIT), led),
        best=jnp.where(move.takes, small(NO_CARD), best),
        best_by=jnp.where(move.wins, small(move.seat), state.best_by),
        # The score reads both for every seat; their topmost bit is never set.
        bids=once(state.bids + _when(move.bids, bid)),
        tricks=once(state.tricks + _when(move.takes, won)),
        voids=state.voids | _when(move.void, shown),
    )
    return after


def _when(condition: Array, bits: Array) -> Array:
    return jnp.where(condition, bits, jnp.uint32(0))


# What it pays -------------------------------------------------------------------------------------


def score(rules: Rules, bids: Array, won: Array) -> Array:
    """Return int32[P]: what a round counts for each seat, from its bid and its tricks."""
    missed = won if rules.score == "exact_or_tricks" else jnp.zeros_like(won)
    return jnp.where(bids == won, MADE + bids, missed)


def reward(rules: Rules, scored: Array, number: Array) -> Array:
    """Return float32[P]: what a round of `number` cards pays."""
    points = scored.astype(jnp.float32)
    if rules.reward == "normalised":
        return 2 * points / (MADE + number).astype(jnp.float32) - 1
    if rules.reward == "relative":
        others = scored.shape[0] - 1
        return points - (points.sum() - points) / others
    return points


# What is counted ----------------------------------------------------------------------------------


def tally(rules: Rules, state: BlobState, action: Array) -> dict[str, Array]:
    """Return int32[] counts of a step: at the end of a round, its bids and those that were made."""
    move = move_of(state, action)
    after = carry_out(state, move)
    bids, won = state.counters.all(after.bids), state.counters.all(after.tricks)
    made = move.ends & (bids == won)
    counts = {
        "rounds": move.ends,
        "bids": jnp.where(move.ends, rules.players, 0),
        "bids made": made,
    }
    for bid in range(rules.cards + 1):
        counts[f"bid {bid}"] = move.ends & (bids == bid)
        counts[f"bid {bid}, made"] = made & (bids == bid)
    for seat in range(rules.players):
        counts[f"made by seat {seat}"] = made[seat]
    return {name: count.sum(dtype=jnp.int32) for name, count in counts.items()}


def tally_of(rules: Rules) -> dict[str, str]:
    """Return of which count another is a part."""
    by_bid = {f"bid {bid}, made": f"bid {bid}" for bid in range(rules.cards + 1)}
    by_seat = {f"made by seat {seat}": "rounds" for seat in range(rules.players)}
    return {"bids made": "bids", **by_bid, **by_seat}


__all__ = [
    "Move",
    "bids_so_far",
    "cards_of",
    "carry_out",
    "hooked",
    "lay_out",
    "legal_set",
    "move_of",
    "reward",
    "score",
    "tally",
    "tally_of",
    "trump_of",
]
