"""Two-player Tysiac (Thousand): README.md here tells its rules, flags, actions and observation."""
