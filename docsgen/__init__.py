"""Pages of `docs/` that are made from the code and from committed results, so that they cannot say anything else."""
