"""Sets of Bezique's cards as five words, and what is done to them word by word.

A card is a type and a pack: `card = type * 4 + pack`. Card `c` is bit `c % 32` of word `c // 32`,
so a nibble holds the four packs of a type, half a word a rank (its suits D C H S), and the words
the ranks 7 8, 9 J, Q K, 10 A and the Jokers. Each word is a scalar of its own: in a batch it is
contiguous, and what is done to it runs on vectors of games, where an array with an axis of five
words would be walked one word at a time.

Counts by type have the same form: a nibble holds the number of copies, 0 to 4.
"""

from collections.abc import Sequence
from typing import cast

import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.typing import ArrayLike

from talonax.envs.cards import WORD
from talonax.envs.planes import SUITS
from talonax.envs.tricks import Pack

SUIT_NAMES = "DCHS"
DIAMONDS, SPADES = SUIT_NAMES.index("D"), SUIT_NAMES.index("S")
RANKS = "789JQKTA"
PACKS = 4
#: The types that have a suit: `type = rank * 4 + suit`.
PACK = Pack(ranks=len(RANKS), rank_major=True)
JOKER = PACK.size
TYPES = PACK.size + 1
CARDS = TYPES * PACKS

#: Types in a word, words in a set, cards of a rank.
PER_WORD = WORD // PACKS
WORDS = -(-TYPES // PER_WORD)
HALF = WORD // 2
#: Every nibble's lowest bit, all its bits, and its highest.
LOWEST, NIBBLE, HIGHEST = 0x11111111, 2**PACKS - 1, 0x88888888
RANK, FULL = 2**HALF - 1, 2**WORD - 1

SEVEN, EIGHT, NINE, JACK, QUEEN, KING, TEN, ACE = range(len(RANKS))

#: A set of cards, or counts by type: `WORDS` scalars uint32[].
Words = tuple[Array, ...]


def nothing() -> Words:
    """Return the empty set."""
    return (jnp.uint32(0),) * WORDS


def single(card: ArrayLike) -> Words:
    """Return the set of one card; the empty set for -1.

    Of a Python integer it is made without jax: plain numpy words, which cost no tracing.
    """
    if isinstance(card, int):
        return _constant(card)
    card = jnp.asarray(card, jnp.int32)
    bit = jnp.uint32(1) << (card & (WORD - 1)).astype(jnp.uint32)
    return tuple(jnp.where(card >> 5 == word, bit, jnp.uint32(0)) for word in range(WORDS))


def _constant(card: int) -> Words:
    bits = 1 << card if card >= 0 else 0
    return cast(Words, tuple(np.uint32(bits >> WORD * word & FULL) for word in range(WORDS)))


def one_of(kind: ArrayLike) -> Words:
    """Return the counts by type that are 1 for the type `kind` alone; all 0 for -1."""
    if isinstance(kind, int):
        return single(PACKS * kind)
    kind = jnp.asarray(kind, jnp.int32)
    return single(jnp.where(kind < 0, -1, PACKS * kind))


def union(first: Words, second: Words) -> Words:
    """Return the cards of both sets."""
    return tuple(a | b for a, b in zip(first, second, strict=True))


def common(first: Words, second: Words) -> Words:
    """Return the cards that are in both sets."""
    return tuple(a & b for a, b in zip(first, second, strict=True))


def without(first: Words, second: Words) -> Words:
    """Return the cards of the first set that are not in the second."""
    return tuple(a & ~b for a, b in zip(first, second, strict=True))


def when(condition: Array, some: Words) -> Words:
    """Return the set where `condition` (bool[]) holds, else the empty one."""
    return tuple(jnp.where(condition, word, jnp.uint32(0)) for word in some)


def of(by_seat: Sequence[Words], seat: ArrayLike) -> Words:
    """Return what `seat` has of the sets by seat; the empty set for -1."""
    seat = jnp.asarray(seat)
    found = nothing()
    for each, some in enumerate(by_seat):
        found = union(found, when(seat == each, some))
    return found


def stacked(some: Words) -> Array:
    """Return uint32[5]: the set as an array (`envs.cards`)."""
    return jnp.stack(some)


def split(array: Array) -> Words:
    """Return the set that uint32[5] `array` holds: the inverse of `stacked`."""
    return tuple(array[word] for word in range(WORDS))


def count(some: Words) -> Array:
    """Return int32[]: how many cards the set holds."""
    total: Array = jnp.int32(0)
    for word in some:
        total = total + lax.population_count(word).astype(jnp.int32)
    return total


def is_empty(some: Words) -> Array:
    """Return bool[]: does the set hold nothing?"""
    united = some[0]
    for word in some[1:]:
        united = united | word
    return united == 0


# Nibbles ------------------------------------------------------------------------------------------


def copies(word: Array) -> Array:
    """Return the number of bits in each nibble of a word, in that nibble."""
    pairs = word - (word >> 1 & 0x55555555)
    return (pairs & 0x33333333) + (pairs >> 2 & 0x33333333)


def copies_in(word: Array) -> Array:
    """Return int32[]: how many bits a word has."""
    return lax.population_count(word).astype(jnp.int32)


def numbers(some: Words) -> Words:
    """Return the counts by type of a set."""
    return tuple(copies(word) for word in some)


def fewer(counts: Array, fall: Array) -> Array:
    """Return `counts - fall` nibble by nibble, 0 where that is negative."""
    highest = jnp.uint32(HIGHEST)
    left = (counts | highest) - fall
    stays = (left & highest) >> PACKS - 1
    rest: Array = left & ~highest & stays * NIBBLE
    return rest


def there(word: Array) -> Array:
    """Return the lowest bit of each nibble that is not 0."""
    return (word | word >> 1 | word >> 2 | word >> 3) & LOWEST


def gathered(word: Array) -> Array:
    """Return the lowest bits of a word's nibbles, side by side: bit `i` is that of nibble `i`."""
    word = (word | word >> 3) & 0x03030303
    word = (word | word >> 6) & 0x000F000F
    return (word | word >> 12) & 0xFF


def types(some: Words) -> tuple[Array, Array]:
    """Return the set of the types with a suit that a set holds, uint32[]; and bool[], a Joker?"""
    held = jnp.uint32(0)
    for place, word in enumerate(some[:-1]):
        held = held | gathered(there(word)) << PER_WORD * place
    return held, some[-1] != 0


def nibble(some: Words, kind: Array) -> Array:
    """Return the packs, uint32[] of four bits, in which the set holds the type `kind`."""
    word = some[0]
    for place in range(1, WORDS):
        word = jnp.where(kind >> 3 == place, some[place], word)
    packs: Array = word >> PACKS * (kind & PER_WORD - 1).astype(jnp.uint32) & NIBBLE
    return packs


def at(word: Array, suit: Array) -> Array:
    """Return the packs of a suit in a rank: a nibble of the lower half of `word`."""
    packs: Array = word >> PACKS * suit.astype(jnp.uint32) & NIBBLE
    return packs


def put(packs: Array, suit: Array) -> Array:
    """Return the half word of a rank that holds `packs` of `suit`: the inverse of `at`."""
    return packs << PACKS * suit.astype(jnp.uint32)


def rank(some: Words, number: int) -> Array:
    """Return the half word of a rank, in the lower half."""
    half: Array = some[number // 2] >> HALF * (number % 2) & RANK
    return half


def type_counts(counts: Words) -> Array:
    """Return int32[33]: counts by type."""
    shifts = PACKS * jnp.arange(PER_WORD, dtype=jnp.uint32)
    nibbles = stacked(counts)[:, None] >> shifts & NIBBLE
    listed: Array = nibbles.reshape(-1)[:TYPES].astype(jnp.int32)
    return listed


def lowest(bits: Array) -> Array:
    """Return the lowest bit alone."""
    return bits & (~bits + 1)


def place_of(bit: Array) -> Array:
    """Return int32[]: the place of a single bit."""
    return lax.population_count(bit - 1).astype(jnp.int32)


# Types --------------------------------------------------------------------------------------------


def type_of(card: ArrayLike) -> Array:
    """Return int32[]: the type of a card; -1 for -1."""
    return jnp.asarray(card, jnp.int32) >> 2


def suited(kind: ArrayLike) -> Array:
    """Return int32[]: a type as `tricks` takes it: -1 for a Joker, which has no suit."""
    kind = jnp.asarray(kind, jnp.int32)
    return jnp.where(kind == JOKER, -1, kind)


def is_brisque(kind: ArrayLike) -> Array:
    """Return bool[]: is it an ace or a ten?"""
    kind = jnp.asarray(kind, jnp.int32)
    return (kind >= SUITS * TEN) & (kind < JOKER)


__all__ = [
    "ACE",
    "CARDS",
    "DIAMONDS",
    "HALF",
    "JACK",
    "JOKER",
    "KING",
    "NIBBLE",
    "PACK",
    "PACKS",
    "QUEEN",
    "RANKS",
    "SEVEN",
    "SPADES",
    "SUIT_NAMES",
    "TEN",
    "TYPES",
    "WORDS",
    "Words",
    "common",
    "copies",
    "count",
    "fewer",
    "is_brisque",
    "is_empty",
    "lowest",
    "nibble",
    "nothing",
    "of",
    "one_of",
    "place_of",
    "put",
    "rank",
    "single",
    "split",
    "stacked",
    "suited",
    "there",
    "type_of",
    "types",
    "union",
    "when",
    "without",
]
