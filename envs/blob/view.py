"""Names of actions, and the table as text."""

from typing import Any

import numpy as np

from talonax.configs.blob.schema import Rules, round_cards
from talonax.envs import planes
from talonax.envs.blob.facts import facts
from talonax.envs.blob.state import (
    NO_BID,
    NO_CARD,
    NO_SUIT,
    NUM_ACTIONS,
    PACK,
    PHASES,
    PLAYING,
    RANKS,
    SUIT_NAMES,
    WORDS,
    BlobState,
)
from talonax.envs.cards import WORD

HIDDEN = "··"
INDENT = "  "
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


def action_name(rules: Rules, action: int) -> str:
    """Return what an action id means, bidding and playing.

    Raises:
      ValueError: there is no such action.
    """
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"blob has no action {action}; there are: 0 .. {NUM_ACTIONS - 1}")
    card = card_name(action)
    return f"bid {action} or {card}" if action <= rules.cards else card


def name_in(state: BlobState, action: int) -> str:
    """Return what an action id means in this phase."""
    return f"bid {action}" if bool(state.bidding) else card_name(action)


def names(words: list[int]) -> list[str]:
    """Return the names of the cards in a set's words, by suit, the strongest first."""
    members = sum(word << WORD * i for i, word in enumerate(words))
    held = [card for card in range(PACK.size) if members >> card & 1]
    return [card_name(card) for card in sorted(held, key=lambda c: (c // PACK.ranks, -c))]


def render(rules: Rules, state: BlobState, player: int | None) -> str:
    """Return the table as text, as `player` sees it; `None` shows everything."""
    told: dict[str, Any] = {
        name: np.asarray(value).tolist() for name, value in facts(rules, state).items()
    }
    lines = [_headline(rules, told), *_seats(rules, told, player)]
    if told["phase"] == PLAYING:
        lines.append(f"{INDENT}trick       {_trick(rules, state, told)}")
    lines += [INDENT + line for line in (*_last(state), *_end(state, told))]
    return "\n".join(lines)


def _headline(rules: Rules, told: dict[str, Any]) -> str:
    trump = "none" if told["trump"] == NO_SUIT else SYMBOLS[told["trump"]]
    line = f"Blob   {PHASES[told['phase']]}   {_cards(told)}   trump {trump}"
    made = [bid for bid in told["bids"] if bid != NO_BID]
    if made:
        line += f"   bids {sum(made)} of {told['cards']}"
    hooked = told["cards"] - sum(made)
    if rules.hook and hooked >= 0 and len(made) == rules.players - 1:
        line += f", the dealer may not bid {hooked}"
    if rules.rounds == "full":
        line += f"   round {told['round'] + 1} of {len(round_cards(rules))}"
    return line


def _cards(told: dict[str, Any]) -> str:
    return "1 card" if told["cards"] == 1 else f"{told['cards']} cards"


def _seats(rules: Rules, told: dict[str, Any], player: int | None) -> list[str]:
    """Return a line a seat, the player's own last."""
    order = _from(rules, 0 if player is None else player + 1)
    hands = [names(told["hands"][WORDS * seat : WORDS * (seat + 1)]) for seat in order]
    shown = [
        " ".join(hand if player in (None, seat) else [HIDDEN] * len(hand)) or "-"
        for seat, hand in zip(order, hands, strict=True)
    ]
    width = max(map(len, shown))
    return [
        f"{_mark(told, seat)} player {seat}   {hand:<{width}}   {_counts(told, seat)}"
        for seat, hand in zip(order, shown, strict=True)
    ]


def _mark(told: dict[str, Any], seat: int) -> str:
    return ">" if told["current_player"] == seat else " "


def _counts(told: dict[str, Any], seat: int) -> str:
    bid = told["bids"][seat]
    words = [f"bid {bid}, won {told['tricks'][seat]}" if bid != NO_BID else "no bid yet"]
    words.append(f"total {told['scores'][seat]}")
    voids = [symbol for suit, symbol in enumerate(SYMBOLS) if told["voids"][seat] >> suit & 1]
    if voids:
        words.append(f"void in {''.join(voids)}")
    if told["dealer"] == seat:
        words.append("dealer")
    return ", ".join(words)


def _trick(rules: Rules, state: BlobState, told: dict[str, Any]) -> str:
    """Return the open trick in order of play, and who wins it so far."""
    order = _from(rules, told["leader"])
    laid = [(seat, told["table"][seat]) for seat in order if told["table"][seat] != NO_CARD]
    if not laid:
        return f"player {told['leader']} leads"
    cards = "  ".join(f"{seat}: {card_name(card)}" for seat, card in laid)
    return f"{cards}   player {int(state.best_by)} wins so far"


def _last(state: BlobState) -> list[str]:
    """Return a line for the last trick, by seat: who led it is not kept."""
    laid = [names(np.asarray(hand & state.last).tolist()) for hand in state.dealt]
    if not any(laid):
        return []
    cards = "  ".join(f"{seat}: {held[0]}" for seat, held in enumerate(laid))
    # Between two tricks, and at the end, the leader is who won the last one.
    return [f"last trick  {cards}   player {int(state.leader)} won it"]


def _end(state: BlobState, told: dict[str, Any]) -> list[str]:
    if not bool(state.finished):
        return []
    if bool(state.illegal):
        paid = "  ".join(f"{seat}: {each:+g}" for seat, each in enumerate(state.rewards.tolist()))
        return [f"an illegal action ended it: {paid}"]
    best = max(told["scores"])
    first = [f"player {seat}" for seat, total in enumerate(told["scores"]) if total == best]
    return [f"over: highest total {best}: {', '.join(first)}"]


def _from(rules: Rules, first: int) -> list[int]:
    """Return the seats as they follow each other from `first` on."""
    return [(first + step) % rules.players for step in range(rules.players)]
