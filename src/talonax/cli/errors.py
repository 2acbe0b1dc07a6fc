"""What the user got wrong, and what the process then returns."""

#: Exit codes.
DIFFERENT = 1
USAGE = 2
INTERRUPTED = 130


class UsageError(Exception):
    """The command cannot do what was asked; the message is one line: what is wrong, what exists."""
