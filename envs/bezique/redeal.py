"""Re-dealing what a player cannot see, uniformly over what is consistent with what he knows.

Hidden from a player are the hands of the others and the order of the stock. He knows his own hand,
all tables, all cards played and the card turned up; how many cards each seat holds; the cards that
he has seen go into a hand and not come out (`known`, by type: which of the copies that he cannot
place they are is drawn, too); and in the last nine tricks with four players the types that a
seat's replies have shown it not to hold (`denied`: nothing is drawn there, so what was not held
then is not held now). With two players the other hand is then all that he cannot place.

Not weighed is that of several equal cards the one with the lowest pack is played from a hand.

Every card that he cannot place, and that is not known to be somewhere, is of a *class*: the set of
the others who may hold it. A class of one seat is forced. How many cards of the classes of two
seats go to the first of the two decides all other numbers; all these triples are weighed at once,
each by the ways to choose the cards, and one is drawn. Then the cards are dealt out at random
within their classes. In the first phase there is one class, and the stock gets what is left.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from talonax.envs import cards
from talonax.envs.bezique import words
from talonax.envs.bezique.state import (
    HAND,
    BeziqueState,
    packed_stock,
    stock_size,
)
from talonax.envs.bezique.words import (
    CARDS,
    PACK,
    PACKS,
    TYPES,
    single,
    stacked,
    type_counts,
    union,
)
from talonax.envs.keys import key_words, typed_key

#: The most others; where fewer play, the rest hold nothing, whatever they might.
OTHERS = 3
STOCK = OTHERS
CLASSES = 2**OTHERS
ALL = CLASSES - 1
#: The classes of two seats, by the seats.
COUPLES = ((0, 1), (0, 2), (1, 2))
#: A byte of the stock that is no card: a place that was drawn from, and nothing more is told.
UNTOLD = 2**8 - 1
#: Keys that one re-deal needs: for known copies, for numbers, for cards, and for later decks.
INDEPENDENT_DRAWS = 4


class Known(NamedTuple):
    """What the player knows; the others clockwise from him.

    Attributes:
      unseen: bool[132], the cards that he cannot place.
      sizes: int32[3], cards that each of the others holds.
      certain: int32[3, 33], how many of each type he knows each to hold.
      allowed: bool[3, 33], the types that each may hold.
      stock: int32[], cards face down.
    """

    unseen: Array
    sizes: Array
    certain: Array
    allowed: Array
    stock: Array


def redeal(state: BeziqueState, player: Array, key: Array) -> BeziqueState:
    """Return the state of a world drawn uniformly (see the module's docstring)."""
    keys = jax.random.split(typed_key(key_words(key)), INDEPENDENT_DRAWS)
    for_copies, for_numbers, for_cards, for_state = keys
    known = _known(state, player)
    certain = _certain_copies(known, for_copies)
    free = known.unseen & (certain < 0)
    kind = _class_of(known)
    room = known.sizes - known.certain.sum(axis=1, dtype=jnp.int32)
    quotas = _quotas(_in_class(free, kind), room, known.stock, for_numbers)
    order = cards.shuffle(for_cards, CARDS)
    dealt = _dealt(free[order], kind[order], quotas)
    owner = jnp.where(free, jnp.zeros(CARDS, jnp.int32).at[order].set(dealt), certain)
    changes: dict[str, Any] = {
        "hands": _hands(state, player, owner),
        "stock": _stock(state, order, dealt == STOCK),
    }
    if state.key is not None:
        changes["key"] = jax.random.key_data(for_state)
    world: BeziqueState = state.replace(**changes)
    return world


def _known(state: BeziqueState, player: Array) -> Known:
    players = state.num_players
    seats = [(player + steps) % players for steps in range(1, players)]
    seen = union(words.of(state.hands, player), union(state.played, single(state.turned_up)))
    for table in state.tables:
        seen = union(seen, table)
    nobody = [jnp.int32(0)] * (OTHERS - len(seats))
    nothing = [jnp.zeros(TYPES, jnp.int32)] * len(nobody)
    held = [type_counts(words.of(state.known, seat)) for seat in seats]
    allowed = jnp.ones((len(seats), TYPES), bool)
    if state.denied is not None:
        denied = [cards.unpack(state.denied[seat], PACK.size) for seat in seats]
        allowed = allowed.at[:, : PACK.size].set(~jnp.stack(denied))
    return Known(
        unseen=~cards.unpack(stacked(seen), CARDS),
        sizes=jnp.stack([*(words.count(words.of(state.hands, seat)) for seat in seats), *nobody]),
        certain=jnp.stack([*held, *nothing]),
        allowed=jnp.pad(allowed, ((0, len(nobody)), (0, 0)), constant_values=True),
        stock=state.stock_left,
    )


def _certain_copies(known: Known, key: Array) -> Array:
    """Return int32[132]: which of the others a known copy is dealt to, -1 for all other cards."""
    # A place in a random order, distinct for the copies of a type
    low = (PACKS - 1).bit_length()
    draws = jax.random.bits(key, (TYPES, PACKS), jnp.uint32)
    draws = draws >> low << low | jnp.arange(PACKS, dtype=jnp.uint32)
    unseen = known.unseen.reshape(TYPES, PACKS)
    place = jnp.zeros((TYPES, PACKS), jnp.int32)
    for other in range(PACKS):
        place = place + (unseen[:, other, None] & (draws[:, other, None] < draws))
    bounds = known.certain.cumsum(axis=0)
    owner = (bounds[:, :, None] <= place).sum(axis=0, dtype=jnp.int32)
    return jnp.where(unseen & (owner < OTHERS), owner, -1).reshape(CARDS)


# How many of each class ---------------------------------------------------------------------------


def _class_of(known: Known) -> Array:
    """Return int32[132]: the class of each card, the set of the others who may hold it."""
    bits = known.allowed.astype(jnp.int32) << jnp.arange(OTHERS)[:, None]
    return jnp.repeat(bits.sum(axis=0, dtype=jnp.int32), PACKS, total_repeat_length=CARDS)


def _in_class(free: Array, kind: Array) -> Array:
    """Return int32[8]: how many cards there are of each class."""
    return (free & (kind == jnp.arange(CLASSES)[:, None])).sum(axis=1, dtype=jnp.int32)


def _quotas(number: Array, room: Array, stock: Array, key: Array) -> Array:
    """Return int32[8, 4]: how many cards of each class each of the others, and the stock, gets.

    Args:
      number: int32[8], cards of each class.
      room: int32[3], how many cards each of the others lacks.
      stock: int32[], the same of the stock.
      key: a key.
    """
    firsts = _draw_firsts(number, room, key)
    left = [room[seat] - number[1 << seat] for seat in range(OTHERS)]
    quotas = jnp.zeros((CLASSES, OTHERS + 1), jnp.int32)
    for first, (one, other) in zip(firsts, COUPLES, strict=True):
        couple = 1 << one | 1 << other
        second = number[couple] - first
        quotas = quotas.at[couple, one].set(first).at[couple, other].set(second)
        left[one], left[other] = left[one] - first, left[other] - second
    for seat in range(OTHERS):
        quotas = quotas.at[1 << seat, seat].set(number[1 << seat]).at[ALL, seat].set(left[seat])
    return quotas.at[ALL, STOCK].set(stock)


def _draw_firsts(number: Array, room: Array, key: Array) -> list[Array]:
    """Return int32[] each: of the classes of two seats, how many cards the first of them gets.

    A triple weighs as many as the ways to split each class, and the class of all over the rest.
    """
    share = jnp.arange(HAND + 1, dtype=jnp.int32)
    axes = [share[:, None, None], share[:, None], share]
    rest = [room[seat] - number[1 << seat] for seat in range(OTHERS)]
    weight = jnp.float32(0)
    for first, (one, other) in zip(axes, COUPLES, strict=True):
        second = number[1 << one | 1 << other] - first
        rest[one], rest[other] = rest[one] - first, rest[other] - second
        weight = weight - _log_factorial(first) - _log_factorial(second)
    for left in rest:
        weight = weight - _log_factorial(left)
    ways = jnp.exp(weight - weight.max())
    firsts = []
    # One after the other, given those before
    for draw in jax.random.uniform(key, (OTHERS,), jnp.float32):
        sums = ways.reshape(len(share), -1).sum(axis=1).cumsum()
        drawn = (sums <= draw * sums[-1]).sum(dtype=jnp.int32)
        firsts.append(drawn)
        ways = ways[drawn]
    return firsts


def _log_factorial(number: Array) -> Array:
    """Return float32[..]: `log(n!)`; infinite below 0, of which there are none."""
    table = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, CARDS + 1)))])
    known = jnp.array(table, jnp.float32)[jnp.clip(number, 0, CARDS)]
    return jnp.where(number < 0, jnp.inf, known)


# Which cards --------------------------------------------------------------------------------------


def _dealt(free: Array, kind: Array, quotas: Array) -> Array:
    """Return int32[132]: which of the others, or the stock, each card of a random order goes to.

    Args:
      free: bool[132], the cards to be dealt.
      kind: int32[132], their classes.
      quotas: int32[8, 4], what each gets of each class.
    """
    bounds = quotas.cumsum(axis=1)
    owner = jnp.full(CARDS, -1, jnp.int32)
    for each in range(1, CLASSES):
        chosen = free & (kind == each)
        place = cards.places_among(chosen)
        dealt = (bounds[each][:, None] <= place).sum(axis=0, dtype=jnp.int32)
        owner = jnp.where(chosen, dealt, owner)
    return owner


def _hands(state: BeziqueState, player: Array, owner: Array) -> tuple[words.Words, ...]:
    """Return the hands: the player's own, and what the others are dealt."""
    hands = []
    for seat, held in enumerate(state.hands):
        steps = (seat - player) % state.num_players
        dealt = words.split(cards.pack(owner == steps - 1))
        own = zip(held, dealt, strict=True)
        hands.append(tuple(jnp.where(steps == 0, mine, other) for mine, other in own))
    return tuple(hands)


def _stock(state: BeziqueState, order: Array, chosen: Array) -> Array:
    """Return the stock: the `chosen` cards of a random order; nothing of those drawn from it."""
    size = stock_size(state.num_players)
    place = cards.places_among(chosen) + state.drawn.astype(jnp.int32)
    untold = jnp.full(size, UNTOLD, jnp.int32)
    return packed_stock(untold.at[jnp.where(chosen, place, size)].set(order, mode="drop"))
