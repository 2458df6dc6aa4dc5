"""One turn through the real graph: what the model streams, what the tools do, what the checkpoint holds."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from chat_models import ScriptedChatModel, Turn
from supervisor.dispatch.port import DispatchResult, UserContext
from supervisor.errors import RunFailure
from supervisor.events import internal as ev
from supervisor.graph import port
from tests.fakes.agui import text_of
from tests.fakes.dispatcher import FakeDispatcher, failed, said
from tests.fakes.graph import Desk, arguments, calls, model, of_type

CANTEEN_ARGS = '{"agent":"canteen","query":"辣"}'
TRANSPORT_ARGS = '{"agent":"transport","query":"校车"}'


@pytest.mark.requirement("AGS-01")
async def test_ags_01_two_calls_streamed_one_after_the_other_keep_their_own_arguments() -> None:
    chunks = [
        {"tc": [0, "c1", "call_domain_agent", ""]},
        {"tc": [0, None, None, CANTEEN_ARGS]},
        {"tc": [1, "c2", "call_domain_agent", ""]},
        {"tc": [1, None, None, TRANSPORT_ARGS]},
    ]
    desk = Desk(model(Turn(chunks=chunks), "好的"))
    events = await desk.ask("吃辣再坐校车")
    assert [e["toolCallId"] for e in of_type(events, "TOOL_CALL_START")] == ["c1", "c2"]
    assert {k: json.loads(v)["agent"] for k, v in arguments(events).items()} == {"c1": "canteen", "c2": "transport"}
    assert len(of_type(events, "TOOL_CALL_RESULT")) == 2
    assert sorted(c.agent for c in desk.dispatcher.calls) == ["canteen", "transport"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "chunks",
    [
        pytest.param(
            [
                {"tc": [0, "c1", "call_domain_agent", CANTEEN_ARGS[:9]]},
                {"tc": [1, "c2", "call_domain_agent", TRANSPORT_ARGS[:9]]},
                {"tc": [0, None, None, CANTEEN_ARGS[9:]]},
                {"tc": [1, None, None, TRANSPORT_ARGS[9:]]},
            ],
            id="interleaved",
        ),
        pytest.param(
            [
                [
                    {"tc": [0, "c1", "call_domain_agent", CANTEEN_ARGS]},
                    {"tc": [1, "c2", "call_domain_agent", TRANSPORT_ARGS]},
                ]
            ],
            id="both in one chunk",
        ),
    ],
)
@pytest.mark.requirement("SB-STREAM-01")
async def test_calls_of_one_message_do_not_mix(chunks: list[Any]) -> None:
    events = await Desk(model(Turn(chunks=chunks), "好")).ask()
    assert arguments(events) == {"c1": CANTEEN_ARGS, "c2": TRANSPORT_ARGS}


@pytest.mark.requirement("AGS-03")
async def test_ags_03_name_and_arguments_in_one_chunk_give_args() -> None:
    events = await Desk(model(Turn(chunks=[{"tc": [0, "c1", "call_domain_agent", CANTEEN_ARGS]}]), "ok")).ask()
    order = [e["type"] for e in events if e.get("toolCallId") == "c1"]
    assert order == ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT"]


@pytest.mark.requirement("AGS-04")
async def test_ags_04_text_after_a_tool_call_belongs_to_the_same_message() -> None:
    chunks = [{"text": "我来查"}, {"tc": [0, "c1", "call_domain_agent", CANTEEN_ARGS]}, {"text": "，请稍等"}]
    desk = Desk(model(Turn(chunks=chunks), "完成"))
    events = await desk.ask()
    before = events[: [e["type"] for e in events].index("TOOL_CALL_RESULT")]
    assert text_of(before) == "我来查，请稍等"
    assert [m.get("content") for m in (await desk.graph.view("t")).messages if m["role"] == "assistant"] == [
        "我来查，请稍等",
        "完成",
    ]


@pytest.mark.requirement("AGS-10")
async def test_ags_10_empty_deltas_are_never_sent() -> None:
    events = await Desk(model(Turn(chunks=[{"text": ""}, {"text": "好"}, {"text": ""}]))).ask()
    assert [e["delta"] for e in of_type(events, "TEXT_MESSAGE_CONTENT")] == ["好"]


@pytest.mark.requirement("SB-STREAM-03")
async def test_reasoning_is_streamed_apart_from_text() -> None:
    events = await Desk(model(Turn(text="答", reasoning="想一想"))).ask()
    assert "".join(e["delta"] for e in of_type(events, "REASONING_MESSAGE_CONTENT")) == "想一想"
    assert text_of(events) == "答"


@pytest.mark.requirement("AGUI-STATE-01")
async def test_ids_and_order_of_the_stream_are_those_of_the_checkpoint() -> None:
    desk = Desk(model(calls(("canteen", "辣"), ("transport", "车"), text="我查"), "完"))
    events = await desk.ask()
    messages = (await desk.graph.view("t")).messages
    assert [m["role"] for m in messages] == ["user", "assistant", "tool", "tool", "assistant"]
    streamed = {e["messageId"] for e in events if e["type"] in ("TEXT_MESSAGE_START", "TOOL_CALL_RESULT")}
    assert streamed == {m["id"] for m in messages[1:]}
    held = {c["id"]: json.loads(c["function"]["arguments"]) for c in messages[1]["toolCalls"]}
    assert held == {k: json.loads(v) for k, v in arguments(events).items()}


@pytest.mark.requirement("HIST-01")
async def test_hist_01_the_model_sees_the_whole_conversation_on_the_next_turn() -> None:
    seen: list[list[str]] = []

    def policy(messages: Any, tools: Any) -> Turn:
        seen.append([f"{m.type}:{m.text}" for m in messages if m.type != "system"])
        return Turn("一" if len(seen) == 1 else "二")

    desk = Desk(ScriptedChatModel(policy=policy))
    await desk.ask("1")
    await desk.ask("2")
    assert seen[1] == ["human:1", "ai:一", "human:2"]
    assert [m["role"] for m in (await desk.graph.view("t")).messages] == ["user", "assistant", "user", "assistant"]


async def test_a_parallel_call_gives_one_row_per_leg_and_keeps_failures_apart() -> None:
    def answer(call: Any) -> DispatchResult:
        return failed(call, "timeout") if call.agent == "transport" else said(call, "三道菜")

    questions = [{"agent": "canteen", "query": "辣"}, {"agent": "transport", "query": "车"}]
    desk = Desk(model(Turn(calls=[("orchestrate_parallel", {"calls": questions})]), "完"), FakeDispatcher(answer))
    events = await desk.ask()
    content = json.loads(of_type(events, "TOOL_CALL_RESULT")[0]["content"])
    assert content["status"] == "partial"
    assert [(r["agent"], r["status"], r.get("error")) for r in content["results"]] == [
        ("canteen", "completed", None),
        ("transport", "timed_out", "timeout"),
    ]
    started = of_type(events, "SUBAGENT_STARTED")
    assert [e["name"] for e in started] == ["canteen", "transport"]
    assert len(of_type(events, "SUBAGENT_FINISHED")) == len(of_type(events, "SUBAGENT_ERROR")) == 1
    keys = {c.idempotency_key for c in desk.dispatcher.calls}  # type: ignore[attr-defined]
    assert len(keys) == 2


@pytest.mark.parametrize(
    ("tool", "args", "code"),
    [
        ("call_domain_agent", {"agent": "weather", "query": "x"}, "unknown_agent"),
        ("orchestrate_parallel", {"calls": []}, "bad_arguments"),
        ("orchestrate_parallel", {"calls": [{"agent": "canteen", "query": "x"}] * 9}, "bad_arguments"),
    ],
)
async def test_a_call_that_cannot_be_made_is_a_readable_result(tool: str, args: Any, code: str) -> None:
    desk = Desk(model(Turn(calls=[(tool, args)]), "完"))
    events = await desk.ask()
    content = json.loads(of_type(events, "TOOL_CALL_RESULT")[0]["content"])
    assert (content["status"], content["error"]) == ("failed", code)
    assert text_of(events) == "完"
    assert not desk.dispatcher.calls  # type: ignore[attr-defined]


async def test_an_unknown_agent_among_several_fails_alone() -> None:
    questions = [{"agent": "nobody", "query": "x"}, {"agent": "canteen", "query": "y"}]
    desk = Desk(model(Turn(calls=[("orchestrate_parallel", {"calls": questions})]), "完"))
    content = json.loads(of_type(await desk.ask(), "TOOL_CALL_RESULT")[0]["content"])
    assert [(r["agent"], r["status"]) for r in content["results"]] == [("nobody", "failed"), ("canteen", "completed")]


async def test_arguments_that_do_not_fit_a_tool_end_in_a_result_and_an_answer() -> None:
    events = await Desk(model(Turn(calls=[("call_domain_agent", {"who": "x"})]), "完")).ask()
    assert len(of_type(events, "TOOL_CALL_RESULT")) == 1
    assert text_of(events) == "完"


async def test_a_dispatcher_that_breaks_gives_a_safe_result() -> None:
    def explode(call: Any) -> DispatchResult:
        raise RuntimeError("password=hunter2")

    events = await Desk(model(calls(("canteen", "x")), "完"), FakeDispatcher(explode)).ask()
    result = of_type(events, "TOOL_CALL_RESULT")[0]
    assert json.loads(result["content"])["error"] == "internal"
    assert "hunter2" not in json.dumps(events)


@pytest.mark.requirement("AGS-05")
async def test_ags_05_a_model_that_fails_mid_sentence_raises_a_code_and_leaves_no_half_answer() -> None:
    turns = [Turn(text="半截回答", error=RuntimeError("503 key=sk-secret"), error_after=2), Turn("好")]

    def policy(messages: Any, tools: Any) -> Turn:
        assert all("半截" not in m.text for m in messages)
        return turns.pop(0)

    desk = Desk(ScriptedChatModel(policy=policy))
    with pytest.raises(RunFailure) as failure:
        await desk.ask("hi")
    assert failure.value.row.code == "AGENT_INTERNAL"
    assert text_of(await desk.ask("again")) == "好"


@pytest.mark.requirement("SB-GRAPH-03")
async def test_an_answer_whose_tool_arguments_were_cut_is_not_executed() -> None:
    desk = Desk(model(Turn(chunks=[{"tc": [0, "c1", "call_domain_agent", '{"agent":"can']}], finish_reason="length")))
    with pytest.raises(RunFailure) as failure:
        await desk.ask()
    assert failure.value.row.code == "LLM_TRUNCATED"
    assert not desk.dispatcher.calls  # type: ignore[attr-defined]


@pytest.mark.requirement("SB-GRAPH-01")
async def test_scale_05_a_model_that_repeats_one_call_ends_with_an_answer() -> None:
    asked: list[int] = []

    def always(messages: Any, tools: Any) -> Turn:
        asked.append(len(messages))
        pair = [("agent", "canteen"), ("query", "辣")]
        args = dict(pair if len(asked) % 2 else reversed(pair))
        return Turn(calls=[("call_domain_agent", args)])

    desk = Desk(ScriptedChatModel(policy=always), FakeDispatcher(lambda call: said(call, "三道菜")))
    events = await desk.ask("辣")
    assert len(asked) <= 5
    assert len(desk.dispatcher.calls) == 1  # type: ignore[attr-defined]
    assert text_of(events) == "三道菜"
    started = {e["toolCallId"] for e in of_type(events, "TOOL_CALL_START")}
    assert started == {e["toolCallId"] for e in of_type(events, "TOOL_CALL_RESULT")}
    await desk.ask("辣")
    assert len(desk.dispatcher.calls) == 2  # type: ignore[attr-defined]
    assert [m["role"] for m in (await desk.graph.view("t")).messages][-1] == "assistant"


@pytest.mark.requirement("SB-GRAPH-01")
async def test_scale_05_two_identical_calls_in_one_message_are_made_once() -> None:
    desk = Desk(model(calls(("canteen", "辣"), ("canteen", "辣")), "完"))
    events = await desk.ask()
    assert len(desk.dispatcher.calls) == 1  # type: ignore[attr-defined]
    assert len(of_type(events, "TOOL_CALL_RESULT")) == 2


async def test_scale_05_a_model_that_reuses_one_call_id_is_stopped_as_well() -> None:
    chunk = {"tc": [0, "call_0", "call_domain_agent", CANTEEN_ARGS]}
    desk = Desk(model(Turn(chunks=[chunk])), FakeDispatcher(lambda call: said(call, "三道菜")))
    assert [e for e in await desk.internal("辣") if isinstance(e, ev.TextDelta)]
    assert len(desk.dispatcher.calls) == 1  # type: ignore[attr-defined]


@pytest.mark.requirement("SB-STREAM-05")
async def test_a_call_id_that_the_model_uses_again_becomes_another_one_everywhere() -> None:
    reused = [{"tc": [0, "call_0", "call_domain_agent", CANTEEN_ARGS]}]
    other = [{"tc": [0, "call_0", "call_domain_agent", TRANSPORT_ARGS]}]
    desk = Desk(model(Turn(chunks=reused), Turn(chunks=other), "完"))
    events = [*await desk.ask("一"), *await desk.ask("二")]
    started = [e["toolCallId"] for e in of_type(events, "TOOL_CALL_START")]
    assert started[0] == "call_0"
    assert len(set(started)) == 4
    assert [e["toolCallId"] for e in of_type(events, "TOOL_CALL_RESULT")] == started
    messages = (await desk.graph.view("t")).messages
    assert [c["id"] for m in messages for c in m.get("toolCalls", ())] == started
    assert [m["toolCallId"] for m in messages if m["role"] == "tool"] == started


@pytest.mark.requirement("SB-GRAPH-02")
async def test_a_call_left_open_by_a_crash_is_answered_before_the_model_sees_it() -> None:
    seen: list[list[str]] = []

    def policy(messages: Any, tools: Any) -> Turn:
        seen.append([m.type for m in messages if m.type != "system"])
        return Turn("好")

    desk = Desk(ScriptedChatModel(policy=policy))
    await desk.ask("1")
    lost = AIMessage("", tool_calls=[{"id": "call_0", "name": "call_domain_agent", "args": {}}])
    config = {"configurable": {"thread_id": "t"}}
    await desk.graph._graph.aupdate_state(config, {"messages": [HumanMessage("x"), lost]}, as_node="model")
    await desk.ask("2")
    assert seen[-1] == ["human", "ai", "human", "ai", "tool", "human"]


@pytest.mark.requirement("HIST-02")
async def test_hist_02_a_cancelled_turn_leaves_a_clean_thread() -> None:
    started = asyncio.Event()

    class Slow(FakeDispatcher):
        async def call(self, call: Any, on_progress: Any) -> DispatchResult:
            if call.agent == "transport":
                return await super().call(call, on_progress)
            started.set()
            await asyncio.Event().wait()
            raise AssertionError

    desk = Desk(model(calls(("canteen", "x"), ("transport", "y"), text="稍等"), "好"), Slow())
    task = asyncio.create_task(desk.internal("查"))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await desk.graph.cancel_turn(port.Turn("t", "r1", (port.UserMessage("u1", "查"),), UserContext("alice")))
    messages = (await desk.graph.view("t")).messages
    assert [m["role"] for m in messages] == ["user", "assistant", "tool", "tool", "assistant"]
    assert {json.loads(m["content"])["status"] for m in messages if m["role"] == "tool"} >= {"failed"}
    assert messages[-1]["content"] == "（已停止）"


@pytest.mark.requirement("SB-GRAPH-05")
async def test_the_model_that_never_stops_calling_new_things_hits_the_step_limit() -> None:
    n = iter(range(1000))
    desk = Desk(ScriptedChatModel(policy=lambda *_: calls(("canteen", str(next(n))))))
    with pytest.raises(RunFailure) as failure:
        await desk.ask()
    assert failure.value.row.code == "GRAPH_STEP_LIMIT"
    desk2 = (await desk.graph.view("t")).messages
    assert desk2[0]["role"] == "user"


@pytest.mark.requirement("SB-GRAPH-04")
async def test_user_context_reaches_the_model_and_the_agent_but_not_the_conversation() -> None:
    systems: list[str] = []

    def policy(messages: Any, tools: Any) -> Turn:
        systems.append(messages[0].text)
        return calls(("canteen", "x")) if messages[-1].type == "human" else Turn("完")

    desk = Desk(ScriptedChatModel(policy=policy))
    await desk.internal("hi", user="alice-7")
    assert all('"user_id":"alice-7"' in text for text in systems)
    assert desk.dispatcher.calls[0].user.user_id == "alice-7"  # type: ignore[attr-defined]
    assert "alice-7" not in json.dumps((await desk.graph.view("t")).messages)


@pytest.mark.requirement("SB-STREAM-07")
async def test_usage_is_reported_for_every_model_call() -> None:
    events = await Desk(model(calls(("canteen", "x")), "完")).internal("hi")
    assert len([e for e in events if isinstance(e, ev.Usage)]) == 2
