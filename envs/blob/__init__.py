"""Blob (Oh Hell), three to eight players: README.md here tells its rules, flags and observation."""
