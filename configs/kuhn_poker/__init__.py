"""Kuhn poker: the schema of its rules and its profile."""
