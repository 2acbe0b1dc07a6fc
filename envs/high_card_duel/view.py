"""What can be seen of a duel: the planes, and the table as text."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from talonax.envs import cards, planes
from talonax.envs.planes import CELLS

PLANES = ("my_hand", "opponent_hand", "unseen")
HIDDEN = "··"


def card_tensor(deck: tuple[int, ...], hands: Array, revealed: Array, player: Array) -> Array:
    """Return bool[4, 14, 3]: the planes, which partition the deck."""
    mine = cards.single(hands[player], CELLS)
    shown = jnp.where(revealed[1 - player], hands[1 - player], -1)
    theirs = cards.single(shown, CELLS)
    unseen = cards.constant(deck, CELLS) & ~(mine | theirs)
    return planes.stack([planes.plane(held, range(CELLS)) for held in (mine, theirs, unseen)])


def render(state: Any, player: int | None) -> str:
    """Return the table as text; a card that `player` cannot see is `··`."""
    lines = ["High Card Duel"]
    for seat in (0, 1):
        seen = player is None or seat == player or bool(state.revealed[seat])
        card = planes.cell_name(int(state.hands[seat])) if seen else HIDDEN
        mark = ">" if int(state.current_player) == seat else " "
        lines.append(f"{mark} player {seat}   {card}{_open(state, seat)}")
    if bool(state.finished):
        first, second = np.asarray(state.rewards).tolist()
        lines.append(f"  over: player 0 {first:+g}, player 1 {second:+g}")
    return "\n".join(lines)


def _open(state: Any, seat: int) -> str:
    return "   (revealed)" if bool(state.revealed[seat]) else ""
