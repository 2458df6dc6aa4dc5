"""Cases of questions to the user: how they surface, what answers them, what happens when nobody does."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from chat_models import Turn
from tests.cases.case import Case, arguments, checked, dispatch, of_type
from tests.cases.hitl import answer, answered, ask, asks, declined, interrupts, refusal, resolved, results, still_open
from tests.fakes.a2a_stub import Reply
from tests.fakes.agui import run_input, text_of

requirement = pytest.mark.requirement

OPTIONS = ["一", "二"]


@requirement("HITL-01", "SB-RESUME-01", "AGUI-INTERRUPT-01")
async def test_hitl_01_a_resumed_run_does_not_announce_the_call_again() -> None:
    async with Case(asks(), "两人桌已记下").open() as house:
        first = await ask(house)
        (question,) = interrupts(first)
        call_id = question["toolCallId"]
        assert [e["type"] for e in first if e.get("toolCallId") == call_id][0::2][:1] == ["TOOL_CALL_START"]
        assert [e["toolCallId"] for e in of_type(first, "TOOL_CALL_END")] == [call_id]
        assert not of_type(first, "TOOL_CALL_RESULT")
        second = await answered(house, resolved(question, {"value": "2"}))
        assert not of_type(second, "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END")
        assert [e["toolCallId"] for e in of_type(second, "TOOL_CALL_RESULT")] == [call_id]
        assert json.loads(arguments(first)[call_id])["message"] == "几个人？"
        assert text_of(second) == "两人桌已记下"
        (held,) = [c for m in await house.snapshot() for c in m.get("toolCalls", ())]
        assert json.loads(held["function"]["arguments"]) == json.loads(arguments(first)[call_id])


@requirement("HITL-02", "AGUI-INTERRUPT-02", "SB-HITL-01")
async def test_hitl_02_two_parallel_questions_surface_together_and_are_answered_by_id() -> None:
    choice = ("ask_choice", {"message": "食堂？", "options": OPTIONS})
    confirm = ("ask_confirm", {"title": "提交", "body": "确认？", "actions": ["是", "否"]})
    async with Case(Turn(calls=[choice, confirm]), "完").open() as house:
        found = await ask(house)
        calls = [e["toolCallId"] for e in of_type(found, "TOOL_CALL_START")]
        by_call = {question["toolCallId"]: question for question in interrupts(found)}
        assert set(by_call) == set(calls)
        assert [by_call[c]["metadata"]["type"] for c in calls] == ["select", "modal"]
        assert len({question["id"] for question in by_call.values()}) == 2
        first, second = (by_call[c] for c in calls)
        done = await answered(house, resolved(second, {"action": "是"}), resolved(first, {"value": "二"}))
        said = results(done)
        assert (said[calls[0]]["answer"], said[calls[1]]["answer"]) == ({"value": "二"}, {"action": "是"})
        assert done[-1]["outcome"] == {"type": "success"}


@requirement("HITL-05", "SB-RESUME-02")
@pytest.mark.parametrize("durable", [False, True], ids=["memory", "sqlite"])
async def test_hitl_05_an_approval_that_is_sent_twice_at_once_has_one_effect(durable: bool, tmp_path: Path) -> None:
    case = Case(dispatch(("canteen", "付款")), "已付", "不客气", tmp_path=tmp_path if durable else None)
    case.canteen.replies.append(Reply("确认付款 12 元？", state="input-required"))
    paid = asyncio.Event()
    case.canteen.replies.append(Reply("支付成功", gate=paid))
    async with case.open() as house:
        (question,) = interrupts(await ask(house, "付款"))
        yes = resolved(question, {"value": "是"})
        clicks = [asyncio.create_task(answer(house, yes, run=run)) for run in ("r2", "r3")]
        await case.canteen.received(2)
        paid.set()
        first, second = await asyncio.gather(*clicks)
        assert text_of(checked(first, resumed=True)) == "已付"
        assert second.content == first.content
        assert (await answer(house, yes, run="r5")).content == first.content
        assert len(case.canteen.sends) == 2
        await ask(house, "谢谢", "u2", run="r4")
        assert len(case.canteen.sends) == 2


@requirement("HITL-06", "SB-DUR-02", "SB-CONNECT-04")
async def test_hitl_06_a_refresh_after_a_restart_shows_the_question_and_it_can_be_answered(tmp_path: Path) -> None:
    case = Case(asks("ask_multi_choice", message="忌口", options=["花生", "海鲜"]), "记住了", tmp_path=tmp_path)
    async with case.open() as house:
        before = interrupts(await ask(house, "忌口"))
    async with case.open() as house:
        found = checked(await house.post("/agui/connect", run_input(None, run="c1")))
        assert [e["type"] for e in found] == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]
        assert interrupts(found) == before
        assert before[0]["metadata"] == {"type": "multiSelect", "message": "忌口", "options": ["花生", "海鲜"]}
        assert len(case.saw) == 1
        done = await answered(house, resolved(before[0], {"values": ["海鲜"]}))
        assert (text_of(done), done[-1]["outcome"]["type"]) == ("记住了", "success")
        assert await still_open(house) == []


@requirement("HITL-07", "SB-RESUME-03", "AGUI-INTERRUPT-03")
async def test_hitl_07_a_new_message_instead_of_an_answer_is_refused_and_the_question_stays() -> None:
    case = Case(asks(), "两人", "晴")
    async with case.open() as house:
        (question,) = interrupts(await ask(house))
        refused = await house.post("/agui", run_input("算了，天气呢", message="u2", run="r2"))
        assert refusal(refused)[:2] == (409, "interrupt_pending")
        assert refused.json()["interrupts"] == [question]
        assert len(case.saw) == 1
        await answered(house, resolved(question, {"value": "2"}))
        assert text_of(await ask(house, "算了，天气呢", "u2", run="r3")) == "晴"
        assert refusal(await answer(house, resolved(question, {"value": "3"}), run="r4")) == (
            409, "INVALID_RESUME", "stale",
        )  # fmt: skip


@requirement("HITL-12")
async def test_hitl_12_answers_that_come_with_the_whole_conversation_add_no_message() -> None:
    case = Case(asks(message="名字？"), "你好小明")
    async with case.open() as house:
        (question,) = interrupts(await ask(house, "hi"))
        messages = [{"id": "u1", "role": "user", "content": "hi"}, *(await house.snapshot())[1:]]
        done = await answered(house, resolved(question, {"value": "小明"}), messages=messages)
        assert done[-1]["outcome"]["type"] == "success"
        held = await house.snapshot()
        assert [m["role"] for m in held] == ["user", "assistant", "tool", "assistant"]
        assert [m["id"] for m in held].count("u1") == 1
    assert len(case.saw) == 2


QUESTIONS: dict[str, tuple[Turn, Any, Any]] = {
    "input": (asks(), {"value": "是"}, {"value": 5}),
    "select": (asks("ask_choice", message="食堂？", options=OPTIONS), {"value": "二"}, {"value": "不在选项里"}),
    "multiSelect": (asks("ask_multi_choice", message="忌口", options=OPTIONS), {"values": OPTIONS}, {"values": "一"}),
    "modal": (asks("ask_confirm", title="提交", body="确认？", actions=["确定"]), {"action": "确定"}, {}),
    "approval": (asks("pay", amount=12), {"approved": False, "reason": "太贵"}, {"approved": "maybe"}),
    "unlock": (asks("enter", door="A1"), {}, [1]),
}


@requirement("HITL-13", "SB-HITL-02", "SB-RESUME-04", "AGUI-INTERRUPT-04")
@pytest.mark.parametrize("kind", QUESTIONS)
async def test_hitl_13_a_good_answer_resumes_and_a_wrong_one_is_refused_and_leaves_the_question(kind: str) -> None:
    turn, good, bad = QUESTIONS[kind]
    case = Case(turn, "好", extensions="tests.cases.host:extensions")
    async with case.open() as house:
        (question,) = interrupts(await ask(house))
        assert question["metadata"]["type"] == kind
        assert question["reason"] == ("confirmation" if kind == "approval" else kind)
        validator = jsonschema.Draft202012Validator(question["responseSchema"])
        assert (validator.is_valid(good), validator.is_valid(bad)) == (True, False)
        refused = await answer(house, resolved(question, bad))
        assert refusal(refused) == (409, "INVALID_RESUME", "bad_payload")
        assert refused.json()["interruptId"] == question["id"]
        assert await still_open(house) == [question]
        assert len(case.saw) == 1
        done = await answered(house, resolved(question, good), run="r3")
        assert (text_of(done), done[-1]["outcome"]["type"]) == ("好", "success")


@requirement("SB-HITL-03")
@pytest.mark.parametrize("kind", QUESTIONS)
async def test_a_question_that_is_declined_is_a_typed_answer_that_nobody_takes_for_a_yes(kind: str) -> None:
    case = Case(QUESTIONS[kind][0], "好的，不了", extensions="tests.cases.host:extensions")
    async with case.open() as house:
        (question,) = interrupts(await ask(house))
        done = await answered(house, declined(question))
        (said,) = results(done).values()
        assert said["status"] == "cancelled"
        assert text_of(done) == "好的，不了"
        assert await still_open(house) == []


@requirement("SB-HITL-04", "AGUI-SUBAGENT-04")
async def test_an_agent_that_asks_suspends_its_invocation_and_gets_the_answer_in_the_same_task() -> None:
    case = Case(dispatch(("canteen", "质数？")), "是质数")
    case.canteen.replies += [Reply("哪个数？", state="input-required"), Reply("7 是质数")]
    async with case.open() as house:
        found = await ask(house, "质数？")
        (question,) = interrupts(found)
        (started,) = of_type(found, "SUBAGENT_STARTED")
        (ended,) = of_type(found, "SUBAGENT_FINISHED")
        assert (question["message"], question["toolCallId"]) == ("哪个数？", started["parentToolCallId"])
        assert question["subagentRunId"] == started["subagentRunId"] == ended["subagentRunId"]
        assert ended["outcome"]["type"] == "suspended"
        done = await answered(house, resolved(question, {"value": "7"}))
        (again,) = of_type(done, "SUBAGENT_STARTED")
        assert again["subagentRunId"] == started["subagentRunId"]
        assert of_type(done, "SUBAGENT_FINISHED")[0]["outcome"]["type"] == "success"
        assert text_of(done) == "是质数"
    asked, told = case.canteen.sends
    assert told.text == "7"
    assert told.message["taskId"] == next(iter(case.canteen.tasks))
    assert told.message["contextId"] == asked.message["contextId"]
    assert told.message["messageId"] != asked.message["messageId"]
    assert told.headers["idempotency-key"] != asked.headers["idempotency-key"]


@requirement("SB-HITL-05")
async def test_an_agent_may_ask_again_and_again_and_every_answer_reaches_the_question_it_was_given_to() -> None:
    case = Case(dispatch(("canteen", "订餐")), "订好了")
    case.canteen.replies += [Reply(q, state="input-required") for q in ("几人？", "几点？")] + [Reply("已订")]
    async with case.open() as house:
        (first,) = interrupts(await ask(house))
        (second,) = interrupts(await answered(house, resolved(first, {"value": "两人"})))
        assert (second["message"], second["id"] != first["id"]) == ("几点？", True)
        done = await answered(house, resolved(second, {"value": "六点"}), run="r3")
        assert text_of(done) == "订好了"
    assert [sent.text for sent in case.canteen.sends] == ["订餐", "两人", "六点"]
    assert len({sent.headers["idempotency-key"] for sent in case.canteen.sends}) == 3


@requirement("SB-HITL-06")
@pytest.mark.parametrize("tool", ["parallel", "two calls"])
async def test_two_agents_that_ask_at_once_each_get_their_own_answer(tool: str) -> None:
    pairs = [{"agent": "canteen", "query": "订餐"}, {"agent": "transport", "query": "订车"}]
    both = Turn(calls=[("orchestrate_parallel", {"calls": pairs})])
    case = Case(both if tool == "parallel" else dispatch(("canteen", "订餐"), ("transport", "订车")), "都好了")
    case.canteen.replies += [Reply("几人？", state="input-required"), Reply("餐订好")]
    case.transport.replies += [Reply("几点？", state="input-required"), Reply("车订好")]
    async with case.open() as house:
        found = interrupts(await ask(house))
        entries = {q["message"]: q for q in found}
        while {"几人？", "几点？"} - set(entries):
            known = [resolved(q, {"value": q["message"]}) for q in found]
            found = interrupts(await answered(house, *known))
            entries |= {q["message"]: q for q in found}
        done = await answered(house, *(resolved(q, {"value": q["message"]}) for q in reversed(found)), run="r3")
        assert text_of(done) == "都好了"
    assert [s.text for s in case.canteen.sends] == ["订餐", "几人？"]
    assert [s.text for s in case.transport.sends] == ["订车", "几点？"]


@requirement("SB-HITL-07")
async def test_what_was_done_before_the_question_is_not_done_again_after_the_answer() -> None:
    turn = Turn(calls=[*dispatch(("canteen", "x")).calls, ("ask_input", {"message": "几人？"})])
    case = Case(turn, "完")
    case.canteen.replies.append(Reply("三道菜"))
    async with case.open() as house:
        found = await ask(house)
        (question,) = interrupts(found)
        done = await answered(house, resolved(question, {"value": "2"}))
        told = [e["toolCallId"] for e in of_type([*found, *done], "TOOL_CALL_RESULT")]
        assert len(told) == len(set(told)) == 2
        assert [m["role"] for m in await house.snapshot()] == ["user", "assistant", "tool", "tool", "assistant"]
    assert len(case.canteen.sends) == 1


@requirement("SB-HITL-08")
async def test_a_question_of_foreign_code_is_passed_on_as_it_is_and_takes_any_answer() -> None:
    case = Case(asks("foreign"), "好", extensions="tests.cases.host:extensions")
    async with case.open() as house:
        (question,) = interrupts(await ask(house))
        assert question["reason"] == "input_required"
        assert question["metadata"] == {"value": "anything?"}
        done = await answered(house, resolved(question, {"free": ["form"]}))
        assert next(iter(results(done).values())) == {"got": {"free": ["form"]}}


@requirement("SB-HITL-11")
async def test_a_question_whose_time_is_over_can_only_be_declined() -> None:
    async with Case(asks(), "好的，不了", interrupt_ttl_seconds=1e-6).open() as house:
        (question,) = interrupts(await ask(house))
        assert question["expiresAt"]
        assert refusal(await answer(house, resolved(question, {"value": "2"}))) == (409, "INVALID_RESUME", "expired")
        assert await still_open(house) == [question]
        assert text_of(await answered(house, declined(question), run="r3")) == "好的，不了"


@requirement("SB-HITL-12")
async def test_an_agent_that_wants_the_user_to_sign_in_becomes_an_unlocking_and_goes_on_with_the_same_task() -> None:
    case = Case(dispatch(("canteen", "余额")), "12 元")
    case.canteen.replies += [Reply("请先登录", state="auth-required"), Reply("余额 12 元")]
    async with case.open() as house:
        (question,) = interrupts(await ask(house, "余额"))
        assert (question["metadata"]["type"], question["message"]) == ("unlock", "请先登录")
        assert text_of(await answered(house, resolved(question, {}))) == "12 元"
    asked, told = case.canteen.sends
    assert told.message["taskId"] == next(iter(case.canteen.tasks))
    assert told.message["messageId"] != asked.message["messageId"]
