"""The melds of Bezique: what makes one, which cards may be in it, and which an action takes.

The table *Meld*, *Reuse* and *Which copies a meld action takes* of the rules
(`envs/bezique/README.md`). Each function stands on its own; `Used` is what a player's cards have
been in so far.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain

from talonax.parity.bezique_errors import (
    AlreadyMelded,
    CardNotHeld,
    Fault,
    NotAMeld,
    NothingFromHand,
    TooManyJokers,
)
from talonax.parity.bezique_pack import (
    JOKER,
    MELDS,
    QUARTETS,
    SUITS,
    BeziqueCard,
    Cards,
    Kind,
    Meld,
    kind_name,
    type_of,
)
from talonax.parity.cards import Rank, Suit

#: By kind, the cards that have been in such a meld.
Used = tuple[frozenset[BeziqueCard], ...]

NOTHING_USED: Used = (frozenset(),) * len(Kind)

#: What a card must not have been in, to be in a kind of meld.
BARRED_BY = {
    **{kind: (kind,) for kind in Kind},
    Kind.MARRIAGE: (Kind.MARRIAGE, Kind.RUN),
    Kind.BEZIQUE: (Kind.BEZIQUE, Kind.DOUBLE_BEZIQUE),
    Kind.DOUBLE_BEZIQUE: (Kind.DOUBLE_BEZIQUE, Kind.BEZIQUE),
}

BEZIQUE_QUEEN = type_of(Rank.QUEEN, Suit.SPADES)
BEZIQUE_JACK = type_of(Rank.JACK, Suit.DIAMONDS)

MARRIAGE_RANKS = (Rank.KING, Rank.QUEEN)
RUN_RANKS = (Rank.ACE, Rank.TEN, Rank.KING, Rank.QUEEN, Rank.JACK)
QUARTET_SIZE = 4

#: The types that may fill one place of a meld.
Place = tuple[int, ...]


# What makes a meld


@cache
def places(meld: Meld, trump: Suit) -> tuple[Place, ...]:
    """Return the places of a meld, in the order in which they are filled."""
    match meld.kind:
        case Kind.SEVEN:
            return ((type_of(Rank.SEVEN, trump),),)
        case Kind.MARRIAGE:
            assert meld.suit is not None
            return tuple((type_of(rank, meld.suit),) for rank in MARRIAGE_RANKS)
        case Kind.BEZIQUE:
            return (BEZIQUE_QUEEN,), (BEZIQUE_JACK,)
        case Kind.DOUBLE_BEZIQUE:
            return (BEZIQUE_QUEEN,), (BEZIQUE_QUEEN,), (BEZIQUE_JACK,), (BEZIQUE_JACK,)
        case Kind.RUN:
            return tuple((type_of(rank, trump),) for rank in RUN_RANKS)
    natural = tuple(type_of(QUARTETS[meld.kind], suit) for suit in SUITS)
    if meld.with_joker:
        return (*(natural,) * (QUARTET_SIZE - 1), (JOKER,))
    return (natural,) * QUARTET_SIZE


@cache
def types_of(meld: Meld, trump: Suit) -> frozenset[int]:
    """Return the types that may be in a meld."""
    return frozenset(chain.from_iterable(places(meld, trump)))


@cache
def types_in(kind: Kind, trump: Suit, max_jokers: int) -> frozenset[int]:
    """Return the types that may be in a kind of meld."""
    melds = (meld for meld in melds_of(max_jokers) if meld.kind == kind)
    return frozenset(chain.from_iterable(types_of(meld, trump) for meld in melds))


@cache
def melds_of(max_jokers: int) -> tuple[Meld, ...]:
    """Return the melds that there are, if so many Jokers may stand in a quartet."""
    return tuple(meld for meld in MELDS if max_jokers or not meld.with_joker)


def makes(cards: Sequence[BeziqueCard], meld: Meld, trump: Suit) -> bool:
    """Return whether cards fill the places of a meld, each one and nothing besides."""
    left = list(cards)
    for place in places(meld, trump):
        fitting = next((card for card in left if card.type in place), None)
        if fitting is None:
            return False
        left.remove(fitting)
    return not left


def meld_of(kind: Kind, cards: Sequence[BeziqueCard], trump: Suit) -> Meld | None:
    """Return the meld of a kind that cards make, if they do; a Joker may stand in a quartet."""
    made = (meld for meld in MELDS if meld.kind == kind and makes(cards, meld, trump))
    return next(made, None)


# Reuse


def is_eligible(card: BeziqueCard, kind: Kind, used: Used) -> bool:
    """Return whether what a card has been in leaves it free for a kind of meld."""
    return all(card not in used[bar] for bar in BARRED_BY[kind])


def kinds_of(card: BeziqueCard, used: Used) -> tuple[int, ...]:
    """Return the kinds of meld that a card has been in, rising."""
    return tuple(int(kind) for kind in Kind if card in used[kind])


def with_used(used: Used, kind: Kind, cards: Iterable[BeziqueCard]) -> Used:
    """Return what has been in which kind, after a meld."""
    return tuple(used[each].union(cards) if each == kind else used[each] for each in Kind)


# What is wrong with a meld


def fault_of_meld(
    kind: Kind,
    cards: Sequence[BeziqueCard],
    *,
    hand: Cards,
    table: Cards,
    used: Used,
    trump: Suit,
    max_jokers: int = 1,
) -> Fault | None:
    """Return what is wrong with a meld of these very cards, or None if it may be laid.

    Whose turn it is, and whether a meld has been laid in it, is not looked at here.
    """
    for card in cards:
        if card not in hand and card not in table:
            return CardNotHeld, f"{card} is neither in hand nor on the table"
    jokers = sum(card.is_joker for card in cards)
    if kind in QUARTETS and jokers > max_jokers:
        return TooManyJokers, f"{jokers} Joker(s) in a quartet, at most {max_jokers} may stand in"
    # A card named twice leaves a place unfilled that only a second copy could fill.
    if len(set(cards)) < len(cards) or meld_of(kind, cards, trump) is None:
        named = " ".join(card.name for card in cards) or "no card"
        return NotAMeld, f"{kind_name(kind)} is not made of: {named}"
    for card in cards:
        for bar in BARRED_BY[kind]:
            if card in used[bar]:
                return AlreadyMelded, f"{card} has been in a meld already: {kind_name(bar)}"
    if not any(card in hand for card in cards):
        return NothingFromHand, "at least one card must come from the hand"
    return None


# Which cards an action takes


def choose(meld: Meld, hand: Cards, table: Cards, used: Used, trump: Suit) -> Cards | None:
    """Return the cards that the action of a meld takes, or None if it cannot be laid.

    Its places are filled in turn, from the table where there is an eligible card, else from hand;
    if none came from hand, the last place that the hand can fill is filled again from there.
    """
    wanted, types = places(meld, trump), types_of(meld, trump)
    on_table = _in_order(table, meld.kind, used, types)
    in_hand = _in_order(hand, meld.kind, used, types)
    taken: list[BeziqueCard] = []
    for place in wanted:
        card = _first(place, on_table, taken) or _first(place, in_hand, taken)
        if card is None:
            return None
        taken.append(card)
    if any(card in in_hand for card in taken):
        return tuple(taken)
    for number, place in reversed(list(enumerate(wanted))):
        card = _first(place, in_hand, taken)
        if card is not None:
            return (*taken[:number], card, *taken[number + 1 :])
    return None


def _in_order(cards: Cards, kind: Kind, used: Used, types: frozenset[int]) -> Cards:
    """Return what may fill a place, by preference: by type (in a quartet: suit), melds, pack."""
    fitting = [card for card in cards if card.type in types]
    free = [card for card in fitting if is_eligible(card, kind, used)]
    return tuple(sorted(free, key=lambda card: (card.type, len(kinds_of(card, used)), card.pack)))


def _first(place: Place, cards: Cards, taken: Sequence[BeziqueCard]) -> BeziqueCard | None:
    return next((card for card in cards if card.type in place and card not in taken), None)


def legal_melds(
    hand: Cards, table: Cards, used: Used, trump: Suit, max_jokers: int = 1
) -> tuple[Meld, ...]:
    """Return the melds that can be laid, in the order of their actions."""
    return tuple(
        meld for meld in melds_of(max_jokers) if choose(meld, hand, table, used, trump) is not None
    )
