"""The metrics of a run for TensorBoard, where its package is installed."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol


class Tell(Protocol):
    """Writes numbers."""

    def __call__(self, step: int, entry: Mapping[str, Any]) -> None:
        """Write the numbers in `entry`, those of mappings inside by their path: `a/b/c`."""


@contextmanager
def events(folder: Path) -> Iterator[Tell]:
    """Open an event file in `folder`; without tensorboard nothing is written."""
    try:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary
        from tensorboard.summary.writer.event_file_writer import EventFileWriter
    except ImportError:
        yield lambda step, entry: None
        return

    writer = EventFileWriter(str(folder))

    def tell(step: int, entry: Mapping[str, Any]) -> None:
        values = [Summary.Value(tag=name, simple_value=number) for name, number in _flat(entry)]
        writer.add_event(Event(wall_time=time.time(), step=step, summary=Summary(value=values)))

    try:
        yield tell
    finally:
        writer.close()


def _flat(entry: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, float]]:
    for name, value in entry.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}/")
        else:
            yield f"{before}{name}", float(value)
