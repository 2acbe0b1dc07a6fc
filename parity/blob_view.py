"""What there is to see of Blob: the observation, the planes, the bare facts.

*Observation* of the rules (`envs/blob/README.md`), in its order. Nothing here looks at a card that
`player` cannot see, `facts` excepted.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from talonax.configs.blob.schema import DECK_SIZE, MAX_PLAYERS, round_cards
from talonax.parity.blob_pack import CARDS, IDS, RANKS, STRENGTH, SUIT_IDS, SUITS, Cards
from talonax.parity.blob_round import EXACT_BONUS, Phase, Round
from talonax.parity.card_tensor import CardTensor
from talonax.parity.cards import Card, Rank, Suit
from talonax.parity.game import Facts

LAYOUTS = ("full", "compact")
#: The compact layout ends in unused places.
COMPACT_SIZE = 256

PLANES = ("my_hand", "table", "played", "unseen", "trump")
#: The first of the planes partition the deck.
NUM_PARTITION_PLANES = PLANES.index("trump")

#: How many of the rounds done are told of.
REMEMBERED_ROUNDS = 15
#: What most sizes of hands are counted in.
HAND_SCALE = 13

#: The cards of a suit; of no trump, none.
OF_SUIT = {suit: [card for card in CARDS if card.suit == suit] for suit in (*SUITS, None)}

NO_BID = -1
NO_CARD = -1
NO_TRUMP = -1
NOT_HOOKED = -1.0

#: Sets of cards are told in two words, of which the first has so many bits.
WORD = 32


@dataclass(frozen=True)
class View:
    """A position as it is shown; what all players see alike is made once.

    Attributes:
      round: the round that is played, or the last one when the game is over.
      scores: the totals, by seat.
      done: how many rounds of the game are done.
    """

    round: Round
    scores: tuple[int, ...]
    done: int

    # Observation

    def full(self, player: int) -> list[float]:
        """Return the compact layout, the own seat, and what each other seat has shown."""
        row = self.compact(player)
        row += [float(seat == player) for seat in range(MAX_PLAYERS)]
        for distance in range(1, self.round.players):
            row += self._shown[(player + distance) % self.round.players]
        return row

    def compact(self, player: int) -> list[float]:
        """Return the table of the rules, in its order."""
        return list(self._compact_rows[player])

    @cached_property
    def _compact_rows(self) -> list[list[float]]:
        """By seat: kept, as the full layout begins with the compact one."""
        return [self._compact_row(seat) for seat in range(self.round.players)]

    def _compact_row(self, player: int) -> list[float]:
        row = [
            *_cards(self.round.hands[player]),
            *self._cards_played,
            *self._bids_and_tricks,
            *self._own_bid_and_tricks(player),
            *self._table(player),
            *self._progress(player),
            *_kind_of_hand(self.round.hands[player], self.round.trump),
            self._hook(player),
            *self._game,
        ]
        return row + [0.0] * (COMPACT_SIZE - len(row))

    @cached_property
    def _shown(self) -> list[list[float]]:
        """By seat: suits shown void, and cards played."""
        here = self.round
        return [
            _suits(suits) + _cards(cards)
            for suits, cards in zip(here.voids, here.played, strict=True)
        ]

    @cached_property
    def _cards_played(self) -> list[float]:
        """52-155: the open trick, its cards numbered in order of play; all cards played."""
        numbered = [0.0] * DECK_SIZE
        for number, card in enumerate(self.round.trick.cards, start=1):
            numbered[IDS[card]] = float(number)
        return numbered + _cards(card for _, card in self.round.plays)

    @cached_property
    def _bids_and_tricks(self) -> list[float]:
        """156-171: of seats that nobody sits in, nothing."""
        absent = [0.0] * (MAX_PLAYERS - self.round.players)
        bids = [self._bid(seat) for seat in range(self.round.players)]
        return [*bids, *absent, *[won / self.round.size for won in self.round.tricks], *absent]

    def _bid(self, seat: int) -> float:
        bid = self.round.bids[seat]
        return float(NO_BID) if bid is None else bid / self.round.size

    def _own_bid_and_tricks(self, player: int) -> list[float]:
        """Return 172 and 173."""
        return [self._bid(player), self.round.tricks[player] / self.round.size]

    def _table(self, player: int) -> list[float]:
        """Return 174-185: sizes, the seat as seen from the dealer, the trump, the phase."""
        here = self.round
        return [
            here.size / HAND_SCALE,
            len(here.completed) / here.size,
            ((player - here.dealer) % here.players) / here.players,
            here.players / MAX_PLAYERS,
            *_suits([here.trump]),
            float(here.phase is Phase.BIDDING and player == here.dealer),
            *[float(here.phase is phase) for phase in Phase],
        ]

    def _progress(self, player: int) -> list[float]:
        """Return 186-190: how far the player and the trick are."""
        here, own_bid = self.round, self.round.bids[player]
        ahead = 0.0 if own_bid is None else (here.tricks[player] - own_bid) / here.size
        return [
            len(here.hands[player]) / HAND_SCALE,
            len(here.played[player]) / HAND_SCALE,
            len(here.completed) / here.size,
            ahead,
            len(here.trick.cards) / here.players,
        ]

    def _hook(self, player: int) -> float:
        """Return 201: what the dealer may not bid, as the bids stand while he waits to bid."""
        here = self.round
        dealer_waits = here.phase is Phase.BIDDING and player == here.dealer
        if not dealer_waits or here.forbidden is None:
            return NOT_HOOKED
        return here.forbidden / here.size

    @cached_property
    def _game(self) -> list[float]:
        """202-230: totals and plan of a full game; nothing of a single round."""
        rules, done = self.round.rules, self.done
        if rules.rounds == "single":
            return []
        plan, most = round_cards(rules), rules.cards
        best = done * (EXACT_BONUS + most)
        totals = [score / best if done else 0.0 for score in self.scores]
        last = [size / most for size in plan[:done][-REMEMBERED_ROUNDS:]]
        ones_end = most + rules.players
        ones_left = min(max(ones_end - done, 0), rules.players)
        return [
            *totals,
            *[0.0] * (MAX_PLAYERS - len(totals)),
            done / len(plan),
            (len(plan) - done) / len(plan),
            ones_left / rules.players,
            0.0 if done < most else 0.5 if done < ones_end else 1.0,
            *last,
            *[0.0] * (REMEMBERED_ROUNDS - len(last)),
            rules.players / MAX_PLAYERS,
            most / MAX_PLAYERS,
        ]

    # Planes

    def planes(self, player: int) -> CardTensor:
        """Return where the cards are, as far as `player` knows."""
        hand, table = self.round.hands[player], self.round.trick.cards
        played = [card for trick in self.round.completed for card in trick.cards]
        seen = {*hand, *table, *played}
        return CardTensor.from_plane_card_map(
            {
                "my_hand": hand,
                "table": table,
                "played": played,
                "unseen": [card for card in CARDS if card not in seen],
                "trump": OF_SUIT[self.round.trump],
            },
            PLANES,
        )

    # Facts

    def facts(self) -> Facts:
        """Return everything that there is, hidden cards too, as plain numbers.

        Sets of suits are given as the sum of 2 to the power of each id; sets of cards likewise in
        two numbers: of the ids below 32, and of those from 32 on.
        """
        here = self.round
        table = dict(here.trick.plays(here.players))
        seats = range(here.players)
        return {
            "current_player": here.to_move,
            "phase": int(here.phase),
            "hands": [word for cards in here.hands for word in _words(cards)],
            "dealer": here.dealer,
            "round": here.index,
            "cards": here.size,
            "trump": NO_TRUMP if here.trump is None else SUIT_IDS[here.trump],
            "bids": [NO_BID if bid is None else bid for bid in here.bids],
            "tricks": list(here.tricks),
            "table": [IDS[table[seat]] if seat in table else NO_CARD for seat in seats],
            "leader": here.trick.leader,
            "played": [word for cards in here.played for word in _words(cards)],
            "voids": [sum(2 ** SUIT_IDS[suit] for suit in suits) for suits in here.voids],
            "scores": list(self.scores),
            "done": self.done,
        }


def _cards(cards: Iterable[Card]) -> list[float]:
    row = [0.0] * DECK_SIZE
    for card in cards:
        row[IDS[card]] = 1.0
    return row


def _suits(suits: Iterable[Suit | None]) -> list[float]:
    shown = set(suits)
    return [float(suit in shown) for suit in SUITS]


def _kind_of_hand(hand: Cards, trump: Suit | None) -> list[float]:
    """Return 191-200: trumps, lengths, high cards, mean rank of the trumps."""
    suits = [[card.rank for card in hand if card.suit == suit] for suit in SUITS]
    trumps = [STRENGTH[card.rank] for card in hand if card.suit == trump]
    mean = sum(trumps) / len(trumps) if trumps else 0.0
    return [
        len(trumps) / HAND_SCALE,
        *[len(ranks) / HAND_SCALE for ranks in suits],
        *[1.0 if Rank.ACE in ranks else 0.5 if Rank.KING in ranks else 0.0 for ranks in suits],
        mean / (len(RANKS) - 1),
    ]


def _words(cards: Iterable[Card]) -> tuple[int, int]:
    whole = sum(2 ** IDS[card] for card in cards)
    return whole % 2**WORD, whole // 2**WORD
