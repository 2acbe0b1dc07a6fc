"""Obligations and trick winners, every switch both ways, against a plain reading of the words."""

from collections.abc import Sequence
from functools import partial
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talonax.envs import cards, tricks
from talonax.envs.tricks import NO_SUIT, NO_TRUMP, Obligations, Pack

SNAPSZER = Pack(ranks=5, strong_first=True)
NINES = Pack(ranks=6, strong_first=True)
WHIST = Pack(ranks=13)
OPEN_SPIEL = Pack(ranks=13, rank_major=True)
BEZIQUE = Pack(ranks=8, strong_first=True, jokers=1)
PACKS = [SNAPSZER, NINES, WHIST, OPEN_SPIEL, BEZIQUE, Pack(ranks=13, strong_first=True)]


def suit_of(pack: Pack, card: int) -> int:
    if not 0 <= card < pack.plain:
        return NO_SUIT
    return card % 4 if pack.rank_major else card // pack.ranks


def strength(pack: Pack, card: int) -> int:
    rank = card // 4 if pack.rank_major else card % pack.ranks
    return -rank if pack.strong_first else rank


def wins(pack: Pack, card: int, winning: int, trump: int) -> bool:
    """Does `card` beat the `winning` card that lay before it?"""
    suit, other = suit_of(pack, card), suit_of(pack, winning)
    if suit == NO_SUIT:
        return False
    if suit == other:
        return strength(pack, card) > strength(pack, winning)
    return suit == trump


@pytest.mark.parametrize("pack", [SNAPSZER, Pack(ranks=7, rank_major=True)], ids=str)
def test_what_a_card_counts_is_looked_up_by_rank(pack: Pack) -> None:
    by_rank = [15, 0, 11, 4, 10, 3, 8][: pack.ranks]
    ranks = [card // 4 if pack.rank_major else card % pack.ranks for card in range(pack.size)]
    found = pack.worth(jnp.arange(pack.size), by_rank)
    assert found.dtype == jnp.int32
    assert found.tolist() == [by_rank[rank] for rank in ranks]


@pytest.mark.parametrize("by_rank", [[16], [-1], [0] * 8], ids=str)
def test_a_table_that_does_not_fit_is_refused(by_rank: list[int]) -> None:
    with pytest.raises(ValueError, match="at most 7 values from 0 to 15"):
        BEZIQUE.worth(0, by_rank)


def may_play(
    pack: Pack, duty: Obligations, hand: set[int], led: int, winning: int, trump: int
) -> set[int]:
    """Return what may be played, read off the words of `Obligations`."""
    if not duty.follow:
        return hand
    suit = suit_of(pack, led)
    follows = {card for card in hand if suit_of(pack, card) == suit and suit != NO_SUIT}
    if follows:
        if not duty.head or suit_of(pack, winning) != suit:
            return follows
        return {card for card in follows if wins(pack, card, winning, trump)} or follows
    trumps = {card for card in hand if suit_of(pack, card) == trump}
    allowed = trumps
    if duty.overtrump and suit_of(pack, winning) == trump:
        allowed = {card for card in trumps if wins(pack, card, winning, trump)} or trumps
    if duty.trump_when_void:
        return allowed or hand
    return allowed | (hand - trumps)


@pytest.mark.parametrize("pack", PACKS, ids=str)
def test_suits_ranks_and_cards(pack: Pack) -> None:
    for card in range(pack.plain):
        assert int(pack.suit(card)) == suit_of(pack, card)
        assert int(pack.card(pack.suit(card), pack.rank(card))) == card
    assert pack.size == pack.plain + pack.jokers
    for none in (-1, *range(pack.plain, pack.size)):
        assert int(pack.suit(none)) == NO_SUIT
        assert bool(cards.is_empty(pack.stronger(none)))
    for suit in range(4):
        held = set(np.flatnonzero(cards.unpack(pack.suit_set(suit), pack.size)).tolist())
        assert held == {card for card in range(pack.size) if suit_of(pack, card) == suit}
    for none in (NO_SUIT, NO_TRUMP):
        assert bool(cards.is_empty(pack.suit_set(none)))


@pytest.mark.parametrize("pack", PACKS, ids=str)
def test_stronger(pack: Pack) -> None:
    every = jnp.arange(pack.plain)
    sets = jax.vmap(lambda card: cards.unpack(pack.stronger(card), pack.size))(every)
    for card in range(pack.plain):
        wanted = {other for other in range(pack.plain) if wins(pack, other, card, NO_TRUMP)}
        assert set(np.flatnonzero(sets[card]).tolist()) == wanted


@pytest.mark.parametrize("pack", PACKS, ids=str)
@pytest.mark.parametrize("trump", [NO_TRUMP, 0, 3])
def test_who_beats_whom(pack: Pack, trump: int) -> None:
    card, other = np.divmod(np.arange(pack.size**2), pack.size)
    found = np.asarray(jax.vmap(partial(tricks.beats, pack, trump=trump))(card, other))
    wanted = [wins(pack, int(a), int(b), trump) for a, b in zip(card, other, strict=True)]
    different = card != other
    np.testing.assert_array_equal(found[different], np.array(wanted)[different])


DUTIES = [Obligations(*switches) for switches in product([False, True], repeat=4)]


@pytest.mark.parametrize("pack", [SNAPSZER, OPEN_SPIEL, BEZIQUE], ids=str)
@pytest.mark.parametrize("duty", DUTIES, ids=str)
def test_every_obligation_both_ways(pack: Pack, duty: Obligations) -> None:
    rng = np.random.default_rng(0)
    number = 300
    hands = [
        set(rng.choice(pack.size, rng.integers(1, 7), replace=False).tolist())
        for _ in range(number)
    ]
    led = rng.integers(0, pack.size, number)
    trump = rng.integers(-1, 4, number)
    winning = led.copy()
    for i in range(number):  # somebody may have beaten the lead, by suit or trump
        better = [c for c in range(pack.size) if wins(pack, c, int(led[i]), int(trump[i]))]
        if better and i % 2:
            winning[i] = rng.choice(better)
    bits = jnp.stack([cards.constant(sorted(hand), pack.size) for hand in hands])
    legal = jax.jit(
        jax.vmap(lambda h, l, w, t: cards.unpack(tricks.replies(pack, duty, h, l, w, t), pack.size))
    )(bits, led, winning, trump)
    for i, hand in enumerate(hands):
        wanted = may_play(pack, duty, hand, int(led[i]), int(winning[i]), int(trump[i]))
        assert set(np.flatnonzero(legal[i]).tolist()) == wanted, (
            hand,
            led[i],
            winning[i],
            trump[i],
        )


def _legal(hand: str, led: str, winning: str, trump: str, **duty: bool) -> set[str]:
    """Whist cards by name, `TH`; trump by suit or ''."""
    ranks, suits = "23456789TJQKA", "SHDC"

    def number(name: str) -> int:
        return suits.index(name[1]) * 13 + ranks.index(name[0])

    held = cards.constant([number(name) for name in hand.split()], 52)
    suit = suits.index(trump) if trump else NO_TRUMP
    may = tricks.replies(WHIST, Obligations(**duty), held, number(led), number(winning), suit)
    found = np.flatnonzero(cards.unpack(may, 52)).tolist()
    return {ranks[card % 13] + suits[card // 13] for card in found}


def test_follow_alone() -> None:
    assert _legal("2S KH 3D", "7S", "7S", "D") == {"2S"}
    assert _legal("KH 3D", "7S", "7S", "D") == {"KH", "3D"}
    assert _legal("2S KH", "7S", "7S", "D", follow=False) == {"2S", "KH"}


def test_head() -> None:
    assert _legal("2S 9S KH", "7S", "7S", "D", head=True) == {"9S"}
    assert _legal("2S 8S KH", "7S", "9S", "D", head=True) == {"2S", "8S"}
    assert _legal("2S 9S KH", "7S", "3D", "D", head=True) == {"2S", "9S"}, "it was trumped already"


def test_trump_when_void_and_overtrump() -> None:
    assert _legal("KH 3D", "7S", "7S", "D", trump_when_void=True) == {"3D"}
    assert _legal("KH 3D", "7S", "7S", "", trump_when_void=True) == {"KH", "3D"}
    duty = {"trump_when_void": True, "overtrump": True}
    assert _legal("KH 3D 9D", "7S", "5D", "D", **duty) == {"9D"}
    assert _legal("KH 3D 4D", "7S", "5D", "D", **duty) == {"3D", "4D"}
    assert _legal("KH 3D 9D", "7S", "5D", "D", overtrump=True) == {"KH", "9D"}


@settings(max_examples=60, deadline=None)
@given(
    played=st.lists(st.integers(0, 51), min_size=1, max_size=8, unique=True),
    trump=st.integers(-1, 3),
)
def test_the_winner_of_any_number_of_cards(played: list[int], trump: int) -> None:
    padded = np.array(played + [-1] * (8 - len(played)))
    assert int(_winner(padded, trump)) == _winner_in_words(played, trump)


@jax.jit
def _winner(played: jax.Array, trump: jax.Array) -> jax.Array:
    return tricks.winner(WHIST, played, trump)


def _winner_in_words(played: Sequence[int], trump: int) -> int:
    trumps = [card for card in played if suit_of(WHIST, card) == trump]
    suit = trump if trumps else suit_of(WHIST, played[0])
    best = max((c for c in played if suit_of(WHIST, c) == suit), key=partial(strength, WHIST))
    return played.index(best)


def test_a_joker_never_wins_after_another_card_and_nothing_beats_one() -> None:
    joker = BEZIQUE.plain
    assert int(tricks.winner(BEZIQUE, jnp.array([0, joker]), 1)) == 0
    assert int(tricks.winner(BEZIQUE, jnp.array([joker, 0]), NO_TRUMP)) == 0
    assert int(tricks.winner(BEZIQUE, jnp.array([joker, 0]), 0)) == 1
