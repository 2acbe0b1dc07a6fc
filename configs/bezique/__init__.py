"""Bezique: the schema of its rules and its profiles."""
