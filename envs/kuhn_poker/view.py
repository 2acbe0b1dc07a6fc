"""What can be seen of Kuhn poker: the planes, the observation's entries, the table as text."""

from typing import Any

import numpy as np
from jax import Array

from talonax.envs import betting, cards, planes
from talonax.envs.kuhn_poker.rules import ANTE, BET, BET_SIZE, MAX_ACTIONS, NUM_ACTIONS, NUM_CARDS

#: The grid's cell of each card: J, Q, K of spades.
CELLS = tuple(planes.cell("S", rank) for rank in "JQK")
PLANES = ("my_hand", "opponent", "unseen")
ACTIONS = ("pass", "bet")
HIDDEN = "··"

#: Name, width and meaning of each entry of the observation, in order.
ENTRIES = (
    ("seat", 2, "own seat, one-hot"),
    ("card", NUM_CARDS, "own card: J, Q, K"),
    (
        "actions",
        MAX_ACTIONS * NUM_ACTIONS,
        "for each action of the game so far, in order: pass, bet; zeros for those to come",
    ),
)


def card_tensor(mine: Array, theirs: Array) -> Array:
    """Return bool[4, 14, 3]: the planes, given the two cards; `theirs` is -1 where not seen."""
    held, shown = cards.single(mine, NUM_CARDS), cards.single(theirs, NUM_CARDS)
    unseen = cards.constant(range(NUM_CARDS), NUM_CARDS) & ~(held | shown)
    return planes.stack([planes.plane(each, CELLS) for each in (held, shown, unseen)])


def render(state: Any, player: int | None, shown: bool) -> str:
    """Return the table as text; a card that `player` does not see is `··`."""
    actions = [each for each in np.asarray(betting.unfold(state.record, MAX_ACTIONS)) if each >= 0]
    lines = [f"Kuhn poker   {' '.join(ACTIONS[each] for each in actions) or 'no action yet'}"]
    for seat, card in enumerate(state.hands):
        seen = player is None or seat == player or shown
        mark = ">" if int(state.current_player) == seat else " "
        chips = ANTE + BET_SIZE * sum(each == BET for each in actions[seat::2])
        name = planes.cell_name(CELLS[int(card)]) if seen else HIDDEN
        lines.append(f"{mark} player {seat}   {name}   {chips} in the pot")
    if bool(state.finished):
        how = "an illegal action ended it" if bool(state.illegal) else "over"
        first, second = np.asarray(state.rewards).tolist()
        lines.append(f"  {how}: player 0 {first:+g}, player 1 {second:+g}")
    return "\n".join(lines)
