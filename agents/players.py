"""Players by their names: a bot's, a run folder, one of its checkpoints, a file of a policy.

pretrained                  a policy that comes with talonax
greedy                      a bot of the game
runs/a                      the best policy of a run
runs/a/checkpoints/400000   the moving average at that step
policy.npz                  a saved policy
pretrained:argmax           one that learned, taking its likeliest action, not drawing
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from talonax.agents import policy as policies
from talonax.agents.arena import Player
from talonax.envs.core import Env

PRETRAINED = "pretrained"
#: After the name of a learned player: it takes its likeliest action.
ARGMAX = ":argmax"
#: The best policy of a run folder.
BEST = "policy.npz"
_FOLDER = Path(__file__).parent / PRETRAINED


def pretrained(game: str) -> Path | None:
    """Return the policy that comes with talonax for a game; None where there is none."""
    path = _FOLDER / f"{game}.npz"
    return path if path.is_file() else None


def names(game: str) -> list[str]:
    """Return the names of the players that come with a game."""
    return [*policies.names(game), *([PRETRAINED] if pretrained(game) else [])]


def player(env: Env[Any], name: str) -> Player:
    """Return the player of that name.

    Raises:
      ValueError: there is none, or it does not play this game; the message says what exists.
    """
    if name.endswith(ARGMAX):
        return _taking_the_likeliest(name, player(env, name.removesuffix(ARGMAX)))
    if name in policies.names(env.id):
        return Player(name, policies.by_name(env.id, name))
    if name == PRETRAINED:
        found = pretrained(env.id)
        if found is not None:
            return _from_file(env, name, found)
    path = Path(name)
    if path.is_file():
        return _from_file(env, name, path)
    if (path / BEST).is_file():
        return _from_file(env, name, path / BEST)
    if path.is_dir():
        from talonax.agents import saved

        try:
            from talonax.agents.runs import learned_at
        except ImportError:
            raise ValueError(f"{name}: reading checkpoints needs the extra train") from None

        policy, params, about = learned_at(env, path)
        saved.check_fits(name, about, env, policy, params)
        return Player(name, policy, params)
    raise ValueError(
        f"{env.id} has no player {name!r}; there are: {', '.join(names(env.id))}, "
        f"run folders, their checkpoints and files of policies; after what learned, {ARGMAX}"
    )


def seat(env: Env[Any], chosen: Sequence[str]) -> Player:
    """Return the player that plays all seats: the i-th name sits in seat i; one name, everywhere.

    Raises:
      ValueError: another number of names than one or all seats, or as `player`.
    """
    if len(chosen) not in (1, env.num_players):
        raise ValueError(
            f"{env.id} has {env.num_players} seats; give one policy or {env.num_players}, "
            f"not {len(chosen)}"
        )
    known = {name: player(env, name) for name in chosen}
    if len(known) == 1:
        return next(iter(known.values()))
    places = list(known)
    policy = policies.Seated(
        tuple(each.policy for each in known.values()), tuple(places.index(name) for name in chosen)
    )
    return Player(" ".join(chosen), policy, tuple(each.params for each in known.values()))


def _taking_the_likeliest(name: str, drawing: Player) -> Player:
    from talonax.agents.network import NetworkPolicy

    if not isinstance(drawing.policy, NetworkPolicy):
        raise ValueError(f"{name}: only players that learned have a likeliest action")
    return Player(name, replace(drawing.policy, greedy=True), drawing.params)


def _from_file(env: Env[Any], name: str, path: Path) -> Player:
    from talonax.agents import saved  # networks take a second to import, and bots need none

    found = saved.load(path, env)
    return Player(name, found.policy, found.params)
