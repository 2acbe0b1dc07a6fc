"""The command line: one module a subcommand, and what they share.

Nothing here knows a game: everything goes through the contract of `talonax.envs.core`. A subcommand
is a frozen dataclass whose fields are its options and whose `run` does the work; jax is imported
inside `run`, so that `--help` and wrong options answer at once.
"""
