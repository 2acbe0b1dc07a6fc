"""What there is to see of a deal of Snapszer: the observations, the planes, the bare facts.

*Observation* of the rules (`envs/snapszer/README.md`): "compact" is the layout of 80 numbers (92
with nines), "full" adds what a player knows besides. Nothing here looks at a card that `player`
cannot see, `facts` excepted.
"""

from collections.abc import Iterable

from talonax.parity.card_tensor import CardTensor
from talonax.parity.cards import Card, Suit
from talonax.parity.game import Facts
from talonax.parity.snapszer_deal import Deal
from talonax.parity.snapszer_pack import Pack

PLANES = ("my_hand", "table", "played", "turned_up", "opponent_known", "unseen", "trump")
#: The first of the planes partition the deck.
NUM_PARTITION_PLANES = len(PLANES) - 1

LAYOUTS = ("compact", "full")

MOST_POINTS = 120
STOCK_SCALE = 10
TRICK_SCALE = 10
UNUSED_ENTRIES = 3

NO_CARD = -1


def _cards(pack: Pack, cards: Iterable[Card]) -> list[float]:
    row = [0.0] * pack.size
    for card in cards:
        row[pack.ids[card]] = 1.0
    return row


def _suits(suits: Iterable[Suit]) -> list[float]:
    row = [0.0] * len(Suit)
    for suit in suits:
        row[suit] = 1.0
    return row


def _maybe(card: Card | None) -> tuple[Card, ...]:
    return () if card is None else (card,)


def compact(deal: Deal, player: int) -> list[float]:
    """Return the table of the rules, in its order."""
    opponent = 1 - player
    is_closed = deal.closing is not None
    stock_left = 0 if is_closed else len(deal.stock)
    turned_up_left = 0 if is_closed or deal.turned_up is None else 1
    return [
        *_cards(deal.pack, deal.hands[player]),
        *_cards(deal.pack, _maybe(deal.table)),
        *_cards(deal.pack, ()),
        *_suits([deal.trump]),
        float(not turned_up_left),
        float(is_closed),
        stock_left / STOCK_SCALE,
        (stock_left + turned_up_left) / STOCK_SCALE,
        deal.points[player] / MOST_POINTS,
        deal.points[opponent] / MOST_POINTS,
        deal.tricks[player] / TRICK_SCALE,
        deal.tricks[opponent] / TRICK_SCALE,
        float(deal.to_move == player),
        float(deal.leader == player),
        float(deal.closed_by == player),
        float(deal.closed_by == opponent),
        float(deal.is_strict),
        *[0.0] * UNUSED_ENTRIES,
    ]


def full(deal: Deal, player: int) -> list[float]:
    """Return the compact layout and what `player` knows besides; match scores come after it."""
    opponent = 1 - player
    return [
        *compact(deal, player),
        *_cards(deal.pack, _maybe(deal.turned_up)),
        *_cards(deal.pack, deal.played[player]),
        *_cards(deal.pack, deal.played[opponent]),
        *_cards(deal.pack, deal.known[opponent]),
        *_suits(deal.marriages[player]),
        *_suits(deal.marriages[opponent]),
        deal.pending[player] / MOST_POINTS,
        deal.pending[opponent] / MOST_POINTS,
    ]


def planes(deal: Deal, player: int) -> CardTensor:
    """Return where the cards are, as far as `player` knows."""
    opponent = 1 - player
    table = _maybe(deal.table)
    places = {
        "my_hand": deal.hands[player],
        "table": table,
        "played": (deal.played[0] | deal.played[1]).difference(table),
        "turned_up": _maybe(deal.turned_up),
        "opponent_known": deal.known[opponent],
    }
    placed = {card for cards in places.values() for card in cards}
    return CardTensor.from_plane_card_map(
        {
            **places,
            "unseen": [card for card in deal.pack.cards if card not in placed],
            "trump": [card for card in deal.pack.cards if card.suit == deal.trump],
        },
        PLANES,
    )


def facts(deal: Deal, number: int, scores: tuple[int, int]) -> Facts:
    """Return everything that there is of a deal, hidden cards too, as plain numbers.

    Sets of cards and suits are given as the sum of 2 to the power of each id.
    """
    ids = deal.pack.ids
    face_down = [ids[card] for card in deal.stock]
    drawn = [NO_CARD] * (deal.pack.stock_size - len(face_down))
    return {
        "current_player": deal.to_move,
        "hands": [_mask(deal.pack, cards) for cards in deal.hands],
        "table": _id(deal.pack, deal.table),
        "stock": face_down + drawn,
        "turned_up": _id(deal.pack, deal.turned_up),
        "trump": int(deal.trump),
        "leader": deal.leader,
        "points": list(deal.points),
        "tricks": list(deal.tricks),
        "pending": list(deal.pending),
        "marriages": [sum(2**suit for suit in suits) for suits in deal.marriages],
        "closed_by": deal.closed_by,
        "strict": int(deal.is_strict),
        "known": [_mask(deal.pack, cards) for cards in deal.known],
        "played": [_mask(deal.pack, cards) for cards in deal.played],
        "deal": number,
        "scores": list(scores),
    }


def _id(pack: Pack, card: Card | None) -> int:
    return NO_CARD if card is None else pack.ids[card]


def _mask(pack: Pack, cards: Iterable[Card]) -> int:
    return sum(2 ** pack.ids[card] for card in cards)
