"""The runner of the suites: what a suite declares, how it is run, and what is made of its rows."""
