"""Names of actions, and the table as text."""

from typing import Any

import numpy as np

from talonax.configs.tysiac.schema import Rules
from talonax.envs import planes
from talonax.envs.tysiac.observation import facts
from talonax.envs.tysiac.state import (
    BID,
    BOMB,
    BOMBING,
    CHALLENGE,
    CONTRACT,
    DECLARE,
    NO_CARD,
    NO_SUIT,
    NUM_ACTIONS,
    OPENING,
    PACK,
    PASS,
    PHASES,
    RANKS,
    REBOMB,
    REBOMBING,
    RETURNING,
    SUIT_NAMES,
    TAKE,
    TEN,
    TysiacState,
)

HIDDEN = "··"
SYMBOLS = tuple(planes.SUIT_SYMBOLS[planes.SUIT_NAMES.index(suit)] for suit in SUIT_NAMES)


def card_name(card: int) -> str:
    """Return the name of a card: rank and suit, `TS` for the ten of spades."""
    suit, rank = divmod(card, PACK.ranks)
    return RANKS[rank] + SUIT_NAMES[suit]


def card_number(name: Any) -> int:
    """Return the number of the card with this name.

    Raises:
      ValueError: no card of the pack is called so.
    """
    text = str(name).strip().upper().replace("10", "T")
    if len(text) == 2 and text[0] in RANKS and text[1] in SUIT_NAMES:
        return SUIT_NAMES.index(text[1]) * PACK.ranks + RANKS.index(text[0])
    raise ValueError(
        f"{name!r} is no card of this pack; a card is a rank of {' '.join(RANKS)} and a suit of "
        f"{' '.join(SUIT_NAMES)}, e.g. TS"
    )


def action_name(action: int) -> str:
    """Return the name of an action id.

    Raises:
      ValueError: there is no such action.
    """
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"tysiac has no action {action}; there are: 0 .. {NUM_ACTIONS - 1}")
    if action < DECLARE:
        return card_name(action)
    if action < PASS:
        suit, queen = divmod(action - DECLARE, 2)
        return f"declare {'Q' if queen else 'K'}{SUIT_NAMES[suit]}"
    if BID <= action < TAKE:
        return f"bid {OPENING + TEN * (action - BID)}"
    if TAKE <= action < CONTRACT:
        return f"musik {action - TAKE}"
    if CONTRACT <= action < BOMB:
        return f"contract {OPENING + TEN * (action - CONTRACT)}"
    return {PASS: "pass", BOMB: "bomb", REBOMB: "re-bomb", CHALLENGE: "challenge"}[action]


def name_in(phase: int, action: int) -> str:
    """Return what an action id means in a phase: `return 9C`, `no bomb`, `no re-bomb`, .."""
    if phase == RETURNING and 0 <= action < DECLARE:
        return f"return {action_name(action)}"
    if action == PASS and phase in (BOMBING, REBOMBING):
        return "no bomb" if phase == BOMBING else "no re-bomb"
    return action_name(action)


def names(members: int) -> list[str]:
    """Return the names of the cards in a bit mask, by suit, the strongest first."""
    held = [card for card in range(PACK.size) if members >> card & 1]
    return [card_name(card) for card in sorted(held, key=lambda c: (c // PACK.ranks, -c))]


def render(rules: Rules, state: TysiacState, player: int | None) -> str:
    """Return the table as text, as `player` sees it; `None` shows everything."""
    told: dict[str, Any] = {
        name: np.asarray(value).tolist() for name, value in facts(state).items()
    }
    nearest = 0 if player is None else player
    lines = [
        _headline(rules, told),
        _seat(told, 1 - nearest, shown=player is None),
        _table(told),
        _aside(told, player),
        _seat(told, nearest, shown=True),
    ]
    end = _end(state)
    return "\n".join([*lines, end] if end else lines)


def _headline(rules: Rules, told: dict[str, Any]) -> str:
    suit = told["trump"]
    trump = "none" if suit == NO_SUIT else f"{SYMBOLS[suit]} {SUIT_NAMES[suit]}"
    line = f"Tysiac   {PHASES[told['phase']]}   trump {trump}"
    bidder, proof = f"by player {told['bid_by']}", ", proven" if told["proven"] else ""
    if told["contract"]:
        doubled = f" x{told['doubling']}" if told["doubling"] > 1 else ""
        line += f"   contract {told['contract']}{doubled} {bidder} (bid {told['high_bid']}{proof})"
    elif told["high_bid"]:
        line += f"   bid {told['high_bid']} {bidder}{proof}"
    scores = ":".join(str(score) for score in told["scores"])
    hands, target = (f" of {rules.hands}", "") if rules.hands else ("", f" to {rules.target}")
    return f"{line}   hand {told['hand'] + 1}{hands}, {scores}{target}"


def _seat(told: dict[str, Any], seat: int, shown: bool) -> str:
    mark = ">" if told["current_player"] == seat else " "
    hand = names(told["hands"][seat])
    if not shown:
        known = names(told["known"][seat])
        hand = known + [HIDDEN] * (len(hand) - len(known))
    line = f"{mark} player {seat}   {' '.join(hand) or '-'}"
    tricks = told["tricks"][seat]
    count = f"{told['points'][seat]} points, {tricks} trick{'' if tricks == 1 else 's'}"
    declared = [symbol for suit, symbol in enumerate(SYMBOLS) if told["declared"][seat] >> suit & 1]
    if declared:
        count += f", declared {''.join(declared)}"
    if told["dealer"] == seat:
        count += ", dealer"
    return f"{line:<49} {count}"


def _table(told: dict[str, Any]) -> str:
    """Return the open trick, and the one before it; whoever won that has the lead."""
    table = "-"
    if told["table"] != NO_CARD:
        table = f"{card_name(told['table'])} led by player {told['leader']}"
    line = f"  table {table}"
    if told["last"][0] != NO_CARD:
        last = " ".join(card_name(card) for card in told["last"])
        line += f"   last trick {last}, won by player {told['leader']}"
    return line


def _aside(told: dict[str, Any], player: int | None) -> str:
    """Return what lies aside: the musiki and the cards returned."""
    line = " "
    for number, musik in enumerate(told["musiks"]):
        taken = told["taken"] == number
        seen = taken or player is None
        cards = " ".join(names(musik)) if seen else f"{HIDDEN} {HIDDEN}"
        line += f" musik {number}: {cards}{' (taken)' if taken else ''}  "
    if told["returned"]:
        seen = player is None or player == told["declarer"]
        number = bin(told["returned"]).count("1")
        cards = " ".join(names(told["returned"]) if seen else [HIDDEN] * number)
        line += f" returned {cards}"
    return line.rstrip()


def _end(state: TysiacState) -> str:
    if not bool(state.finished):
        return ""
    rewards = [f"{reward:+g}" for reward in np.asarray(state.rewards).tolist()]
    how = "an illegal action ended it" if bool(state.illegal) else "over"
    how = "cut off" if bool(state.truncated) else how
    return f"  {how}: player 0 {rewards[0]}, player 1 {rewards[1]}"
