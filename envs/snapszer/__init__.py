"""Hungarian Snapszer: see README.md in this folder for its rules, flags, actions and observation."""
