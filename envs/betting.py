"""What the betting games share: the record of actions, hidden cards drawn anew, positions as JSON.

A record holds every action of a game in one word, two bits each, in the order of its places; an
empty place is 0. Idling (`Env.idles`) writes nothing into it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from talonax.envs import cards, planes
from talonax.envs.core import NOBODY, Env, S
from talonax.envs.keys import key_words, typed_key
from talonax.envs.positions import check_names

#: Bits of one action: 0 for none, so that there may be three.
BITS = 2
#: What an empty place reads as.
NONE = -1


def put(record: Array, place: ArrayLike, action: Array) -> Array:
    """Return the record with `action` (int32[], -1 for none) written into an empty `place`."""
    shift = BITS * jnp.asarray(place, jnp.int32)
    written: Array = record | ((action - NONE) << shift).astype(record.dtype)
    return written


def unfold(record: Array, places: int) -> Array:
    """Return int32[places]: the actions, -1 where there was none."""
    shifts = BITS * jnp.arange(places, dtype=jnp.int32)
    actions: Array = (record.astype(jnp.int32) >> shifts & (2**BITS - 1)) + NONE
    return actions


def drawn(key: Array, seen: Array, size: int) -> Array:
    """Return int32[size]: the cards in a uniformly random order, those `seen` (a bit set) last."""
    order = cards.shuffle(typed_key(key_words(key)), size)
    return order[jnp.argsort(cards.unpack(seen, size)[order], stable=True)]


# Positions --------------------------------------------------------------------------------------


def replayed(env: Env[S], cells: Sequence[int], common: Mapping[str, Array], given: Any) -> S:
    """Return the state that the actions of a position lead to.

    Args:
      env: the game.
      cells: the grid's cell of each card, by number.
      common: the fields of `State`, as `Env.from_position` is given them.
      given: the position: `cards`, the names of those that the game uses, from the top of the
        deck, and `actions`, the names of all actions so far.

    Raises:
      ValueError: an entry is missing, unknown or wrong, an action is not legal, or `common` says
        that the game is over and the actions do not, or the reverse.
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"position: an object is needed, is {given!r}")
    check_names("position", given, ("cards", "actions"))
    names = [planes.cell_name(cell) for cell in cells]
    top = _listed("cards", given["cards"], names)
    if len(top) != env.cards_used or len(set(top)) < len(top):
        raise ValueError(
            f"position: cards: {env.cards_used} different ones are needed, is {given['cards']!r}"
        )
    state = env.deal(jnp.array(top + [card for card in env.deck_cards if card not in top]))
    actions = [env.action_name(action) for action in range(env.num_actions)]
    for place, action in enumerate(_listed("actions", given["actions"], actions)):
        if bool(state.finished) or not bool(env.legal_action_mask(state)[action]):
            raise ValueError(
                f"position: actions: {actions[action]!r} is not legal at place {place} of "
                f"{given['actions']!r}"
            )
        state = env.step_legal(state, action)
    over = bool(common["terminated"]) or bool(common["truncated"])
    if over != bool(state.finished) and not bool(common["illegal"]):
        told, but = ("is over", "goes on") if over else ("goes on", "is over")
        raise ValueError(f"position: the game {told} by its state, and {but} by its actions")
    mover = jnp.int32(NOBODY) if over else state.current_player
    read: S = state.replace(**{**common, "current_player": mover})
    return read


def _listed(entry: str, given: Any, names: Sequence[str]) -> list[int]:
    """Return the numbers of names in a list."""
    if not isinstance(given, list) or any(name not in names for name in given):
        raise ValueError(
            f"position: {entry}: a list of names is needed, is {given!r}; there are: "
            f"{', '.join(names)}"
        )
    return [names.index(name) for name in given]
