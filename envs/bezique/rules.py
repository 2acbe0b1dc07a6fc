"""The rules of Bezique as functions of a position (`README.md`, section *Rules*).

A step first decides what happens (`Move`, and which cards a meld takes), then every field follows
from that (`outcome.carry_out`). What it pays is in `score.py`.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from talonax.configs.bezique.schema import Rules
from talonax.envs import cards, tricks
from talonax.envs.bezique import copies, melds, words
from talonax.envs.bezique.dealing import is_seven
from talonax.envs.bezique.state import (
    CARD_BITS,
    DONE,
    FROM_TABLE,
    LAST,
    MELD,
    PER_STOCK_WORD,
    SWAP,
    TRUMP_SEVEN,
    TURN,
    BeziqueState,
)
from talonax.envs.bezique.words import (
    PACK,
    PACKS,
    SEVEN,
    TYPES,
    Words,
    lowest,
    nibble,
    place_of,
    rank,
    single,
    suited,
    type_of,
    without,
)
from talonax.envs.core import IDLE

#: What binds in the last nine tricks.
DUTY = tricks.Obligations(follow=True, head=True, trump_when_void=True, overtrump=True)


# What may be done ---------------------------------------------------------------------------------


def legal_set(rules: Rules, state: BeziqueState) -> Array:
    """Return uint32[3]: the set of legal actions."""
    seat = state.current_player
    hand, table = words.of(state.hands, seat), words.of(state.tables, seat)
    turn = state.phase == TURN
    held, joker = words.types(hand)
    lying, lying_joker = words.types(table)
    allowed, allowed_joker = _replies(state, held, joker)
    last = state.phase == LAST
    held, joker = jnp.where(last, allowed, held), jnp.where(last, allowed_joker, joker)
    nothing = jnp.uint32(0)
    held, lying = jnp.where(turn, nothing, held), jnp.where(turn, nothing, lying)
    joker, lying_joker = joker & ~turn, lying_joker & ~turn
    options = jnp.where(turn, _turn(rules, state, hand, table), nothing)
    ends = joker.astype(jnp.uint32), lying_joker.astype(jnp.uint32)
    # Types from hand, then types from the table, then the rest: each TYPES bits, one above a word
    above = FROM_TABLE - cards.WORD
    return jnp.stack(
        [
            held,
            ends[0] | lying << above,
            lying >> cards.WORD - above | ends[1] << above | options << DONE - 2 * cards.WORD,
        ]
    )


def _turn(rules: Rules, state: BeziqueState, hand: Words, table: Words) -> Array:
    """Return what the winner of a trick may do, `DONE` the lowest bit."""
    sevens = words.at(rank(hand, SEVEN), state.suit)
    swap = (sevens != 0) & ~is_seven(state.turned_up)
    laid = jnp.where(state.melded, 0, melds.offers(rules, state, hand, table))
    return 1 | swap.astype(jnp.uint32) << SWAP - DONE | laid << MELD - DONE


def _replies(state: BeziqueState, held: Array, joker: Array) -> tuple[Array, Array]:
    """Return the types with a suit that may be played in the last nine tricks; bool[], a Joker?

    A Joker follows no suit and is no trump: it may be led, or played by one who has neither.
    """
    led, winning, _ = trick(state)
    replies = tricks.replies(PACK, DUTY, held, led, winning, state.suit)
    bound = held & (PACK.suit_set(PACK.suit(led)) | PACK.suit_set(state.suit))
    leads = state.trick == 0
    return jnp.where(leads, held, replies), joker & (leads | (bound == 0))


def trick(state: BeziqueState) -> tuple[Array, Array, Array]:
    """Return the type led and the type that wins the open trick, as `words.suited`; and who played
    it. Without a card -1, and the leader.
    """
    leader = state.leader.astype(jnp.int32)
    led = _laid(state, leader)
    best, best_by = led, leader
    for order in range(1, state.num_players - 1):
        seat = seat_after(state, leader, order)
        card = _laid(state, seat)
        better = tricks.beats(PACK, card, best, state.suit)
        best, best_by = jnp.where(better, card, best), jnp.where(better, seat, best_by)
    return led, best, best_by


def _laid(state: BeziqueState, seat: Array) -> Array:
    return suited(type_of(state.by_seat.of(state.trick, seat) - 1))


def seat_after(state: BeziqueState, seat: Array, steps: ArrayLike) -> Array:
    """Return int32[]: the seat so many steps clockwise."""
    return seat + steps & state.num_players - 1


# What happens -------------------------------------------------------------------------------------


class Move(NamedTuple):
    """What an action does. All False for an idle one.

    Attributes:
      plays: a card is played.
      swaps: the seven is swapped.
      melds: a meld is laid.
      draws: the turn ends, all draw.
      empties: with the last draw.
      takes: the card completes the trick.
      ends: it ends the round.
      kind: the meld (index into `MELDS`).
      card: the card played, or the trump seven swapped or melded.
      seat: who moves.
      winner: who takes the trick.
    """

    plays: Array
    swaps: Array
    melds: Array
    draws: Array
    empties: Array
    takes: Array
    ends: Array
    kind: Array
    card: Array
    seat: Array
    winner: Array


MOVE_BITS = {"kind": 4, "card": 8, "seat": 2, "winner": 2}


def move_of(state: BeziqueState, action: Array) -> Move:
    """Return what `action` does; an idle one, `IDLE`, does nothing."""
    seat = jnp.maximum(state.current_player, 0)
    hand, table = words.of(state.hands, seat), words.of(state.tables, seat)
    plays = (action != IDLE) & (action < DONE)
    melds_, swaps = action >= MELD, action == SWAP
    card = _card(state, hand, table, action, plays)
    _, best, best_by = trick(state)
    leads = state.trick == 0
    wins = leads | tricks.beats(PACK, suited(type_of(card)), best, state.suit)
    leader = state.leader.astype(jnp.int32)
    takes = plays & ~leads & (seat_after(state, seat, 1) == leader)
    emptied = words.is_empty(without(hand, single(card)))
    draws = action == DONE
    return Move(
        plays=plays,
        swaps=swaps,
        melds=melds_,
        draws=draws,
        empties=draws & state.last_draw,
        takes=takes,
        ends=takes & (state.phase == LAST) & emptied,
        kind=jnp.where(melds_, action - MELD, 0),
        card=card,
        seat=seat,
        winner=jnp.where(wins, seat, best_by),
    )


def _card(state: BeziqueState, hand: Words, table: Words, action: Array, plays: Array) -> Array:
    """Return int32[]: the card played; the trump seven, if it is swapped or melded."""
    lies = plays & (action >= FROM_TABLE)
    kind = jnp.where(plays, action - jnp.where(lies, TYPES, 0), PACK.card(state.suit, SEVEN))
    planes = [nibble(plane, kind) for plane in melds.times(melds.used(state))]
    from_table = copies.most(nibble(table, kind), planes)
    pack = jnp.where(lies, from_table, lowest(nibble(hand, kind)))
    card: Array = PACKS * kind + place_of(pack) & 2**CARD_BITS - 1
    return card


def chosen(state: BeziqueState, action: Array) -> Array:
    """Return the cards that a meld takes, packed (`copies.choose`); 0 of any other action."""
    seat = state.current_player
    hand, table = words.of(state.hands, seat), words.of(state.tables, seat)
    kind = jnp.maximum(action - MELD, TRUMP_SEVEN)
    packed = copies.choose(state, hand, table, kind)
    return jnp.where(action > MELD + TRUMP_SEVEN, packed, 0)


def drawn(state: BeziqueState, winner: Array) -> Array:
    """Return the word of the cards that each seat (`state.by_seat`) draws: the winner first, then
    clockwise; with the last draw the last one takes the card turned up.
    """
    players = state.num_players
    place = state.drawn.astype(jnp.int32)
    word = state.stock.at[place // PER_STOCK_WORD].get(mode="clip")
    word = word >> CARD_BITS * (place % PER_STOCK_WORD).astype(jnp.uint32)
    total: Array = jnp.uint32(0)
    for order in range(players):
        card = word >> CARD_BITS * order & 2**CARD_BITS - 1
        if order == players - 1:
            card = jnp.where(state.last_draw, state.turned_up.astype(jnp.uint32), card)
        total = total | state.by_seat.only(seat_after(state, winner, order), card)
    return total


__all__ = [
    "DUTY",
    "MOVE_BITS",
    "Move",
    "chosen",
    "drawn",
    "legal_set",
    "move_of",
    "seat_after",
    "trick",
]
