"""How does a graph that somebody else built answer with verified messages only?

`guard` runs the graph as it is, alone and unheard, reads its state after each step, and lets out verified forms.
Invariant: nothing leaves that was not read here, so whatever cannot be read - tokens, events, the streams of
subgraphs, what nodes write to the custom channel - is refused, not passed on.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import aclosing, closing
from typing import Any, Final, Literal, cast, get_args

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphBubbleUp, GraphRecursionError
from langgraph.pregel import Pregel

from rqa_graph.errors import ConfigError, RefusedStreamError
from rqa_graph.quiet import Listener, alone, showable
from rqa_graph.state_reader import INTERRUPT, Given, Rules, StateReader

__all__ = ["GuardedGraph", "StreamMode", "guard"]

StreamMode = Literal["values", "updates", "messages"]
_INNER_MODES: Final[Any] = ("updates", "values")


def guard(
    graph: Pregel[Any, Any, Any, Any],
    *,
    given: Given = (),
    external: Collection[str] = (),
    messages_key: str = "messages",
) -> GuardedGraph:
    """Wrap a compiled graph whose state has messages, so that only verified text comes out of it.

    The result has `invoke`, `ainvoke`, `stream` and `astream`, with the stream modes values, updates and messages
    (whole messages, when the step that made them is over). It **refuses** `subgraphs=True`, every other stream mode and
    the event streams of the inner graph: they carry text that nobody has verified. Callbacks and tracing of the caller
    do not reach the inner graph, and inside a node of another graph it runs as a graph of its own.

    Interrupts pass through and are resumed with `Command(resume=...)` and the same thread; texts in them are verified
    but for the arguments of calls, which whoever approves must see as they are. All other strings of the state are
    verified too, field by field; `Document`s and the keys named in `external` pass as they are.

    **The inner graph's own checkpoints, its `get_state` and its history hold unverified text**, and so do handlers that
    are fixed on its models: they belong to whoever runs it. Do not show them.

    Args:
        graph: As compiled, with its own checkpointer if it has one.
        given: Remembered items that its model was given, or a function of the state that tells them.
        external: Keys of the state that hold text of documents, tools or the web.
        messages_key: Where its messages are.

    Raises:
        ConfigError: That is no compiled graph, or its state has no such key.
    """
    if not isinstance(graph, Pregel):
        raise ConfigError(f"expected a compiled graph, found {type(graph).__name__}", hint="Pass what compile() gave.")
    if messages_key not in graph.channels:
        raise ConfigError(
            f"the graph has no channel {messages_key!r}; it has {sorted(map(str, graph.channels))!r}",
            hint="Name the one with the messages: guard(graph, messages_key=...).",
        )
    config = {key: value for key, value in (graph.config or {}).items() if key != "callbacks"}
    rules = Rules(given=given, external=frozenset(external), messages_key=messages_key)
    return GuardedGraph(graph.copy({"config": config, "debug": False}), rules)


class GuardedGraph:
    """A graph of which only verified text is seen; made by `guard`, where its limits are said."""

    def __init__(self, graph: Pregel[Any, Any, Any, Any], rules: Rules) -> None:
        self._graph = graph
        self._rules = rules

    def invoke(
        self,
        input: Any,  # noqa: A002 - as LangGraph calls it
        config: RunnableConfig | None = None,
        *,
        context: Any = None,
        durability: Any = None,
    ) -> dict[str, Any]:
        """Run to the end or to an interrupt; the state with verified messages, and `__interrupt__` if there is one."""
        result: dict[str, Any] = {}
        modes: list[StreamMode] = ["values", "updates"]
        for part in self.stream(input, config, context=context, stream_mode=modes, durability=durability):
            result = _latest(result, part)
        return self._output(result)

    async def ainvoke(
        self,
        input: Any,  # noqa: A002
        config: RunnableConfig | None = None,
        *,
        context: Any = None,
        durability: Any = None,
    ) -> dict[str, Any]:
        """Async form of `invoke`."""
        result: dict[str, Any] = {}
        modes: list[StreamMode] = ["values", "updates"]
        async for part in self.astream(input, config, context=context, stream_mode=modes, durability=durability):
            result = _latest(result, part)
        return self._output(result)

    def _output(self, state: dict[str, Any]) -> dict[str, Any]:
        """Of the state, what the graph gives out at the end."""
        keys = self._graph.output_channels
        return {key: value for key, value in state.items() if key == INTERRUPT or key in keys}

    def stream(
        self,
        input: Any,  # noqa: A002
        config: RunnableConfig | None = None,
        *,
        context: Any = None,
        stream_mode: StreamMode | Sequence[StreamMode] = "updates",
        subgraphs: bool = False,
        durability: Any = None,
    ) -> Iterator[Any]:
        """Run step by step; as LangGraph's `stream` in the modes values, updates and messages.

        Raises:
            RefusedStreamError: `subgraphs=True`, or another mode.
        """
        reader = StateReader(self._rules, _modes(stream_mode, subgraphs=subgraphs))
        options = {"context": context, "durability": durability}
        return self._stream(reader, input, config, options, single=isinstance(stream_mode, str))

    def _stream(
        self,
        reader: StateReader,
        given: Any,
        config: RunnableConfig | None,
        options: dict[str, Any],
        *,
        single: bool,
    ) -> Iterator[Any]:
        listener = Listener()
        own = _alone(config, listener)
        failure: Exception
        try:
            source = cast("Any", self._graph.stream(given, own, stream_mode=list(_INNER_MODES), **options))
            with closing(source) as parts:
                while True:
                    with alone():
                        part = next(parts, None)
                    if part is None:
                        return
                    for mode, data in reader.take(part):
                        yield data if single else (mode, data)
        except (GraphBubbleUp, GraphRecursionError, RefusedStreamError):
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, its words may be the model's
            failure = showable(error, listener)
        raise failure

    def astream(
        self,
        input: Any,  # noqa: A002
        config: RunnableConfig | None = None,
        *,
        context: Any = None,
        stream_mode: StreamMode | Sequence[StreamMode] = "updates",
        subgraphs: bool = False,
        durability: Any = None,
    ) -> AsyncIterator[Any]:
        """Async form of `stream`."""
        reader = StateReader(self._rules, _modes(stream_mode, subgraphs=subgraphs))
        options = {"context": context, "durability": durability}
        return self._astream(reader, input, config, options, single=isinstance(stream_mode, str))

    async def _astream(
        self,
        reader: StateReader,
        given: Any,
        config: RunnableConfig | None,
        options: dict[str, Any],
        *,
        single: bool,
    ) -> AsyncIterator[Any]:
        listener = Listener()
        own = _alone(config, listener)
        failure: Exception
        try:
            source = cast("Any", self._graph.astream(given, own, stream_mode=list(_INNER_MODES), **options))
            async with aclosing(source) as parts:
                while True:
                    with alone():
                        part = await anext(parts, None)
                    if part is None:
                        return
                    for mode, data in reader.take(part):
                        yield data if single else (mode, data)
        except (GraphBubbleUp, GraphRecursionError, RefusedStreamError):
            raise
        except Exception as error:  # noqa: BLE001 - as in `_stream`
            failure = showable(error, listener)
        raise failure

    def stream_events(self, *_args: Any, **_kwargs: Any) -> Any:
        """Refused: events carry every token that the inner models write."""
        raise _refused("the event stream of a guarded graph")

    def astream_events(self, *_args: Any, **_kwargs: Any) -> Any:
        """Refused, as `stream_events`."""
        raise _refused("the event stream of a guarded graph")


def _alone(config: RunnableConfig | None, listener: Listener) -> RunnableConfig:
    """The caller's config without callbacks, and without what a surrounding run left in it."""
    given = dict((config or {}).get("configurable", {}))
    if any(key.startswith("__pregel_") for key in given):
        given = {key: value for key, value in given.items() if not key.startswith(("__pregel_", "checkpoint_"))}
    return cast("RunnableConfig", {**(config or {}), "configurable": given, "callbacks": [listener]})


def _refused(what: str) -> RefusedStreamError:
    return RefusedStreamError(
        f"{what} would carry unverified text", hint="Use stream or astream with values, updates or messages."
    )


def _modes(asked: StreamMode | Sequence[StreamMode], *, subgraphs: bool) -> frozenset[str]:
    if subgraphs:
        raise _refused("`subgraphs=True`")
    modes = frozenset([asked] if isinstance(asked, str) else asked)
    if strange := modes - set(get_args(StreamMode)):
        raise _refused(f"stream mode {min(strange)!r}")
    return modes


def _latest(result: dict[str, Any], part: tuple[str, Any]) -> dict[str, Any]:
    """The state so far, with the interrupts that stand open."""
    mode, data = part
    if mode == "values":
        return dict(data)
    return {**result, INTERRUPT: list(data[INTERRUPT])} if INTERRUPT in data else result
