"""What the user got wrong, and how it is told."""


class UsageError(Exception):
    """The command cannot do what was asked; the message is one line that says why and what exists."""
