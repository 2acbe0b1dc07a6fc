"""Ways to drive a game of Tysiac to its rare places; lockstep plays them beside random games.

A scenario here is a *wish*: a number for every legal action of a position, the higher the more
wanted. The most wanted action is made, at random among equals, by both players alike: they work
together towards the place.
"""

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

from talonax.configs.tysiac.schema import Rules
from talonax.parity.cards import Card
from talonax.parity.game import Move, Scenario
from talonax.parity.tysiac_auction import HIGHEST_FREE_BID, worth_needed
from talonax.parity.tysiac_pack import (
    ACTIONS,
    CONTRACTS,
    HIGHEST_BID,
    MARRIAGES,
    POINTS,
    Action,
    Bid,
    Bomb,
    Challenge,
    Contract,
    Declare,
    Pass,
    Play,
    Rebomb,
    beats,
    lowest_marriage,
    partner,
)
from talonax.parity.tysiac_position import Ending, Phase, Position

if TYPE_CHECKING:
    from talonax.parity.tysiac import TysiacState

#: How much an action is wanted in a position.
Wish = Callable[[Position, Action], float]
Reached = Callable[["TysiacState"], bool]

MUST = 1000.0
NEVER = -1000.0

#: Who collects in the scenarios that are for one player.
FAVOURITE = 1


def chooser(wish: Wish) -> Callable[["TysiacState", random.Random], Move]:
    """Return what picks a most wanted legal move."""

    def choose(state: "TysiacState", rng: random.Random) -> Move:
        moves = state.legal_moves()
        wanted = [wish(state.hand, ACTIONS[move.id]) for move in moves]
        best = [move for move, worth in zip(moves, wanted, strict=True) if worth == max(wanted)]
        return rng.choice(best)

    return choose


# What an action would do


def _takes(hand: Position, card: Card) -> bool:
    """Return whether a reply takes the trick."""
    return hand.table is not None and beats(card, hand.table, hand.trump)


def _breaks_pair(hand: Position, card: Card) -> bool:
    """Return whether a K or Q is laid of which the other half is held, too."""
    return partner(card) in hand.hands[hand.to_move]


# Wishes


def greedy(hand: Position, action: Action) -> float:
    """Win points: high cards in winning tricks, low ones elsewhere; keep pairs, declare never."""
    match action:
        case Declare():
            return NEVER
        case Play(card):
            keep = MUST / 2 if _breaks_pair(hand, card) else 0.0
            wins = hand.phase is Phase.PLAY and (hand.table is None or _takes(hand, card))
            return (POINTS[card.rank] if wins else -POINTS[card.rank]) - keep
    return 0.0


def outbid(hand: Position, action: Action) -> float:
    """Bid as long as it is possible, honestly or not."""
    return MUST if isinstance(action, Bid) else NEVER if isinstance(action, Challenge) else 0.0


def prove(hand: Position, action: Action) -> float:
    """Bid on; challenge a bid that can be proven, and no other."""
    if not isinstance(action, Challenge):
        return outbid(hand, action)
    bidder, worth = hand.auction.bid_by, worth_needed(hand.auction.high_bid)
    return NEVER if lowest_marriage(hand.hands[bidder], worth) is None else 2 * MUST


def bluff(hand: Position, action: Action) -> float:
    """Bid without a marriage; challenge a bid that cannot be proven, and no other."""
    return -prove(hand, action) if isinstance(action, Challenge) else outbid(hand, action)


def bomb(hand: Position, action: Action) -> float:
    """Bomb, and do not answer it."""
    return MUST if isinstance(action, Bomb) else NEVER if isinstance(action, Rebomb) else 0.0


def rebomb(hand: Position, action: Action) -> float:
    """Bomb and re-bomb."""
    return MUST if isinstance(action, Bomb | Rebomb) else 0.0


def too_high(hand: Position, action: Action) -> float:
    """Name the highest contract, which fails; bomb it."""
    return float(action.amount) if isinstance(action, Contract) else bomb(hand, action)


def raise_contract(hand: Position, action: Action) -> float:
    """Name any contract but the winning bid."""
    named = isinstance(action, Contract) and action.amount == hand.auction.high_bid
    return NEVER if named else 0.0


def declare_by(declarer: bool) -> Wish:
    """Have one side declare: it keeps pairs and wins tricks, the other gives them away."""

    def wish(hand: Position, action: Action) -> float:
        own = (hand.to_move == hand.declarer) == declarer
        match action:
            case Declare():
                return MUST if own else NEVER
            case Play() if own:
                return greedy(hand, action)
            case Play(card) if hand.table is not None:
                return NEVER if _takes(hand, card) else 0.0
        return outbid(hand, action) if hand.phase is Phase.AUCTION and declarer else 0.0

    return wish


def declare_twice(hand: Position, action: Action) -> float:
    """Declare whatever can be declared, the cheapest first; keep pairs, win tricks."""
    if isinstance(action, Declare):
        return MUST - MARRIAGES[action.card.suit]
    return greedy(hand, action)


def void_against_trump(hand: Position, action: Action) -> float:
    """Make a trump early, then lead what the other is void in."""
    match action:
        case Declare():
            return MUST
        case Play(card) if hand.phase is Phase.PLAY and hand.table is None:
            other = hand.hands[1 - hand.to_move]
            void = all(held.suit != card.suit for held in other)
            return (MUST / 2 if void else 0.0) - (MUST if card.suit == hand.trump else 0.0)
    return greedy(hand, action)


def make_with_returned(hand: Position, action: Action) -> float:
    """Return the best cards; then let the declarer of 100 stay just below his contract."""
    match action:
        case Play(card) if hand.phase is Phase.RETURN:
            return float(POINTS[card.rank])
        case Contract(amount):
            return -float(amount)
        case Declare(card):
            points = hand.points[hand.to_move] + MARRIAGES[card.suit]
            wanted = hand.to_move == hand.declarer and points < hand.contract
            return MUST if wanted else NEVER
        case Play(card) if hand.table is not None:
            enough = hand.raw[hand.declarer] >= hand.contract
            winner = hand.to_move if _takes(hand, card) else hand.leader
            return MUST if (winner == hand.declarer) != enough else 0.0
    return float(isinstance(action, Bid)) if not hand.auction.high_bid else 0.0


def collect(declaring: bool) -> Wish:
    """Let the favourite win points, as the declarer of the cheapest contracts or as a defender."""

    def wish(hand: Position, action: Action) -> float:
        favoured = hand.to_move == FAVOURITE
        match action:
            case Pass() | Bid() if hand.phase is Phase.AUCTION:
                return MUST if isinstance(action, Bid) == (favoured == declaring) else 0.0
            case Contract(amount):
                return float(amount) if hand.declarer != FAVOURITE else -float(amount)
            case Declare():
                return MUST if favoured else NEVER
            case Play() if favoured:
                return greedy(hand, action)
            case Play(card):
                return float(POINTS[card.rank]) * (-1 if _takes(hand, card) else 1)
        return bomb(hand, action) if not declaring else float(isinstance(action, Pass))

    return wish


def lose_contracts(hand: Position, action: Action) -> float:
    """Take turns at losing: forehand plays its 100, and names what cannot be made."""
    match action:
        case Pass() if hand.auction.high_bid:
            return MUST
        case Contract(amount):
            return float(amount)
        case Declare() | Bomb() | Challenge():
            return NEVER
    return 0.0


def pass_out(hand: Position, action: Action) -> float:
    """Pass whenever it is possible."""
    return MUST if isinstance(action, Pass) else 0.0


# Places


def _forced_pass(state: "TysiacState") -> bool:
    """Return whether only a pass is left, because the next bid needs a marriage."""
    at_most_free = state.hand.auction.high_bid == HIGHEST_FREE_BID
    return at_most_free and state.hand.legal_actions == (Pass(),)


def _at_the_proof_limit(state: "TysiacState") -> bool:
    """Return whether a bid stands that its own bidder's marriages can prove, and no higher one."""
    auction = state.hand.auction
    worth = worth_needed(auction.high_bid)
    if not worth or state.hand.phase is not Phase.AUCTION:
        return False
    cards = state.hand.hands[auction.bid_by]
    provable = lowest_marriage(cards, worth) is not None
    return provable and lowest_marriage(cards, worth + 1) is None


def _highest_bid(state: "TysiacState") -> bool:
    return state.hand.phase is Phase.AUCTION and state.hand.auction.high_bid == HIGHEST_BID


def _event(kind: str) -> Reached:
    """Return whether the hand, or the one that has just ended, has seen such an event."""
    return lambda state: any(event[0] == kind for event in (state.ended or state.hand).seen[0])


def _ended_as(ending: Ending) -> Reached:
    return lambda state: state.ended is not None and state.ended.ending is ending


def _bombed_and_failed(state: "TysiacState") -> bool:
    hand = state.ended
    if hand is None or hand.ending is not Ending.PLAYED or hand.doubling == 1:
        return False
    return hand.raw[hand.declarer] < hand.contract


def _raised(state: "TysiacState") -> bool:
    return state.hand.contract > state.hand.auction.high_bid


def _declared_by(declarer: bool) -> Reached:
    def reached(state: "TysiacState") -> bool:
        hand = state.hand
        seat = hand.declarer if declarer else 1 - hand.declarer
        return hand.phase is Phase.PLAY and bool(hand.declared[seat])

    return reached


def _overridden(state: "TysiacState") -> bool:
    hand = state.hand
    declared = [suit for suits in hand.declared for suit in suits]
    return hand.phase is Phase.PLAY and len(declared) > 1


def _may_leave_trumps(state: "TysiacState") -> bool:
    """Return whether a follower is void and holds trumps and other cards."""
    hand = state.hand
    if hand.table is None:
        return False
    suits = {card.suit for card in hand.hands[hand.to_move]}
    return hand.table.suit not in suits and hand.trump in suits and len(suits) > 1


def _made_with_returned(state: "TysiacState") -> bool:
    hand = state.ended
    if hand is None or hand.ending is not Ending.PLAYED:
        return False
    return hand.points[hand.declarer] < hand.contract <= hand.raw[hand.declarer]


def _at_the_lock(state: "TysiacState") -> bool:
    """Return whether a hand has just taken its defender to the lock, or left him there."""
    hand, lock = state.ended, state.spec.rules.lock
    if hand is None or hand.ending is not Ending.PLAYED:
        return False
    return state.scores[1 - hand.declarer] == lock


def _won_as_declarer(state: "TysiacState") -> bool:
    verdict = state.verdict
    if verdict is None or verdict.truncated:
        return False
    return verdict.winner == state.hand.declarer


def _truncated(state: "TysiacState") -> bool:
    return state.is_truncated()


# The list


_Entry = tuple[str, Wish, Reached]


def scenarios(rules: Rules) -> dict[str, Scenario["TysiacState"]]:
    """Return the scenarios that these rules allow, by name."""
    return {
        name: Scenario(what, chooser(wish), reached)
        for name, (what, wish, reached) in {
            **_auctions(rules),
            **_contracts(rules),
            **_declarations(rules),
            **_matches(rules),
        }.items()
    }


def _auctions(rules: Rules) -> dict[str, _Entry]:
    entries: dict[str, _Entry] = {}
    if rules.proof == "auto":
        entries["forced_pass"] = (
            "120 bid, no marriage held: only a pass is left",
            outbid,
            _forced_pass,
        )
        entries["proof_limit"] = (
            "a bid that its marriage just proves",
            outbid,
            _at_the_proof_limit,
        )
    else:
        entries["highest_bid"] = ("200 bid", outbid, _highest_bid)
        entries["challenge_survived"] = ("a challenged bid was proven", prove, _event("shown"))
        entries["challenge_lost"] = (
            "a challenged bid could not be proven",
            bluff,
            _ended_as(Ending.UNPROVEN),
        )
    if not rules.forced_open:
        entries["passed_out"] = ("forehand passed", pass_out, _ended_as(Ending.PASSED_OUT))
    return entries


def _contracts(rules: Rules) -> dict[str, _Entry]:
    entries: dict[str, _Entry] = {
        "raised": ("a contract above the winning bid", raise_contract, _raised)
    }
    if rules.bomba.enabled:
        entries["bomb"] = ("a bombed hand is played", bomb, _event("bomb"))
        entries["bomb_failed"] = ("a bombed contract has failed", too_high, _bombed_and_failed)
    if rules.bomba.allow_redouble:
        entries["rebomb"] = ("a re-bombed hand is played", rebomb, _event("re-bomb"))
    if rules.return_to == "declarer":
        entries["made_with_returned"] = (
            "a contract made with the returned cards",
            make_with_returned,
            _made_with_returned,
        )
    return entries


def _declarations(rules: Rules) -> dict[str, _Entry]:
    entries: dict[str, _Entry] = {
        "declarer_declares": ("a marriage of the declarer", declare_by(True), _declared_by(True)),
        "defender_declares": ("a marriage of the defender", declare_by(False), _declared_by(False)),
        "overridden": ("a second marriage changes the trump", declare_twice, _overridden),
    }
    void = "a follower with trumps, but not of the led suit"
    entries["void"] = (void, void_against_trump, _may_leave_trumps)
    return entries


def _matches(rules: Rules) -> dict[str, _Entry]:
    if rules.hands:
        return {}
    entries: dict[str, _Entry] = {}
    if rules.max_hands > rules.target // CONTRACTS[0]:
        entries["won"] = ("the declarer reaches the target", collect(True), _won_as_declarer)
        if rules.lock is not None:
            entries["lock"] = ("a defender at the lock", collect(False), _at_the_lock)
    entries["truncated"] = ("a match cut short", lose_contracts, _truncated)
    return entries
