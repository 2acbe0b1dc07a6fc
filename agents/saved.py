"""A learned policy as one small file: parameters and what they belong to.

The file is a numpy archive: an array for each parameter, named `policy/kernel` and so on, and
`about`, a JSON text. Nothing but numpy reads it, on any device; a trainer's checkpoints, which can
be trained on, are another thing (`agents/runs.py`).
"""

import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jax
import numpy as np
from flax.traverse_util import flatten_dict, unflatten_dict

from talonax.agents.network import NetworkPolicy
from talonax.envs.core import Env

SCHEMA = 1
ABOUT = "about"
#: The collection of Flax that holds all that is learned.
COLLECTION = "params"
#: Parts that only learning needs.
CRITIC = "critic_"


class SavedError(ValueError):
    """A file that holds no policy, or not one for this game; the message says which."""


@dataclass(frozen=True)
class Saved:
    """A policy from a file.

    Attributes:
      policy: how it plays.
      params: what it has learned.
      about: what the file says of it: game, rules, settings, versions.
    """

    policy: NetworkPolicy
    params: Any
    about: Mapping[str, Any]


def for_play(policy: NetworkPolicy, params: Any) -> tuple[NetworkPolicy, Any]:
    """Return a policy and what it learned without the critic, which only learning needs."""
    parts = params[COLLECTION]
    kept = {name: part for name, part in parts.items() if not name.startswith(CRITIC)}
    return replace(policy, critic=()), {COLLECTION: kept}


def save(path: Path, policy: NetworkPolicy, params: Any, about: Mapping[str, Any]) -> None:
    """Write a policy; beside the file first, so that it is never there by half."""
    policy, learned = for_play(policy, jax.device_get(params))
    arrays: dict[str, Any] = flatten_dict(learned[COLLECTION], sep="/")
    network = {
        "trunk": list(policy.trunk),
        "lstm": policy.lstm,
        "rename_suits": policy.rename_suits,
    }
    arrays[ABOUT] = np.array(json.dumps({"schema": SCHEMA, "network": network, **about}))
    beside = path.with_name(path.name + ".part")
    with beside.open("wb") as file:
        np.savez_compressed(file, **arrays)
    beside.replace(path)


def load(path: Path, env: Env[Any]) -> Saved:
    """Read a policy for `env`.

    Raises:
      SavedError: the file cannot be read, or holds no policy for this game.
    """
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        about = json.loads(str(arrays.pop(ABOUT)))
        network = about["network"]
        policy = NetworkPolicy(
            tuple(network["trunk"]), int(network["lstm"]), rename_suits=network["rename_suits"]
        )
    except OSError as error:
        raise SavedError(f"{path}: {error.strerror or error}") from None
    except (KeyError, TypeError, ValueError, EOFError, zipfile.BadZipFile, zlib.error):
        raise SavedError(f"{path}: holds no policy that was saved by talonax") from None
    params = {COLLECTION: unflatten_dict(arrays, sep="/")}
    check_fits(str(path), about, env, policy, params)
    return Saved(policy, params, about)


def check_fits(
    source: str, about: Mapping[str, Any], env: Env[Any], policy: NetworkPolicy, params: Any
) -> None:
    """Raise a `SavedError` if the parameters are not those of the policy's network for `env`."""
    if about.get("game") != env.id:
        raise SavedError(f"{source}: learned to play {about.get('game')}, not {env.id}")
    wanted = jax.eval_shape(lambda: policy.init_params(env, jax.random.key(0)))
    shapes = jax.tree.map(lambda leaf: leaf.shape, wanted)
    if jax.tree.map(np.shape, params) != shapes:
        raise SavedError(
            f"{source}: learned {env.id} under the rules {about.get('rules')}: what is observed "
            "there has another size than under the rules that are asked for"
        )
