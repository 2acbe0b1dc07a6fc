"""Whether an env keeps the contract; and steps that say what was illegal. For authors of games.

    from talonax.envs.check import check_env
    check_env(talonax.make("my_game"))

plays games at random and tries every promise of `envs/core.py` on them; the first that is broken
raises `ContractError`, which says which one, for which env, and in which game and step.
"""

from typing import Any

import numpy as np
from jax.typing import ArrayLike

from talonax.envs.checks.looking import check_looking, check_redeal
from talonax.envs.checks.plain import check_plain
from talonax.envs.checks.playing import check_playing
from talonax.envs.checks.renaming import check_renaming
from talonax.envs.checks.running import check_running
from talonax.envs.checks.trial import ContractError, Trial
from talonax.envs.core import Env, S, State


class IllegalMoveError(ValueError):
    """An action that is not legal; the message names it and those that are."""


def check_env(env: Env[Any], *, redeal: bool = True, games: int = 256) -> None:
    """Try every promise of the contract on random games, whole matches included.

    Args:
      env: the env.
      redeal: also try `env.redeal`; False for a game that has none yet.
      games: how many games are played; few will not meet rare positions.

    Raises:
      ContractError (an AssertionError): a promise is broken; the message says which, and where.
      ValueError: no game is to be played.
    """
    if games < 1:
        raise ValueError(f"games={games}: at least one game must be played")
    trial = Trial(env, games)
    check_plain(trial)
    check_playing(trial)
    check_looking(trial)
    check_renaming(trial)
    if redeal:
        check_redeal(trial)
    check_running(trial, redeal)


def step_checked(env: Env[S], state: S, action: ArrayLike) -> S:
    """Carry out an action outside `jit`, or say why it cannot be done.

    Args:
      env: the env.
      state: one position, not traced.
      action: an action id.

    Raises:
      IllegalMoveError (a ValueError): the action is not legal, or the game is over.
      TypeError: the action is no integer.
    """
    if bool(state.finished):
        raise IllegalMoveError(
            f"{_named(env, state, action)}: the game is over, no action is legal"
        )
    mask = np.asarray(env.legal_action_mask(state))
    after = env.step(state, action)
    if bool(after.illegal):
        legal = ", ".join(_named(env, state, each) for each in np.flatnonzero(mask))
        raise IllegalMoveError(
            f"{_named(env, state, action)} is not legal for player {int(state.current_player)}; "
            f"legal are: {legal}"
        )
    return after


def _named(env: Env[Any], state: State, action: ArrayLike) -> str:
    number = int(np.asarray(action))
    if 0 <= number < env.num_actions:
        return f"action {number} ({env.name_in(state, number)})"
    return f"action {number} (there is none; ids are 0 .. {env.num_actions - 1})"


__all__ = ["ContractError", "IllegalMoveError", "check_env", "step_checked"]
