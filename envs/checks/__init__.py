"""The promises of `envs/core.py`, one function each; `talonax.envs.check` runs them."""
