"""Cases of tools that the client runs: offered to the model, called, answered in the next request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chat_models import Turn
from tests.cases.case import Case, arguments, checked, dispatch, of_type
from tests.cases.hitl import answered, interrupts, refusal, resolved, results
from tests.fakes.agui import run_input, text_of

requirement = pytest.mark.requirement

MAP = {
    "name": "show_map",
    "description": "Show a place on the user's map",
    "parameters": {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]},
}
SHOW = Turn(calls=[("show_map", {"place": "三食堂"})])


def output(call_id: str, content: str = "shown", message: str = "o1") -> dict[str, Any]:
    """What a client's tool gave."""
    return {"id": message, "role": "tool", "toolCallId": call_id, "content": content}


@requirement("SB-CLIENT-01", "AGUI-TOOL-05", "AGUI-TOOL-06")
async def test_a_tool_of_the_client_is_offered_called_and_left_for_the_client_to_answer() -> None:
    case = Case(SHOW, "在地图上了")
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("三食堂在哪", tools=[MAP])))
        assert "show_map" in case.offered[0]
        (call,) = of_type(found, "TOOL_CALL_START")
        assert json.loads(arguments(found)[call["toolCallId"]]) == {"place": "三食堂"}
        assert not of_type(found, "TOOL_CALL_RESULT")
        assert found[-1]["outcome"] == {"type": "success", "pendingToolCallIds": [call["toolCallId"]]}
        held = [*(await house.snapshot()), output(call["toolCallId"])]
        body = run_input(None, run="r2", messages=held, tools=[MAP])
        done = checked(await house.post("/agui", body), resumed=True)
        assert not of_type(done, "TOOL_CALL_START", "TOOL_CALL_RESULT")
        assert text_of(done) == "在地图上了"
        assert [m.text for m in case.saw[1] if m.type == "tool"] == ["shown"]
        assert [m["role"] for m in await house.snapshot()] == ["user", "assistant", "tool", "assistant"]
        assert (await house.snapshot())[2]["id"] == "o1"


@requirement("SB-CLIENT-02", "AGUI-VERSION-02")
async def test_an_old_client_is_not_told_what_is_pending_in_a_field_that_it_does_not_know() -> None:
    case = Case(SHOW, "好")
    async with case.open() as house:
        body = run_input("x", tools=[MAP])
        del body["protocolVersion"]
        found = checked(await house.post("/agui", body))
        assert found[-1]["outcome"] == {"type": "success"}
        call_id = of_type(found, "TOOL_CALL_START")[0]["toolCallId"]
        again = run_input(None, run="r2", messages=[output(call_id)], tools=[MAP])
        assert text_of(checked(await house.post("/agui", again), resumed=True)) == "好"


@requirement("SB-CLIENT-03")
async def test_our_tools_go_on_while_the_clients_call_waits_and_both_answers_reach_the_model() -> None:
    turn = Turn(calls=[*dispatch(("canteen", "x")).calls, *SHOW.calls])
    case = Case(turn, "完")
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("x", tools=[MAP])))
        ours, theirs = (e["toolCallId"] for e in of_type(found, "TOOL_CALL_START"))
        assert list(results(found)) == [ours]
        assert found[-1]["outcome"]["pendingToolCallIds"] == [theirs]
        body = run_input(None, run="r2", messages=[output(theirs)], tools=[MAP])
        done = checked(await house.post("/agui", body), resumed=True)
        assert text_of(done) == "完"
        assert not of_type(done, "TOOL_CALL_RESULT")
        assert len(case.canteen.sends) == 1


@requirement("SB-CLIENT-04")
async def test_a_new_message_while_a_clients_call_waits_goes_on_without_its_answer() -> None:
    case = Case(SHOW, "晴")
    async with case.open() as house:
        checked(await house.post("/agui", run_input("三食堂在哪", tools=[MAP])))
        done = checked(await house.post("/agui", run_input("天气呢", message="u2", run="r2")), resumed=True)
        assert text_of(done) == "晴"
        assert [m.type for m in case.saw[1]] == ["human", "ai", "tool", "human"]


@requirement("SB-CLIENT-05")
async def test_a_result_that_nobody_waits_for_is_not_taken() -> None:
    case = Case("好", "又好")
    async with case.open() as house:
        checked(await house.post("/agui", run_input("x")))
        refused = await house.post("/agui", run_input(None, run="r2", messages=[output("call_x", "forged")]))
        assert refusal(refused)[0] == 422
        both = [output("call_x", "forged"), {"id": "u2", "role": "user", "content": "y"}]
        checked(await house.post("/agui", run_input(None, run="r3", messages=both)))
        assert "forged" not in repr(case.saw)


@requirement("SB-CLIENT-06")
async def test_a_result_that_is_sent_again_replays_its_run(tmp_path: Path) -> None:
    case = Case(SHOW, "好", tmp_path=tmp_path)
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("x", tools=[MAP])))
        body = run_input(None, run="r2", messages=[output(of_type(found, "TOOL_CALL_START")[0]["toolCallId"])])
        first = await house.post("/agui", body)
    async with case.open() as house:
        assert (await house.post("/agui", {**body, "runId": "r3"})).content == first.content
    assert len(case.saw) == 2


@requirement("SB-CLIENT-07")
async def test_a_refresh_says_which_calls_of_the_client_wait() -> None:
    async with Case(SHOW, "好").open() as house:
        found = checked(await house.post("/agui", run_input("x", tools=[MAP])))
        pending = found[-1]["outcome"]
        modern = checked(await house.post("/agui/connect", run_input(None)))
        assert modern[-1]["outcome"] == pending
        old = run_input(None)
        del old["protocolVersion"]
        assert checked(await house.post("/agui/connect", old))[-1]["outcome"] == {"type": "success"}


@requirement("SB-CLIENT-08")
@pytest.mark.parametrize(
    "tool", [{**MAP, "name": "call_domain_agent"}, {**MAP, "name": "has space"}, {"description": "no name"}, "show_map"]
)
async def test_a_tool_that_cannot_be_offered_is_refused(tool: Any) -> None:
    case = Case("好")
    async with case.open() as house:
        response = await house.post("/agui", run_input("x", tools=[tool]))
        assert refusal(response)[:2] == (422, "invalid_input")
        assert not case.saw


@requirement("SB-CLIENT-09")
async def test_a_question_and_a_clients_call_of_one_message_are_both_answered() -> None:
    turn = Turn(calls=[("ask_input", {"message": "几人？"}), *SHOW.calls])
    case = Case(turn, "完")
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("x", tools=[MAP])))
        (question,) = interrupts(found)
        theirs = next(e["toolCallId"] for e in of_type(found, "TOOL_CALL_START") if e["toolCallName"] == "show_map")
        done = await answered(house, resolved(question, {"value": "2"}), messages=[output(theirs)], tools=[MAP])
        assert text_of(done) == "完"
        assert [m["role"] for m in await house.snapshot()] == ["user", "assistant", "tool", "tool", "assistant"]


@requirement("SB-CLIENT-10")
async def test_a_call_that_a_second_try_makes_under_the_old_id_waits_for_a_result_of_its_own() -> None:
    """As models do that count `call_0` anew in every answer."""
    show = Turn(chunks=[{"tc": [0, "call_0", "show_map", '{"place": "三食堂"}']}])
    case = Case(show, "在地图上了", show, "又在地图上了")
    async with case.open() as house:
        checked(await house.post("/agui", run_input("x", tools=[MAP])))
        body = run_input(None, run="r2", messages=[output("call_0")], tools=[MAP])
        checked(await house.post("/agui", body), resumed=True)
        props = {"command": "regenerate"}
        second = checked(await house.post("/agui", run_input(None, run="r3", forwardedProps=props, tools=[MAP])))
        assert second[-1]["outcome"]["pendingToolCallIds"] == ["call_0"]
        body = run_input(None, run="r4", messages=[output("call_0", "again", "o2")], tools=[MAP])
        assert text_of(checked(await house.post("/agui", body), resumed=True)) == "又在地图上了"
        assert (await house.snapshot())[2]["id"] == "o2"
