"""Whether the entries of a Bezique position agree with each other (`position.py`)."""

from collections import Counter

from talonax.envs.bezique.melds import taking_part
from talonax.envs.bezique.position_entries import Entries
from talonax.envs.bezique.state import HAND, LAST, NO_CARD, PHASES, PLAY, TURN
from talonax.envs.bezique.view import card_name, members, type_name
from talonax.envs.bezique.words import CARDS, DIAMONDS, JOKER, PACKS, SUIT_NAMES, TEN
from talonax.envs.planes import SUITS


def check(entries: Entries) -> None:
    """Check the entries against each other.

    Raises:
      ValueError: saying what does not agree.
    """
    _check_places(entries)
    _check_sizes(entries)
    _check_stock(entries)
    _check_trick(entries)
    _check_last_trick(entries)
    _check_turned_up(entries)
    _check_hands(entries)
    _check_counts(entries)
    _check_used(entries)


def _names(cards: list[int]) -> str:
    return " ".join(map(card_name, cards))


def _check_places(told: Entries) -> None:
    found = Counter(card for pile in [*told.piles, told.gone] for card in pile)
    twice = [card for card, number in found.items() if number > 1]
    if twice:
        raise ValueError(f"position: in two places: {_names(twice)}")
    nowhere = [card for card in range(CARDS) if card not in found]
    if nowhere:
        raise ValueError(f"position: nowhere: {_names(nowhere)}")


def _check_sizes(told: Entries) -> None:
    """Check that everybody has as many cards as the phase wants."""
    seats = zip(told.hands, told.tables, told.trick, strict=True)
    full = [len(hand) + len(table) + (card != NO_CARD) for hand, table, card in seats]
    wanted = {PLAY: HAND, TURN: HAND - 1, LAST: min(max(full), HAND)}[told.phase]
    if set(full) != {wanted}:
        raise ValueError(
            f"position: hands, tables, trick: {wanted} cards a seat in phase "
            f"{PHASES[told.phase]!r}, are {full}"
        )


def _check_stock(told: Entries) -> None:
    players, phase = told.rules.players, PHASES[told.phase]
    under = len(told.stock) + (told.turned_up != NO_CARD)
    if told.phase == LAST and (under or any(told.tables)):
        raise ValueError(
            f"position: stock, turned_up, tables: nothing lies there in phase {phase!r}"
        )
    if told.phase != LAST and (told.turned_up == NO_CARD or under % players):
        raise ValueError(
            f"position: stock, turned_up: in phase {phase!r} a card is turned up, and they are a "
            f"multiple of {players} cards; are {len(told.stock)} and {told.given['turned_up']!r}"
        )


def _check_trick(told: Entries) -> None:
    players = told.rules.players
    order = [(told.leader + step) % players for step in range(players)]
    laid = [told.trick[seat] != NO_CARD for seat in order]
    if laid != sorted(laid, reverse=True) or all(laid):
        raise ValueError(
            f"position: trick: not in turn from the leader, player {told.leader}, on: "
            f"{told.given['trick']!r}"
        )
    if told.phase == TURN and any(laid):
        raise ValueError("position: trick: a card is played, but the phase is 'turn'")
    first = (told.dealer + 1) % players
    if not told.gone and (told.leader != first or told.phase != PLAY):
        raise ValueError(
            f"position: leader, phase: no trick is complete, and player {first} leads to the first"
        )


def _check_last_trick(told: Entries) -> None:
    last = [card for card in told.last if card != NO_CARD]
    if len(set(last)) != len(last) or any(card not in told.gone for card in last):
        raise ValueError(
            f"position: last_trick: each a card that is gone, is {told.given['last_trick']!r}"
        )


def _check_turned_up(told: Entries) -> None:
    if told.turned_up == NO_CARD:
        return
    kind, suit = told.turned_up // PACKS, SUIT_NAMES[told.trump]
    diamonds = told.rules.joker_turnup == "diamonds" and told.trump == DIAMONDS
    if not (diamonds if kind == JOKER else kind % SUITS == told.trump):
        raise ValueError(
            f"position: turned_up, trump: {card_name(told.turned_up)} is turned up, but trump is "
            f"{suit}"
        )
    if told.swapped and kind != told.trump:
        raise ValueError(
            f"position: swapped: {card_name(told.turned_up)} is turned up, which is not the seven"
        )


def _check_hands(told: Entries) -> None:
    """Check what is told of hands that are hidden."""
    for seat, hand in enumerate(told.hands):
        held = Counter(card // PACKS for card in hand)
        known = Counter(told.known[seat]) - held
        if known:
            names = " ".join(map(type_name, known.elements()))
            raise ValueError(f"position: known: player {seat} does not hold {names}")
        wrong = [kind for kind in told.denied[seat] if kind in held]
        if wrong:
            names = " ".join(map(type_name, wrong))
            raise ValueError(f"position: denied: player {seat} holds {names}")


def _check_counts(told: Entries) -> None:
    if told.melded and told.phase != TURN:
        raise ValueError("position: melded: only in phase 'turn'")
    gone = sum(SUITS * TEN <= card // PACKS < JOKER for card in told.gone)
    if sum(told.brisques) > gone:
        raise ValueError(f"position: brisques: {told.brisques}, but {gone} aces and tens are gone")


def _check_used(told: Entries) -> None:
    hidden = {card for hand in told.hands for card in hand} | set(told.stock)
    for kind, pile in told.used.items():
        able = members([int(word) for word in taking_part(kind, told.trump)])
        wrong = [card for card in pile if card not in able]
        if wrong:
            raise ValueError(f"position: used: {_names(wrong)} cannot be in {kind!r}")
        shown = [card for card in pile if card in hidden and told.phase != LAST]
        if shown:
            raise ValueError(
                f"position: used: {_names(shown)} was melded, and must be on a table or played"
            )


__all__ = ["check"]
