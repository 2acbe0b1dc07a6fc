"""What there is to see of a round of Bezique: the observation, the planes, the bare facts.

*Observation* of the rules (`envs/bezique/README.md`), in its order: self first, then clockwise,
wherever something is by seat. Nothing here looks at a card that `player` cannot see, `facts`
excepted.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain

import numpy as np

from talonax.parity.bezique_melds import is_eligible, types_in
from talonax.parity.bezique_pack import (
    CARDS,
    FACES,
    HAND_SIZE,
    NUM_PACKS,
    NUM_TYPES,
    SUIT_IDS,
    SUITS,
    BeziqueCard,
    Kind,
    counts,
)
from talonax.parity.bezique_position import Phase, Position
from talonax.parity.bezique_score import Scores
from talonax.parity.card_tensor import CardTensor
from talonax.parity.cards import NUM_CARDS, NUM_RANKS, NUM_SUITS, Suit
from talonax.parity.game import Facts

LAYOUTS = ("full",)

#: The kinds whose reuse matters, in the order of the observation. A trump seven is laid from hand
#: and is in no hand again while melds are laid.
REUSED = tuple(kind for kind in Kind if kind is not Kind.SEVEN)

STOCK_SCALE = 113
POINTS_SCALE = 1000
BRISQUES_SCALE = 32

LOCATIONS = (
    "my_hand",
    "my_table",
    "opponent_table",
    "trick",
    "gone",
    "turned_up",
    "opponent_known",
    "unseen",
)
#: Location by location the cards of which it holds at least 1, 2, 3, 4; then the trump suit.
PLANES = (
    *(f"{place}_{copies + 1}" for place in LOCATIONS for copies in range(NUM_PACKS)),
    "trump",
)
NUM_PARTITION_PLANES = PLANES.index("trump")

#: The cell of the grid of each type.
_CELLS = [face.index for face in FACES]

NO_CARD = -1
#: Sets of cards are given as words of so many bits, the lowest ids first.
WORD_BITS = 32
WORDS = -(-len(CARDS) // WORD_BITS)


# Observation


def full(position: Position, totals: Scores, player: int) -> list[float]:
    """Return the table of the rules, in its order."""
    seats = [(player + turn) % position.players for turn in range(position.players)]
    others = seats[1:]
    shares = [
        position.hand_counts[player],
        *(position.table_counts[seat] for seat in seats),
        position.gone_counts,
    ]
    known = [position.known[seat] for seat in others]
    return [
        *_in_packs(chain.from_iterable(shares)),
        *_trick(position, seats),
        *_one_type(position.turned_up),
        *[float(position.trump == suit) for suit in SUITS],
        *_in_packs(chain.from_iterable(_eligible(position, player))),
        len(position.stock) / STOCK_SCALE,
        *[float(position.phase == phase) for phase in Phase],
        float(position.melded),
        float(position.swapped),
        *[position.points[seat] / POINTS_SCALE for seat in seats],
        *[totals[seat] / position.rules.target for seat in seats],
        *[float(position.to_move == seat) for seat in seats],
        *[float(position.last_winner == seat) for seat in seats],
        *_in_packs(chain.from_iterable(known)),
        *[position.brisques[seat] / BRISQUES_SCALE for seat in seats],
    ]


def _in_packs(numbers: Iterable[int]) -> list[float]:
    return [number / NUM_PACKS for number in numbers]


def _one_type(card: BeziqueCard | None) -> list[float]:
    row = [0.0] * NUM_TYPES
    if card is not None:
        row[card.type] = 1.0
    return row


def _trick(position: Position, seats: Sequence[int]) -> list[float]:
    """Return who has played what to the open trick."""
    played = dict(zip(_in_turn(position), position.trick, strict=False))
    return [entry for seat in seats for entry in _one_type(played.get(seat))]


def _in_turn(position: Position) -> list[int]:
    """Return the seats in the order in which they play to the trick."""
    return [(position.leader + turn) % position.players for turn in range(position.players)]


def _eligible(position: Position, player: int) -> list[list[int]]:
    """Return by kind how many cards of each type on the player's table may still be in one."""
    table = position.tables[player]
    rows = []
    for kind in REUSED:
        fitting = types_in(kind, position.trump, position.rules.max_jokers)
        free = [card for card in table if card.type in fitting]
        rows.append(counts(card for card in free if is_eligible(card, kind, position.used)))
    return rows


# Planes


def planes(position: Position, player: int) -> CardTensor:
    """Return where the cards are, as far as `player` knows."""
    others = [seat for seat in range(position.players) if seat != player]
    turned_up = () if position.turned_up is None else (position.turned_up,)
    rows = [
        position.hand_counts[player],
        position.table_counts[player],
        _in_all(position.table_counts[seat] for seat in others),
        counts(position.trick),
        position.gone_counts,
        counts(turned_up),
        _in_all(position.known[seat] for seat in others),
    ]
    rows.append([NUM_PACKS - seen for seen in _in_all(rows)])
    at_least = np.array(rows)[:, None] > np.arange(NUM_PACKS)[:, None]
    grid = np.zeros((NUM_CARDS, len(PLANES)), np.bool_)
    grid[_CELLS, :NUM_PARTITION_PLANES] = at_least.reshape(NUM_PARTITION_PLANES, NUM_TYPES).T
    grid[_cells_of(position.trump), -1] = True
    return CardTensor(grid.reshape(NUM_SUITS, NUM_RANKS, len(PLANES)), PLANES)


def _in_all(rows: Iterable[Sequence[int]]) -> list[int]:
    """Return by type how many cards there are in all of some rows."""
    return list(map(sum, zip(*rows, strict=True)))


@cache
def _cells_of(suit: Suit) -> list[int]:
    return [card.face.index for card in CARDS if card.suit == suit]


# Facts


def facts(position: Position, number: int, totals: Scores) -> Facts:
    """Return everything that there is of a round, hidden cards too, as plain numbers.

    Sets of cards are five words of 32 bits, low to high: bit `id % 32` of word `id // 32` is card
    `id`. `P` is the number of players; lists over seats go from seat 0.

    - `current_player`: -1 when the game is over. `phase`: 0 play, 1 the winner's turn, 2 the last
      nine tricks, 3 over.
    - `hands`, `tables` (5P each): the words of seat 0, then of seat 1, ..; `gone` (5): the cards of
      complete tricks; those of the open trick are in no set.
    - `stock` (132 - 9P - 1): ids, the next to be drawn first; -1 fills up behind the last.
      `turned_up`: id, or -1 once it is drawn. `trump`: 0..3 for D C H S.
    - `leader`: who leads or led the open trick; in the winner's turn, and when the game is over,
      who won the last trick. `trick` (P): the id that each seat has played to the open trick, or
      -1. `last_winner`: who won the last complete trick of the round; -1 before the first.
    - `melded`: 1 from a meld until `done`. `swapped`: 1 from the swap to the end of the round.
    - `used` (40): five words for each of marriage, bezique, double bezique, run, aces, kings,
      queens, jacks: the cards that have been in such a meld in this round, whoever laid it and
      wherever they are now. Trump sevens melded alone are not kept.
    - `known` (33P): by seat and type, how many cards of the hand all players know.
    - `points` (P): of this round. `totals` (P): of all complete rounds. `dealer`. `round`: 0 for
      the first; at the end of the game that of the last. `last_tricks`: complete tricks of the
      last nine. `brisques` (P): aces and tens won.
    """
    return {
        "current_player": position.to_move,
        "phase": int(position.phase),
        **_where_the_cards_are(position),
        "last_winner": position.last_winner,
        "melded": int(position.melded),
        "swapped": int(position.swapped),
        "used": [word for kind in REUSED for word in _words(position.used[kind])],
        "known": list(chain.from_iterable(position.known)),
        "points": list(position.points),
        "totals": list(totals),
        "dealer": position.dealer,
        "round": number,
        "last_tricks": position.last_tricks,
        "brisques": list(position.brisques),
    }


def _where_the_cards_are(position: Position) -> Facts:
    played = dict(zip(_in_turn(position), position.trick, strict=False))
    size = len(CARDS) - HAND_SIZE * position.players - 1
    stock = [card.id for card in position.stock]
    return {
        "hands": [word for hand in position.hands for word in _words(hand)],
        "tables": [word for table in position.tables for word in _words(table)],
        "gone": _words(position.gone),
        "stock": stock + [NO_CARD] * (size - len(stock)),
        "turned_up": _id(position.turned_up),
        "trump": SUIT_IDS[position.trump],
        "leader": position.leader,
        "trick": [_id(played.get(seat)) for seat in range(position.players)],
    }


def _id(card: BeziqueCard | None) -> int:
    return NO_CARD if card is None else card.id


def _words(cards: Iterable[BeziqueCard]) -> list[int]:
    words = [0] * WORDS
    for card in cards:
        words[card.id // WORD_BITS] += 2 ** (card.id % WORD_BITS)
    return words
