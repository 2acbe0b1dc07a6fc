"""Where things go: results to standard output, progress and remarks to standard error."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

SCHEMA = 1
#: Columns that a table may take, however narrow the terminal.
WIDEST = 1000
#: From here on a number is shown without decimals; four digits would need a power of ten.
PLAIN = 1e4


def print_json(**entries: Any) -> None:
    """Print the one JSON object of a command."""
    print(json.dumps({"schema": SCHEMA, **entries}, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table; columns of numbers are set to the right, only the last column is folded.

    What does not fit is printed in longer lines: no digit is cut off.
    """
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    last = len(head) - 1
    for column, name in enumerate(head):
        values = [row[column] for row in rows]
        numbers = all(isinstance(value, int | float | None) for value in values)
        justify: Literal["left", "right"] = "right" if numbers else "left"
        widest = max(len(name), *(len(_cell(value)) for value in values), 0)
        least = widest if column < last else None
        table.add_column(Text(name), justify=justify, overflow="fold", min_width=least)
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    console = Console(highlight=False)
    needed = Measurement.get(console, console.options.update(max_width=WIDEST), table).minimum
    console.print(table, width=max(console.width, needed), crop=False)


def print_pairs(pairs: Sequence[tuple[str, str]]) -> None:
    """Print names and what they are, one a line."""
    width = max(len(name) for name, _ in pairs)
    for name, value in pairs:
        print(f"{name:<{width}}  {value}")


def remark(text: str) -> None:
    """Print a remark to standard error."""
    print(text, file=sys.stderr)


def short(number: float) -> str:
    """Return a number with three digits and a unit: 1.23 M."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(number) >= size:
            return f"{number / size:.3g} {unit}" if abs(number) < 1e3 * size else f"{number:.3g}"
    return f"{number:.3g}"


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= PLAIN else f"{value:.4g}"
    return str(value)


class Bar:
    """A progress bar that is shown."""

    def __init__(self, bar: Progress, task: TaskID) -> None:
        self._bar, self._task = bar, task

    def __call__(self, done: int, told: str = "") -> None:
        """Say how much is done in all, and what else is worth telling."""
        self._bar.update(self._task, completed=done, told=told)

    def say(self, text: str) -> None:
        """Print a line above the bar; without a terminal to standard error, too."""
        if self._bar.disable:
            remark(text)
        else:
            self._bar.console.print(text, highlight=False, markup=False)


class _Rate(ProgressColumn):
    def __init__(self, unit: str) -> None:
        super().__init__()
        self.unit = unit

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{short(speed)} {self.unit}/s" if speed else "")


@contextmanager
def progress(what: str, total: int, unit: str) -> Iterator[Bar]:
    """Show a progress bar with a rate on standard error, if that is a terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        _Rate(unit),
        TimeRemainingColumn(),
        TextColumn("{task.fields[told]}"),
    )
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    with bar:
        yield Bar(bar, bar.add_task(what, total=total, told=""))
