"""Names of actions, the table as text, and positions that a person can read and write."""

from typing import Any

import numpy as np

from talonax.configs.snapszer.schema import Rules
from talonax.envs import planes
from talonax.envs.snapszer.observation import facts
from talonax.envs.snapszer.state import NO_CARD, RANKS, Sizes, SnapszerState

HIDDEN = "··"
INDENT = "  "


def action_name(sizes: Sizes, action: int, num_actions: int) -> str:
    """Return the name of an action id.

    Raises:
      ValueError: there is no such action.
    """
    if 0 <= action < sizes.num_cards:
        return sizes.name(action)
    if action == sizes.exchange:
        return "exchange"
    if action == sizes.close:
        return "close"
    if sizes.declare <= action < num_actions:
        suit, queen = divmod(action - sizes.declare, 2)
        return f"declare {'Q' if queen else 'K'}{planes.SUIT_NAMES[suit]}"
    raise ValueError(f"snapszer has no action {action}; there are: 0 .. {num_actions - 1}")


def render(rules: Rules, sizes: Sizes, state: SnapszerState, player: int | None) -> str:
    """Return the table as text, as `player` sees it; `None` shows everything."""
    told: dict[str, Any] = {
        name: np.asarray(value).tolist() for name, value in facts(sizes, state).items()
    }
    nearest = 0 if player is None else player
    lines = [
        _headline(rules, told),
        _seat(sizes, told, 1 - nearest, shown=player is None),
        _middle(sizes, told, shown=player is None),
        _seat(sizes, told, nearest, shown=True),
    ]
    end = _end(state)
    return "\n".join([*lines, end] if end else lines)


def _headline(rules: Rules, told: dict[str, Any]) -> str:
    suit = told["trump"]
    phase = "the stock is gone" if told["strict"] else "open"
    if told["closed_by"] >= 0:
        phase = f"closed by player {told['closed_by']}"
    line = f"Snapszer   trump {planes.SUIT_SYMBOLS[suit]} {planes.SUIT_NAMES[suit]}   {phase}"
    if rules.match:
        score = ":".join(str(points) for points in told["scores"])
        line += f"   deal {told['deal'] + 1}, match {score} to {rules.match}"
    return line


def _seat(sizes: Sizes, told: dict[str, Any], seat: int, shown: bool) -> str:
    mark = ">" if told["current_player"] == seat else " "
    hand = names(sizes, told["hands"][seat])
    if not shown:
        known = names(sizes, told["known"][seat])
        hand = known + [HIDDEN] * (len(hand) - len(known))
    line = f"{mark} player {seat}   {' '.join(hand) or '-'}"
    count = f"{told['points'][seat]} points, {told['tricks'][seat]} tricks"
    if told["pending"][seat]:
        count += f", {told['pending'][seat]} pending"
    if told["marriages"][seat]:
        count += f", marriages {_suits(told['marriages'][seat])}"
    return f"{line:<34} {count}"


def _middle(sizes: Sizes, told: dict[str, Any], shown: bool) -> str:
    stock = [card for card in told["stock"] if card != NO_CARD]
    lies = " ".join(sizes.name(card) for card in stock) if shown else f"{len(stock)} cards"
    turned_up = "-" if told["turned_up"] == NO_CARD else sizes.name(told["turned_up"])
    table = "-"
    if told["table"] != NO_CARD:
        table = f"{sizes.name(told['table'])} led by player {told['leader']}"
    return f"{INDENT}table {table}   turned up {turned_up}   stock {lies or '-'}"


def _end(state: SnapszerState) -> str:
    if not bool(state.finished):
        return ""
    rewards = [f"{reward:+g}" for reward in np.asarray(state.rewards).tolist()]
    how = "an illegal action ended it" if bool(state.illegal) else "over"
    return f"{INDENT}{how}: player 0 {rewards[0]}, player 1 {rewards[1]}"


def names(sizes: Sizes, members: int) -> list[str]:
    """Return the names of the cards in a bit mask, by suit and strength."""
    return [sizes.name(card) for card in range(sizes.num_cards) if members >> card & 1]


def card_number(sizes: Sizes, name: Any) -> int:
    """Return the number of the card with this name.

    Raises:
      ValueError: no card of the pack is called so.
    """
    text = str(name).strip().upper().replace("10", "T")
    ranks = RANKS[: sizes.pack.ranks]
    if len(text) == 2 and text[0] in ranks and text[1] in planes.SUIT_NAMES:
        return planes.SUIT_NAMES.index(text[1]) * sizes.pack.ranks + ranks.index(text[0])
    raise ValueError(
        f"{name!r} is no card of this pack; a card is a rank of {' '.join(ranks)} and a suit of "
        f"{' '.join(planes.SUIT_NAMES)}, e.g. TS"
    )


def _suits(members: int) -> str:
    return "".join(symbol for suit, symbol in enumerate(planes.SUIT_SYMBOLS) if members >> suit & 1)
