"""The command line: parses, calls and renders; no rule lives here."""
