"""What happens in a game of Bezique, as a list that a caller can read.

Events name cards by type and pack. What a *player* sees of one is `seen_by`: types alone, for equal
cards look alike, and of a card that was on a table the kinds of meld that it has been in, for all
saw it laid.
"""

from dataclasses import dataclass
from typing import Any

from talonax.parity.bezique_pack import BeziqueCard, Cards, Kind

#: What a player saw: its kind, then plain numbers and words. None: nothing.
Seen = tuple[Any, ...] | None


def _types(cards: Cards) -> tuple[int, ...]:
    return tuple(sorted(card.type for card in cards))


@dataclass(frozen=True)
class RoundStart:
    """A round begins.

    Attributes:
      number: which; 0 for the first.
      dealer: his seat.
    """

    number: int
    dealer: int

    def seen_by(self, player: int) -> Seen:
        """Return it, to everybody."""
        return "round", self.number, self.dealer


@dataclass(frozen=True)
class Dealt:
    """A player is dealt his hand, which he alone sees."""

    player: int
    cards: Cards

    def seen_by(self, player: int) -> Seen:
        """Return the types, to its player."""
        return ("dealt", _types(self.cards)) if player == self.player else None


@dataclass(frozen=True)
class TurnedUp:
    """A card is turned up for trumps.

    Attributes:
      card: the card.
      passed_over: Jokers that came before it and went to the end of the stock.
    """

    card: BeziqueCard
    passed_over: Cards = ()

    def seen_by(self, player: int) -> Seen:
        """Return the types, to everybody."""
        return "turned up", self.card.type, len(self.passed_over)


@dataclass(frozen=True)
class Scored:
    """A player scores.

    Attributes:
      player: his seat.
      points: how many.
      why: what for, in words.
    """

    player: int
    points: int
    why: str

    def seen_by(self, player: int) -> Seen:
        """Return it, to everybody."""
        return "scored", self.player, self.points, self.why


@dataclass(frozen=True)
class MyTurn:
    """What a player could choose from when he moved; the others do not see it.

    Attributes:
      player: his seat.
      ids: the legal actions, rising.
    """

    player: int
    ids: tuple[int, ...]

    def seen_by(self, player: int) -> Seen:
        """Return it, to its player."""
        return ("my turn", self.ids) if player == self.player else None


@dataclass(frozen=True)
class Played:
    """A card is played.

    Attributes:
      player: who plays it.
      card: the card.
      from_table: whether it lay on his table.
      kinds: the kinds of meld that it has been in, while it lay there.
    """

    player: int
    card: BeziqueCard
    from_table: bool
    kinds: tuple[int, ...] = ()

    def seen_by(self, player: int) -> Seen:
        """Return type and kinds, to everybody."""
        return "played", self.player, self.card.type, self.from_table, self.kinds


@dataclass(frozen=True)
class TrickEnd:
    """A trick is complete.

    Attributes:
      winner: who has taken it.
      cards: its cards in the order of play.
    """

    winner: int
    cards: Cards

    def seen_by(self, player: int) -> Seen:
        """Return the winner, to everybody."""
        return "trick", self.winner


@dataclass(frozen=True)
class Melded:
    """A meld is laid.

    Attributes:
      player: who lays it.
      kind: its kind.
      cards: its cards, by id.
      from_hand: for each card whether it came from hand.
      kinds: for each card the kinds of meld that it had been in before.
    """

    player: int
    kind: Kind
    cards: Cards
    from_hand: tuple[bool, ...]
    kinds: tuple[tuple[int, ...], ...]

    def seen_by(self, player: int) -> Seen:
        """Return kind, types, and where each card came from, to everybody."""
        types = [card.type for card in self.cards]
        cards = tuple(sorted(zip(types, self.from_hand, self.kinds, strict=True)))
        return "melded", self.player, int(self.kind), cards


@dataclass(frozen=True)
class Swapped:
    """The trump seven has changed places with the turned-up card.

    Attributes:
      player: who did it.
      seven: the seven, now turned up.
      taken: the card that he took.
    """

    player: int
    seven: BeziqueCard
    taken: BeziqueCard

    def seen_by(self, player: int) -> Seen:
        """Return what was taken, to everybody."""
        return "swapped", self.player, self.taken.type


@dataclass(frozen=True)
class TurnEnd:
    """The winner of a trick is done."""

    player: int

    def seen_by(self, player: int) -> Seen:
        """Return it, to everybody."""
        return "done", self.player


@dataclass(frozen=True)
class Drawn:
    """A player draws.

    Attributes:
      player: who draws.
      card: the card.
      shown: whether it is the turned-up card, which all know.
    """

    player: int
    card: BeziqueCard
    shown: bool = False

    def seen_by(self, player: int) -> Seen:
        """Return the type, to its player; to everybody if it was turned up."""
        return (
            ("drew", self.player, self.card.type) if self.shown or player == self.player else None
        )


@dataclass(frozen=True)
class TablesReturned:
    """The stock is gone: all table cards go back to the hands, the last nine tricks begin.

    Attributes:
      tables: the cards, by seat.
    """

    tables: tuple[Cards, ...]

    def seen_by(self, player: int) -> Seen:
        """Return that, to everybody."""
        return ("tables returned",)


@dataclass(frozen=True)
class RoundEnd:
    """A round is over.

    Attributes:
      points: what each seat scored in it.
      brisques: the aces and tens that each has won.
    """

    points: tuple[int, ...]
    brisques: tuple[int, ...]

    def seen_by(self, player: int) -> Seen:
        """Return the points, to everybody."""
        return "round end", *self.points


@dataclass(frozen=True)
class GameEnd:
    """The game is over.

    Attributes:
      totals: of each seat.
      winners: the seats that won, or share it.
      truncated: whether it was cut short.
    """

    totals: tuple[int, ...]
    winners: tuple[int, ...]
    truncated: bool

    def seen_by(self, player: int) -> Seen:
        """Return the winners, to everybody."""
        return "game end", *self.winners


Event = (
    RoundStart
    | Dealt
    | TurnedUp
    | Scored
    | MyTurn
    | Played
    | TrickEnd
    | Melded
    | Swapped
    | TurnEnd
    | Drawn
    | TablesReturned
    | RoundEnd
    | GameEnd
)
