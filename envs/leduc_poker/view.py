"""What can be seen of Leduc poker: the planes, the observation's entries, the table as text."""

from typing import Any

import numpy as np
from jax import Array

from talonax.envs import betting, cards, planes
from talonax.envs.leduc_poker.rules import (
    MAX_ACTIONS,
    MAX_POT,
    NUM_CARDS,
    ROUND_ACTIONS,
    ROUNDS,
    SECOND,
)

#: The grid's cell of each card: J, Q, K of spades and hearts.
CELLS = tuple(planes.cell(suit, rank) for rank in "JQK" for suit in "SH")
PLANES = ("my_hand", "public", "opponent", "unseen")
ACTIONS = ("fold", "call", "raise")
PHASES = ("first", "second")
HIDDEN = "··"

#: Name, width and meaning of each entry of the observation, in order.
ENTRIES = (
    ("seat", 2, "own seat, one-hot"),
    ("card", NUM_CARDS, "own card: JS, JH, QS, QH, KS, KH"),
    ("public", NUM_CARDS, "the public card; zeros before it is turned up"),
    *(
        (
            f"{name}_round",
            ROUND_ACTIONS * 2,
            f"for each action of the {name} round, in order: call, raise; zeros for those to come",
        )
        for name in PHASES
    ),
    ("pot", 2, f"chips that oneself and the other have put in, divided by {MAX_POT}"),
)


def card_tensor(mine: Array, public: Array, theirs: Array) -> Array:
    """Return bool[4, 14, 4]: the planes, given the cards; -1 for one that is not seen."""
    seen = [cards.single(card, NUM_CARDS) for card in (mine, public, theirs)]
    unseen = cards.constant(range(NUM_CARDS), NUM_CARDS) & ~(seen[0] | seen[1] | seen[2])
    return planes.stack([planes.plane(each, CELLS) for each in (*seen, unseen)])


def render(state: Any, player: int | None, shown: bool) -> str:
    """Return the table as text; a card that `player` does not see is `··`."""
    done = np.asarray(betting.unfold(state.record, MAX_ACTIONS)).reshape(ROUNDS, ROUND_ACTIONS)
    lines = ["Leduc poker"]
    for name, actions in zip(PHASES, done.tolist(), strict=True):
        said = " ".join(ACTIONS[action] for action in actions if action >= 0)
        lines.append(f"  {name} round: {said or '-'}")
    turned_up = player is None or int(state.round) == SECOND
    public = planes.cell_name(CELLS[int(state.public)]) if turned_up else HIDDEN
    lines.append(f"  public card {public}")
    for seat, card in enumerate(state.hands):
        seen = player is None or seat == player or shown
        mark = ">" if int(state.current_player) == seat else " "
        name = planes.cell_name(CELLS[int(card)]) if seen else HIDDEN
        lines.append(f"{mark} player {seat}   {name}   {int(state.pot[seat])} in the pot")
    if bool(state.finished):
        how = "an illegal action ended it" if bool(state.illegal) else "over"
        first, second = np.asarray(state.rewards).tolist()
        lines.append(f"  {how}: player 0 {first:+g}, player 1 {second:+g}")
    return "\n".join(lines)
