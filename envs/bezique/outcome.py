"""What follows from a move of Bezique: every field of the position after it, but the points.

A field is worked out from the decision (`rules.Move` and two packed numbers) alone, so that a batch
runs through a short loop for each.
"""

import jax.numpy as jnp
from jax import Array

from talonax.configs.bezique.schema import Rules
from talonax.envs import cards, tricks
from talonax.envs.bezique import words
from talonax.envs.bezique.copies import spread
from talonax.envs.bezique.melds import DOUBLE_SHIFT, halves
from talonax.envs.bezique.rules import DUTY, Move, seat_after, trick
from talonax.envs.bezique.state import (
    BEZIQUE,
    CARD_BITS,
    DOUBLE,
    LAST,
    MARRIAGE,
    NO_CARD,
    PLAY,
    QUARTET,
    RUN,
    TRUMP_SEVEN,
    TURN,
    WITH_JOKER,
    BeziqueState,
    small,
    stock_size,
)
from talonax.envs.bezique.words import (
    ACE,
    JACK,
    NIBBLE,
    PACK,
    PACKS,
    QUEEN,
    Words,
    rank,
    single,
    suited,
    type_of,
    union,
    when,
    without,
)


def carry_out(
    rules: Rules, state: BeziqueState, move: Move, packed: Array, draws: Array
) -> BeziqueState:
    """Return the position after a move, without its points.

    Args:
      rules: the rules.
      state: the position.
      move: what happens.
      packed: the cards that a meld takes.
      draws: the cards that each seat draws.
    """
    gone = _moved(state, move, packed)
    full = state.trick | state.by_seat.only(move.seat, jnp.where(move.plays, move.card + 1, 0))
    following = jnp.where(move.takes, move.winner, seat_after(state, move.seat, 1))
    phase = jnp.where(move.draws, jnp.where(move.empties, LAST, PLAY), TURN)
    turns = move.draws | move.takes & (state.phase == PLAY)
    size = stock_size(rules.players)
    changes = _hands(state, move, gone, draws) | _histories(state, move, gone, packed)
    if state.denied is not None:
        changes["denied"] = _denied(state, move, state.denied)
    after: BeziqueState = state.replace(
        **changes,
        current_player=jnp.where(move.plays, following, state.current_player),
        played=union(state.played, when(move.plays, gone)),
        trick=jnp.where(move.takes, 0, full),
        last=jnp.where(move.takes, full, state.last),
        drawn=jnp.where(
            move.draws, jnp.minimum(state.drawn + rules.players, size), state.drawn
        ).astype(jnp.int8),
        turned_up=jnp.where(
            move.empties, NO_CARD, jnp.where(move.swaps, move.card, state.turned_up)
        ).astype(jnp.int16),
        leader=jnp.where(move.takes, small(move.winner), state.leader),
        phase=jnp.where(turns, small(phase), state.phase),
        melded=(state.melded | move.melds) & ~move.draws,
        swapped=state.swapped | move.swaps,
        brisques=state.brisques + _brisques(state, move, full),
    )
    return after


def _moved(state: BeziqueState, move: Move, packed: Array) -> Words:
    """Return the cards that an action moves: played, melded, or the seven swapped."""
    one = move.plays | move.swaps | move.melds & (move.kind == TRUMP_SEVEN)
    return union(when(one, single(move.card)), spread(move.kind, state.suit, packed))


def _brisques(state: BeziqueState, move: Move, full: Array) -> Array:
    number = words.is_brisque(type_of(state.cards_of(full))).sum(dtype=jnp.int32)
    return state.by_seat.only(move.winner, jnp.where(move.takes, number, 0))


def _hands(
    state: BeziqueState, move: Move, gone: Words, draws: Array
) -> dict[str, tuple[Words, ...]]:
    hands, tables, known = [], [], []
    last = seat_after(state, move.seat, state.num_players - 1)
    turned_up = state.turned_up.astype(jnp.int32)
    for seat in range(state.num_players):
        mine = move.seat == seat
        held, table = state.hands[seat], state.tables[seat]
        own = when(mine, gone)
        card = (draws >> CARD_BITS * seat & 2**CARD_BITS - 1).astype(jnp.int32)
        shown = jnp.where(move.empties & (last == seat) | move.swaps & mine, turned_up, NO_CARD)
        got = jnp.where(move.draws, card, jnp.where(move.swaps & mine, turned_up, NO_CARD))
        back = when(move.empties, table)
        hands.append(union(union(without(held, own), single(got)), back))
        left = union(without(table, own), when(move.melds, own))
        tables.append(when(~move.empties, left))
        known.append(_known(state.known[seat], words.common(held, own), back, shown))
    return {"hands": tuple(hands), "tables": tuple(tables), "known": tuple(known)}


def _known(known: Words, left: Words, back: Words, shown: Array) -> Words:
    """Return the counts of known cards, when cards leave the hand, come back, and one is shown."""
    come = words.one_of(type_of(shown))
    return tuple(
        words.fewer(counts, words.copies(out)) + words.copies(into) + one
        for counts, out, into, one in zip(known, left, back, come, strict=True)
    )


def _histories(state: BeziqueState, move: Move, gone: Words, packed: Array) -> dict[str, Array]:
    """Return what has been in which meld."""
    kind, laid = move.kind, move.melds
    quartet = laid & (kind >= QUARTET)
    place = kind - jnp.where(kind >= WITH_JOKER, WITH_JOKER, QUARTET)
    married = laid & (kind >= MARRIAGE) & (kind < BEZIQUE)
    paired = laid & ((kind == BEZIQUE) | (kind == DOUBLE))
    pair = packed & 2 ** (2 * PACKS) - 1
    pair = jnp.where(kind == DOUBLE, pair << DOUBLE_SHIFT, pair)
    jacks_aces = halves(rank(gone, JACK), rank(gone, ACE))
    four = jnp.where(quartet, jnp.uint32(2**cards.WORD - 1), jnp.uint32(0))
    shift = (PACKS * place & cards.WORD - 1).astype(jnp.uint32)
    joker = jnp.where(quartet, (gone[-1] & NIBBLE) << shift, 0)
    return {
        "marriages": state.marriages | jnp.where(married, gone[QUEEN // 2], 0),
        "queens_kings": state.queens_kings | gone[QUEEN // 2] & four,
        "jacks_aces": state.jacks_aces | jacks_aces & four,
        "runs": state.runs | jnp.where(laid & (kind == RUN), packed, 0),
        "pairs": state.pairs | jnp.where(paired, pair, 0).astype(jnp.uint16),
        "jokers": state.jokers | joker.astype(jnp.uint16),
    }


def _denied(state: BeziqueState, move: Move, denied: Array) -> Array:
    """Return uint32[P]: the types that replies in the last nine tricks showed not to be held."""
    led, winning, _ = trick(state)
    reply = suited(type_of(move.card))
    lacking = tricks.not_held(PACK, DUTY, reply, led, winning, state.suit)
    replies = move.plays & (state.trick != 0) & (state.phase == LAST)
    mine = jnp.arange(state.num_players) == move.seat
    return denied | jnp.where(mine & replies, lacking, jnp.uint32(0))


__all__ = ["carry_out"]
