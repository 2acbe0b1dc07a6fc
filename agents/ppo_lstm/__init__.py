"""PPO-LSTM: recurrent proximal policy optimisation by self-play (agents/README.md tells how)."""
