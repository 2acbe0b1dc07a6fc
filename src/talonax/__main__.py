"""The command line: `talonax COMMAND ..`, or `python -m talonax COMMAND ..`.

Here options are parsed and a command is started; `talonax.cli` has one module for each. What a user
got wrong is told in one line on standard error, with exit code 2.
"""

import contextlib
import inspect
import io
import os
import re
import shutil
import signal
import sys
import textwrap
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import tyro

import talonax
from talonax.cli import output
from talonax.cli.arena import Arena
from talonax.cli.bench import Bench
from talonax.cli.errors import INTERRUPTED, USAGE, UsageError
from talonax.cli.exploitability import Exploitability
from talonax.cli.games import Games
from talonax.cli.parity import Parity
from talonax.cli.replay import Replay
from talonax.cli.selfplay import Selfplay
from talonax.cli.show import Show
from talonax.cli.train import Train

PROG = "talonax"
COMMANDS: Mapping[str, type[Any]] = {
    "games": Games,
    "selfplay": Selfplay,
    "replay": Replay,
    "show": Show,
    "parity": Parity,
    "bench": Bench,
    "train": Train,
    "arena": Arena,
    "exploitability": Exploitability,
}
MAX_WIDTH = 90


class Command(Protocol):
    """A subcommand with its options."""

    def run(self) -> int:
        """Do the work, and return the exit code."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
      arguments: those of the process if None.

    Returns:
      The exit code: 0, 1 if `parity` found a difference, 2 if what was asked for cannot be done,
      130 if it was interrupted.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # suits and dashes, where only ASCII can be shown
    try:
        with _terminated_as_interrupted():
            return _run(words)
    except UsageError as error:
        output.remark(f"{PROG}: {error}")
        return USAGE
    except KeyboardInterrupt:
        output.remark(f"{PROG}: interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output wants no more of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(words: list[str]) -> int:
    first, *rest = words or [""]
    if first in COMMANDS:
        command = parse(first, rest)
        return 0 if command is None else command.run()
    if first in ("-h", "--help"):
        print(_overview())
        return 0
    if first == "--version":
        print(f"{PROG} {talonax.__version__}")
        return 0
    wrong = f"no command {first!r}" if first else "a command is needed"
    raise UsageError(f"{wrong}; there are: {', '.join(COMMANDS)} (see {PROG} --help)")


def parse(name: str, words: Sequence[str]) -> Command | None:
    """Return the command of that name with the options that the words give it.

    Returns:
      None if only help was asked for, and was printed.

    Raises:
      UsageError: an option or a value that does not exist, or one that is missing.
    """
    told, prog = io.StringIO(), f"{PROG} {name}"
    if {"-h", "--help"} & set(words):  # tyro would set each paragraph on one line
        print(_description(COMMANDS[name]), end="\n\n")
    try:
        with contextlib.redirect_stderr(told):
            command: Command = tyro.cli(
                COMMANDS[name],
                prog=prog,
                description="",
                args=list(words),
                config=(tyro.conf.FlagCreatePairsOff,),
            )
    except SystemExit as exit_:
        if not exit_.code:
            return None
        raise UsageError(f"{_in_one_line(told.getvalue())} (see {prog} --help)") from None
    return command


def _overview() -> str:
    """Return the help of the whole."""
    width = max(len(name) for name in COMMANDS)
    lines = [f"  {name:<{width}}  {_paragraphs(cls)[0]}" for name, cls in COMMANDS.items()]
    return "\n".join(
        [
            "Imperfect-information card games for JAX.",
            "",
            f"usage: {PROG} COMMAND [OPTIONS], {PROG} COMMAND --help, {PROG} --version",
            "",
            *lines,
            "",
            f"To begin with: {PROG} selfplay snapszer",
        ]
    )


def _description(command: type[Any]) -> str:
    width = min(MAX_WIDTH, shutil.get_terminal_size().columns)
    return "\n\n".join(textwrap.fill(text, width) for text in _paragraphs(command))


def _paragraphs(command: type[Any]) -> list[str]:
    """Return the paragraphs of a command's docstring, up to its attributes."""
    text = (inspect.getdoc(command) or "").partition("Attributes:")[0]
    return [" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n")]


def _in_one_line(boxed: str) -> str:
    """Return what tyro's boxed message says, without the box, its title and the texts of options.

    Its parts are divided by rules; only the first, and those that say what else there is, count.
    """
    plain = re.sub(r"\x1b\[[0-9;]*m", "", boxed)
    parts: list[list[str]] = [[]]
    for line in plain.splitlines()[1:]:
        inside = line.strip("│╭╮╰╯|+")  # plain ASCII where the output's encoding is
        if inside.strip() and not inside.strip("─- "):
            parts.append([])
        elif inside.strip():
            parts[-1].append(inside)
    said = [part for part in parts if part and "helptext" not in part[0]]
    return "; ".join(_joined(part) for part in said)


def _joined(lines: list[str]) -> str:
    """Return a heading with the options under it; their help is indented deeper."""
    if not lines[0].rstrip().endswith(":"):
        return " ".join(" ".join(lines).split())
    depths = [len(line) - len(line.lstrip()) for line in lines[1:]]
    options = [
        line.strip()
        for line, depth in zip(lines[1:], depths, strict=True)
        if depth == min(depths) and not line.strip().startswith("(")
    ]
    return f"{lines[0].strip()} {', '.join(options)}"


@contextlib.contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """Let a SIGTERM, of a cluster's time limit say, keep what is done, as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


if __name__ == "__main__":
    sys.exit(main())
