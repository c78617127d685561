"""Measurements: what is claimed in the README, by a command, with its counts and its baselines."""
