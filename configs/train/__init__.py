"""Settings of the trainers: one YAML file for each algorithm and game, and what may stand in it."""
