"""The suites, one a file; each has a `SUITE`. A file that is here is found by its name."""
