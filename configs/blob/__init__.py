"""Blob: the schema of its rules and its profile."""
