"""Whether the entries of a Blob position that a person wrote agree with each other.

The order of play is known of the open trick alone; everything that can be told without the others'
is held against the rules.
"""

from dataclasses import dataclass

from talonax.configs.blob.schema import Rules, round_cards, trump_of
from talonax.envs.blob.state import NO_SUIT, PACK, SUIT_NAMES, TRUMP_NAMES
from talonax.envs.blob.view import card_name


@dataclass(frozen=True)
class Described:
    """A position in plain numbers; lists are by seat.

    Attributes:
      rules: the rules.
      round: index of the round.
      cards: how many each was dealt.
      trump: the trump suit, -1 if none.
      dealer: who deals.
      leader: who leads, or led, the open trick.
      hands: the cards held.
      played: the cards played, those of the open trick included.
      table: the card in the open trick, None if none.
      last: the cards of the last trick; none if it is not told.
      bids: the bids, None if none is made.
      tricks: tricks won.
      voids: suits shown not to be held.
    """

    rules: Rules
    round: int
    cards: int
    trump: int
    dealer: int
    leader: int
    hands: list[list[int]]
    played: list[list[int]]
    table: list[int | None]
    last: list[int]
    bids: list[int | None]
    tricks: list[int]
    voids: list[set[int]]

    def order(self, first: int) -> list[int]:
        """Return the seats as they follow each other from `first` on."""
        return [(first + step) % self.rules.players for step in range(self.rules.players)]

    @property
    def laid(self) -> list[tuple[int, int]]:
        """Seat and card of the open trick, in order of play."""
        cards = [(seat, self.table[seat]) for seat in self.order(self.leader)]
        return [(seat, card) for seat, card in cards if card is not None]

    @property
    def done(self) -> int:
        """How many tricks are complete."""
        return sum(map(len, self.played)) // self.rules.players


def turn(told: Described) -> int:
    """Return how many bids and cards were made so far."""
    return sum(bid is not None for bid in told.bids) + sum(map(len, told.played))


def mover(told: Described) -> int:
    """Return who is to move, the round not being over."""
    before = turn(told)
    bidding = before < told.rules.players
    return (told.dealer + 1 + before if bidding else told.leader + before) % told.rules.players


def check(told: Described, *, over: bool, cut: bool) -> None:
    """Check the entries against each other.

    Args:
      told: the position.
      over: whether the game is over.
      cut: whether it ended before its time.

    Raises:
      ValueError: saying what does not agree.
    """
    _check_round(told)
    _check_places(told)
    _check_bids(told)
    _check_tricks(told)
    _check_voids(told)
    _check_last(told)
    if not cut:
        _check_end(told, over)


def _check_end(told: Described, over: bool) -> None:
    """Check that a game is over when all is played, and not before."""
    done = turn(told) == told.rules.players * (told.cards + 1)
    if done and not over:
        raise ValueError("position: all cards are played, but the game is not over")
    if over and not done:
        raise ValueError("position: the game is over, but not all cards are played")
    last = len(round_cards(told.rules)) - 1
    if over and told.rules.rounds == "full" and told.round < last:
        raise ValueError(
            f"position: round {told.round} of 0 .. {last} is played, but then the game goes on"
        )


def _check_round(told: Described) -> None:
    plan, trump = round_cards(told.rules), trump_of(told.rules, told.round)
    if TRUMP_NAMES[told.trump] != trump:
        raise ValueError(
            f"position: trump: {TRUMP_NAMES[told.trump]} in round {told.round}, whose trump is "
            f"{trump}"
        )
    if told.rules.rounds == "single":
        return
    if told.round >= len(plan):
        raise ValueError(f"position: round: 0 .. {len(plan) - 1} is needed, is {told.round}")
    if told.cards != plan[told.round]:
        raise ValueError(
            f"position: cards: {told.cards} in round {told.round}, which deals {plan[told.round]}"
        )


def _check_places(told: Described) -> None:
    piles = [card for pile in [*told.hands, *told.played] for card in pile]
    twice = sorted({card for card in piles if piles.count(card) > 1})
    if twice:
        raise ValueError(f"position: in two places: {_names(twice)}")
    for seat, (hand, played) in enumerate(zip(told.hands, told.played, strict=True)):
        if len(hand) + len(played) != told.cards:
            raise ValueError(
                f"position: hands, played: player {seat} holds {len(hand)} and has played "
                f"{len(played)}, but was dealt {told.cards}"
            )
        card = told.table[seat]
        if card is not None and card not in played:
            raise ValueError(f"position: table: player {seat} has not played {card_name(card)}")


def _check_bids(told: Described) -> None:
    order = told.order(told.dealer + 1)
    bids = [told.bids[seat] for seat in order]
    made = [bid for bid in bids if bid is not None]
    if None in bids[: len(made)]:
        raise ValueError(f"position: bids: not in turn from player {order[0]} on: {told.bids}")
    if None not in bids and told.rules.hook and sum(made) == told.cards:
        raise ValueError(
            f"position: bids: {told.bids} add up to the {told.cards} cards dealt: the dealer, "
            f"player {told.dealer}, may not bid so"
        )
    if None in bids and any(told.played):
        raise ValueError("position: bids: cards are played before all have bid")


def _check_tricks(told: Described) -> None:
    players, first = told.rules.players, (told.dealer + 1) % told.rules.players
    on_table = [told.table[seat] is not None for seat in told.order(told.leader)]
    if on_table != sorted(on_table, reverse=True) or all(on_table):
        table = [None if card is None else card_name(card) for card in told.table]
        raise ValueError(
            f"position: table: not in turn from the leader, player {told.leader}, on: {table}"
        )
    before = [
        len(pile) - (card is not None) for pile, card in zip(told.played, told.table, strict=True)
    ]
    if before != [told.done] * players or sum(told.tricks) != told.done:
        raise ValueError(
            f"position: tricks, table, played: {sum(told.tricks)} tricks and {sum(on_table)} cards "
            f"on the table do not make {list(map(len, told.played))} cards played"
        )
    if told.done == 0 and told.leader != first:
        raise ValueError(f"position: leader: player {first} leads first, is {told.leader}")
    if told.done and not told.tricks[told.leader]:
        raise ValueError(f"position: leader: player {told.leader} leads, but has won no trick")


def _check_voids(told: Described) -> None:
    for seat, voids in enumerate(told.voids):
        held = [card for card in told.hands[seat] if _suit(card) in voids]
        if held:
            raise ValueError(
                f"position: voids: player {seat} has shown void in a suit, but holds {_names(held)}"
            )
        other = [suit for suit in voids if any(_suit(card) != suit for card in told.played[seat])]
        if len(other) < len(voids) or len(voids) > len(told.played[seat]):
            raise ValueError(
                f"position: voids: player {seat} has not played enough to have shown them"
            )
    for seat, card in told.laid:
        led = _suit(told.laid[0][1])
        if _suit(card) != led and led not in told.voids[seat]:
            raise ValueError(
                f"position: voids: player {seat} has not followed {card_name(told.laid[0][1])}, "
                f"which shows a void in {SUIT_NAMES[led]}"
            )


def _check_last(told: Described) -> None:
    if not told.last:
        return
    open_cards = [card for _, card in told.laid]
    owners = [[card for card in told.last if card in pile] for pile in told.played]
    one_each = all(len(cards) == 1 for cards in owners) and len(told.last) == len(owners)
    if not one_each or set(told.last) & set(open_cards):
        raise ValueError(
            "position: last_trick: one card that each has played, not in the open trick, is "
            f"needed, is {_names(told.last)!r}"
        )
    [best] = owners[told.leader]
    trumps = [card for card in told.last if _suit(card) == told.trump != NO_SUIT]
    if best != max(trumps or [card for card in told.last if _suit(card) == _suit(best)]):
        raise ValueError(
            f"position: last_trick: {_names(told.last)} was not won by player {told.leader}, who "
            "leads now"
        )


def _suit(card: int) -> int:
    return card // PACK.ranks


def _names(cards: list[int]) -> str:
    return " ".join(map(card_name, cards))


__all__ = ["Described", "check", "mover", "turn"]
