"""Cases of calls to agents, through the whole supervisor: every shape of an answer, retries, questions, cancels.

What one exchange with an agent does is in `tests/unit/dispatch`; here is what a user and a front end see of it.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from chat_models import Turn
from tests.cases.case import Case, Event, call_chunk, checked, dispatch, of_type
from tests.cases.hitl import answered, ask, declined, interrupts, resolved
from tests.fakes.a2a_stub import CANCELS, IDEMPOTENCY, Reply
from tests.fakes.agui import run_input, text_of

requirement = pytest.mark.requirement

SAID = {"kind": "message", "messageId": "m2", "role": "agent", "parts": [{"kind": "text", "text": "你好"}]}
SAID_1_0 = {"messageId": "m2", "role": "ROLE_AGENT", "parts": [{"text": "你好"}]}
REPLIES: list[Any] = [
    {**SAID, "messageId": "m1"},
    {"kind": "task", "id": "t1", "contextId": "c1", "status": {"state": "completed", "message": SAID}},
    {"task": {"id": "t1", "contextId": "c1", "status": {"state": "TASK_STATE_COMPLETED", "message": SAID_1_0}}},
    {"message": SAID_1_0},
]
STATES = [
    ("completed", "TASK_STATE_COMPLETED", "ok"),
    ("failed", "TASK_STATE_FAILED", "a2a_state_failed"),
    ("rejected", "TASK_STATE_REJECTED", "a2a_state_rejected"),
    ("canceled", "TASK_STATE_CANCELED", "a2a_state_canceled"),
    ("input-required", "TASK_STATE_INPUT_REQUIRED", "interrupt"),
    ("unheard-of", "TASK_STATE_FOO", "a2a_state_unknown"),
]


def result_of(found: list[Event]) -> dict[str, Any]:
    """The one tool result of a stream, as the model reads it."""
    (result,) = of_type(found, "TOOL_CALL_RESULT")
    return json.loads(result["content"])


@requirement("A2A-01")
@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("reply", REPLIES, ids=["message", "task-0.3", "task-1.0", "message-1.0"])
async def test_a2a_01_every_shape_of_a_reply_is_an_answer(reply: Any, streaming: bool) -> None:
    case = Case(dispatch(("canteen", "hi")), "完")
    case.agent("canteen", streaming=streaming).replies.append(Reply(result=reply))
    async with case.open() as house:
        found = result_of(await ask(house, "hi"))
    assert (found["status"], found["text"]) == ("completed", "你好")


@requirement("A2A-02")
@pytest.mark.parametrize(("old", "new", "expected"), STATES, ids=[row[0] for row in STATES])
async def test_a2a_02_both_spellings_of_a_state_give_one_outcome(old: str, new: str, expected: str) -> None:
    for state, message in ((old, SAID), (new, SAID_1_0)):
        reply = {"id": "t1", "contextId": "c1", "status": {"state": state, "message": message}}
        case = Case(dispatch(("canteen", "hi")), "完")
        case.agent("canteen", streaming=False).replies.append(Reply(result=reply))
        async with case.open() as house:
            found = await ask(house, "hi")
        if expected == "interrupt":
            assert interrupts(found)[0]["message"] == "你好"
            continue
        assert found[-1]["outcome"] == {"type": "success"}
        row = result_of(found)
        assert row.get("error") == (None if expected == "ok" else expected)
        assert (case.saw[1][-1].status == "error") is (expected != "ok")


@requirement("A2A-03")
async def test_a2a_03_an_agent_that_answers_at_once_is_polled_to_the_end() -> None:
    case = Case(dispatch(("canteen", "x")), "完")
    canteen = case.agent("canteen", streaming=False)
    canteen.replies.append(
        Reply(state="submitted", polls=[Reply(state="working"), Reply(state="working"), Reply("结果来了")])
    )
    async with case.open() as house:
        found = await ask(house, "x")
    assert result_of(found)["text"] == "结果来了"
    assert (len(canteen.sends), len(canteen.gets)) == (1, 3)
    assert len({request.params["id"] for request in canteen.gets}) == 1


@requirement("A2A-03")
async def test_a2a_03_a_task_that_never_ends_is_a_timeout_and_cancelled_once() -> None:
    case = Case(dispatch(("canteen", "x")), "完", agent_timeout=0.5)
    canteen = case.agent("canteen", streaming=False)
    canteen.replies.append(Reply(state="working"))
    async with case.open() as house:
        found = await ask(house, "x")
        await canteen.received(1, CANCELS)
    assert (result_of(found)["error"], found[-1]["outcome"]["type"]) == ("timeout", "success")
    assert len(canteen.cancelled) == 1


@requirement("A2A-04", "A2A-ISSUE-01", "A2A-ISSUE-02", "A2A-ISSUE-03", "A2A-ISSUE-08")
async def test_a2a_04_the_answer_to_a_question_continues_the_same_task() -> None:
    case = Case(dispatch(("prime", "质数？")), "是质数", dispatch(("prime", "再来")), "好")
    prime = case.agent("prime", extensions=(IDEMPOTENCY,))
    asked = {"id": "T1", "contextId": "C1", "status": {"state": "TASK_STATE_INPUT_REQUIRED", "message": SAID_1_0}}
    prime.replies += [Reply(result={"task": asked}), Reply(http=503), Reply("7 是质数"), Reply("又来")]
    async with case.open() as house:
        (question,) = interrupts(await ask(house, "质数？"))
        found = await answered(house, resolved(question, {"value": "7"}))
        assert text_of(found) == "是质数"
        await ask(house, "再来", "u2", run="r3")
    first, lost, second, other = prime.sends
    assert (second.message["taskId"], second.message["contextId"], second.text) == ("T1", "C1", "7")
    assert second.message["messageId"] != first.message["messageId"]
    keys = [request.headers["idempotency-key"] for request in (first, lost, second, other)]
    assert (keys[1], len(set(keys))) == (keys[2], 3)
    assert "taskId" not in other.message, "a task that has ended takes no more messages"


@requirement("A2A-ISSUE-04")
async def test_a_question_of_an_agent_is_never_an_empty_result_for_the_model() -> None:
    case = Case(dispatch(("canteen", "订座")), "好")
    case.canteen.replies.append(Reply("", state="input-required"))
    async with case.open() as house:
        (question,) = interrupts(await ask(house, "订座"))
        assert question["message"].strip()
        assert len(case.saw) == 1, "the model speaks only once there is an answer"
        await answered(house, declined(question))
    assert json.loads(case.saw[1][-1].text)["status"] == "cancelled"


@requirement("A2A-07")
@pytest.mark.parametrize("streaming", [True, False])
async def test_a2a_07_a_stop_reaches_the_remote_task_and_a_late_answer_changes_nothing(streaming: bool) -> None:
    case = Case(dispatch(("canteen", "x"), text="查询中"), dispatch(("canteen", "再来")), "好")
    canteen, late = case.agent("canteen", streaming=streaming), asyncio.Event()
    canteen.cancel_state = "working"
    canteen.replies.append(Reply(steps=["慢", late, "late"]) if streaming else Reply("late", gate=late))
    async with case.open() as house:
        run = asyncio.create_task(house.post("/agui", run_input("x")))
        await canteen.received()
        if not streaming:
            sent = canteen.sends[0].message
            canteen.listed = [
                {"id": "T9", "contextId": "t", "status": {"state": "TASK_STATE_WORKING"}, "history": [sent]}
            ]
        await house.post("/agui/command", {"threadId": "t", "command": "cancel"})
        found = checked(await run)
        assert found[-1]["outcome"] == {"type": "cancelled"}
        assert canteen.cancelled == [canteen.cancelled[0] if streaming else "T9"]
        late.set()
        canteen.replies.append(Reply("有"))
        assert text_of(await ask(house, "再来", "u2", run="r2")) == "好"
    assert len(canteen.cancelled) == 1
    assert "late" not in str(case.saw)
    assert [m.type for m in case.saw[1]] == ["human", "ai", "tool", "ai", "human"]


@requirement("A2A-10")
async def test_a2a_10_one_failing_leg_does_not_lose_the_others() -> None:
    asked = [
        {"agent": "canteen", "query": "a"},
        {"agent": "transport", "query": "b"},
        {"agent": "weather", "query": "c"},
    ]
    case = Case(Turn(calls=[("orchestrate_parallel", {"calls": asked})]), "部分完成")
    weather = case.agent("weather")
    case.canteen.replies.append(Reply(http=500, raw=b"Traceback: token=s3cret at db.internal"))
    case.transport.replies.append(Reply("系统维护", state="failed"))
    weather.replies.append(Reply("晴"))
    async with case.open() as house:
        response = await house.post("/agui", run_input("x"))
        found = checked(response)
    rows = {row["agent"]: row for row in result_of(found)["results"]}
    assert {name: row.get("error") for name, row in rows.items()} == {
        "canteen": "http_500", "transport": "a2a_state_failed", "weather": None,
    }  # fmt: skip
    assert rows["weather"]["text"] == "晴"
    assert found[-1]["outcome"] == {"type": "success"}
    assert not any(secret in response.content for secret in (b"s3cret", b"Traceback", b"agents.test", b"db.internal"))


@requirement("A2A-11", "A2A-ISSUE-10")
@pytest.mark.parametrize("streaming", [True, False])
async def test_a2a_11_a_call_keeps_its_key_over_retries_and_a_new_turn_has_another(
    streaming: bool, tmp_path: Path
) -> None:
    args = '{"agent":"order","query":"下单"}'
    order = Turn(chunks=[call_chunk(0, "call_0", args)])
    case = Case(order, "完", order, "完", order, "完", tmp_path=tmp_path)
    shop = case.agent("order", streaming=streaming, extensions=(IDEMPOTENCY,))
    shop.replies += [Reply(fail=httpx.ReadError("closed")), Reply("单号 1"), Reply("单号 2"), Reply("单号 3")]
    async with case.open() as house:
        await ask(house, "下单")
    async with case.open() as house:
        await ask(house, "再下一单", "u2", run="r2")
        await ask(house, "下单", "u1", run="r3", thread="another")
    first, again, second, elsewhere = shop.sends
    keys = [request.headers["idempotency-key"] for request in shop.sends]
    assert keys[0] == keys[1]
    assert first.message["messageId"] == again.message["messageId"]
    assert len({keys[0], second.headers["idempotency-key"], elsewhere.headers["idempotency-key"]}) == 3
    assert all(key.isascii() and "下单" not in key for key in keys)


@requirement("A2A-ISSUE-07")
async def test_a_field_called_status_in_an_agents_data_is_not_the_state_of_its_task() -> None:
    case = Case(dispatch(("canteen", "我的订单")), "完")
    case.agent("canteen", streaming=False).replies.append(
        Reply("订单已取消", data=[{"status": "canceled", "state": "TASK_STATE_FAILED"}])
    )
    async with case.open() as house:
        found = result_of(await ask(house, "我的订单"))
    assert (found["status"], found["data"]["status"]) == ("completed", "canceled")


@requirement("A2A-ISSUE-19")
async def test_a_task_that_an_agent_leaves_at_work_for_ever_ends_with_the_time_of_its_call() -> None:
    case = Case(dispatch(("canteen", "x")), "完", agent_timeout=0.5, agent_idle_seconds=0.1)
    case.canteen.replies.append(Reply(steps=["在", asyncio.Event()], polls=[Reply(state="working")]))
    async with case.open() as house:
        found = await ask(house, "x")
        await case.canteen.received(1, CANCELS)
    assert result_of(found)["error"] == "timeout"
