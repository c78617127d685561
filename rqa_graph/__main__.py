"""`python -m rqa_graph` is `rqa`."""

from rqa_graph.cli.main import main

if __name__ == "__main__":
    main()
