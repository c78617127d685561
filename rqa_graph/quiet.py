"""How does somebody else's model speak without anybody hearing it before it was verified?

Callbacks and tracers are inherited through a context variable, so that a stream handler of the surrounding run would
publish every token. Inside `quiet` the only handler is our own listener, and tracing is off: an empty callback list
alone still gets a tracer where a tracing variable is set. The listener keeps what the model said for one purpose: an
error that repeats it must not leave either, because errors stand in streams, checkpoints and traces.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, GenerationChunk, LLMResult
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.base import RunnableBindingBase
from langchain_core.runnables.config import var_child_runnable_config
from langsmith.run_helpers import tracing_context

from rqa_graph.errors import WithheldError
from rqa_nodes.echo import IncrementalVerifier

__all__ = ["Listener", "Releaser", "alone", "quiet", "quiet_model", "showable"]

_RUN: Final = 16
_DENSE_RUN: Final = 8
"""Letters in a row by which a text is taken to repeat another: Latin ones, and those that say as much in half."""

_KEPT_CHARS: Final = 1_000_000
"""What a listener keeps of one call; more than any model says in one."""

_Model = TypeVar("_Model")


class Listener(BaseCallbackHandler):
    """Hears what models say inside `quiet`, and passes nothing on."""

    run_inline = True

    def __init__(self) -> None:
        self.spoken: list[str] = []
        self._room = _KEPT_CHARS

    def _hear(self, text: str) -> None:
        self.spoken.append(text[: self._room])
        self._room -= len(self.spoken[-1])

    def on_llm_new_token(
        self,
        token: str | list[str | dict[str, Any]],
        *,
        chunk: GenerationChunk | ChatGenerationChunk | None = None,
        run_id: UUID,
        **_kwargs: Any,
    ) -> None:
        """Hear a piece of a reply that may break off."""
        del chunk, run_id
        self._hear(str(token))

    def on_llm_end(self, response: LLMResult, **_kwargs: Any) -> None:
        """Hear a whole reply, arguments of tool calls included."""
        for row in response.generations:
            for one in row:
                self._hear(one.text)
                if isinstance(one, ChatGeneration) and isinstance(one.message, AIMessage):
                    for call in (*one.message.tool_calls, *one.message.invalid_tool_calls):
                        self._hear(str(call["args"]))

    def repeats(self, text: str) -> bool:
        """Does a text hold some of what was said?"""
        said = "".join(self.spoken)
        if not said:
            return False
        # An escaped form hides what it says; nobody else escapes letters in an error.
        return "\\u" in text or not _runs(said).isdisjoint(_runs(text))


class Releaser(Listener):
    """A listener that lets out, sentence by sentence, what is verified by now.

    A chat model streams inside a plain call if a handler has the two `tap_output` methods (LangChain's own protocol).
    """

    run_inline = False
    """In an async run it works in a thread: a reference may have to be looked up on a disk."""

    def __init__(self, verifier: IncrementalVerifier, release: Callable[[str], None]) -> None:
        super().__init__()
        self.released = ""
        self._verifier = verifier
        self._release = release
        self._run: UUID | None = None

    def on_llm_new_token(
        self,
        token: str | list[str | dict[str, Any]],
        *,
        chunk: GenerationChunk | ChatGenerationChunk | None = None,
        run_id: UUID,
        **_kwargs: Any,
    ) -> None:
        """Take a piece of the first reply; another model asked in the same call is not heard here."""
        super().on_llm_new_token(token, run_id=run_id)
        self._run = self._run or run_id
        if run_id == self._run and chunk is not None:
            text = self._verifier.feed(chunk.text)
            if text:
                self.released += text
                self._release(text)

    def tap_output_aiter(self, run_id: UUID, output: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Of the protocol; changes nothing."""
        del run_id
        return output

    def tap_output_iter(self, run_id: UUID, output: Iterator[Any]) -> Iterator[Any]:
        """Of the protocol; changes nothing."""
        del run_id
        return output


def _runs(text: str) -> set[str]:
    """Pieces of the letters and digits of a text: spaces, marks and case do not hide what it repeats."""
    text = "".join(filter(str.isalnum, text)).casefold()
    runs = {text[at : at + _RUN] for at in range(max(1, len(text) - _RUN + 1))}
    dense = (text[at : at + _DENSE_RUN] for at in range(max(1, len(text) - _DENSE_RUN + 1)))
    return runs | {run for run in dense if not any(map(str.isascii, run))}


@contextmanager
def quiet(listener: Listener) -> Iterator[None]:
    """Within this block no callback of the surrounding run and no tracer hears a model. Blocks may nest."""
    config: RunnableConfig = {**(var_child_runnable_config.get() or {}), "callbacks": [listener]}
    token = var_child_runnable_config.set(config)
    try:
        with tracing_context(enabled=False):
            yield
    finally:
        var_child_runnable_config.reset(token)


@contextmanager
def alone() -> Iterator[None]:
    """Within this block a graph runs as if nobody had called it: no callback, stream or checkpoint is inherited."""
    token = var_child_runnable_config.set(None)
    try:
        with tracing_context(enabled=False):
            yield
    finally:
        var_child_runnable_config.reset(token)


def quiet_model(model: _Model) -> _Model:
    """A copy of a model without callbacks of its own; the same settings, the same client."""
    fields = getattr(type(model), "model_fields", {})
    changes: dict[str, Any] = {}
    if isinstance(model, RunnableBindingBase):
        config = {key: value for key, value in model.config.items() if key != "callbacks"}
        changes = {"bound": quiet_model(model.bound), "config": config}
    elif "callbacks" in fields:
        changes = {"callbacks": None}
    copy = getattr(model, "model_copy", None)
    return copy(update=changes) if copy is not None and changes else model


def showable(error: Exception, listener: Listener) -> Exception:
    """The error itself if it repeats nothing of what the model said, else one that only names it."""
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__ or link.__context__
    words = "\n".join(f"{one} {one.args!r} {vars(one)!r}" for one in chain)
    if not listener.repeats(words):
        return error
    return WithheldError(
        f"the run failed with {type(error).__name__}; its words are withheld, since they repeat what the model said",
        hint="Call the model without the guard to see the whole error.",
    )
