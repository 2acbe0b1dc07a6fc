"""Ctrl-C as a request: heard where stopping loses nothing."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from talonax.cli import output


@contextmanager
def stop_requests(first: str) -> Iterator[Callable[[], bool]]:
    """Turn Ctrl-C and SIGTERM into a request; a second one interrupts.

    Yields a function that tells whether one came. In a thread that gets no signals there are none.

    Args:
      first: what is still done before stopping, for the user to read.
    """
    asked = False
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return

    def ask(number: int, frame: Any) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        output.remark(f"stopping after {first}; again to give it up")

    before = {each: signal.signal(each, ask) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: asked
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
