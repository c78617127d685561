"""Corpora for a question generator: only what production itself would accept may teach one."""
