"""What all tests share: where the recorded games and cases are, and how jax compiles here."""

import gc
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("TALONAX_SHARED", ROOT.parent / "shared"))
CACHE = os.environ.get("TALONAX_TEST_CACHE", Path.home() / ".cache" / "talonax-tests")

# Rule tests compile far more than they compute: no optimisation, and compiled code kept between
# runs. Set before jax is imported; a caller's own flags come last and win.
os.environ["XLA_FLAGS"] = (
    "--xla_backend_optimization_level=0 --xla_force_host_platform_device_count=8 "
    + os.environ.get("XLA_FLAGS", "")
)
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(CACHE))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow what `quick_first` says is."""
    begun = set()
    for item in items:
        if item.get_closest_marker("quick_first"):
            test = item.nodeid.partition("[")[0]
            if test in begun:
                item.add_marker(pytest.mark.slow)
            begun.add(test)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give the tests of a file to one worker, file after file: they share what is compiled."""
    if config.getoption("dist") != "load":  # what `-n` alone asks for
        return None
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False
    return LoadFileScheduling(config, log)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recorded games and cases; skips where there is none."""
    if not SHARED.is_dir():
        pytest.skip(f"no recorded games at {SHARED} (set TALONAX_SHARED)")
    return SHARED


@pytest.fixture
def same_batched_and_alone() -> Callable[..., Any]:
    """A check that a bot does in each of some games what it does in all of them at once."""
    import jax
    import numpy as np

    def check(env: Any, bot: Any, games: int, moves: int) -> Any:
        """Play so many moves in so many games; return the states after them."""

        def act(state: Any) -> Any:
            mask, key = env.legal_action_mask(state), jax.random.key(0)
            return bot.act(None, env, bot.see(env, state), mask, (), key)[0]

        alone, together = jax.jit(act), jax.jit(jax.vmap(act))
        step = jax.jit(jax.vmap(env.step))
        states = jax.vmap(env.init)(jax.random.split(jax.random.key(2), games))
        for _ in range(moves):
            batched = together(states)
            each = [jax.tree.map(lambda leaf, i=i: leaf[i], states) for i in range(games)]
            assert np.asarray(batched).tolist() == [int(alone(state)) for state in each]
            states = step(states, batched)
        return states

    return check


@pytest.fixture(scope="module", autouse=True)
def _memory() -> Iterator[None]:
    """Give back what a module compiled: thousands of tests in one process would fill the memory."""
    yield
    import jax

    jax.clear_caches()
    gc.collect()
