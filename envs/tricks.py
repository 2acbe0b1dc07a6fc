"""Tricks: what a pack's cards are worth to each other, what must be played, and who wins.

Everything is stated for any number of players through two cards: the card that was *led* and the
card that is *winning*. A game with its own bit order describes it once, as a `Pack`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import jax.numpy as jnp
from jax import Array, lax
from jax.typing import ArrayLike

from talonax.envs import cards
from talonax.envs.planes import SUITS

#: The suit of no card and of a Joker: no set of a suit contains anything of it.
NO_SUIT = SUITS
#: Where there is no trump.
NO_TRUMP = -1

#: `Pack.worth`: bits of what a rank counts, the most that it may, and the ranks that int32 holds.
_BITS = 4
_MOST = 2**_BITS - 1
_TABLE = (cards.WORD - 1) // _BITS


@dataclass(frozen=True)
class Pack:
    """The order of a game's cards.

    Attributes:
      ranks: ranks in each of the four suits.
      rank_major: False: `card = suit * ranks + rank`; True: `card = rank * 4 + suit`.
      strong_first: does rank 0 beat rank 1, or the reverse?
      jokers: cards without suit, numbered after the others.
    """

    ranks: int
    rank_major: bool = False
    strong_first: bool = False
    jokers: int = 0

    @cached_property
    def plain(self) -> int:
        """Number of cards that have a suit."""
        return SUITS * self.ranks

    @cached_property
    def size(self) -> int:
        """Number of cards (types, in a game of several packs)."""
        return self.plain + self.jokers

    def suit(self, card: ArrayLike) -> Array:
        """Return int32[]: the suit of `card`; `NO_SUIT` for a Joker and for -1, no card."""
        card = jnp.asarray(card, jnp.int32)
        # lax.div and lax.rem: numpy's floor division spends twice the work on signs
        suit = lax.rem(card, jnp.int32(SUITS)) if self.rank_major else self._block(card)
        if self.jokers == 0:
            return jnp.where(card < 0, NO_SUIT, suit)
        return jnp.where((card < 0) | (card >= self.plain), NO_SUIT, suit)

    def rank(self, card: ArrayLike) -> Array:
        """Return int32[]: the rank index of `card`, which must have a suit."""
        card = jnp.asarray(card, jnp.int32)
        if self.rank_major:
            return lax.div(card, jnp.int32(SUITS))
        return card - self.ranks * self._block(card)

    def _block(self, card: Array) -> Array:
        return lax.div(card, jnp.int32(self.ranks))

    def worth(self, card: ArrayLike, by_rank: Sequence[int]) -> Array:
        """Return int32[]: what `card` counts, which must have a suit.

        The table is one number of four bits a rank: a shift, which XLA fuses, where it would not
        fuse a gather.

        Args:
          card: int32[].
          by_rank: what the cards of each rank count, 0 to 15; of seven ranks at most.

        Raises:
          ValueError: the table does not fit.
        """
        if len(by_rank) > _TABLE or not all(0 <= value <= _MOST for value in by_rank):
            raise ValueError(f"by_rank={by_rank}: at most {_TABLE} values from 0 to {_MOST}")
        table = sum(value << _BITS * rank for rank, value in enumerate(by_rank))
        found: Array = table >> _BITS * self.rank(card) & _MOST
        return found

    def card(self, suit: ArrayLike, rank: ArrayLike) -> Array:
        """Return int32[]: the card of this suit and rank."""
        suit, rank = jnp.asarray(suit, jnp.int32), jnp.asarray(rank, jnp.int32)
        return rank * SUITS + suit if self.rank_major else suit * self.ranks + rank

    def suit_set(self, suit: ArrayLike) -> Array:
        """Return the set of all cards of `suit`; empty for `NO_SUIT` and `NO_TRUMP`."""
        suit = jnp.asarray(suit, jnp.int32)
        exists = (suit >= 0) & (suit < SUITS)
        if self.size <= cards.WORD:
            first, step = (1, SUITS) if self.rank_major else (self.ranks, 1)
            whole = sum(1 << step * rank for rank in range(self.ranks))
            shift = (first * suit).astype(jnp.uint32) & (cards.WORD - 1)
            return jnp.where(exists, jnp.uint32(whole) << shift, jnp.uint32(0))
        if not self.rank_major:
            return jnp.where(exists, self._suit_words(suit), jnp.uint32(0))
        sets = [cards.constant(self._members(each), self.size) for each in range(SUITS)]
        chosen = [jnp.where(suit == each, sets[each], jnp.uint32(0)) for each in range(SUITS)]
        return chosen[0] | chosen[1] | chosen[2] | chosen[3]

    def _suit_words(self, suit: Array) -> Array:
        """Return uint32[W]: the suit's cards, which lie side by side, moved to where they begin."""
        begins = self.ranks * suit - cards.WORD * jnp.arange(cards.words_for(self.size))
        whole = jnp.uint32((1 << self.ranks) - 1)
        above = whole << jnp.clip(begins, 0, cards.WORD - 1).astype(jnp.uint32)
        below = whole >> jnp.clip(-begins, 0, cards.WORD - 1).astype(jnp.uint32)
        return jnp.where(begins >= cards.WORD, 0, jnp.where(begins >= 0, above, below))

    def _members(self, suit: int) -> list[int]:
        if self.rank_major:
            return [rank * SUITS + suit for rank in range(self.ranks)]
        return [suit * self.ranks + rank for rank in range(self.ranks)]

    def stronger(self, card: ArrayLike) -> Array:
        """Return the cards of the same suit that beat `card`; none for -1 and a Joker."""
        card = jnp.asarray(card, jnp.int32)
        bit = cards.single(card, self.size)
        beyond = self._below(bit, card) if self.strong_first else self._above(bit, card)
        return beyond & self.suit_set(self.suit(card))

    def _below(self, bit: Array, card: Array) -> Array:
        if bit.ndim == 0:
            return bit - 1
        word = jnp.arange(bit.shape[0]) - (card >> 5)
        return jnp.where(word < 0, jnp.uint32(2**cards.WORD - 1), jnp.where(word == 0, bit - 1, 0))

    def _above(self, bit: Array, card: Array) -> Array:
        return ~(self._below(bit, card) | bit)


@dataclass(frozen=True)
class Obligations:
    """What whoever does not lead must do, each duty a switch.

    Attributes:
      follow: play the suit led, if held. Without it, nothing else binds.
      head: following, beat the winning card, if able (nobody can once the suit led is trumped).
      trump_when_void: without the suit led, trump, if able.
      overtrump: a trump played by one who cannot follow must beat the winning trump, if able.
    """

    follow: bool = True
    head: bool = False
    trump_when_void: bool = False
    overtrump: bool = False


def replies(
    pack: Pack, duty: Obligations, hand: Array, led: ArrayLike, winning: ArrayLike, trump: ArrayLike
) -> Array:
    """Return the set of the cards of `hand` that may be played to the trick.

    Args:
      pack: the order of the cards.
      duty: the obligations in force.
      hand: the set of cards held.
      led: int32[], the card led.
      winning: int32[], the card that wins the trick so far (the card led, for the second player).
      trump: int32[], the trump suit or `NO_TRUMP`.
    """
    if not duty.follow:
        return hand
    following = hand & pack.suit_set(pack.suit(led))
    if duty.head:
        heading = following & pack.stronger(winning)
        heading = _where(pack.suit(winning) == pack.suit(led), heading, cards.empty(pack.size))
        following = _first_of(heading, following)
    return _first_of(following, _void(pack, duty, hand, winning, trump))


def _void(
    pack: Pack, duty: Obligations, hand: Array, winning: ArrayLike, trump: ArrayLike
) -> Array:
    trumps = hand & pack.suit_set(trump)
    allowed = trumps
    if duty.overtrump:
        higher = trumps & pack.stronger(winning)
        trumped = pack.suit(winning) == jnp.asarray(trump)
        allowed = _where(trumped, _first_of(higher, trumps), trumps)
    if duty.trump_when_void:
        return _first_of(allowed, hand)
    return allowed | hand & ~trumps


def not_held(
    pack: Pack,
    duty: Obligations,
    reply: ArrayLike,
    led: ArrayLike,
    winning: ArrayLike,
    trump: ArrayLike,
) -> Array:
    """Return the set of the cards that a reply shows its player not to have held.

    Args:
      pack: the order of the cards.
      duty: the obligations that were in force.
      reply: int32[], the card played.
      led: int32[], the card led.
      winning: int32[], the card that won the trick before the reply.
      trump: int32[], the trump suit or `NO_TRUMP`.
    """
    nothing = cards.empty(pack.size)
    if not duty.follow:
        return nothing
    suit, replied = pack.suit(led), pack.suit(reply)
    higher = pack.stronger(winning)
    heads = cards.contains(higher, reply)
    beaten = jnp.where(heads, nothing, higher)
    following = jnp.where(pack.suit(winning) == suit, beaten, nothing) if duty.head else nothing
    trumps = replied == jnp.asarray(trump)
    void = pack.suit_set(suit)
    if duty.trump_when_void:
        void = void | jnp.where(trumps, nothing, pack.suit_set(trump))
    if duty.overtrump:
        overtrumps = trumps & (pack.suit(winning) == jnp.asarray(trump))
        void = void | jnp.where(overtrumps, beaten, nothing)
    # A Joker does not follow a Joker
    return jnp.where((replied == suit) & (suit != NO_SUIT), following, void)


def beats(pack: Pack, card: ArrayLike, winning: ArrayLike, trump: ArrayLike) -> Array:
    """Return bool[]: does `card`, played after it, beat the `winning` card?"""
    card, winning = jnp.asarray(card, jnp.int32), jnp.asarray(winning, jnp.int32)
    suit, other = pack.suit(card), pack.suit(winning)
    stronger = card < winning if pack.strong_first else card > winning
    trumping = (suit == jnp.asarray(trump)) & (other != suit)
    return (suit == other) & (suit != NO_SUIT) & stronger | trumping & (suit != NO_SUIT)


def winner(pack: Pack, played: Array, trump: ArrayLike) -> Array:
    """Return int32[]: the place in `played` (int[n], the card led first, -1 not yet) that wins."""
    best = jnp.asarray(played[0], jnp.int32)
    place: Array = jnp.int32(0)
    for i in range(1, played.shape[0]):
        better = beats(pack, played[i], best, trump)
        best, place = jnp.where(better, played[i], best), jnp.where(better, i, place)
    return place


def _where(condition: Array, yes: Array, no: Array) -> Array:
    return jnp.where(condition, yes, no)


def _first_of(wanted: Array, otherwise: Array) -> Array:
    """Return `wanted` unless it is empty."""
    return jnp.where(cards.is_empty(wanted), otherwise, wanted)
