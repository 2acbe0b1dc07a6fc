"""Re-dealing what a player cannot see, uniformly over the worlds consistent with what he knows.

A world is an order of the deck (the first leader is public). The opponent's hand came to him
through *slots*: his cards of the deal, and one draw after each trick. What the player knows of
them:

* a card that the opponent played at trick t came by then, also the jack that he exchanged, and the
  other half of a marriage by the trick that showed it; the card taken in an exchange came through
  no slot;
* *released* cards: a K or Q led without the marriage that `auto` would have scored was led without
  its partner, which can only have come later;
* *excluded* cards: in the strict phase a reply shows which cards were not held, and nobody draws
  after.

All orders of the deck are equally likely, so a present hand is as likely as there are ways to
spread the opponent's cards over his slots, each within its dates. Cards without a release date are
alike, so a hand's weight depends only on which released cards it holds: at most one a suit, sixteen
subsets. Each is weighed by inclusion and exclusion over "came too early" (`_ways`), one is drawn,
and the rest of the hand and the order of the stock are filled at random.
"""

from math import factorial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from talonax.configs.snapszer.schema import Rules
from talonax.envs import cards, pairs
from talonax.envs.keys import key_words, typed_key
from talonax.envs.planes import SUITS
from talonax.envs.snapszer.knowledge import (
    Plays,
    draws_made,
    excluded,
    plays_of,
    union,
    unseen,
)
from talonax.envs.snapszer.state import KING, NO_CARD, QUEEN, Sizes, SnapszerState

#: A date that never comes: later than any trick.
NEVER = 99
SUBSETS = 2**SUITS
#: Keys that one re-deal needs: for subset, hand, stock, and later deals.
INDEPENDENT_DRAWS = 4


def redeal(
    rules: Rules, sizes: Sizes, state: SnapszerState, player: Array, key: Array
) -> SnapszerState:
    """Return the state of a world drawn uniformly (see the module's docstring)."""
    opponent = 1 - player
    unknown = unseen(sizes, state, player)
    plays = plays_of(sizes, state, opponent)
    pair = _pairs(rules, sizes, state, opponent, plays)
    barred = excluded(sizes, state, plays) & unknown

    key = typed_key(key_words(key))
    for_subset, for_hand, for_stock, for_state = jax.random.split(key, INDEPENDENT_DRAWS)
    released = jnp.where(pair.released, _singles(sizes, pair.partner), jnp.uint32(0)) & unknown
    waiting = union(released) & ~barred
    free = unknown & ~barred & ~waiting
    hidden = cards.count(pairs.of(state.hands, opponent)) - cards.count(
        pairs.of(state.known, opponent)
    )
    subset = _draw_subset(
        for_subset,
        _weights(
            sizes, state, opponent, plays, pair, hidden, released & ~barred, cards.count(free)
        ),
    )
    drawn = union(jnp.where(cards.unpack(subset, SUITS), released, jnp.uint32(0)))
    drawn = drawn | _some(for_hand, sizes, free, hidden - cards.count(drawn))
    hand = pairs.of(state.known, opponent) | drawn
    changes: dict[str, Any] = {
        "hands": pairs.update(state.hands, opponent, lambda _: hand),
        "stock": _stock(for_stock, sizes, unknown & ~drawn),
    }
    if state.key is not None:
        changes["key"] = jax.random.key_data(for_state)
    dealt: SnapszerState = state.replace(**changes)
    return dealt


# What the play has shown ------------------------------------------------------------------------


class Marriages(NamedTuple):
    """What the opponent's play has shown of each suit's K and Q. All arrays are by suit.

    Attributes:
      partner: int32[4], the half played later, or not at all.
      played_at: int32[4], the trick at which he played it, `NEVER` if not.
      shown_at: int32[4], the trick that showed the partner in his hand, `NEVER` if none did.
      released: bool[4], the other half was led when the partner was not in his hand.
      released_at: int32[4], that trick.
    """

    partner: Array
    played_at: Array
    shown_at: Array
    released: Array
    released_at: Array


def _pairs(
    rules: Rules, sizes: Sizes, state: SnapszerState, opponent: Array, plays: Plays
) -> Marriages:
    suits = jnp.arange(SUITS)
    king, queen = sizes.pack.card(suits, KING), sizes.pack.card(suits, QUEEN)
    king_at, queen_at = _played_at(plays, king), _played_at(plays, queen)
    first_at, played_at = jnp.minimum(king_at, queen_at), jnp.maximum(king_at, queen_at)
    king_first = king_at < queen_at
    partner = jnp.where(king_first, queen, king)
    scored = (pairs.of(state.marriages, opponent).astype(jnp.int32) >> suits & 1) != 0

    led = jnp.where(first_at == NEVER, False, plays.led[jnp.minimum(first_at, sizes.tricks - 1)])
    would_score = led if rules.marriage_lead == "either" else led & king_first
    if not rules.marriage_when_strict:
        would_score = would_score & ~(state.strict & (first_at >= draws_made(sizes, state)))
    if rules.marriage_declare == "optional":
        would_score = jnp.zeros_like(led)
    taken = jnp.where(_exchanged_by(state, opponent), state.exchanged, NO_CARD)
    return Marriages(
        partner=partner,
        played_at=played_at,
        shown_at=jnp.where(scored, first_at, NEVER),
        released=would_score & ~scored & (partner != taken),
        released_at=first_at,
    )


def _played_at(plays: Plays, card: Array) -> Array:
    """Return int32[k]: the trick at which the opponent played each card, `NEVER` if not."""
    played = plays.card[None, :] == card[:, None]
    trick = jnp.arange(plays.card.shape[0])
    return jnp.where(played, trick, NEVER).min(axis=1)


def _exchanged_by(state: SnapszerState, seat: Array) -> Array:
    return (state.exchanged_at >= 0) & ((state.exchanged_at & 1) == seat)


# Weighing hands ---------------------------------------------------------------------------------


def _weights(
    sizes: Sizes,
    state: SnapszerState,
    opponent: Array,
    plays: Plays,
    pair: Marriages,
    hidden: Array,
    released: Array,
    free: Array,
) -> Array:
    """Return int32[16]: how many worlds hold exactly that subset of the released cards in the hand.

    Args:
      sizes: the pack.
      state: the position.
      opponent: int32[], his seat.
      plays: what he played.
      pair: what that showed of marriages.
      hidden: int32[], cards of his hand that the player does not know.
      released: uint32[4], by suit, the released card that may be in the hand (empty if none).
      free: int32[], number of cards that may be in the hand without condition.
    """
    draws = draws_made(sizes, state)
    due = _due(sizes, state, opponent, plays, pair).at[draws].add(hidden)
    played_later = pair.released & (pair.played_at != NEVER)
    early = _moves(sizes, pair, draws, played_later)

    member = (jnp.arange(SUBSETS)[:, None] >> jnp.arange(SUITS) & 1) != 0  # [subset, suit]
    ways = jax.vmap(lambda subset: _ways(sizes, due + subset.astype(jnp.int32) @ early))(member)
    sign = 1 - 2 * (member.sum(axis=1, dtype=jnp.int32) & 1)
    # [hand, subset]: the subsets of the released cards that the hand holds or the opponent has
    # played
    within = (~member[None] | member[:, None] | played_later).all(axis=2)
    spread = jnp.where(within, sign * ways, 0).sum(axis=1, dtype=jnp.int32)

    possible = (~member | (released != 0)).all(axis=1)
    rest = hidden - member.sum(axis=1, dtype=jnp.int32)
    return jnp.where(possible, spread * _choose(sizes, free, rest), 0)


def _due(
    sizes: Sizes, state: SnapszerState, opponent: Array, plays: Plays, pair: Marriages
) -> Array:
    """Return int32[draws + 1]: how many known cards came by each draw at the latest (0: dealt)."""
    draws = draws_made(sizes, state)
    exchanged = _exchanged_by(state, opponent)
    taken = jnp.where(exchanged, state.exchanged.astype(jnp.int32), NO_CARD)
    trick = jnp.arange(sizes.tricks)
    came_otherwise = (plays.card == taken) & exchanged
    by_play = jnp.where((plays.card >= 0) & ~came_otherwise, trick, NEVER)
    # A partner shown by a marriage came by then, not only by the trick at which it was played
    shown = (plays.card[:, None] == pair.partner) & (pair.shown_at != NEVER)
    by_play = jnp.minimum(by_play, jnp.where(shown, pair.shown_at, NEVER).min(axis=1))
    by_play = jnp.where(came_otherwise, NEVER, by_play)

    in_hand = pairs.of(state.known, opponent) & ~cards.single(taken, sizes.num_cards)
    marriage_won = cards.count(in_hand) - (
        (_singles(sizes, pair.partner) & in_hand != 0) & (pair.shown_at != NEVER)
    ).sum(dtype=jnp.int32)
    still_held = (pair.shown_at != NEVER) & (_singles(sizes, pair.partner) & in_hand != 0)
    by_show = jnp.where(still_held, pair.shown_at, NEVER)
    by_exchange = jnp.where(exchanged, state.exchanged_at.astype(jnp.int32) >> 1, NEVER)

    dates = jnp.concatenate([by_play, by_show, by_exchange[None]])
    dates = jnp.where(dates == NEVER, NEVER, jnp.minimum(dates, draws))
    due = (dates[None, :] == _dates(sizes)[:, None]).sum(axis=1, dtype=jnp.int32)
    return due.at[draws].add(marriage_won)


def _moves(sizes: Sizes, pair: Marriages, draws: Array, played_later: Array) -> Array:
    """Return int32[4, draws + 1]: how `due` changes if a released card came too early."""
    usual = jnp.where(played_later, jnp.minimum(pair.played_at, draws), draws)
    early = jnp.minimum(pair.released_at, draws)
    dates = _dates(sizes)
    return (dates == early[:, None]).astype(jnp.int32) - (dates == usual[:, None])


def _dates(sizes: Sizes) -> Array:
    return jnp.arange(sizes.stock // 2 + 2)


def _ways(sizes: Sizes, due: Array) -> Array:
    """Return int32[]: the ways to give cards slots, `due[d]` of them one of the first `hand + d`.

    Earliest dates first, each card finds those slots free that no earlier card took.
    """
    before = jnp.cumsum(due) - due
    open_slots = sizes.hand + _dates(sizes) - before
    table = jnp.array([factorial(n) for n in range(sizes.tricks + 1)], jnp.int32)
    left = open_slots - due
    ways = table[jnp.clip(open_slots, 0, sizes.tricks)] // table[jnp.clip(left, 0, sizes.tricks)]
    possible = (due >= 0).all() & ((left >= 0) | (due == 0)).all()
    return jnp.where(possible, jnp.where(due > 0, ways, 1).prod(dtype=jnp.int32), 0)


def _choose(sizes: Sizes, n: Array, k: Array) -> Array:
    """Return int32[..]: n choose k; 0 outside 0 <= k <= n. Exact for every pack here."""
    product = jnp.ones_like(k)
    for i in range(sizes.hand):
        product = jnp.where(i < k, product * (n - i) // (i + 1), product)
    return jnp.where((k >= 0) & (k <= n), product, 0)


# Drawing ----------------------------------------------------------------------------------------


def _draw_subset(key: Array, weights: Array) -> Array:
    """Return uint32[]: a subset of the suits, as bits, in proportion to its weight."""
    upto = jnp.cumsum(weights)
    draw = jax.random.randint(key, (), 0, jnp.maximum(upto[-1], 1), jnp.int32)
    return (draw >= upto).sum(dtype=jnp.uint32)


def _some(key: Array, sizes: Sizes, among: Array, number: Array) -> Array:
    """Return a uniformly random subset of `among` with `number` cards."""
    priority = cards.shuffle(key, sizes.num_cards)
    member = cards.unpack(among, sizes.num_cards)
    earlier = member[None, :] & (priority[None, :] < priority[:, None])
    return cards.pack(member & (earlier.sum(axis=1) < number))


def _stock(key: Array, sizes: Sizes, rest: Array) -> pairs.Pair:
    """Return the cards of `rest` as a stock in random order."""
    order = cards.shuffle(key, sizes.num_cards)
    member = cards.unpack(rest, sizes.num_cards)[order]
    place = jnp.cumsum(member) - 1
    stock = jnp.uint32(0), jnp.uint32(0)
    for i in range(sizes.num_cards):
        card = jnp.where(member[i], order[i], 0)
        stock = sizes.queue.put(stock, place[i], card)
    return stock


def _singles(sizes: Sizes, each: Array) -> Array:
    """Return uint32[k]: the set of each card alone."""
    return jax.vmap(lambda card: cards.single(card, sizes.num_cards))(each)
