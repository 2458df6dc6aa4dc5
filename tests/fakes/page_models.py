"""The model and the host tools behind the chat page's tests: what is asked decides what happens.

A `|` in a scripted text holds the answer there until the file named by `PAGE_GATE` exists.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from langchain.tools import ToolRuntime, tool
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from langgraph.types import interrupt

from chat_models.scripted import ScriptedChatModel, ToolSpec, Turn
from supervisor.extensions import Extensions
from supervisor.graph.hitl.helpers import Origin, ask, hitl_approval, hitl_unlock

HOLD = "|"
POLL_SECONDS = 0.02

DISHES = ["Mapo tofu", "Fried rice", "Noodles"]
CALLS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "ask input": [("ask_input", {"message": "How many people?", "placeholder": "a number"})],
    "ask select": [("ask_choice", {"message": "Which dish?", "options": DISHES})],
    "ask multiSelect": [("ask_multi_choice", {"message": "Which dishes?", "options": DISHES})],
    "ask modal": [("ask_confirm", {"title": "Send it?", "body": "Two portions.", "actions": ["Send", "Not yet"]})],
    "ask approval": [("pay", {"amount": "24.50"})],
    "ask unlock": [("open_door", {"door": "B-204"})],
    "ask late": [("ask_late", {})],
    "ask foreign": [("ask_seat", {})],
}
CALLS["ask slowly"] = CALLS["ask input"]
CALLS["ask two"] = [*CALLS["ask input"], *CALLS["ask approval"]]
TEXTS = {
    "hold": "The first half, |the second half.",
    "count": "One, two, three.",
}


def factory() -> ScriptedChatModel:
    """For `MODEL`."""
    return HeldModel(policy=_decide)


def extensions() -> Extensions:
    """For `EXTENSIONS`."""
    return Extensions(tools=[pay, open_door, ask_late, ask_seat])


class HeldModel(ScriptedChatModel):
    """Streams like its parent, but waits at every `|` until the gate is open."""

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        async for chunk in super()._astream(messages, stop, run_manager, **kwargs):
            if chunk.text == HOLD:
                await _opened()
            else:
                yield chunk


def _decide(messages: Sequence[BaseMessage], _: Sequence[ToolSpec]) -> Turn:
    asked = max(i for i, message in enumerate(messages) if isinstance(message, HumanMessage))
    question = messages[asked].text
    results = [message.text for message in messages[asked + 1 :] if isinstance(message, ToolMessage)]
    if results:
        return Turn(f"Heard{HOLD if question == 'ask slowly' else ''}: {' and '.join(results)}")
    if question == "fail":
        return Turn("Back again.") if _gate().exists() else Turn("I fear ", error="broken", error_after=3)
    if question in CALLS:
        return Turn(calls=CALLS[question])
    return Turn(TEXTS.get(question, f"You said: {question}"))


def _gate() -> Path:
    return Path(os.environ["PAGE_GATE"])


async def _opened() -> None:
    while not _gate().exists():  # noqa: ASYNC110 - the gate is opened by another process
        await asyncio.sleep(POLL_SECONDS)


@tool
async def pay(amount: str, runtime: ToolRuntime) -> str:
    """Pay a bill, once the user approves."""
    bill = {"amount": amount, "payee": {"name": "North Canteen", "counter": 3}, "dishes": DISHES[:2]}
    answer = hitl_approval("Pay the canteen?", bill, origin=Origin(runtime.tool_call_id))
    return f"paid {amount}" if answer else f"not paid: {getattr(answer, 'reason', None)}"


@tool
async def open_door(door: str, runtime: ToolRuntime) -> str:
    """Open a door, once the user has unlocked it."""
    opened = hitl_unlock("Hold your card to the reader", door, origin=Origin(runtime.tool_call_id))
    return f"{door} is open" if opened else f"{door} stays shut"


@tool
async def ask_late(runtime: ToolRuntime) -> str:
    """Ask something that nobody can answer in time."""
    payload = {"type": "input", "message": "Who was first?", "expiresAt": "2020-01-01T12:00:00Z"}
    return "an answer" if ask(payload, Origin(runtime.tool_call_id)) else "no answer"


@tool
async def ask_seat() -> str:
    """Ask in a way of its own."""
    return f"seat {interrupt({'type': 'seat-map', 'message': 'Where do you sit?', 'rows': 3})}"
