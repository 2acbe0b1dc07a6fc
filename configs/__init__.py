"""Rules as data: a schema per game, named profiles in YAML, and the list of the games.

Plain Python without jax, imported by `envs` and `parity` alike: both sides of the parity check read
the same rules from the same file, and nothing else of each other.
"""

if __name__ != "talonax.configs":
    raise ImportError("import `talonax.configs`, not `configs`: the folder is part of the package")
