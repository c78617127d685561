"""Which graphs are accepted, which are refused, and why: one test for each way in which a run can end.

Where a graph is refused for a path, the path is really taken as well, so that the refusal is not about nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest
from langchain_core.runnables import RunnableLambda
from langgraph.errors import NodeError
from langgraph.func import entrypoint
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send

from rqa_graph.errors import LyingCommandError, UnverifiedPathError
from rqa_graph.reachability import Leak, assert_verified, declared, find_leaks
from tests.support.traces import Trace, steps_of


def step(state: Trace) -> Trace:
    return {"seen": ["x"]}


def fail(state: Trace) -> Trace:
    raise ValueError("as planned")


def handle(state: Trace, error: NodeError) -> Trace:
    return {"seen": [f"handled {error.node}"]}


def builder(*names: str, **nodes: Any) -> StateGraph[Trace]:
    """A builder with `verify`, leading to END, and nodes without edges."""
    made = StateGraph(Trace)
    for name in (*names, "verify"):
        made.add_node(name, step)
    for name, node in nodes.items():
        made.add_node(name, node)
    made.add_edge("verify", END)
    return made


def leaks(made: StateGraph[Trace]) -> dict[str, Leak]:
    return {leak.node: leak for leak in find_leaks(made.compile())}


def last(made: StateGraph[Trace]) -> set[str]:
    return steps_of(made.compile())[-1]


class TestAccepted:
    def test_static_edges(self) -> None:
        made = builder("a", "b").add_edge(START, "a").add_edge("a", "b").add_edge("b", "verify")
        assert_verified(made.compile())
        assert last(made) == {"verify"}

    def test_a_branch_whose_return_type_names_its_targets(self) -> None:
        def choose(state: Trace) -> Literal["b", "verify"]:
            return "b"

        made = builder("a", "b").add_edge(START, "a").add_edge("b", "verify").add_conditional_edges("a", choose)
        assert_verified(made.compile())
        assert last(made) == {"verify"}

    def test_a_branch_with_a_map_at_the_start(self) -> None:
        made = builder("a").add_conditional_edges(START, lambda state: "yes", {"yes": "a", "no": "verify"})
        made.add_edge("a", "verify")
        assert_verified(made.compile())
        assert last(made) == {"verify"}

    def test_a_command_that_names_its_targets(self) -> None:
        def choose(state: Trace) -> Command[Literal["b", "verify"]]:
            return Command(goto="b")

        made = builder("b", a=choose).add_edge(START, "a").add_edge("b", "verify")
        assert_verified(made.compile())
        assert last(made) == {"verify"}

    def test_sends_to_a_worker(self) -> None:
        made = builder("a", "worker").add_edge(START, "a").add_edge("worker", "verify")
        made.add_conditional_edges("a", lambda state: [Send("worker", {}), Send("worker", {})], ["worker"])
        assert_verified(made.compile())
        assert last(made) == {"verify"}

    def test_commands_that_send(self) -> None:
        def spread(state: Trace) -> Command[Literal["worker"]]:
            return Command(goto=[Send("worker", {}), Send("worker", {})])

        made = builder("worker", a=spread).add_edge(START, "a").add_edge("worker", "verify")
        assert_verified(made.compile())
        assert last(made) == {"verify"}

    def test_a_subgraph_with_an_end_of_its_own(self) -> None:
        inner = StateGraph(Trace).add_node("x", step).add_edge(START, "x").add_edge("x", END).compile()
        made = builder().add_node("team", inner).add_edge(START, "team").add_edge("team", "verify")
        assert_verified(made.compile())
        assert last(made) == {"verify"}

    def test_an_and_join_whose_sources_start_together(self) -> None:
        made = builder("a", "b").add_edge(START, "a").add_edge(START, "b").add_edge(["a", "b"], "verify")
        assert_verified(made.compile())
        assert last(made) == {"verify"}

    def test_an_error_handler_with_an_edge(self) -> None:
        made = StateGraph(Trace).add_node("verify", step).add_edge("verify", END)
        made.add_node("a", fail, error_handler=handle)
        made.add_edge(START, "a").add_edge("a", "verify").add_edge("__error_handler__a", "verify")
        assert_verified(made.compile())
        assert last(made) == {"verify"}

    def test_a_loop_through_the_verifier(self) -> None:
        def again(state: Trace) -> Command[Literal["reflect", "__end__"]]:
            return Command(update={"seen": ["verified"]}, goto="__end__" if "verified" in state["seen"] else "reflect")

        made = StateGraph(Trace).add_node("answer", step).add_node("verify", again).add_node("reflect", step)
        made.add_edge(START, "answer").add_edge("answer", "verify").add_edge("reflect", "verify")
        assert_verified(made.compile())
        assert steps_of(made.compile()) == [{"answer"}, {"verify"}, {"reflect"}, {"verify"}]

    def test_the_verifier_may_have_another_name(self) -> None:
        made = StateGraph(Trace).add_node("check", step).add_edge(START, "check").add_edge("check", END)
        assert_verified(made.compile(), gate="check")


class TestRefused:
    def test_an_edge_to_end(self) -> None:
        made = builder("a").add_edge(START, "a").add_edge("a", END)
        assert leaks(made) == {"a": Leak(node="a", reason="has an edge to END", path=(START, "a"))}
        assert last(made) == {"a"}

    def test_an_edge_from_start_to_end(self) -> None:
        made = builder().add_edge(START, "verify").add_edge(START, END)
        assert leaks(made)[START].path == (START,)

    def test_a_branch_that_leaks(self) -> None:
        made = builder("a").add_edge(START, "a")
        made.add_conditional_edges("a", lambda state: "no", {"yes": "verify", "no": END})
        assert "to END" in leaks(made)["a"].reason
        assert last(made) == {"a"}

    def test_a_branch_that_does_not_say_where_it_leads(self) -> None:
        made = builder("a").add_edge(START, "a").add_conditional_edges("a", lambda state: END)
        assert "does not say" in leaks(made)["a"].reason
        assert last(made) == {"a"}

    def test_a_branch_that_does_not_say_where_it_leads_beside_an_edge(self) -> None:
        made = builder("a").add_edge(START, "a").add_edge("a", "verify").add_conditional_edges("a", lambda state: END)
        assert "does not say" in leaks(made)["a"].reason

    def test_a_command_without_a_hint(self) -> None:
        def choose(state: Trace) -> Any:
            return Command(goto=END)

        made = builder(a=choose).add_edge(START, "a")
        assert "no edge" in leaks(made)["a"].reason
        assert last(made) == {"a"}

    def test_a_hint_that_names_end(self) -> None:
        def choose(state: Trace) -> Command[Literal["verify", "__end__"]]:
            return Command(goto="__end__")

        made = builder(a=choose).add_edge(START, "a")
        assert "declares END" in leaks(made)["a"].reason
        assert last(made) == {"a"}

    def test_destinations_that_name_end(self) -> None:
        made = builder().add_node("a", lambda state: Command(goto=END), destinations={"verify": "yes", END: "no"})
        made.add_edge(START, "a")
        assert "declares END" in leaks(made)["a"].reason

    def test_a_node_with_no_way_on(self) -> None:
        made = builder("a").add_edge(START, "a").add_edge(START, "verify")
        assert "a run ends there" in leaks(made)["a"].reason
        assert "a" in last(made)

    def test_an_error_handler_that_goes_to_end(self) -> None:
        def give_up(state: Trace, error: NodeError) -> Command[Literal["__end__"]]:
            return Command(goto="__end__")

        made = StateGraph(Trace).add_node("verify", step).add_node("a", fail, error_handler=give_up)
        made.add_edge(START, "a").add_edge("a", "verify").add_edge("verify", END)
        assert leaks(made) == {
            "__error_handler__a": Leak(
                node="__error_handler__a",
                reason="is an error handler without an edge, so it may lead to END",
                path=(START, "a", "__error_handler__a"),
            )
        }
        assert "verify" not in last(made)

    def test_a_default_error_handler(self) -> None:
        def give_up(state: Trace, error: NodeError) -> Any:
            return Command(goto=END)

        made = builder(a=fail).set_node_defaults(error_handler=give_up)
        made.add_edge(START, "a").add_edge("a", "verify")
        assert set(leaks(made)) == {"__default_error_handler__"}

    def test_the_verifiers_own_error_handler(self) -> None:
        made = StateGraph(Trace).add_node("verify", fail, error_handler=handle)
        made.add_edge(START, "verify").add_edge("verify", END)
        assert set(leaks(made)) == {"__error_handler__verify"}
        assert made.compile().invoke({"seen": []}) == {"seen": ["handled verify"]}

    def test_an_and_join_after_the_verifier_is_behind_it_but_not_last(self) -> None:
        made = builder("a", "j").add_edge(START, "a").add_edge(START, "verify").add_edge(["a", "verify"], "j")
        made.add_edge("j", END)
        assert leaks(made) == {"j": Leak(node="j", reason="has an edge to END", path=(START, "verify", "j"))}
        assert last(made) == {"j"}

    def test_an_and_join_to_end(self) -> None:
        made = builder("a").add_edge(START, "a").add_edge("a", "verify").add_edge(["a", "verify"], END)
        assert leaks(made)["a"].reason == "has an edge to END"

    def test_an_and_join_that_may_never_fire(self) -> None:
        made = builder("a", "b").add_edge(["a", "b"], "verify")
        made.add_conditional_edges(START, lambda state: "a", ["a", "b"])
        assert set(leaks(made)) == {"a", "b"}
        assert "AND-joins (verify)" in leaks(made)["a"].reason
        assert last(made) == {"a"}

    def test_an_and_join_of_which_one_source_can_be_started_alone(self) -> None:
        def again(state: Trace) -> Command[Literal["a", "__end__"]]:
            return Command(update={"seen": ["verified"]}, goto="__end__" if "verified" in state["seen"] else "a")

        made = StateGraph(Trace).add_node("a", step).add_node("b", step).add_node("verify", again)
        made.add_edge(START, "a").add_edge(START, "b").add_edge(["a", "b"], "verify")
        assert set(leaks(made)) == {"a", "b"}
        assert last(made) == {"a"}

    def test_a_path_behind_the_verifier(self) -> None:
        made = builder("late").add_edge(START, "verify").add_edge("verify", "late").add_edge("late", END)
        assert leaks(made)["late"].path == (START, "verify", "late")
        assert last(made) == {"late"}

    def test_a_verifier_inside_a_subgraph_does_not_count(self) -> None:
        inner = StateGraph(Trace).add_node("verify", step).add_edge(START, "verify").add_edge("verify", END).compile()
        made = StateGraph(Trace).add_node("team", inner).add_edge(START, "team").add_edge("team", END)
        with pytest.raises(UnverifiedPathError, match="no node 'verify'"):
            assert_verified(made.compile())

    def test_what_is_no_state_graph(self) -> None:
        @entrypoint()
        def flow(value: int) -> int:
            return value

        with pytest.raises(UnverifiedPathError, match="StateGraph"):
            assert_verified(flow)  # type: ignore[arg-type]  # the mistake that is tested

    def test_the_error_names_every_node_with_its_path(self) -> None:
        made = builder("a", "b").add_edge(START, "a").add_edge("a", "b").add_edge("b", END).add_edge("a", END)
        with pytest.raises(UnverifiedPathError) as caught:
            assert_verified(made.compile(name="rqa"))
        assert "'rqa'" in caught.value.message
        assert "'a' has an edge to END (__start__ -> a -> __end__)" in caught.value.message
        assert "'b' has an edge to END (__start__ -> a -> b -> __end__)" in caught.value.message
        assert "'verify'" in caught.value.hint


def returning(result: Any) -> Callable[[Trace], Any]:
    def node(state: Trace) -> Any:
        return result

    return node


class TestDeclared:
    def test_a_lying_hint_is_caught_when_it_runs(self) -> None:
        def lie(state: Trace) -> Command[Literal["verify"]]:
            return Command(goto=END)  # type: ignore[arg-type]  # the lie

        made = builder(a=lie).add_edge(START, "a")
        assert_verified(made.compile())
        assert last(made) == {"a"}, "nothing but a run can tell"

        held = builder(a=declared(lie, name="a", destinations=("verify",))).add_edge(START, "a")
        assert_verified(held.compile())
        with pytest.raises(LyingCommandError, match="'__end__'"):
            steps_of(held.compile())

    @pytest.mark.parametrize(
        ("result", "word"),
        [
            (Command(goto="b"), "'b'"),
            (Command(goto=["verify", "b"]), "'b'"),
            (Command(goto=Send("b", {})), "'b'"),
            ([{"seen": []}, Command(goto="b")], "'b'"),
            (Send("b", {}), "'b'"),
            (Command(goto="verify", graph=Command.PARENT), "__parent__"),
            ({"seen": []}, "'__end__'"),
            (None, "'__end__'"),
            (Command(update={"seen": []}), "'__end__'"),
        ],
    )
    def test_what_leaves_the_declared_destinations_is_refused(self, result: Any, word: str) -> None:
        held = declared(returning(result), name="a", destinations=("verify",))
        with pytest.raises(LyingCommandError, match=word):
            held({})

    def test_what_keeps_to_them_passes_unchanged(self) -> None:
        result = Command(goto=["verify", Send("b", {})])
        assert declared(returning(result), name="a", destinations=("verify", "b"))({}) is result
        assert declared(returning(None), name="a", destinations=("verify", END))({}) is None

    def test_a_node_with_edges_of_its_own_sends_nowhere(self) -> None:
        assert declared(returning({"seen": []}), name="a")({}) == {"seen": []}
        with pytest.raises(LyingCommandError, match="declared \\[\\]"):
            declared(returning(Command(goto="verify")), name="a")({})

    async def test_both_forms_of_a_runnable_are_held(self) -> None:
        def run(state: Trace) -> Command[Any]:
            return Command(goto="sync")

        async def arun(state: Trace) -> Command[Any]:
            return Command(goto="async")

        held = declared(RunnableLambda(run, arun, name="a"), name="a", destinations=("verify",))
        assert held.name == "a"
        with pytest.raises(LyingCommandError, match="'sync'"):
            held.invoke({})
        with pytest.raises(LyingCommandError, match="'async'"):
            await held.ainvoke({})
        only = declared(RunnableLambda(arun), name="a", destinations=("verify",))
        with pytest.raises(LyingCommandError, match="'async'"):
            await only.ainvoke({})

    async def test_a_held_function_keeps_its_signature(self) -> None:
        async def arun(state: Trace) -> Command[Literal["verify"]]:
            """Say something."""
            return Command(goto="verify")

        held = declared(arun, name="a", destinations=("verify",))
        made = builder(a=held).add_edge(START, "a")
        assert made.nodes["a"].ends == ("verify",)
        assert held.__doc__ == "Say something."
        assert (await made.compile().ainvoke({"seen": []}))["seen"] == ["x"]
