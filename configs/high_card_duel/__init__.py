"""High Card Duel: the schema of its rules and its profile."""
