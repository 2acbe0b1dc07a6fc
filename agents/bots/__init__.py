"""Bots: policies that need no training, a module for each game (`configs/games.py` lists them)."""
