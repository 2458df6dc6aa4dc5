"""Meals are booked in conversation, over A2A in process. Tuesday 2026-12-01 11:30."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from agents.canteen.agent import SPEC
from agents.kit.settings import AgentSettings
from chat_models import ScriptedChatModel, ToolSpec, Turn
from contracts.interrupts import choices, payload_error
from tests.unit.agents_kit.cards import facts
from tests.unit.agents_kit.harness import Rpc, running, text_of

NOW = "2026-12-01T11:30"


@pytest.fixture
async def rpc() -> AsyncIterator[Rpc]:
    async with running(SPEC, now=NOW) as client:
        yield client


def asked(task: dict[str, Any]) -> dict[str, Any]:
    assert task["status"]["state"] == "TASK_STATE_INPUT_REQUIRED", task["status"]
    payload = task["status"]["message"]["parts"][1]["data"]
    assert payload_error(payload) is None
    return payload


async def reply(rpc: Rpc, task: dict[str, Any], **answer: Any) -> dict[str, Any]:
    parts = [{"text": str(next(iter(answer.values())))}, {"data": answer}]
    return await rpc.send("", parts=parts, taskId=task["id"], contextId=task["contextId"])


async def words(rpc: Rpc, task: dict[str, Any], text: str) -> dict[str, Any]:
    return await rpc.send(text, taskId=task["id"], contextId=task["contextId"])


@pytest.mark.requirement("SB-KIT-15")
async def test_a_meal_is_booked_after_its_time_and_an_approval_were_asked_for(rpc: Rpc) -> None:
    task = await rpc.send("订二食堂的午餐，3个人")
    when = asked(task)
    assert (when["type"], when["message"]) == ("select", "今天第二食堂，几点用餐？")
    assert [option["label"] for option in when["options"]] == ["12:00 午餐", "12:30 午餐"]
    task = await reply(rpc, task, value=choices(when)[1])
    sure = asked(task)
    assert (sure["type"], sure["message"]) == ("approval", "确认预订：第二食堂，12 月 1 日 12:30，3 人？")
    assert sure["details"] == {"食堂": "第二食堂", "日期": "2026-12-01", "时间": "12:30", "人数": "3"}
    task = await reply(rpc, task, approved=True)
    assert text_of(task) == "订好了：第二食堂，12 月 1 日 12:30，3 人，订单号 M0001。"
    assert task["metadata"]["card_template_id"] == "message-card"
    assert facts(task["metadata"]["card_data_model"])["订单号"] == "M0001"


async def test_the_same_in_english_and_in_words(rpc: Rpc) -> None:
    task = await rpc.send("book dinner tomorrow for 2 people")
    assert asked(task)["message"] == "Which canteen shall I book?"
    task = await words(rpc, task, "Canteen Two")
    assert asked(task)["message"] == "Canteen Two, tomorrow: at what time?"
    task = await words(rpc, task, "18:00 dinner")
    assert asked(task)["message"] == "Book Canteen Two for 2 people, 2026-12-02 at 18:00?"
    assert (
        text_of(await words(rpc, task, "yes")) == "Booked: Canteen Two, 2026-12-02 at 18:00, 2 people, booking M0001."
    )


@pytest.mark.parametrize(
    ("question", "no", "said"),
    [
        ("book lunch at canteen two", "no", "All right, nothing was booked."),
        ("订二食堂的午饭", "不要", "好的，没有预订。"),
    ],
)
async def test_a_rejected_approval_books_nothing(rpc: Rpc, question: str, no: str, said: str) -> None:
    task = await words(rpc, await rpc.send(question), "1")
    task = await words(rpc, task, no)
    assert (task["status"]["state"], text_of(task)) == ("TASK_STATE_COMPLETED", said)
    assert "card_template_id" not in task.get("metadata", {})
    assert "M0001" in text_of(await booked(rpc))


async def booked(rpc: Rpc) -> dict[str, Any]:
    return await words(rpc, await words(rpc, await rpc.send("book lunch at canteen two"), "1"), "yes")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("book dinner at canteen two at 6:30", "18:30"),
        ("订二食堂 12:30 的午餐", "12:30"),
        ("reserve a table at canteen two for 4 guests at 18:00", "18:00"),
    ],
)
async def test_a_time_that_was_named_is_not_asked_for(rpc: Rpc, question: str, expected: str) -> None:
    sure = asked(await rpc.send(question))
    assert sure["type"] == "approval"
    assert expected in sure["message"]


@pytest.mark.parametrize(
    ("now", "question", "first"),
    [
        ("2026-12-01T13:00", "book lunch at canteen two", "2026-12-02 11:30"),
        ("2026-12-01T13:00", "book lunch today at canteen two", "2026-12-02 11:30"),
        ("2026-12-01T18:20", "book dinner at canteen two", "2026-12-02 17:30"),
        ("2026-12-01T23:50", "订二食堂的早餐", "2026-12-02 07:30"),
    ],
)
async def test_only_times_that_can_still_be_booked_are_offered(now: str, question: str, first: str) -> None:
    async with running(SPEC, now=now) as rpc:
        assert choices(asked(await rpc.send(question)))[0] == first


async def test_an_approval_that_comes_too_late_books_nothing(tmp_path: Path) -> None:
    settings = AgentSettings(database=f"sqlite:{tmp_path / 'tasks.db'}", data_dir=tmp_path)
    async with running(SPEC, now=NOW, settings=settings) as rpc:
        task = await words(rpc, await rpc.send("book lunch at canteen two"), "1")
    async with running(SPEC, now="2026-12-01T11:45", settings=settings) as rpc:
        text = text_of(await reply(rpc, task, approved=True))
    assert text.startswith("Not booked: book at least 30 minutes ahead")


async def test_a_real_model_books_the_same_way() -> None:
    def decide(messages: Sequence[BaseMessage], _: Sequence[ToolSpec]) -> Turn:
        if messages[-1].type == "tool":
            return Turn(f"Done: {messages[-1].text}")
        return Turn(calls=[("reserve_meal", {"canteen": "Canteen Two", "meal": "lunch", "call": "x"})])

    async with running(SPEC, now=NOW, model=ScriptedChatModel(policy=decide)) as rpc:
        task = await words(rpc, await words(rpc, await rpc.send("Lunch at Canteen Two, please"), "1"), "ok")
    assert '"status": "booked"' in text_of(task)
    assert task["metadata"]["card_template_id"] == "message-card"
