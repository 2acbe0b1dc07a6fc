"""Our games in the shape of other suites' environments; each needs its own extra installed."""
