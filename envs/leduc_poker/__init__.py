"""Leduc poker: see README.md in this folder for its rules, actions and observation."""
