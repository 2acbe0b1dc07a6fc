"""The tables of `agents/README.md`, printed from the code: `python -m talonax.agents.page --write`.

As `talonax.envs.pages`, which has the tables of the games.
"""

import sys
from pathlib import Path

from talonax.configs.train.schema import PPOSettings
from talonax.envs.pages import entries, fill, run

PAGE = Path(__file__).parent / "README.md"


def filled(text: str) -> str:
    """Return the page with its generated tables as the code prints them now."""
    return fill(text, {"settings": lambda: entries(PPOSettings, "setting")})


def main(arguments: list[str] | None = None) -> int:
    """Check the page, or write it; return the exit code."""
    return run({PAGE: filled}, "python -m talonax.agents.page", arguments)


if __name__ == "__main__":
    sys.exit(main())
