"""What there is to see of a hand of Tysiac: the observation, the planes, the bare facts.

*Observation* of the rules (`envs/tysiac/README.md`), in its order: self before the opponent
everywhere. Nothing here looks at a card that `player` cannot see, `facts` excepted.
"""

from collections.abc import Iterable

from talonax.parity.card_tensor import CardTensor
from talonax.parity.cards import Card, Suit
from talonax.parity.game import Facts
from talonax.parity.tysiac_hand import DOUBLE
from talonax.parity.tysiac_pack import (
    CARDS,
    HAND_SIZE,
    HIGHEST_BID,
    HIGHEST_CONTRACT,
    IDS,
    SUIT_IDS,
    SUITS,
    Cards,
)
from talonax.parity.tysiac_position import NOT_TAKEN, Phase, Position
from talonax.parity.tysiac_score import Scores

LAYOUTS = ("full",)

PLANES = (
    "my_hand",
    "table",
    "played",
    "buried",
    "opponent_known",
    "unseen",
    "trump",
    "musik",
)
#: The first of the planes partition the deck.
NUM_PARTITION_PLANES = PLANES.index("trump")

SCORE_SCALE = 1000
RAW_SCALE = 300
DOUBLINGS = (1, DOUBLE, DOUBLE * DOUBLE)

NO_CARD = -1
NO_TRUMP = -1


def _cards(cards: Iterable[Card]) -> list[float]:
    row = [0.0] * len(CARDS)
    for card in cards:
        row[IDS[card]] = 1.0
    return row


def _suits(suits: Iterable[Suit]) -> list[float]:
    row = [0.0] * len(SUITS)
    for suit in suits:
        row[SUIT_IDS[suit]] = 1.0
    return row


def _maybe(card: Card | None) -> Cards:
    return () if card is None else (card,)


def _musik(hand: Position) -> Cards:
    """Return the musik that was taken, which both have seen."""
    return () if hand.taken == NOT_TAKEN else hand.musiks[hand.taken]


def _own_returned(hand: Position, player: int) -> Cards:
    return hand.returned if hand.declarer == player else ()


def full(hand: Position, scores: Scores, player: int) -> list[float]:
    """Return the table of the rules, in its order."""
    opponent = 1 - player
    return [
        *_cards(hand.hands[player]),
        *_cards(hand.played[player]),
        *_cards(hand.played[opponent]),
        *_cards(_musik(hand)),
        *_cards(_own_returned(hand, player)),
        *_cards(_maybe(hand.table)),
        *_trick(hand, player),
        *_suits(hand.declared[player]),
        *_suits(hand.declared[opponent]),
        *_cards(hand.known[opponent]),
        *_auction(hand, player),
        *[float(hand.phase == phase) for phase in Phase],
        *_match(hand, scores, player),
        float(hand.auction.proven > 0),
    ]


def _trick(hand: Position, player: int) -> list[float]:
    """Return who leads, whose card is on the table, and the trump suit."""
    opponent, has_led = 1 - player, hand.table is not None
    return [
        float(hand.leader == player),
        float(hand.leader == opponent),
        float(has_led and hand.leader == player),
        float(has_led and hand.leader == opponent),
        float(hand.trump is None),
        *[float(hand.trump == suit) for suit in SUITS],
    ]


def _auction(hand: Position, player: int) -> list[float]:
    """Return bids, contract and doubling."""
    opponent, auction = 1 - player, hand.auction
    return [
        auction.high_bid / HIGHEST_BID,
        float(auction.bid_by == player),
        float(auction.bid_by == opponent),
        float(auction.passed[player]),
        float(auction.passed[opponent]),
        hand.contract / HIGHEST_CONTRACT,
        *[float(hand.doubling == doubling) for doubling in DOUBLINGS],
        float(hand.declarer == player),
        float(hand.declarer == opponent),
    ]


def _match(hand: Position, scores: Scores, player: int) -> list[float]:
    """Return totals, dealer, and how far the hand is."""
    opponent, lock = 1 - player, hand.rules.lock
    return [
        scores[player] / SCORE_SCALE,
        scores[opponent] / SCORE_SCALE,
        float(lock is not None and scores[player] >= lock),
        float(lock is not None and scores[opponent] >= lock),
        float(hand.dealer == player),
        sum(hand.tricks) / HAND_SIZE,
        hand.points[player] / RAW_SCALE,
        hand.points[opponent] / RAW_SCALE,
    ]


def planes(hand: Position, player: int) -> CardTensor:
    """Return where the cards are, as far as `player` knows."""
    opponent = 1 - player
    table = _maybe(hand.table)
    places = {
        "my_hand": hand.hands[player],
        "table": table,
        "played": (hand.played[0] | hand.played[1]).difference(table),
        "buried": _own_returned(hand, player),
        "opponent_known": hand.known[opponent],
    }
    placed = {card for cards in places.values() for card in cards}
    return CardTensor.from_plane_card_map(
        {
            **places,
            "unseen": [card for card in CARDS if card not in placed],
            "trump": [card for card in CARDS if card.suit == hand.trump],
            "musik": _musik(hand),
        },
        PLANES,
    )


def facts(hand: Position, number: int, scores: Scores) -> Facts:
    """Return everything that there is of a hand, hidden cards too, as plain numbers.

    Sets of cards and suits are given as the sum of 2 to the power of each id.
    """
    auction = hand.auction
    return {
        "current_player": hand.to_move,
        "phase": int(hand.phase),
        "hands": [_mask(cards) for cards in hand.hands],
        "musiks": [_mask(cards) for cards in hand.musiks],
        "taken": hand.taken,
        "returned": _mask(hand.returned),
        "declarer": hand.declarer,
        "dealer": hand.dealer,
        "high_bid": auction.high_bid,
        "bid_by": auction.bid_by,
        "passed": [int(passed) for passed in auction.passed],
        "proven": auction.proven,
        "contract": hand.contract,
        "doubling": hand.doubling,
        "table": NO_CARD if hand.table is None else IDS[hand.table],
        "last": [IDS[card] for card in hand.last] or [NO_CARD, NO_CARD],
        "leader": hand.leader,
        "trump": NO_TRUMP if hand.trump is None else SUIT_IDS[hand.trump],
        "declared": [sum(2 ** SUIT_IDS[suit] for suit in suits) for suits in hand.declared],
        "points": list(hand.points),
        "tricks": list(hand.tricks),
        "played": [_mask(cards) for cards in hand.played],
        "known": [_mask(cards) for cards in hand.known],
        "hand": number,
        "scores": list(scores),
    }


def _mask(cards: Iterable[Card]) -> int:
    return sum(2 ** IDS[card] for card in cards)
