"""What all tests share: where the recorded games and cases are, and how jax compiles here."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

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
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.2")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recorded games and cases; skips where there is none."""
    if not SHARED.is_dir():
        pytest.skip(f"no recorded games at {SHARED} (set TALONAX_SHARED)")
    return SHARED


@pytest.fixture(scope="module", autouse=True)
def _memory() -> Iterator[None]:
    """Give back what a module compiled: thousands of tests in one process would fill the memory."""
    yield
    import jax

    jax.clear_caches()
    gc.collect()
