"""Ways to drive a game of Snapszer to its rare places; lockstep plays them beside random games.

A scenario here is a *wish*: a number for every legal action of a position, the higher the more
wanted. The most wanted action is made, at random among equals, by both players alike: they work
together towards the place.
"""

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

from talonax.configs.snapszer.schema import Rules
from talonax.parity.cards import Card
from talonax.parity.game import Move, Scenario
from talonax.parity.snapszer_deal import WINNING_POINTS, Deal, Ending
from talonax.parity.snapszer_pack import (
    POINTS,
    RANKS,
    Action,
    Close,
    Declare,
    Exchange,
    Play,
    beats,
    pack,
    partner,
    points_of,
)

if TYPE_CHECKING:
    from talonax.parity.snapszer import SnapszerState

#: How much an action is wanted in a position.
Wish = Callable[[Deal, Action], float]
Reached = Callable[["SnapszerState"], bool]

MUST = 1000.0
NEVER = -1000.0

#: The player who takes no trick in the scenario of that name.
VICTIM = 1

#: Points of the opponent at which a closer can expect to be beaten.
PROMISING_POINTS = 25


def chooser(wish: Wish) -> Callable[["SnapszerState", random.Random], Move]:
    """Return what picks a most wanted legal move."""

    def choose(state: "SnapszerState", rng: random.Random) -> Move:
        deal = state.deal
        wanted = [wish(deal, deal.pack.actions[move.id]) for move in state.legal_moves()]
        best = [
            move
            for move, worth in zip(state.legal_moves(), wanted, strict=True)
            if worth == max(wanted)
        ]
        return rng.choice(best)

    return choose


# What an action would do


def _scores_marriage(deal: Deal, action: Action) -> bool:
    match action:
        case Declare():
            return True
        case Play(card):
            by_itself = deal.rules.marriage_declare == "auto"
            return by_itself and deal.table is None and deal.scores_marriage(card)
    return False


def _wins_trick(deal: Deal, card: Card) -> bool:
    """Return whether a reply takes the trick."""
    return deal.table is not None and beats(card, deal.table, deal.trump)


def _card(action: Action) -> Card | None:
    return action.card if isinstance(action, Play | Declare) else None


def _breaks_pair(deal: Deal, card: Card) -> bool:
    """Return whether a K or Q is played of which the other half is held, too."""
    return partner(card) in deal.hands[deal.to_move]


# Wishes


def anything(deal: Deal, action: Action) -> float:
    """Want nothing in particular, but leave the talon open."""
    return NEVER if isinstance(action, Close) else 0.0


def even(deal: Deal, action: Action) -> float:
    """Keep both below 66 for long: tricks go to whoever has fewer points, marriages to nobody."""
    card = _card(action)
    if card is None:
        return anything(deal, action)
    if _scores_marriage(deal, action):
        return NEVER
    if deal.table is None:
        return 0.0
    winner = deal.to_move if _wins_trick(deal, card) else deal.leader
    ahead = deal.points[winner] - deal.points[1 - winner] + points_of((deal.table, card))
    return -float(abs(ahead))


def greedy(deal: Deal, action: Action) -> float:
    """Win points: high cards in winning tricks, low ones in losing tricks."""
    card = _card(action)
    if card is None:
        return anything(deal, action)
    if deal.table is None or _wins_trick(deal, card):
        return float(POINTS[card.rank])
    return -float(POINTS[card.rank])


def give_away(deal: Deal, action: Action) -> float:
    """Lose tricks: reply below the lead, lead what is easily beaten."""
    card = _card(action)
    if card is None:
        return anything(deal, action)
    trumping = MUST / 2 if card.suit == deal.trump else 0.0
    if deal.table is None:
        return float(RANKS.index(card.rank)) - trumping
    return -trumping if not _wins_trick(deal, card) else -MUST / 2 - POINTS[card.rank]


def close_at(stock: int) -> Wish:
    """Close with that many face-down cards, and at no other time."""

    def wish(deal: Deal, action: Action) -> float:
        if isinstance(action, Close):
            return MUST if len(deal.stock) == stock else NEVER
        return 0.0

    return wish


def exchange(deal: Deal, action: Action) -> float:
    """Exchange when it is possible; keep the card for it, win tricks to be on lead."""
    if isinstance(action, Exchange):
        return MUST
    card = _card(action)
    if card is not None and card.suit == deal.trump and card.rank == deal.pack.lowest:
        return NEVER
    return greedy(deal, action)


def exchange_at(stock: int) -> Wish:
    """Exchange with that many face-down cards, and not before."""

    def wish(deal: Deal, action: Action) -> float:
        if isinstance(action, Exchange):
            return MUST if len(deal.stock) == stock else NEVER
        card = _card(action)
        if card is not None and card.suit == deal.trump and card.rank == deal.pack.lowest:
            return NEVER
        return even(deal, action)

    return wish


def marriage(deal: Deal, action: Action) -> float:
    """Score a marriage; keep K and Q for it, win tricks to be on lead."""
    if _scores_marriage(deal, action):
        return MUST
    card = _card(action)
    if isinstance(action, Exchange) or card is None:
        return anything(deal, action) + 1
    return greedy(deal, action) - (MUST / 2 if partner(card) else 0.0)


def trump_marriage(deal: Deal, action: Action) -> float:
    """Score the marriage of trumps; exchange for a half of it."""
    if isinstance(action, Exchange):
        return MUST
    card = _card(action)
    if card is None:
        return anything(deal, action)
    in_trumps = card.suit == deal.trump
    if _scores_marriage(deal, action):
        return MUST if in_trumps else NEVER
    return greedy(deal, action) - (MUST / 2 if partner(card) and in_trumps else 0.0)


def win_by_marriage(deal: Deal, action: Action) -> float:
    """Hold marriages back until one makes 66."""
    card = _card(action)
    if card is None:
        return anything(deal, action)
    if _scores_marriage(deal, action):
        sum_of_points = deal.points[deal.leader] + deal.marriage_value(card.suit)
        return MUST if sum_of_points >= WINNING_POINTS else NEVER
    return greedy(deal, action) - (MUST / 2 if _breaks_pair(deal, card) else 0.0)


def failed_close(deal: Deal, action: Action) -> float:
    """Close at once, then play cheap tricks until the hands run out."""
    return MUST if isinstance(action, Close) else even(deal, action)


def close_beaten(deal: Deal, action: Action) -> float:
    """Close when the opponent is ahead, then let him have the tricks."""
    opponent = 1 - deal.to_move
    if isinstance(action, Close):
        return MUST if deal.points[opponent] >= PROMISING_POINTS else NEVER
    card = _card(action)
    if deal.closing is None or card is None:
        return 0.0
    if deal.to_move != deal.closing.by:
        return MUST if _scores_marriage(deal, action) else greedy(deal, action)
    if deal.table is None:
        return float(POINTS[card.rank] if card.suit != deal.trump else 0)
    return NEVER if _wins_trick(deal, card) else float(POINTS[card.rank])


def no_trick(deal: Deal, action: Action) -> float:
    """Let one player take nothing."""
    if deal.to_move == VICTIM:
        return give_away(deal, action)
    card = _card(action)
    if card is None:
        return anything(deal, action)
    if deal.table is None:
        return greedy(deal, action) + (MUST / 2 if card.suit == deal.trump else 0.0)
    return MUST / 2 if _wins_trick(deal, card) else -float(POINTS[card.rank])


def declare(deal: Deal, action: Action) -> float:
    """Declare whenever it is possible; else as for any marriage."""
    return MUST if isinstance(action, Declare) else marriage(deal, action)


def greedy_trump(deal: Deal, action: Action) -> float:
    """Play trumps first, the highest first."""
    if isinstance(action, Exchange):
        return MUST
    card = _card(action)
    if card is None:
        return anything(deal, action)
    if card.suit == deal.trump:
        return MUST / 2 - RANKS.index(card.rank)
    return even(deal, action)


# Places


def _last_event(state: "SnapszerState") -> str:
    return str(state.deal.seen[0][-1][0])


def _just_exchanged(state: "SnapszerState") -> bool:
    return _last_event(state) == "exchange"


def _marriage_on_table(state: "SnapszerState") -> bool:
    """Return whether the card on the table scored a marriage."""
    return "marriage" in [event[0] for event in state.deal.seen[0][-2:]]


def _trump_marriage_on_table(state: "SnapszerState") -> bool:
    table = state.deal.table
    return _marriage_on_table(state) and table is not None and table.suit == state.deal.trump


def _ended_by(ending: Ending) -> Reached:
    def reached(state: "SnapszerState") -> bool:
        ended = state.ended
        return ended is not None and ended.result is not None and ended.result.ending is ending

    return reached


def _closer_lost_to_66(state: "SnapszerState") -> bool:
    ended = state.ended
    if ended is None or ended.result is None or ended.closing is None:
        return False
    by_hands = ended.result.ending is Ending.CLOSER_FAILED
    return ended.result.winner != ended.closing.by and not by_hands


def _loser_has_no_trick(state: "SnapszerState") -> bool:
    ended = state.ended
    if ended is None or ended.result is None:
        return False
    return ended.tricks[1 - ended.result.winner] == 0


def _stock_gone(state: "SnapszerState") -> bool:
    return state.deal.turned_up is None and not state.is_terminal()


def _strict_without_trumps(state: "SnapszerState") -> bool:
    trump = state.deal.trump
    held = [card for hand in state.deal.hands for card in hand]
    none_left = bool(held) and all(card.suit != trump for card in held)
    return none_left and state.deal.is_strict


def _closed_at(stock: int) -> Reached:
    return lambda state: state.deal.closing is not None and len(state.deal.stock) == stock


def _exchanged_at(stock: int) -> Reached:
    return lambda state: _just_exchanged(state) and len(state.deal.stock) == stock


# The list


def scenarios(rules: Rules) -> dict[str, Scenario["SnapszerState"]]:
    """Return the scenarios that these rules allow, by name."""
    return {
        name: Scenario(what, chooser(wish), reached)
        for name, (what, wish, reached) in {
            **_closings(rules),
            **_exchanges(rules),
            **_marriages(rules),
            **_endings(),
        }.items()
    }


_Entry = tuple[str, Wish, Reached]


def _stock_sizes(rules: Rules) -> list[int]:
    """Return how many cards may lie face down, from the deal on: two fewer after every trick."""
    return list(range(pack(nines=rules.nines).stock_size, 0, -2))


def _closings(rules: Rules) -> dict[str, _Entry]:
    if not rules.closing:
        return {}
    sizes = [size for size in _stock_sizes(rules) if size >= rules.close_min_stock]
    beaten = "a closer whose opponent reaches 66"
    failed = "a closer whose hand runs out below 66"
    return {
        **{
            f"close_at_{size}": (
                f"the talon closed over {size} face-down cards",
                close_at(size),
                _closed_at(size),
            )
            for size in sizes
        },
        "failed_close": (failed, failed_close, _ended_by(Ending.CLOSER_FAILED)),
        "close_beaten": (beaten, close_beaten, _closer_lost_to_66),
    }


def _exchanges(rules: Rules) -> dict[str, _Entry]:
    fewest = min(size for size in _stock_sizes(rules) if size >= rules.exchange_min_stock)
    return {
        "exchange": ("the lowest trump just exchanged", exchange, _just_exchanged),
        "exchange_last": (
            f"the lowest trump just exchanged, with {fewest} face-down card(s) left",
            exchange_at(fewest),
            _exchanged_at(fewest),
        ),
    }


def _marriages(rules: Rules) -> dict[str, _Entry]:
    entries: dict[str, _Entry] = {
        "marriage": ("a marriage just led", marriage, _marriage_on_table),
        "trump_marriage": (
            "the marriage of trumps just led",
            trump_marriage,
            _trump_marriage_on_table,
        ),
    }
    if rules.sixty_six == "at_once" and rules.marriage_points != "next_trick":
        won = "66 with a marriage: its card stays in hand"
        entries["won_by_marriage"] = (won, win_by_marriage, _ended_by(Ending.MARRIAGE))
    if rules.marriage_declare == "optional":
        entries["declare"] = ("a marriage just declared", declare, _marriage_on_table)
    return entries


def _endings() -> dict[str, _Entry]:
    last = "hands run out, nobody has closed"
    return {
        "stock_gone": ("strict play without closing", even, _stock_gone),
        "to_the_last_card": (last, even, _ended_by(Ending.LAST_TRICK)),
        "no_trick": ("a deal whose loser has no trick", no_trick, _loser_has_no_trick),
        "greedy_trump": ("strict play without trumps", greedy_trump, _strict_without_trumps),
    }
