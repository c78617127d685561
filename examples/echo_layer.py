"""A memory layer of your own under `rqa echo-test`: ten lines around what you have.

Run: rqa echo-test --layer echo_layer:LastFive
"""

from rqa_graph.echo_test import Assistant, Found


class LastFive:
    """Remembers the last five messages, and not who said them."""

    name = "last five messages"

    def __init__(self) -> None:
        self.messages: list[str] = []

    def turn(self, asked: str, assistant: Assistant) -> tuple[str, list[Found]]:
        """Retrieve, let the assistant write, store."""
        found = [Found(text, speaker="") for text in self.messages[-5:]]
        shown = assistant(found)
        self.messages += [asked, shown]
        return shown, found
