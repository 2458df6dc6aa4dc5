"""A gate that is not named is asked for, over A2A in process. Tuesday 2026-12-01 10:30."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from agents.transport.agent import SPEC
from chat_models import ScriptedChatModel, ToolSpec, Turn
from contracts.interrupts import choices, payload_error
from tests.unit.agents_kit.harness import Rpc, running, text_of


@pytest.fixture
async def rpc() -> AsyncIterator[Rpc]:
    async with running(SPEC) as client:
        yield client


def asked(task: dict[str, Any]) -> dict[str, Any]:
    assert task["status"]["state"] == "TASK_STATE_INPUT_REQUIRED", task["status"]
    payload = task["status"]["message"]["parts"][1]["data"]
    assert payload_error(payload) is None
    return payload


async def reply(rpc: Rpc, task: dict[str, Any], text: str, **answer: Any) -> dict[str, Any]:
    parts = [{"text": text}, *([{"data": answer}] if answer else [])]
    return await rpc.send("", parts=parts, taskId=task["id"], contextId=task["contextId"])


@pytest.mark.requirement("SB-KIT-16")
@pytest.mark.parametrize(
    ("question", "asks", "card", "said"),
    [
        ("去校门口怎么走", "是哪个校门？", "route_card", "北门"),
        ("怎么去校门", "是哪个校门？", "route_card", "北门"),
        ("route to the gate", "Which gate do you mean?", "route_card", "North Gate"),
        ("how do I get to the campus gate?", "Which gate do you mean?", "route_card", "North Gate"),
        ("how do I get from the gate to the library?", "From which gate?", "route_card", "From the North Gate"),
        ("下一班去校门口的校车", "是哪个校门？", "shuttle_cards", "北门"),
        ("where can I park near the gate?", "Which gate do you mean?", "parking_cards", "North Gate"),
    ],
)
async def test_it_is_asked_which_gate_and_the_answer_leads_there(
    rpc: Rpc, question: str, asks: str, card: str, said: str
) -> None:
    task = await rpc.send(question)
    payload = asked(task)
    assert (payload["type"], payload["message"]) == ("select", asks)
    assert choices(payload) == ["south-gate", "north-gate"]
    task = await reply(rpc, task, "north-gate", value="north-gate")
    assert said in text_of(task)
    assert task["metadata"]["card_template_id"] == card


async def test_a_gate_may_be_named_in_words_and_is_known_from_then_on(rpc: Rpc) -> None:
    task = await reply(rpc, await rpc.send("去校门口怎么走", contextId="c"), "北门")
    assert "到北门" in text_of(task)
    assert "到北门" in text_of(await rpc.send("那明天呢", contextId="c"))


@pytest.mark.parametrize(
    "question", ["去南门怎么走", "route to the North Gate", "正门怎么走", "how do I get to the main gate?"]
)
async def test_a_gate_with_a_name_is_not_asked_for(rpc: Rpc, question: str) -> None:
    assert (await rpc.send(question))["status"]["state"] == "TASK_STATE_COMPLETED"


async def test_a_real_model_may_leave_the_gate_open() -> None:
    def decide(messages: Sequence[BaseMessage], _: Sequence[ToolSpec]) -> Turn:
        if messages[-1].type == "tool":
            return Turn("There you go.")
        return Turn(calls=[("plan_route", {"destination": "the gate"})])

    async with running(SPEC, model=ScriptedChatModel(policy=decide)) as rpc:
        task = await reply(rpc, await rpc.send("To the gate, please"), "South Gate")
    assert task["metadata"]["card_template_id"] == "route_card"
