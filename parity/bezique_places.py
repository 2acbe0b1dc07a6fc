"""The rare places of Bezique: whether a position is at one.

`bezique_scenarios.py` drives games there, `bezique_decks.py` has decks that lead there.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from talonax.parity.bezique_events import Melded, Swapped, TrickEnd
from talonax.parity.bezique_melds import MARRIAGE_RANKS, choose, kinds_of
from talonax.parity.bezique_pack import Kind, Meld, counts, type_of
from talonax.parity.bezique_position import Phase, Position
from talonax.parity.bezique_score import is_trump_seven, leaders
from talonax.parity.bezique_trick import of_suit, strict_replies, winning_place

if TYPE_CHECKING:
    from talonax.parity.bezique import BeziqueState

Reached = Callable[["BeziqueState"], bool]


def _may_meld(now: Position) -> bool:
    return now.phase is Phase.TURN and not now.melded


def meld_laid(wanted: Callable[[Melded], bool]) -> Reached:
    """Return whether such a meld has just been laid."""
    return lambda state: any(isinstance(event, Melded) and wanted(event) for event in state.news)


def second_pair(pair: Sequence[int] | None) -> Reached:
    """Return whether the winner may meld, with a pair on the table and another in hand.

    Args:
      pair: the two types; None for K and Q of trumps.
    """

    def reached(state: "BeziqueState") -> bool:
        now, seat = state.round, state.round.to_move
        types = pair or [type_of(rank, now.trump) for rank in MARRIAGE_RANKS]
        if not _may_meld(now):
            return False
        hand, table = counts(now.hands[seat]), counts(now.tables[seat])
        return all(hand[number] and table[number] for number in types)

    return reached


def run_after_marriage(state: "BeziqueState") -> bool:
    """Return whether a run has just been laid with K and Q that had been in a marriage."""
    return any(
        isinstance(event, Melded)
        and event.kind is Kind.RUN
        and sum(Kind.MARRIAGE in kinds for kinds in event.kinds) == len(MARRIAGE_RANKS)
        for event in state.news
    )


def barred_by_run(state: "BeziqueState") -> bool:
    """Return whether a trump marriage would be legal, if it had no card of a run."""
    now, seat = state.round, state.round.to_move
    if not _may_meld(now) or not now.used[Kind.RUN]:
        return False
    hand, table, marriage = now.hands[seat], now.tables[seat], Meld(Kind.MARRIAGE, now.trump)
    no_run = tuple(frozenset() if kind is Kind.RUN else now.used[kind] for kind in Kind)
    is_legal = choose(marriage, hand, table, now.used, now.trump) is not None
    return not is_legal and choose(marriage, hand, table, no_run, now.trump) is not None


def unlike_copies(state: "BeziqueState") -> bool:
    """Return whether the player to move has equal table cards that have been in unlike melds."""
    now, seat = state.round, state.round.to_move
    if now.phase not in (Phase.PLAY, Phase.TURN):
        return False
    pasts: dict[int, set[tuple[int, ...]]] = {}
    for card in now.tables[seat]:
        pasts.setdefault(card.type, set()).add(kinds_of(card, now.used))
    return any(len(unlike) > 1 for unlike in pasts.values())


def swapped(state: "BeziqueState") -> bool:
    """Return whether the seven has just been swapped."""
    return any(isinstance(event, Swapped) for event in state.news)


def joker_taken(state: "BeziqueState") -> bool:
    """Return whether the seven of diamonds has just been swapped for a Joker."""
    return any(isinstance(event, Swapped) and event.taken.is_joker for event in state.news)


def last_draw(state: "BeziqueState") -> bool:
    """Return whether the last nine tricks begin, with table cards back in at least two hands."""
    now = state.round
    begins = now.phase is Phase.LAST_NINE and not now.trick and not now.last_tricks
    return begins and sum(map(any, now.known)) > 1


def _bound(now: Position) -> bool:
    """Return whether a duty of the last nine tricks leaves the player to move less than all."""
    if now.phase is not Phase.LAST_NINE or not now.trick:
        return False
    hand = now.hands[now.to_move]
    return len(strict_replies(hand, now.trick, now.trump)) < len(hand)


def must_beat(state: "BeziqueState") -> bool:
    """Return whether some cards of the led suit are too low to be played, and two are not."""
    now = state.round
    if not _bound(now):
        return False
    hand = now.hands[now.to_move]
    replies = strict_replies(hand, now.trick, now.trump)
    return 1 < len(replies) < len(of_suit(hand, now.trick[0].suit))


def must_trump(state: "BeziqueState") -> bool:
    """Return whether nothing but trumps may be played to a plain lead."""
    now = state.round
    lead = now.trick[:1]
    if not _bound(now) or lead[0].suit in (None, now.trump):
        return False
    return not of_suit(now.hands[now.to_move], lead[0].suit)


def must_overtrump(state: "BeziqueState") -> bool:
    """Return whether a plain lead is trumped, and a trump is held that is too low to be played."""
    now = state.round
    if not must_trump(state):
        return False
    # Only a trump that is winning makes a trump too low.
    hand = now.hands[now.to_move]
    replies = strict_replies(hand, now.trick, now.trump)
    return len(replies) < len(of_suit(hand, now.trump))


def joker_led(state: "BeziqueState") -> bool:
    """Return whether a Joker led in the last nine tricks forces a trump."""
    now = state.round
    return _bound(now) and len(now.trick) == 1 and now.trick[0].is_joker


def seven_takes_last(state: "BeziqueState") -> bool:
    """Return whether the trump seven has just taken the last trick of a round."""
    ended = state.ended
    if ended is None:
        return False
    last = next(event for event in reversed(ended.events) if isinstance(event, TrickEnd))
    return is_trump_seven(last.cards[winning_place(last.cards, ended.trump)], ended.trump)


def brisques_at(count: int) -> Reached:
    """Return whether somebody has just ended a round with so many aces and tens."""
    return lambda state: state.ended is not None and count in state.ended.brisques


def tied(state: "BeziqueState") -> bool:
    """Return whether a round has just ended with a tie where a single leader would have won."""
    rules = state.spec.rules
    if state.ended is None or len(leaders(state.totals)) == 1:
        return False
    if rules.rounds:
        return state.verdict is not None
    return max(state.totals) >= rules.target


def won(state: "BeziqueState") -> bool:
    """Return whether the game is won, not cut short."""
    return state.verdict is not None and not state.verdict.truncated


def cut_short(state: "BeziqueState") -> bool:
    """Return whether the game was cut short."""
    return state.is_truncated()
