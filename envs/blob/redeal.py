"""Re-dealing what a player cannot see, uniformly over what is consistent with what he knows.

Hidden from a player are the hands of the others and the cards that nobody was dealt. He knows his
own hand, all cards played, how many cards each seat holds, and the suits that a seat has shown not
to hold: nothing is drawn in play, so what was not held then is not held now.

Only suits matter. The seats that have shown a void are filled one after the other; all other places
(seats without voids, cards not dealt) are one bin that takes what is left. If seat `j` gets
`k[j, s]` cards of suit `s`, and the bin `r[s]`, the worlds number `prod_s n_s! / (prod_j k[j, s]!
r[s]!)`. A backward programme over the seats sums the weights of all ways to go on, by what is left
of each suit (for the last seat there is a closed form); the counts are then drawn forward, seat by
seat, each in proportion; and the cards are shuffled within their suits, those of the bin over its
places.
"""

from itertools import product
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from talonax.configs.blob.schema import Rules
from talonax.envs import cards
from talonax.envs.blob.state import PACK, BlobState, suits_of
from talonax.envs.keys import key_words, typed_key
from talonax.envs.planes import SUITS
from talonax.envs.seats import row

RANKS = PACK.ranks
#: What may be left of a suit: 0 .. 13. The last suit's is what the total leaves.
LEFT = RANKS + 1
FREE_SUITS = SUITS - 1
#: Hands that are added in one pass over memory.
UNROLL = 8


def redeal(rules: Rules, state: BlobState, player: Array, key: Array) -> BlobState:
    """Return the state of a world drawn uniformly (see the module's docstring)."""
    for_counts, for_cards, for_state = jax.random.split(typed_key(key_words(key)), 3)
    known = _known(state, player)
    counts = _draw_counts(rules, known, for_counts)
    hands = _deal_out(known, counts, for_cards)
    own = (jnp.arange(rules.players) == player)[:, None]
    dealt = state.played() | _by_seat(hands, player)
    fresh: dict[str, Any] = {"dealt": jnp.where(own, state.dealt, dealt)}
    if state.key is not None:
        fresh["key"] = jax.random.bits(for_state, (2,), jnp.uint32)
    world: BlobState = state.replace(**fresh)
    return world


class Known(NamedTuple):
    """What the player knows of the others, who are listed by seat; he himself is left out.

    Attributes:
      unseen: bool[4, 13], the cards that he cannot place.
      sizes: int32[P - 1], cards that each holds.
      allowed: bool[P - 1, 4], the suits that it may hold.
      bound: bool[P - 1], it has shown a void.
    """

    unseen: Array
    sizes: Array
    allowed: Array
    bound: Array


def _known(state: BlobState, player: Array) -> Known:
    mine = row(state.dealt, player)
    played = lax.population_count(state.played()).sum(axis=1).astype(jnp.int32)
    voids = _others(suits_of(state.num_players).all(state.voids), player)
    return Known(
        unseen=~cards.unpack(mine | state.gone, PACK.size).reshape(SUITS, RANKS),
        sizes=_others(state.cards - played, player),
        allowed=(voids[:, None] >> jnp.arange(SUITS) & 1) == 0,
        bound=voids != 0,
    )


def _others(by_seat: Array, player: Array) -> Array:
    """Return `by_seat` without the entry of `player`."""
    seats = jnp.arange(by_seat.shape[0] - 1)
    return jnp.where(seats < player, by_seat[:-1], by_seat[1:])


def _by_seat(hands: Array, player: Array) -> Array:
    """Return uint32[P, 2] `hands` of the others by seat; the row of `player` is not to be read."""
    seats = jnp.arange(hands.shape[0] + 1)[:, None]
    padded = jnp.pad(hands, ((0, 1), (0, 0)))
    return jnp.where(seats < player, padded, jnp.roll(padded, 1, axis=0))


# How many of each suit ----------------------------------------------------------------------------


def _draw_counts(rules: Rules, known: Known, key: Array) -> Array:
    """Return int32[P - 1, 4]: how many cards of each suit each bound seat holds, 0 for others."""
    # Who has shown a void has played a card.
    shares = _shares(rules.cards - 1)
    sizes = jnp.where(known.bound, known.sizes, 0)
    number = known.unseen.sum(axis=1, dtype=jnp.int32)
    left = number.sum(dtype=jnp.int32) - jnp.cumsum(sizes)
    weights = jax.vmap(_weights, in_axes=(None, 0, 0))(shares, sizes, known.allowed)

    def backward(after: Array, seat: tuple[Array, Array]) -> tuple[Array, Array]:
        ways = _ways(shares, *seat, after)
        return ways, ways

    def forward(rest: Array, seat: tuple[Array, ...]) -> tuple[Array, Array]:
        share = _draw_share(shares, rest, *seat)
        return rest - share, share

    after_last = _scaled(_log_bin(left[-1]))
    before_last = _ways_of_last(left[-2], sizes[-1], known.allowed[-1])
    between = (weights[1:-1], left[:-2])
    _, earlier = lax.scan(backward, before_last, between, reverse=True)
    after = jnp.concatenate([earlier, before_last[None], after_last[None]])
    keys = jax.random.split(key, len(sizes))
    _, counts = lax.scan(forward, number, (weights, after, sizes, keys))
    return counts


def _shares(most: int) -> np.ndarray[Any, Any]:
    """Return int[n, 3]: all numbers of the first three suits that a hand of `most` may hold."""
    every = product(range(min(most, RANKS) + 1), repeat=FREE_SUITS)
    return np.array([share for share in every if sum(share) <= most], np.int32)


def _factorials() -> np.ndarray[Any, Any]:
    """Return float32[53]: `log(n!)`."""
    logs = np.log(np.arange(1, PACK.size + 1))
    return np.concatenate([[0.0], np.cumsum(logs)]).astype(np.float32)


def _log_factorial(number: Array) -> Array:
    """Return float32[..]: `log(n!)`, 0 below 0."""
    return jnp.array(_factorials())[jnp.maximum(number, 0)]


def _weights(shares: np.ndarray[Any, Any], size: Array, allowed: Array) -> Array:
    """Return float32[n]: `1 / prod_s k_s!` of each share of a hand, 0 where it is impossible."""
    every = jnp.concatenate([jnp.array(shares), size - shares.sum(axis=1, keepdims=True)], axis=1)
    possible = (every[:, -1] >= 0) & jnp.all(allowed | (every == 0), axis=1)
    weight = jnp.exp(-_log_factorial(every).sum(axis=1))
    return jnp.where(possible, weight, 0.0)


def _left() -> np.ndarray[Any, Any]:
    """Return int32[3, 14, 14, 14]: what may be left of the first three suits."""
    return np.indices((LEFT,) * FREE_SUITS, dtype=np.int32)


def _left_of_last(total: Array) -> tuple[Array, Array]:
    """Return int32[14, 14, 14], what is then left of the last suit, and bool, if that can be."""
    last = total - _left().sum(axis=0, dtype=np.int32)
    return last, (last >= 0) & (last < LEFT)


def _log_bin(total: Array) -> Array:
    """Return float32[14, 14, 14]: `log(1 / prod_s r_s!)` of the bin, by what is left."""
    last, possible = _left_of_last(total)
    logs = -_factorials()[_left()].sum(axis=0) - _log_factorial(last)
    return jnp.where(possible, logs, -jnp.inf)


def _ways_of_last(total: Array, size: Array, allowed: Array) -> Array:
    """Return `_ways` of the last seat, in closed form.

    By Vandermonde's identity `sum_k prod_s 1 / (k_s! (r_s - k_s)!)`, over all shares `k` of `size`
    of the allowed suits, is `prod_s 1 / r_s!` times the ways to choose `size` of their cards.
    """
    left = jnp.stack([*_left(), _left_of_last(total)[0]])
    choices = jnp.where(allowed[:, None, None, None], left, 0).sum(axis=0, dtype=jnp.int32)
    ways = _log_factorial(choices) - _log_factorial(choices - size)
    return _scaled(jnp.where(choices >= size, _log_bin(total) + ways, -jnp.inf))


def _scaled(logs: Array) -> Array:
    """Return the numbers of these logarithms, up to a factor."""
    return jnp.exp(logs - logs.max())


def _ways(shares: np.ndarray[Any, Any], weights: Array, total: Array, after: Array) -> Array:
    """Return float32[14, 14, 14]: the weight of all ways to fill this seat and those after it, by
    what is left of the first three suits, up to a factor.

    Args:
      shares: int[n, 3], the hands.
      weights: float32[n], of each of them.
      total: int32[], cards that are left in all.
      after: the same for the next seat.
    """
    most = int(shares.max())
    padded = jnp.pad(after, [(most, 0)] * FREE_SUITS)
    starts = jnp.array(most - shares)

    def add(i: Array, ways: Array) -> Array:
        moved = lax.dynamic_slice(padded, tuple(starts[i]), after.shape)
        return ways + weights[i] * moved

    ways = lax.fori_loop(0, len(shares), add, jnp.zeros_like(after), unroll=UNROLL)
    ways = jnp.where(_left_of_last(total)[1], ways, 0.0)
    return ways / ways.max()


def _draw_share(
    shares: np.ndarray[Any, Any],
    rest: Array,
    weights: Array,
    after: Array,
    size: Array,
    key: Array,
) -> Array:
    """Return int32[4]: how many of each suit a hand of `size` gets, drawn by what `rest` (int32[4])
    allows those after it.
    """
    left = rest[:FREE_SUITS] - jnp.array(shares)
    ways = after[tuple(jnp.maximum(left, 0).T)] * weights
    ways = jnp.where(jnp.all(left >= 0, axis=1), ways, 0.0)
    share = jnp.array(shares)[jax.random.categorical(key, jnp.log(ways))]
    return jnp.append(share, size - share.sum(dtype=jnp.int32))


# Which cards --------------------------------------------------------------------------------------


def _deal_out(known: Known, counts: Array, key: Array) -> Array:
    """Return uint32[P - 1, 2]: the hands, by `counts` for the bound seats, else at random."""
    within, among = jax.random.bits(key, (2, SUITS, RANKS), jnp.uint32)
    bounds = jnp.cumsum(counts, axis=0)
    place = jax.vmap(_places)(known.unseen, within)
    bound_to = _owner(place, bounds[:, :, None])
    free = known.unseen & (place >= bounds[-1][:, None])
    room = jnp.cumsum(jnp.where(known.bound, 0, known.sizes))
    free_to = _owner(_places(free.ravel(), among.ravel()), room[:, None])
    owner = jnp.where(free.ravel(), free_to, bound_to.ravel())
    owner = jnp.where(known.unseen.ravel(), owner, len(counts))
    return jnp.stack([cards.pack(owner == seat) for seat in range(len(counts))])


def _places(chosen: Array, draws: Array) -> Array:
    """Return int32[n]: the places of the `chosen` cards (bool[n]) in a random order of them."""
    low = (chosen.shape[0] - 1).bit_length()
    distinct = draws >> low << low | jnp.arange(chosen.shape[0], dtype=jnp.uint32)
    return (chosen & (distinct[None, :] < distinct[:, None])).sum(axis=1, dtype=jnp.int32)


def _owner(place: Array, bounds: Array) -> Array:
    """Return int32[..]: the seat whose share of the places, up to its bound, holds `place`."""
    return (bounds <= place).sum(axis=0, dtype=jnp.int32)
