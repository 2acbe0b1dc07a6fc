"""Cards as bits: packs, sets of cards, shuffles and packed queues.

A set of cards is a bit set: one `uint32[]` for packs of up to 32 cards, `uint32[W]` for larger ones
(two words hold 52 or 56). Card `c` is bit `c % 32` of word `c // 32`. Every function here takes
either form, unbatched; the caller vmaps. Sets of *actions* are the same thing (`Env.legal_set`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

WORD = 32
#: Packs of up to this many cards are shuffled by ranking draws, larger ones by sorting them.
RANKED = 64
_HALVES = (16, 8, 4, 2, 1)


def words_for(size: int) -> int:
    """Return the number of 32-bit words that `size` bits need."""
    return -(-size // WORD)


def empty(size: int) -> Array:
    """Return the empty set over `size` cards: uint32[], or uint32[W] above 32."""
    words = words_for(size)
    return jnp.zeros(() if words == 1 else (words,), jnp.uint32)


def constant(members: Sequence[int], size: int) -> Array:
    """Return the set of these cards, known at trace time."""
    bits = sum(1 << card for card in set(members))
    split = [bits >> (WORD * word) & (2**WORD - 1) for word in range(words_for(size))]
    return jnp.uint32(split[0]) if len(split) == 1 else jnp.array(split, jnp.uint32)


def single(card: ArrayLike, size: int) -> Array:
    """Return the set of one card; the empty set for -1 and for cards outside `0 .. size - 1`."""
    card = jnp.asarray(card, jnp.int32)
    words = words_for(size)
    valid = (card >= 0) & (card < size)
    bit = jnp.uint32(1) << (card & (WORD - 1)).astype(jnp.uint32)
    if words == 1:
        return jnp.where(valid, bit, jnp.uint32(0))
    return jnp.where(valid & (jnp.arange(words) == card >> 5), bit, jnp.uint32(0))


def contains(cards: Array, card: ArrayLike) -> Array:
    """Return bool[]: is `card` in the set? False for -1 and for cards beyond its words."""
    size = WORD * max(1, cards.size)
    return jnp.any(cards & single(card, size) != 0)


def count(cards: Array) -> Array:
    """Return int32[]: how many cards the set holds."""
    ones = jax.lax.population_count(cards).astype(jnp.int32)
    if ones.ndim == 0:
        return ones
    total: Array = ones[0]
    for word in range(1, ones.shape[0]):  # a reduction would be a loop of its own
        total = total + ones[word]
    return total


def is_empty(cards: Array) -> Array:
    """Return bool[]: does the set hold nothing?"""
    return cards == 0 if cards.ndim == 0 else jnp.all(cards == 0)


def unpack(cards: Array, size: int) -> Array:
    """Return bool[size]: membership of each card."""
    index = jnp.arange(size, dtype=jnp.uint32)
    words = cards if cards.ndim == 0 else cards[jnp.arange(size) >> 5]
    return (words >> (index & (WORD - 1))) & 1 != 0


def pack(members: Array) -> Array:
    """Return the set of the cards where `members` (bool[size]) is true: the inverse of `unpack`."""
    size = members.shape[0]
    words = words_for(size)
    padded = jnp.zeros(words * WORD, jnp.uint32).at[:size].set(members.astype(jnp.uint32))
    bits = padded.reshape(words, WORD) << jnp.arange(WORD, dtype=jnp.uint32)
    packed = bits.sum(axis=1, dtype=jnp.uint32)
    return packed[0] if words == 1 else packed


def union_of(cards: Array, size: int) -> Array:
    """Return the set of the cards listed in `cards` (int[k]; -1 entries are no card)."""
    listed = [single(cards[i], size) for i in range(cards.shape[0])]
    total = empty(size)
    for each in listed:
        total = total | each
    return total


def kth(cards: Array, k: ArrayLike) -> Array:
    """Return int32[]: the `k`-th (from 0) lowest card of the set; undefined if it holds fewer."""
    k = jnp.asarray(k, jnp.int32)
    if cards.ndim == 0:
        return _kth_in_word(cards, k)
    ones = jax.lax.population_count(cards).astype(jnp.int32)
    first, word, rest, before = jnp.int32(0), cards[0], k, ones[0]
    for number in range(1, cards.shape[0]):  # choices fuse into one loop; a gather does not
        beyond = k >= before
        first = jnp.where(beyond, WORD * number, first)
        word = jnp.where(beyond, cards[number], word)
        rest = jnp.where(beyond, k - before, rest)
        before = before + ones[number]
    found: Array = first + _kth_in_word(word, rest)
    return found


def _kth_in_word(word: Array, k: Array) -> Array:
    position: Array = jnp.int32(0)
    for half in _HALVES:  # a binary search over the population count
        low = jax.lax.population_count(word & jnp.uint32((1 << half) - 1)).astype(jnp.int32)
        above = k >= low
        k = jnp.where(above, k - low, k)
        word = jnp.where(above, word >> half, word)
        position = position + jnp.where(above, half, 0)
    return position


def draw_one(cards: Array, bits: Array) -> Array:
    """Return int32[]: a member of the set, uniform to 2**-16 for 32 random `bits`; 0 if empty.

    One multiplication turns the draw into a rank, which is cheaper than a categorical over a mask.
    """
    rank = ((bits >> 16) * count(cards).astype(jnp.uint32)) >> 16
    return kth(cards, rank.astype(jnp.int32))


# Shuffles ---------------------------------------------------------------------------------------


def places_among(chosen: Array) -> Array:
    """Return int32[n]: for each place, how many `chosen` (bool[n]) there are before it.

    A cumulative sum, by population counts within words: on a CPU several times as fast.
    """
    size = chosen.shape[0]
    words = words_for(size)
    lanes = jnp.pad(chosen, (0, words * WORD - size)).reshape(words, WORD)
    lane = jnp.arange(WORD, dtype=jnp.uint32)
    bits = (lanes.astype(jnp.uint32) << lane).sum(axis=1, dtype=jnp.uint32)
    each = jax.lax.population_count(bits).astype(jnp.int32)
    before = jnp.cumsum(each, dtype=jnp.int32) - each
    below = jax.lax.population_count(bits[:, None] & ((jnp.uint32(1) << lane) - 1))
    return (before[:, None] + below.astype(jnp.int32)).reshape(-1)[:size]


def shuffle(key: Array, size: int, top: int | None = None) -> Array:
    """Return int32[size]: a uniformly random permutation of `0 .. size - 1`; or its `top` first.

    Each place draws 32 bits, made distinct by its index in the lowest of them. Up to 64 cards it
    holds the rank of its draw among all: `size` comparisons of all places at once vectorise, which
    one sum over a square of comparisons does not, and cost a twentieth of a sort. Larger packs sort
    the draws, and the indices are the order: a fifth of what it costs to sort indices by draws.
    """
    top = size if top is None else top
    draws = jax.random.bits(key, (size,), jnp.uint32)
    low = max(1, (size - 1).bit_length())
    draws = draws >> low << low | jnp.arange(size, dtype=jnp.uint32)
    if size > RANKED:
        order: Array = (jnp.sort(draws)[:top] & 2**low - 1).astype(jnp.int32)
        return order
    ranks = jnp.zeros(top, jnp.int32)
    for place in range(size):
        ranks = ranks + (draws[:top] > draws[place])
    return ranks


# Packed queues ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Queue:
    """A short queue of cards in two words, so that drawing from its front is a shift, not a gather.

    Attributes:
      bits: bits per card (5 up to 32 cards).
      length: the most cards that it holds; both words hold `32 // bits` each.
    """

    bits: int
    length: int

    @property
    def per_word(self) -> int:
        """Cards that one word holds."""
        return WORD // self.bits

    def fill(self, cards: Array) -> tuple[Array, Array]:
        """Return the two words that hold `cards` (int[k], k <= length), the front lowest."""
        low, high = jnp.uint32(0), jnp.uint32(0)
        for place in range(cards.shape[0]):
            low, high = self.put((low, high), place, cards[place])
        return low, high

    def put(self, queue: tuple[Array, Array], place: ArrayLike, card: Array) -> tuple[Array, Array]:
        """Write `card` into an empty `place` (traced or not)."""
        value = card.astype(jnp.uint32)
        if isinstance(place, int):
            shift = self.bits * (place % self.per_word)
            if place < self.per_word:
                return queue[0] | value << shift, queue[1]
            return queue[0], queue[1] | value << shift
        place = jnp.asarray(place, jnp.int32)
        first = place < self.per_word
        step = jnp.where(first, place, place - self.per_word).astype(jnp.uint32)
        value = value << (self.bits * step)
        zero = jnp.uint32(0)
        return queue[0] | jnp.where(first, value, zero), queue[1] | jnp.where(first, zero, value)

    def peek(self, queue: tuple[Array, Array], place: int) -> Array:
        """Return int32[]: the card at `place`, whatever lies there."""
        word = queue[place // self.per_word]
        shift = self.bits * (place % self.per_word)
        card: Array = (word >> shift & (2**self.bits - 1)).astype(jnp.int32)
        return card

    def drop(self, queue: tuple[Array, Array], number: int, when: Array) -> tuple[Array, Array]:
        """Take `number` cards (at most a word) from the front, where `when` (bool[])."""
        low, high = queue
        shift = self.bits * number
        moved = (high & (2**shift - 1)) << (self.bits * self.per_word - shift)
        return jnp.where(when, low >> shift | moved, low), jnp.where(when, high >> shift, high)

    def unfold(self, queue: tuple[Array, Array], left: ArrayLike) -> Array:
        """Return int32[length]: the cards in order, -1 from place `left` on."""
        cards = jnp.stack([self.peek(queue, place) for place in range(self.length)])
        return jnp.where(jnp.arange(self.length) < left, cards, -1)
