"""Names of cards and actions, and the table as text."""

from typing import Any

import numpy as np

from talonax.configs.bezique.schema import Rules
from talonax.envs import planes
from talonax.envs.bezique import melds, score, words
from talonax.envs.bezique.dealing import is_seven
from talonax.envs.bezique.observation import facts
from talonax.envs.bezique.state import (
    DONE,
    FROM_TABLE,
    LAST,
    MELD,
    MELDS,
    NO_CARD,
    NUM_ACTIONS,
    PLAY,
    SWAP,
    BeziqueState,
)
from talonax.envs.bezique.words import CARDS, JOKER, PACKS, RANKS, SUIT_NAMES, TYPES, WORDS
from talonax.envs.cards import WORD
from talonax.envs.planes import SUITS

HIDDEN = "··"
SYMBOLS = tuple(planes.SUIT_SYMBOLS[planes.SUIT_NAMES.index(suit)] for suit in SUIT_NAMES)
JOKER_NAME = "JO"
_PHASES = ("play", "the winner's turn", "the last nine tricks", "over")


def type_name(kind: int) -> str:
    """Return the name of a type: rank and suit, `TS` for the ten of spades; `JO` for a Joker."""
    if kind == JOKER:
        return JOKER_NAME
    rank, suit = divmod(kind, SUITS)
    return RANKS[rank] + SUIT_NAMES[suit]


def card_name(card: int) -> str:
    """Return the name of a card: type and pack, `TS#2` for the ten of spades of pack 2."""
    return f"{type_name(card // PACKS)}#{card % PACKS}"


def card_number(name: Any) -> int:
    """Return the number of the card with this name.

    Raises:
      ValueError: no card is called so.
    """
    text = str(name).strip().upper().replace("10", "T")
    kind, _, pack = text.partition("#")
    known = {type_name(each): each for each in range(TYPES)}
    if kind in known and pack in map(str, range(PACKS)):
        return PACKS * known[kind] + int(pack)
    raise ValueError(
        f"{name!r} is no card; a card is a rank of {' '.join(RANKS)} and a suit of "
        f"{' '.join(SUIT_NAMES)}, or {JOKER_NAME}, and a pack of 0 .. {PACKS - 1}, e.g. TS#2"
    )


def action_name(action: int) -> str:
    """Return the name of an action id.

    Raises:
      ValueError: there is no such action.
    """
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"bezique has no action {action}; there are: 0 .. {NUM_ACTIONS - 1}")
    if action < FROM_TABLE:
        return type_name(action)
    if action < DONE:
        return f"{type_name(action - FROM_TABLE)} from the table"
    if action == DONE:
        return "done"
    return "swap the seven" if action == SWAP else f"meld {MELDS[action - MELD]}"


def members(five: list[int]) -> list[int]:
    """Return the cards in a set's five words, by suit, the strongest first, Jokers last."""
    bits = sum(word << WORD * i for i, word in enumerate(five))
    return sorted((card for card in range(CARDS) if bits >> card & 1), key=_order)


def _order(card: int) -> tuple[int, int, int]:
    kind, pack = divmod(card, PACKS)
    return (SUITS, 0, pack) if kind == JOKER else (kind % SUITS, -kind, pack)


def told_types(kinds: list[int]) -> str:
    """Return types as text, equal ones counted: `AS x2 KS JO`."""
    counted = {kind: kinds.count(kind) for kind in kinds}
    return " ".join(
        type_name(kind) + (f" x{number}" if number > 1 else "") for kind, number in counted.items()
    )


# The table ----------------------------------------------------------------------------------------


def render(rules: Rules, state: BeziqueState, player: int | None) -> str:
    """Return the table as text, as `player` sees it; `None` shows everything."""
    told: dict[str, Any] = {
        name: np.asarray(value).tolist() for name, value in facts(state).items()
    }
    lines = [_headline(rules, told), *_seats(rules, told, player)]
    if told["phase"] in (PLAY, LAST):
        lines.append(f"  trick {_trick(rules, told)}")
    lines += _last(state, told)
    lines += [f"  {reason}" for reason in reasons(rules, state)]
    return "\n".join([*lines, *_end(state)])


def _headline(rules: Rules, told: dict[str, Any]) -> str:
    trump = told["trump"]
    line = f"Bezique   {_PHASES[told['phase']]}   trump {SYMBOLS[trump]} {SUIT_NAMES[trump]}"
    if told["turned_up"] != NO_CARD:
        left = sum(card != NO_CARD for card in told["stock"])
        line += f"   turned up {type_name(told['turned_up'] // PACKS)}, stock {left}"
    if rules.rounds != 1:
        of = f" of {rules.rounds}" if rules.rounds else f", to {rules.target}"
        line += f"   round {told['round'] + 1}{of}"
    return line


def _seats(rules: Rules, told: dict[str, Any], player: int | None) -> list[str]:
    """Return two lines a seat, hand and table; the player's own last."""
    first = 0 if player is None else player + 1
    lines = []
    for step in range(rules.players):
        seat = (first + step) % rules.players
        mark = ">" if told["current_player"] == seat else " "
        hand = _hand(told, seat, shown=player in (None, seat))
        lines.append(f"{mark} player {seat}   hand  {hand or '-'}   ({_counts(rules, told, seat)})")
        table = told_types([card // PACKS for card in _set(told["tables"], seat)])
        if table:
            lines.append(f"             table {table}")
    return lines


def _set(by_seat: list[int], seat: int) -> list[int]:
    return members(by_seat[WORDS * seat : WORDS * (seat + 1)])


def _hand(told: dict[str, Any], seat: int, shown: bool) -> str:
    held = _set(told["hands"], seat)
    if shown:
        return told_types([card // PACKS for card in held])
    counts = told["known"][TYPES * seat : TYPES * (seat + 1)]
    known = [kind for kind, number in enumerate(counts) for _ in range(number)]
    hidden = len(held) - len(known)
    parts = [told_types(sorted(known, key=lambda kind: _order(PACKS * kind)))]
    return " ".join([*filter(None, parts), *([f"{HIDDEN} x{hidden}"] if hidden else [])])


def _counts(rules: Rules, told: dict[str, Any], seat: int) -> str:
    counts = [f"{told['points'][seat]} points"]
    if rules.rounds != 1:
        counts.append(f"total {told['totals'][seat]}")
    counts.append(f"{told['brisques'][seat]} aces and tens")
    if told["dealer"] == seat:
        counts.append("dealer")
    return ", ".join(counts)


def _trick(rules: Rules, told: dict[str, Any]) -> str:
    order = [(told["leader"] + step) % rules.players for step in range(rules.players)]
    laid = [(seat, told["trick"][seat]) for seat in order if told["trick"][seat] != NO_CARD]
    if not laid:
        return f"- (player {told['leader']} leads)"
    return "  ".join(f"{type_name(card // PACKS)} by player {seat}" for seat, card in laid)


def _last(state: BeziqueState, told: dict[str, Any]) -> list[str]:
    """Return a line for the last trick."""
    if told["last_winner"] == NO_CARD:
        return []
    laid = np.asarray(state.cards_of(state.last)).tolist()
    cards = [f"{type_name(card // PACKS)} by player {seat}" for seat, card in enumerate(laid)]
    return [f"  last trick {', '.join(cards)}; player {told['last_winner']} won it"]


def reasons(rules: Rules, state: BeziqueState) -> list[str]:
    """Return why the points moved in the last step: `player 1 scored 40 for marriage S`."""
    why = score.unpacked_why(state)
    what, last_trick = int(why.what), int(why.last_trick)
    told = []
    if what >= 0:
        number, text = score.SEVEN_POINTS, _SEVENS.get(what, "")
        if what < len(MELDS):
            number, text = int(melds.points(what, state.suit)), MELDS[what]
        told.append(f"player {int(why.seat)} scored {number} for {text}")
    if last_trick:
        how = "" if last_trick == score.LAST_TRICK else ", taken by the trump seven"
        told.append(f"player {int(why.winner)} scored {last_trick} for the last trick{how}")
        told += [
            f"player {seat} scored {number} for aces and tens"
            for seat, number in enumerate(np.asarray(score.brisque_points(rules, state)).tolist())
            if number
        ]
    begins = int(words.count(state.played)) == 0 and not bool(state.finished)
    if begins and bool(is_seven(state.turned_up)):
        told.append(f"player {int(state.dealer)} scored {score.SEVEN_POINTS} for a seven turned up")
    return told


_SEVENS = {score.SWAPPED: "swapping the seven", score.PLAYED: "playing a trump seven"}


def _end(state: BeziqueState) -> list[str]:
    if not bool(state.finished):
        return []
    rewards = ", ".join(
        f"player {seat} {reward:+g}" for seat, reward in enumerate(np.asarray(state.rewards))
    )
    how = "an illegal action ended it" if bool(state.illegal) else "over"
    how = "cut off" if bool(state.truncated) else how
    return [f"  {how}: {rewards}"]


__all__ = ["action_name", "card_name", "card_number", "members", "render", "type_name"]
