"""The tools that a person can enable, and how they are opened."""
