"""Imperfect-information card games for JAX, their reference engines, and agents that learn them.

import jax, talonax
env = talonax.make("snapszer")
state = env.init(jax.random.key(0))
"""

import importlib
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from talonax.envs.core import Env as Env
    from talonax.envs.core import State as State
    from talonax.envs.registry import games as games
    from talonax.envs.registry import make as make
    from talonax.envs.registry import register as register

__version__ = "0.1.0"

_PARTS = ("agents", "configs", "envs", "parity")
_EXPORTS = {
    "Env": "talonax.envs.core",
    "State": "talonax.envs.core",
    "games": "talonax.envs.registry",
    "make": "talonax.envs.registry",
    "register": "talonax.envs.registry",
}

_missing = [part for part in _PARTS if not Path(__file__).parent.joinpath(part).is_dir()]
if _missing:
    raise ImportError(
        f"talonax is incomplete: {', '.join(_missing)} missing beside {__file__}. They are "
        "directory links that git checked out as files: run `git config core.symlinks true` and "
        "check out again."
    )


def __getattr__(name: str) -> Any:
    """Import parts and exports on first use: `import talonax` alone does not import jax."""
    if name in _PARTS:
        return _submodule(name)
    if name in _EXPORTS:
        return getattr(importlib.import_module(_EXPORTS[name]), name)
    raise AttributeError(f"module 'talonax' has no attribute {name!r}")


def _submodule(name: str) -> ModuleType:
    return importlib.import_module(f"talonax.{name}")


__all__ = ["Env", "State", "__version__", "games", "make", "register"]
