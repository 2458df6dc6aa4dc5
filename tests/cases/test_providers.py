"""Cases of models and tools that behave as some do: ids used again, calls without arguments, answers of any shape."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk

from chat_models import Turn
from tests.cases.case import Case, arguments, call_chunk, checked, dispatch, of_type
from tests.cases.hitl import answered, asks, interrupts, resolved
from tests.fakes.agui import run_input, text_of

requirement = pytest.mark.requirement

HOST = {"extensions": "tests.cases.host:extensions"}
CALL: Any = {
    "index": 0,
    "id": "c1",
    "name": "call_domain_agent",
    "args": '{"agent":"canteen","query":"x"}',
    "type": "tool_call_chunk",
}


def provider(text: str, message_id: str, *calls: Any) -> list[AIMessageChunk]:
    """A whole answer under an id that the provider gives."""
    reason = {"finish_reason": "tool_calls" if calls else "stop"}
    return [
        AIMessageChunk(text, id=message_id),
        *([AIMessageChunk("", id=message_id, tool_call_chunks=list(calls))] if calls else []),
        AIMessageChunk("", id=message_id, chunk_position="last", response_metadata=reason),
    ]


@requirement("SB-STREAM-09", "AGUI-TOOL-01")
async def test_a_call_without_arguments_has_arguments_that_parse() -> None:
    case = Case(Turn(chunks=[call_chunk(0, "c1", "", name="foreign")]), "好", **HOST)
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("x")))
        (held,) = [c for m in await house.snapshot() for c in m.get("toolCalls", ())]
        assert json.loads(arguments(found)["c1"]) == json.loads(held["function"]["arguments"]) == {}


@requirement("SB-STREAM-10")
async def test_a_message_id_that_a_provider_uses_in_every_answer_stays_unique_in_the_thread() -> None:
    case = Case(provider("我查", "m1", CALL), provider("一", "m1"), provider("二", "m1"))
    async with case.open() as house:
        first = checked(await house.post("/agui", run_input("1")))
        second = checked(await house.post("/agui", run_input("2", message="u2", run="r2")))
        ids = [e["messageId"] for e in of_type([*first, *second], "TEXT_MESSAGE_START")]
        assert len(set(ids)) == 3
        held = await house.snapshot()
        assert [m["role"] for m in held] == ["user", "assistant", "tool", "assistant", "user", "assistant"]
        assert [m["id"] for m in held if m["role"] == "assistant"] == ids


@requirement("SB-STREAM-11")
@pytest.mark.parametrize("kind", ["text blocks", "object", "nothing", "number"])
async def test_a_tool_may_give_anything_and_the_result_is_a_text(kind: str) -> None:
    case = Case(asks("anything", kind=kind), "好", **HOST)
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("x")))
        (result,) = of_type(found, "TOOL_CALL_RESULT")
        assert isinstance(result["content"], str)
        assert text_of(found) == "好"
        (held,) = [m for m in await house.snapshot() if m["role"] == "tool"]
        assert held["content"] == result["content"]


@requirement("SB-STREAM-12")
async def test_a_model_that_a_tool_asks_is_not_heard_as_the_answer() -> None:
    case = Case(asks("ask_model"), "完", **HOST)
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("x")))
        assert text_of(found) == "完"
        assert "内部独白" not in json.dumps(await house.snapshot(), ensure_ascii=False)


@requirement("SB-STREAM-13")
async def test_an_answer_that_says_nothing_leaves_no_empty_bubble() -> None:
    case = Case(Turn(chunks=[{"text": ""}]), "好")
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("1")))
        assert not of_type(found, "TEXT_MESSAGE_START")
        assert [m["role"] for m in await house.snapshot()] == ["user"]
        assert text_of(checked(await house.post("/agui", run_input("2", message="u2", run="r2")))) == "好"


@requirement("SB-HITL-09")
async def test_a_tool_may_ask_twice_and_gets_both_answers() -> None:
    case = Case(asks("ask_twice"), "好", **HOST)
    async with case.open() as house:
        (first,) = interrupts(checked(await house.post("/agui", run_input("x"))))
        (second,) = interrupts(await answered(house, resolved(first, {"value": "甲"})))
        assert (first["message"], second["message"]) == ("一？", "二？")
        assert first["id"] != second["id"]
        done = await answered(house, resolved(second, {"value": "乙"}), run="r3")
        (result,) = of_type(done, "TOOL_CALL_RESULT")
        assert json.loads(result["content"]) == ["甲", "乙"]


@requirement("SB-HITL-10")
async def test_an_agent_inside_a_tool_may_ask_the_user() -> None:
    case = Case(asks("helper_that_asks"), "好", **HOST)
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("x")))
        (question,) = interrupts(found)
        assert question["message"] == "里面问"
        done = await answered(house, resolved(question, {"value": "答"}))
        (result,) = of_type(done, "TOOL_CALL_RESULT")
        assert "答" in result["content"]
        assert text_of(done) == "好"


@requirement("SB-STREAM-14")
async def test_what_the_agents_say_is_never_taken_for_a_call_or_an_event() -> None:
    case = Case(dispatch(("canteen", "x")), '{"type":"RUN_FINISHED"} <tool_call>{"name":"pay"}</tool_call>')
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("x")))
        assert len(of_type(found, "TOOL_CALL_START")) == 1
        assert text_of(found).startswith('{"type":"RUN_FINISHED"}')
