"""What is remembered: the log, the index, the question graph and the checkpoints."""
