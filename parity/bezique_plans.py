"""How the players of a directed game of Bezique choose: plans, which work towards a rare place.

A *plan* looks at a position once and returns a *wish*, a number for every legal action, the higher
the more wanted. All players follow the same plan: they see all cards and work together.
"""

import random
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from talonax.parity.bezique_melds import (
    BEZIQUE_JACK,
    BEZIQUE_QUEEN,
    MARRIAGE_RANKS,
    RUN_RANKS,
    choose,
)
from talonax.parity.bezique_pack import (
    ACTIONS,
    FACES,
    JOKER,
    MELDS,
    QUARTETS,
    STRENGTH,
    Action,
    BeziqueCard,
    Declare,
    Done,
    Kind,
    Meld,
    Play,
    Swap,
    type_of,
)
from talonax.parity.bezique_position import Phase, Position
from talonax.parity.bezique_score import BRISQUE_POINTS, is_trump_seven, meld_points
from talonax.parity.bezique_trick import beats
from talonax.parity.cards import Rank
from talonax.parity.game import Move

if TYPE_CHECKING:
    from talonax.parity.bezique import BeziqueState

#: How much an action is wanted.
Wish = Callable[[Action], float]
Plan = Callable[["BeziqueState"], Wish]

MUST = 1000.0
NEVER = -1000.0
#: Winning or losing a trick, keeping a card: less than a must, more than how high a card is.
MUCH = 100.0

#: Who collects trumps, or aces and tens, in the scenarios that are for one player.
FAVOURITE = 0
#: Who tie: these two score, nobody else. A meld must not take one further ahead than this, unless
#: that is nearer than he was.
TIED = (0, 1)
NEAR = 40
#: So many trumps are kept for the last nine tricks: enough to be void in a suit, too.
KEPT_TRUMPS = 5


def chooser(plan: Plan) -> Callable[["BeziqueState", random.Random], Move]:
    """Return what picks a most wanted legal move."""

    def choose_move(state: "BeziqueState", rng: random.Random) -> Move:
        wish, moves = plan(state), state.legal_moves()
        wanted = [wish(ACTIONS[move.id]) for move in moves]
        best = [move for move, worth in zip(moves, wanted, strict=True) if worth == max(wanted)]
        return rng.choice(best)

    return choose_move


# What an action would do


def _card(now: Position, action: Play) -> BeziqueCard:
    card = now.copy_to_play(action, now.to_move)
    assert card is not None
    return card


def _takes(now: Position, card: BeziqueCard) -> bool:
    """Return whether a card wins the trick as it stands; a led one does."""
    return all(beats(card, other, now.trump) for other in now.trick)


def _height(now: Position, card: BeziqueCard) -> float:
    """Return how likely a card is to win, roughly."""
    return STRENGTH.get(card.rank, 0) + len(STRENGTH) * (card.suit == now.trump)


# Melds: what to keep, what to lay

#: What a seat keeps in hand, and what it lays as soon as it can.
Keep = Callable[[Position, int], Collection[int]]
Wanted = Callable[[Position, int], Collection[Meld]]


def _has(now: Position, seat: int, melds: Collection[Meld]) -> bool:
    hand, table = now.hands[seat], now.tables[seat]
    return any(choose(meld, hand, table, now.used, now.trump) for meld in melds)


def pursue(keep: Keep, wanted: Wanted) -> Plan:
    """Keep cards, let whoever has a wanted meld win the trick, and have him lay it."""

    def plan(state: "BeziqueState") -> Wish:
        now, seat = state.round, state.round.to_move
        kept, melds = keep(now, seat), wanted(now, seat)
        ready = [each for each in range(now.players) if _has(now, each, wanted(now, each))]

        def wish(action: Action) -> float:
            match action:
                case Declare(meld):
                    return MUST if meld in melds else NEVER
                case Play(number):
                    cost = MUST / 2 if number in kept else 0.0
                    return _of_trick(now, _card(now, action), ready) - cost
            return 0.0

        return wish

    return plan


def _of_trick(now: Position, card: BeziqueCard, ready: Collection[int]) -> float:
    """Return how well a card lets one of the seats that are ready win the trick."""
    if not ready:
        return 0.0
    sign = 1 if now.to_move in ready else -1
    return sign * (MUCH * _takes(now, card) + _height(now, card))


def bezique_cards(now: Position, seat: int) -> Collection[int]:
    """Return the types of a bezique."""
    return (BEZIQUE_QUEEN, BEZIQUE_JACK)


def trump_marriage_cards(now: Position, seat: int) -> Collection[int]:
    """Return the types of the trump marriage."""
    return [type_of(rank, now.trump) for rank in MARRIAGE_RANKS]


def run_cards(now: Position, seat: int) -> Collection[int]:
    """Return the types of the run."""
    return [type_of(rank, now.trump) for rank in RUN_RANKS]


def quartet_cards(now: Position, seat: int) -> Collection[int]:
    """Return the Joker and the rank, of those that make quartets, that the seat has most of."""
    held = [card.rank for card in (*now.hands[seat], *now.tables[seat])]
    most = max(QUARTETS.values(), key=held.count)
    return [JOKER, *(number for number, face in enumerate(FACES) if face.rank == most)]


def court_cards(now: Position, seat: int) -> Collection[int]:
    """Return all K and Q."""
    return [number for number, face in enumerate(FACES) if face.rank in MARRIAGE_RANKS]


def lay(*kinds: Kind) -> Wanted:
    """Want the melds of some kinds."""
    melds = [meld for meld in MELDS if meld.kind in kinds]
    return lambda now, seat: melds


def lay_with_joker(now: Position, seat: int) -> Collection[Meld]:
    """Want the quartets in which a Joker stands."""
    return [meld for meld in MELDS if meld.with_joker]


def lay_trump_marriage(now: Position, seat: int) -> Collection[Meld]:
    """Want trump marriages."""
    return [Meld(Kind.MARRIAGE, now.trump)]


def lay_marriage_then_run(now: Position, seat: int) -> Collection[Meld]:
    """Want the run as soon as K and Q of a trump marriage lie on the table, the marriage before."""
    married = {card.type for card in now.tables[seat] if card in now.used[Kind.MARRIAGE]}
    if married.issuperset(trump_marriage_cards(now, seat)):
        return [Meld(Kind.RUN)]
    return lay_trump_marriage(now, seat)


# Other plans


def swap(state: "BeziqueState") -> Wish:
    """Keep the trump seven, let whoever has one win the trick, and have him swap it."""
    now = state.round
    seven = type_of(Rank.SEVEN, now.trump)
    ready = [seat for seat in range(now.players) if now.seven_to_swap(seat)]

    def wish(action: Action) -> float:
        match action:
            case Swap():
                return MUST
            case Declare():
                return NEVER
            case Play(number):
                cost = MUST / 2 if number == seven else 0.0
                return _of_trick(now, _card(now, action), ready) - cost
        return 0.0

    return wish


def lay_everything(state: "BeziqueState") -> Wish:
    """Lay the best meld; never play what is or may be in one, as long as there is something else.

    The highest cards win the tricks, so that there are turns to meld in.
    """
    now = state.round

    def wish(action: Action) -> float:
        match action:
            case Declare(meld):
                return meld_points(meld, now.trump)
            case Swap():
                return MUST
            case Done():
                return NEVER
            case Play(number, from_table):
                kept = from_table or number == JOKER or FACES[number].rank in QUARTETS.values()
                return MUCH * _takes(now, _card(now, action)) - (MUST if kept else 0.0)

    return wish


def keep_for_the_end(kept: Callable[[Position, BeziqueCard], bool]) -> Plan:
    """Keep cards for the last nine tricks, whatever they are; lead plain suits there."""

    def plan(state: "BeziqueState") -> Wish:
        now = state.round

        def wish(action: Action) -> float:
            if not isinstance(action, Play):
                return NEVER if isinstance(action, Declare) else 0.0
            card = _card(now, action)
            if now.phase is Phase.PLAY:
                return NEVER if kept(now, card) else 0.0
            return NEVER if card.suit == now.trump and not now.trick else 0.0

        return wish

    return plan


def few_trumps(now: Position, card: BeziqueCard) -> bool:
    """Return whether a card is one of the trumps that are kept."""
    trumps = sum(held.suit == now.trump for held in now.hands[now.to_move])
    return card.suit == now.trump and trumps <= KEPT_TRUMPS


def lead_a_joker(state: "BeziqueState") -> Wish:
    """Keep Jokers and trumps for the last nine tricks, and lead a Joker there."""
    now = state.round

    def wish(action: Action) -> float:
        if not isinstance(action, Play):
            return NEVER if isinstance(action, Declare) else 0.0
        card = _card(now, action)
        if now.phase is Phase.LAST_NINE:
            return MUST if card.is_joker and not now.trick else _height(now, card)
        return NEVER if card.is_joker or card.suit == now.trump else 0.0

    return wish


def end_with_the_seven(state: "BeziqueState") -> Wish:
    """Let the favourite collect all trumps, the others none; he leads the seven last."""
    now, favoured = state.round, state.round.to_move == FAVOURITE

    def wish(action: Action) -> float:
        if not isinstance(action, Play):
            return NEVER if isinstance(action, Declare) else 0.0
        card = _card(now, action)
        wanted = MUCH if (card.suit == now.trump) != favoured else 0.0
        if favoured:
            last = now.phase is Phase.LAST_NINE
            wanted = _height(now, card) if last else wanted
            wanted -= MUST if is_trump_seven(card, now.trump) else 0.0
        return wanted

    return wish


def collect_brisques(count: int) -> Plan:
    """Let the favourite win so many aces and tens and no more, as far as it is in the cards."""

    def plan(state: "BeziqueState") -> Wish:
        now, favoured = state.round, state.round.to_move == FAVOURITE
        still = now.brisques[FAVOURITE] < count

        def wish(action: Action) -> float:
            if not isinstance(action, Play):
                return NEVER if isinstance(action, Declare) else 0.0
            card = _card(now, action)
            # Who is to have the trick takes it; the others keep below him.
            takes = 1 if _takes(now, card) else -1
            return takes * (1 if favoured == still else -1) * MUCH + _height(now, card)

        return wish

    return plan


def _lead(state: "BeziqueState", seat: int) -> int:
    """Return how far one of the seats that are to tie is ahead; aces and tens count where they do.

    Other seats are held against the first of the two.
    """
    each = BRISQUE_POINTS if state.spec.rules.mode == "advanced" else 0
    mine, theirs = (
        state.totals[one] + state.round.points[one] + each * state.round.brisques[one]
        for one in (seat, TIED[1] if seat == TIED[0] else TIED[0])
    )
    return mine - theirs


def stay_level(state: "BeziqueState") -> Wish:
    """Let two seats score in turns, whoever is behind, so that they end with the same total."""
    now, seat = state.round, state.round.to_move
    lead = _lead(state, seat)
    scoring = seat in TIED and lead <= 0

    def wish(action: Action) -> float:
        match action:
            case Declare(meld):
                ahead = abs(lead + meld_points(meld, now.trump))
                return MUST - ahead if scoring and ahead <= max(NEAR, -lead) else NEVER
            case Swap():
                return MUST if scoring and lead else NEVER
            case Play(number):
                card = _card(now, action)
                seven = number == type_of(Rank.SEVEN, now.trump)
                wins = (1 if _takes(now, card) else -1) * (1 if scoring and lead else -1)
                return (MUST if lead < 0 else NEVER) * seven + MUCH * wins
        return 0.0

    return wish


def score_nothing(state: "BeziqueState") -> Wish:
    """Lay no meld and swap no seven."""
    return lambda action: 0.0 if isinstance(action, Play | Done) else NEVER
