"""RQA Graph: an assistant whose own past guesses can never come back as facts."""
