"""What Bezique refuses, by name: one error for each rule that can forbid a step.

All are `IllegalMoveError`s, so whoever does not care which rule it was catches that.
"""

from talonax.parity.game import Refused

#: What is wrong with a step: the error, and the rule in words.
Fault = tuple[type[Refused], str]


class WrongPhase(Refused):
    """Nothing of the kind may be done now, by anybody."""


class NotYourTurn(Refused):
    """Somebody else is to move; only who has won the last trick melds and swaps."""


class CardNotHeld(Refused):
    """The card is neither in hand nor on the player's table."""


class MustFollow(Refused):
    """In the last nine tricks a card of the led suit is held, and must be played."""


class MustBeat(Refused):
    """In the last nine tricks a card of the led suit that beats the winning one must be played."""


class MustTrump(Refused):
    """In the last nine tricks a trump must be played: nothing of the led suit is held."""


class MustOvertrump(Refused):
    """In the last nine tricks a trump that beats the winning one must be played."""


class NoSeven(Refused):
    """The swap needs the trump seven, in hand."""


class SevenTurnedUp(Refused):
    """A seven that is turned up is not swapped, nor after it anything."""


class MeldDone(Refused):
    """A second meld after one trick."""


class NotAMeld(Refused):
    """The cards do not make the meld that is named."""


class TooManyJokers(Refused):
    """More Jokers in a quartet than may stand in."""


class AlreadyMelded(Refused):
    """A card that has been in that kind of meld, or in one that bars it."""


class NothingFromHand(Refused):
    """A meld of table cards alone."""
