"""What scores in Bezique, and what the totals do to the game.

The points of the rules (`envs/bezique/README.md`) in one place, and *Round end*. Each function
stands on its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from talonax.configs.bezique.schema import Rules
from talonax.parity.bezique_pack import BRISQUES, BeziqueCard, Kind, Meld
from talonax.parity.cards import Rank, Suit

#: For turning a seven up, swapping it, laying it or playing it: each time.
SEVEN_POINTS = 10

MELD_POINTS = {
    Kind.SEVEN: SEVEN_POINTS,
    Kind.BEZIQUE: 40,
    Kind.DOUBLE_BEZIQUE: 500,
    Kind.RUN: 250,
    Kind.ACES: 100,
    Kind.KINGS: 80,
    Kind.QUEENS: 60,
    Kind.JACKS: 40,
}
TRUMP_MARRIAGE, PLAIN_MARRIAGE = 40, 20

LAST_TRICK, LAST_TRICK_BY_SEVEN = 10, 20

#: An advanced round counts each ace and ten so much, from so many on, by the number of players.
BRISQUE_POINTS = 10
BRISQUES_FROM = {2: 14, 4: 8}

#: A round's margin is counted in these.
MARGIN = 1000.0

Scores = tuple[int, ...]
Rewards = tuple[float, ...]


def is_trump_seven(card: BeziqueCard, trump: Suit) -> bool:
    """Return whether a card is a seven of trumps."""
    return card.rank == Rank.SEVEN and card.suit == trump


def turn_up_points(card: BeziqueCard) -> int:
    """Return what the dealer scores for the card that he turns up."""
    return SEVEN_POINTS if card.rank == Rank.SEVEN else 0


def play_points(card: BeziqueCard, trump: Suit, *, counts: bool = True) -> int:
    """Return what playing a card scores; `counts` is whether a trump seven does just then."""
    return SEVEN_POINTS if counts and is_trump_seven(card, trump) else 0


def meld_points(meld: Meld, trump: Suit) -> int:
    """Return what a meld scores."""
    if meld.kind is Kind.MARRIAGE:
        return TRUMP_MARRIAGE if meld.suit == trump else PLAIN_MARRIAGE
    return MELD_POINTS[meld.kind]


def last_trick_points(winning: BeziqueCard, trump: Suit) -> int:
    """Return what the last trick scores for whoever wins it, the play of a seven not included."""
    return LAST_TRICK_BY_SEVEN if is_trump_seven(winning, trump) else LAST_TRICK


def count_brisques(cards: Sequence[BeziqueCard]) -> int:
    """Return how many aces and tens there are among cards."""
    return sum(card.rank in BRISQUES for card in cards)


def brisque_points(rules: Rules, brisques: int) -> int:
    """Return what the aces and tens that a player has won score at the end of a round."""
    counted = rules.mode == "advanced" and brisques >= BRISQUES_FROM[rules.players]
    return BRISQUE_POINTS * brisques if counted else 0


@dataclass(frozen=True)
class Verdict:
    """How a game ended.

    Attributes:
      winners: the seats that won it, or share it.
      truncated: whether it was cut short.
    """

    winners: tuple[int, ...]
    truncated: bool = False


def leaders(totals: Scores) -> tuple[int, ...]:
    """Return the seats with the highest total."""
    return tuple(seat for seat, total in enumerate(totals) if total == max(totals))


def verdict_after(rules: Rules, rounds: int, totals: Scores) -> Verdict | None:
    """Return how a game has ended after so many rounds, or None if it goes on."""
    ahead = leaders(totals)
    if rules.rounds:
        return Verdict(ahead) if rounds >= rules.rounds else None
    if max(totals) >= rules.target and len(ahead) == 1:
        return Verdict(ahead)
    return Verdict(ahead, truncated=True) if rounds >= rules.max_rounds else None


def margins(points: Scores) -> Rewards:
    """Return what a round pays under `reward: margin`."""
    others = len(points) - 1
    return tuple((own - (sum(points) - own) / others) / MARGIN for own in points)


def prizes(winners: Sequence[int], players: int) -> Rewards:
    """Return what a game pays under `reward: win`."""
    share = (players - len(winners)) / (len(winners) * (players - 1))
    lost = 0.0 if len(winners) == players else -1.0 / (players - 1)
    return tuple(share if seat in winners else lost for seat in range(players))
