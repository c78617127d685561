"""`python -m training`."""

from training.cli import main

main()
