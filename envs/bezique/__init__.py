"""Bezique with four packs and four Jokers, for two or four players."""
