"""A trick of Bezique: what wins it, and what may be played to it in the last nine tricks.

*Trick* and *Phase 2* of the rules (`envs/bezique/README.md`). Each function stands on its own: it
takes cards and the trump suit, and knows of no position.
"""

from collections.abc import Sequence

from talonax.parity.bezique_errors import Fault, MustBeat, MustFollow, MustOvertrump, MustTrump
from talonax.parity.bezique_pack import BeziqueCard, Cards
from talonax.parity.cards import Suit


def beats(card: BeziqueCard, winning: BeziqueCard, trump: Suit) -> bool:
    """Return whether a card takes the trick over from the one that is winning it.

    A Joker never does; a led one is beaten by trumps alone. Equal cards do not beat each other.
    """
    if card.is_joker:
        return False
    if card.suit == winning.suit:
        return card.strength > winning.strength
    return card.suit == trump


def winning_place(trick: Sequence[BeziqueCard], trump: Suit) -> int:
    """Return which card of a trick wins it so far, by its place in the order of play.

    Raises:
      ValueError: no card has been played.
    """
    if not trick:
        raise ValueError("winning_place: a trick of no cards has no winner")
    best = 0
    for place, card in enumerate(trick):
        if beats(card, trick[best], trump):
            best = place
    return best


def of_suit(cards: Cards, suit: Suit | None) -> Cards:
    """Return the cards of a suit; none if there is no suit to follow (a Joker was led)."""
    return tuple(card for card in cards if suit is not None and card.suit == suit)


def strict_replies(hand: Cards, trick: Sequence[BeziqueCard], trump: Suit) -> Cards:
    """Return the cards that may be played to a trick of the last nine.

    Follow suit, beating the winning card if possible; else trump, beating it if possible; else
    anything. Nothing binds the leader.
    """
    if not trick:
        return hand
    winning = trick[winning_place(trick, trump)]
    # Nothing of a plain suit beats a trump: once the led suit is trumped, `higher` is empty.
    for bound in (of_suit(hand, trick[0].suit), of_suit(hand, trump)):
        if bound:
            higher = tuple(card for card in bound if beats(card, winning, trump))
            return higher or bound
    return hand


def fault_of_reply(
    card: BeziqueCard, hand: Cards, trick: Sequence[BeziqueCard], trump: Suit
) -> Fault | None:
    """Return which duty of the last nine tricks a card of the hand fails, if it does."""
    allowed = strict_replies(hand, trick, trump)
    if card in allowed:
        return None
    names = ", ".join(each.name for each in allowed)
    if of_suit(hand, trick[0].suit):
        if card.suit != trick[0].suit:
            return MustFollow, f"{trick[0]} was led: {names} must follow"
        return MustBeat, f"the led suit must beat the winning card: {names}"
    if card.suit != trump:
        return MustTrump, f"nothing follows {trick[0]}: {names} must trump"
    return MustOvertrump, f"the winning trump must be beaten: {names}"
