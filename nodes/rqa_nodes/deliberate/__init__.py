"""Deliberation: what several engines make of verified sources, and whether it is good enough to be kept."""
