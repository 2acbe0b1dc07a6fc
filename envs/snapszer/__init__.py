"""Hungarian Snapszer: README.md here tells its rules, flags, actions and observation."""
