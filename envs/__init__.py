"""The JAX games: pure state-transition functions over fixed-shape arrays and bit sets."""

if __name__ != "talonax.envs":
    raise ImportError("import `talonax.envs`, not `envs`: the folder is part of the package")
