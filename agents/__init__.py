"""Agents: the policy interface, bots, and what learns."""

if __name__ != "talonax.agents":
    raise ImportError("import `talonax.agents`, not `agents`: the folder is part of the package")
