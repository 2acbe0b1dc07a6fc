"""Ways to drive a game of Blob to its rare places; lockstep plays them beside random games.

A scenario here is a *wish*: a number for every legal bid and every legal card of a position, the
higher the more wanted. The most wanted is done, at random among equals, by all players alike: they
see all cards and work together towards the place.
"""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from talonax.configs.blob.schema import Rules, round_cards, trump_of
from talonax.parity.blob_pack import CARDS, STRENGTH, Cards, Trick, winning_card
from talonax.parity.blob_round import Phase, Round
from talonax.parity.cards import Card, Suit
from talonax.parity.game import Move, Scenario

if TYPE_CHECKING:
    from talonax.parity.blob import BlobState

#: How much a bid, or a card, is wanted in a round.
BidWish = Callable[[Round, int], float]
CardWish = Callable[[Round, Card], float]
Reached = Callable[["BlobState"], bool]

MUST = 1000.0
NEVER = -1000.0


def chooser(bid: BidWish, card: CardWish) -> Callable[["BlobState", random.Random], Move]:
    """Return what picks a most wanted legal move."""

    def choose(state: "BlobState", rng: random.Random) -> Move:
        here = state.round
        moves = state.legal_moves()
        if here.phase is Phase.BIDDING:
            wanted = [bid(here, move.id) for move in moves]
        else:
            wanted = [card(here, CARDS[move.id]) for move in moves]
        best = [move for move, worth in zip(moves, wanted, strict=True) if worth == max(wanted)]
        return rng.choice(best)

    return choose


# What a card would do


def _takes(here: Round, card: Card) -> bool:
    """Return whether a card would be the best of the open trick so far."""
    return winning_card((*here.trick.cards, card), here.trump) == card


def _void_seats(here: Round, suit: Suit) -> list[int]:
    """Return the other seats that hold cards, but none of the suit."""
    return [
        seat
        for seat, hand in enumerate(here.hands)
        if seat != here.to_move and hand and all(card.suit != suit for card in hand)
    ]


def _planned(here: Round) -> Card:
    """Return the card of the plan, by which it can be foreseen who wins what: the first legal."""
    return CARDS[here.legal_ids[0]]


def _foreseen(here: Round) -> int:
    """Return how many tricks the player who is to bid will win if all play by the plan."""
    after = replace(here, bids=(0,) * here.players)
    while after.phase is Phase.PLAYING:
        after = after.play(after.to_move, _planned(after))
    return after.tricks[here.to_move]


# Bids


def any_bid(here: Round, number: int) -> float:
    """Bid anything."""
    return 0.0


def low(here: Round, number: int) -> float:
    """Bid as little as possible."""
    return -float(number)


def high(here: Round, number: int) -> float:
    """Bid as much as possible."""
    return float(number)


def add_up(here: Round, number: int) -> float:
    """Bid anything that leaves the sum of the bids at the cards dealt, or below for others to fill.

    The last before the dealer fills it: the dealer is hooked at nothing.
    """
    over = sum(here.bids_made) + number - here.size
    last = len(here.bids_made) == here.players - 2
    return -abs(over) if last or over > 0 else 0.0


def foreseen(here: Round, number: int) -> float:
    """Bid what will be won by the plan."""
    return 0.0 if number == _foreseen(here) else NEVER


def miss(here: Round, number: int) -> float:
    """Bid anything but what will be won by the plan; the hook always leaves such a bid."""
    return -foreseen(here, number)


# Cards


def any_card(here: Round, card: Card) -> float:
    """Play anything."""
    return 0.0


def trump_in(here: Round, card: Card) -> float:
    """Lead a plain suit that somebody is void in, and trump when void, the lowest first."""
    if not here.trick.cards:
        return NEVER if card.suit == here.trump else float(len(_void_seats(here, card.suit)))
    if card.suit != here.trump:
        return 0.0
    return MUST - STRENGTH[card.rank] if _takes(here, card) else NEVER


def throw_high(here: Round, card: Card) -> float:
    """Lead low cards of a suit that somebody is void in, and throw the highest of another on it."""
    strength = float(STRENGTH[card.rank])
    if not here.trick.cards:
        return len(STRENGTH) * len(_void_seats(here, card.suit)) - strength
    return -strength if card.suit == here.trick.cards[0].suit else strength


def by_plan(here: Round, card: Card) -> float:
    """Play by the plan."""
    return MUST if card == _planned(here) else 0.0


def show_voids(here: Round, card: Card) -> float:
    """Lead what others are void in and have not shown to be, above all who have shown another."""
    if here.trick.cards:
        return 0.0
    seats = _void_seats(here, card.suit)
    news = [len(here.voids[seat]) + 1 for seat in seats if card.suit not in here.voids[seat]]
    return float(max(news, default=0))


# Places


def _hooked_at(place: Callable[[Round], bool]) -> Reached:
    """Return whether the dealer is to bid and meets a hook at such a place."""

    def reached(state: "BlobState") -> bool:
        here = state.round
        bidding = here.phase is Phase.BIDDING and here.to_move == here.dealer
        return bidding and here.forbidden is not None and place(here)

    return reached


def _unhooked(state: "BlobState") -> bool:
    here = state.round
    bidding = here.phase is Phase.BIDDING and here.to_move == here.dealer
    return bidding and sum(here.bids_made) > here.size


def _trumps(cards: Cards, trump: Suit | None) -> list[int]:
    """Return how high the trumps on a plain lead are, in order of play."""
    if not cards or cards[0].suit == trump:
        return []
    return [STRENGTH[card.rank] for card in cards if card.suit == trump]


def _tricks_played(state: "BlobState") -> tuple[Trick, ...]:
    """Return the complete tricks of the round, or of the one that has just ended."""
    return (state.ended or state.round).completed


def _trumped(state: "BlobState") -> bool:
    trump = (state.ended or state.round).trump
    return any(_trumps(trick.cards, trump) for trick in _tricks_played(state))


def _overtrumped(state: "BlobState") -> bool:
    trump = (state.ended or state.round).trump
    highs = [_trumps(trick.cards, trump) for trick in _tricks_played(state)]
    return any(found and max(found) > found[0] for found in highs)


def _higher_thrown_away(state: "BlobState") -> bool:
    """Return whether, without a trump, a higher card of another suit lost to the suit led."""
    if (state.ended or state.round).trump is not None:
        return False
    for trick in _tricks_played(state):
        best = winning_card(trick.cards, None)
        if max(STRENGTH[card.rank] for card in trick.cards) > STRENGTH[best.rank]:
            return True
    return False


def _everybody_made(state: "BlobState") -> bool:
    return state.ended is not None and all(state.ended.made)


def _nobody_made(state: "BlobState") -> bool:
    return state.ended is not None and not any(state.ended.made)


def _two_voids(state: "BlobState") -> bool:
    return any(len(suits) > 1 for suits in (state.ended or state.round).voids)


def _tie(state: "BlobState") -> bool:
    return state.is_terminal() and state.scores.count(max(state.scores)) > 1


def _whole(state: "BlobState") -> bool:
    """Return whether all rounds were played, from the first to the last."""
    return state.is_terminal() and state.deal == len(state.plan) - 1


# The list


_Entry = tuple[str, BidWish, CardWish, Reached]


def scenarios(rules: Rules) -> dict[str, Scenario["BlobState"]]:
    """Return the scenarios that these rules allow, by name."""
    return {
        name: Scenario(what, chooser(bid, card), reached)
        for name, (what, bid, card, reached) in {
            **_bids(rules),
            **_tricks(rules),
            **_ends(rules),
        }.items()
    }


def _rounds(rules: Rules) -> list[tuple[int, str]]:
    """Return cards and trump of the rounds that are played."""
    plan, first = round_cards(rules), rules.first_round
    if rules.rounds == "single":
        return [(plan[0], trump_of(rules, first))]
    return [(plan[index], trump_of(rules, index)) for index in range(first, len(plan))]


def _bids(rules: Rules) -> dict[str, _Entry]:
    if not rules.hook:
        return {}
    zero, whole = _hooked_at(lambda here: here.forbidden == 0), _hooked_at(_at_whole)
    entries: dict[str, _Entry] = {
        "hooked_at_0": ("the dealer may not bid 0", add_up, any_card, zero),
        "hooked_at_all": ("the dealer may not bid all the tricks", low, any_card, whole),
        "unhooked": ("the bids are too many already: no hook", high, any_card, _unhooked),
    }
    if any(size == 1 for size, _ in _rounds(rules)):
        one = _hooked_at(lambda here: here.size == 1)
        what = "the dealer has one card, and one bid left"
        entries["hooked_with_one_card"] = (what, add_up, any_card, one)
    return entries


def _at_whole(here: Round) -> bool:
    return here.forbidden == here.size


def _tricks(rules: Rules) -> dict[str, _Entry]:
    entries: dict[str, _Entry] = {}
    rounds = _rounds(rules)
    if any(trump != "none" for _, trump in rounds):
        entries["trumped"] = ("a plain lead is trumped", any_bid, trump_in, _trumped)
        entries["overtrumped"] = (
            "a plain lead is trumped, and higher",
            any_bid,
            trump_in,
            _overtrumped,
        )
    if any(trump == "none" for _, trump in rounds):
        entries["no_trump"] = (
            "no trump: the suit led wins against higher cards",
            any_bid,
            throw_high,
            _higher_thrown_away,
        )
    if any(size > 1 for size, _ in rounds):
        what = "a seat has shown two voids"
        entries["two_voids"] = (what, any_bid, show_voids, _two_voids)
    return entries


def _ends(rules: Rules) -> dict[str, _Entry]:
    entries: dict[str, _Entry] = {
        "nobody_makes_it": ("nobody makes the bid", miss, by_plan, _nobody_made)
    }
    if not rules.hook:
        entries["all_make_it"] = ("everybody makes the bid", foreseen, by_plan, _everybody_made)
    if rules.rounds == "full":
        entries["tie"] = ("the highest total is shared at the end", miss, by_plan, _tie)
        if not rules.first_round:
            what = "a full game, first round to last"
            entries["whole"] = (what, any_bid, any_card, _whole)
    return entries
