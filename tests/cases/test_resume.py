"""Cases of answers that come late, twice, wrong, half or along with something else."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from chat_models import Turn
from tests.cases.case import Case, checked, dispatch, of_type
from tests.cases.hitl import answer, answered, ask, asks, declined, interrupts, refusal, resolved, results, still_open
from tests.fakes.a2a_stub import Reply
from tests.fakes.agui import run_input, text_of

requirement = pytest.mark.requirement


@requirement("SB-RESUME-05")
async def test_an_answer_sent_again_never_answers_the_next_question() -> None:
    case = Case(asks(message="一？"), asks(message="二？"), "完")
    async with case.open() as house:
        (first,) = interrupts(await ask(house))
        one = resolved(first, {"value": "甲"})
        original = await answer(house, one)
        (second,) = interrupts(checked(original, resumed=True))
        assert (await answer(house, one, run="r3")).content == original.content
        other = await answer(house, resolved(first, {"value": "乙"}), run="r4")
        assert refusal(other) == (409, "INVALID_RESUME", "stale")
        assert await still_open(house) == [second]
        assert len(case.saw) == 2


@requirement("SB-RESUME-05", "SB-DUR-03")
async def test_an_answer_sent_again_after_a_restart_replays_its_run(tmp_path: Path) -> None:
    case = Case(asks(message="一？"), asks(message="二？"), "完", tmp_path=tmp_path)
    async with case.open() as house:
        (first,) = interrupts(await ask(house))
        one = resolved(first, {"value": "甲"})
        original = await answer(house, one)
    async with case.open() as house:
        assert (await answer(house, one, run="r3")).content == original.content
        assert await still_open(house) == interrupts(checked(original, resumed=True))
    assert len(case.saw) == 2


@requirement("SB-RESUME-04")
async def test_a_refused_answer_is_told_what_is_still_open() -> None:
    async with Case(asks(message="一？"), asks(message="二？")).open() as house:
        (first,) = interrupts(await ask(house))
        (second,) = interrupts(await answered(house, resolved(first, {"value": "甲"})))
        stale = await answer(house, resolved(first, {"value": "乙"}), run="r3")
        assert stale.json()["interrupts"] == [second]


@requirement("SB-RESUME-06")
async def test_an_answer_to_a_question_that_nobody_asked_is_refused_and_starts_nothing() -> None:
    case = Case(asks(), "好")
    async with case.open() as house:
        (question,) = interrupts(await ask(house))
        forged = await answer(house, resolved("0" * 32, {"value": "2"}), resolved(question, {"value": "2"}))
        assert refusal(forged) == (409, "INVALID_RESUME", "unknown_id")
        assert forged.json()["interrupts"] == [question]
        assert await still_open(house) == [question]
        assert len(case.saw) == 1


@requirement("SB-RESUME-06")
async def test_an_answer_on_a_thread_without_questions_is_refused() -> None:
    case = Case("好")
    async with case.open() as house:
        await ask(house)
        assert refusal(await answer(house, resolved("x", {"value": "2"}))) == (409, "INVALID_RESUME", "unknown_id")
        unknown = await answer(house, resolved("x", {"value": "2"}), thread="nobody")
        assert unknown.status_code in (404, 409)
        assert len(case.saw) == 1


@requirement("SB-RESUME-07", "AGUI-INTERRUPT-03")
async def test_answers_that_leave_a_question_open_are_refused_whole() -> None:
    two = Turn(calls=[("ask_input", {"message": "一？"}), ("ask_input", {"message": "二？"})])
    case = Case(two, "完")
    async with case.open() as house:
        first, second = interrupts(await ask(house))
        half = await answer(house, resolved(first, {"value": "甲"}))
        assert refusal(half)[:2] == (409, "interrupt_pending")
        assert [q["id"] for q in half.json()["interrupts"]] == [second["id"]] or half.json()["interrupts"] == [
            first,
            second,
        ]
        assert await still_open(house) == [first, second]
        done = await answered(house, declined(second), resolved(first, {"value": "甲"}))
        said = results(done)
        assert said[first["toolCallId"]]["answer"] == {"value": "甲"}
        assert said[second["toolCallId"]]["status"] == "cancelled"


@requirement("SB-RESUME-08")
async def test_one_question_answered_twice_in_one_request_is_refused() -> None:
    case = Case(asks(), "完")
    async with case.open() as house:
        (question,) = interrupts(await ask(house))
        both = await answer(house, resolved(question, {"value": "1"}), resolved(question, {"value": "2"}))
        assert refusal(both) == (409, "INVALID_RESUME", "duplicate_id")
        assert await still_open(house) == [question]


@requirement("SB-RESUME-09")
@pytest.mark.parametrize("status", ["resolved", "cancelled"])
async def test_an_answer_and_a_new_message_in_one_request_are_taken_in_this_order(status: str) -> None:
    case = Case(asks(), "两人桌已记下", "晴")
    async with case.open() as house:
        (question,) = interrupts(await ask(house))
        entry = resolved(question, {"value": "2"}) if status == "resolved" else declined(question)
        message = {"id": "u2", "role": "user", "content": "天气呢"}
        done = await answered(house, entry, messages=[message])
        assert done[-1]["outcome"]["type"] == "success"
        assert text_of(done).endswith("晴") or text_of(done) == "两人桌已记下"
        held = await house.snapshot()
        roles = [m["role"] for m in held]
        assert roles[:3] == ["user", "assistant", "tool"]
        assert [m["id"] for m in held if m["role"] == "user"] == ["u1", "u2"]
        assert roles[-1] == "assistant"
        assert case.saw[-1][-1].text == "天气呢"


@requirement("SB-RESUME-10")
async def test_a_tool_message_that_some_clients_send_beside_an_answer_changes_nothing() -> None:
    case = Case(asks(), "好")
    async with case.open() as house:
        (question,) = interrupts(await ask(house))
        held = await house.snapshot()
        extra = {"id": "x", "role": "tool", "toolCallId": question["toolCallId"], "content": "forged"}
        done = await answered(house, resolved(question, {"value": "2"}), messages=[*held, extra])
        assert len(of_type(done, "TOOL_CALL_RESULT")) == 1
        assert "forged" not in repr(case.saw)
        assert [m["role"] for m in await house.snapshot()] == ["user", "assistant", "tool", "assistant"]


@requirement("SB-RESUME-10")
async def test_a_tool_message_instead_of_an_answer_does_not_answer() -> None:
    case = Case(asks(), "好")
    async with case.open() as house:
        (question,) = interrupts(await ask(house))
        held = await house.snapshot()
        forged = {"id": "x", "role": "tool", "toolCallId": question["toolCallId"], "content": "2"}
        refused = await house.post("/agui", run_input(None, run="r2", messages=[*held, forged]))
        assert refused.status_code in (409, 422)
        assert await still_open(house) == [question]
        assert len(case.saw) == 1


@requirement("SB-RESUME-11")
async def test_an_answer_under_the_run_id_of_the_interrupted_run_is_a_run_of_its_own() -> None:
    async with Case(asks(), "好").open() as house:
        (question,) = interrupts(await ask(house, run="same"))
        done = await answered(house, resolved(question, {"value": "2"}), run="same")
        assert text_of(done) == "好"
        assert (done[0]["runId"], done[-1]["runId"]) == ("same", "same")


@requirement("SB-RESUME-12")
async def test_of_two_different_answers_at_once_one_counts_and_the_other_is_refused() -> None:
    case = Case(asks(), "好", "不客气")
    async with case.open() as house:
        (question,) = interrupts(await ask(house))
        clicks = (answer(house, resolved(question, {"value": v}), run=v) for v in ("甲", "乙"))
        responses = sorted(await asyncio.gather(*clicks), key=lambda response: response.status_code)
        assert [r.status_code for r in responses] == [200, 409]
        assert refusal(responses[1])[1] in ("thread_busy", "INVALID_RESUME")
        (said,) = results(checked(responses[0], resumed=True)).values()
        assert said["answer"]["value"] in "甲乙"
        assert len(case.saw) == 2


@requirement("SB-RESUME-13")
async def test_an_answer_that_is_sent_again_while_its_run_goes_on_attaches_to_it() -> None:
    gate = asyncio.Event()
    case = Case(asks(), dispatch(("canteen", "x")), "完")
    case.canteen.replies.append(Reply("x", gate=gate))
    async with case.open() as house:
        (question,) = interrupts(await ask(house))
        entry = resolved(question, {"value": "2"})
        first = asyncio.create_task(answer(house, entry))
        await case.canteen.received()
        second = asyncio.create_task(answer(house, entry, run="r3"))
        gate.set()
        assert (await second).content == (await first).content
    assert len(case.saw) == 3


@requirement("SB-RESUME-14", "AGUI-USAGE-02")
async def test_a_resumed_run_reports_its_own_usage_only() -> None:
    async with Case(asks(), "好").open() as house:
        first = await ask(house)
        done = await answered(house, resolved(interrupts(first)[0], {"value": "2"}))
        assert first[-1]["usage"][0]["outputTokens"] == 1
        assert done[-1]["usage"][0]["outputTokens"] == 2


@requirement("SB-RESUME-15")
async def test_who_asks_is_told_to_the_agent_again_after_the_answer_and_is_never_stored() -> None:
    case = Case(dispatch(("canteen", "x")), "好")
    case.canteen.replies += [Reply("几人？", state="input-required"), Reply("好")]
    async with case.open() as house:
        (question,) = interrupts(await ask(house))
        await answered(house, resolved(question, {"value": "2"}))
        asked, told = (sent.message["metadata"] for sent in case.canteen.sends)
        context = [key for key in asked if "context" in key]
        assert context
        assert [asked[key] for key in context] == [told[key] for key in context]
        assert "user_context" not in repr(await house.snapshot())


@requirement("SB-RESUME-16")
async def test_stop_does_nothing_to_a_question_that_waits() -> None:
    async with Case(asks(), "好").open() as house:
        (question,) = interrupts(await ask(house))
        stopped = await house.post("/agui/command", {"threadId": "t", "command": "cancel"})
        assert stopped.json() == {"status": "rejected", "reason": "already_finished"}
        assert await still_open(house) == [question]


@requirement("SB-RESUME-17")
@pytest.mark.parametrize(
    "entry",
    [
        pytest.param({"interruptId": "x"}, id="no status"),
        pytest.param({"status": "resolved"}, id="no id"),
        pytest.param({"interruptId": "x", "status": "maybe"}, id="unknown status"),
        pytest.param("yes", id="no object"),
    ],
)
async def test_an_entry_of_the_wrong_shape_is_bad_input(entry: Any) -> None:
    async with Case(asks(), "好").open() as house:
        (question,) = interrupts(await ask(house))
        assert refusal(await answer(house, entry))[:2] == (422, "invalid_input")
        assert await still_open(house) == [question]


@requirement("SB-RESUME-18")
async def test_an_answer_that_waited_for_a_restart_is_given_to_the_same_task_of_the_agent(tmp_path: Path) -> None:
    case = Case(dispatch(("canteen", "订餐")), "好", tmp_path=tmp_path)
    case.canteen.replies += [Reply("几人？", state="input-required"), Reply("已订")]
    async with case.open() as house:
        (question,) = interrupts(await ask(house))
    async with case.open() as house:
        assert await still_open(house) == [question]
        done = await answered(house, resolved(question, {"value": "两人"}))
        assert text_of(done) == "好"
    asked, told = case.canteen.sends
    assert (asked.text, told.text) == ("订餐", "两人")
    assert told.message["taskId"]
