"""Stops a model that asks the same thing again: a repeated call is answered from the first one's result.

After `MAX_BREAKS` repeats in a turn the model gets no tools; if it still calls, the turn ends with what is known.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from typing import Any

from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest

from chat_models import is_chinese
from supervisor.graph.actions import CARD_ACTION
from supervisor.graph.middleware.chain import Guard, ModelHandler, ToolHandler
from supervisor.graph.pairs import steps
from supervisor.graph.results import refusal, since_last_question, turn_rows

MAX_BREAKS = 2
MAX_TRIES = 2
"""How often a call whose tool failed may be made; what an agent answers, a failure too, is a result of the tool."""
MARK = "done_call_breaker"


class DoneCallBreaker(Guard):
    """Looks at the present turn only; the next question may repeat any call."""

    async def tool(self, request: ToolCallRequest, handler: ToolHandler) -> Any:
        call = request.tool_call
        if request.tool is not None and request.tool.name == CARD_ACTION:
            # A user may click the same thing again.
            return await handler(request)
        repeated, first = _same_call_before(since_last_question(request.state["messages"]), call)
        if not repeated:
            return await handler(request)
        content = first.text if first else refusal("repeated", "The same call is being answered already.")
        return _blocked(content, call["id"] or "", call["name"])

    async def model(self, request: ModelRequest[Any], handler: ModelHandler) -> ModelResponse[Any]:
        breaks = sum(MARK in m.additional_kwargs for m in since_last_question(request.messages))
        if breaks < MAX_BREAKS:
            return await handler(request)
        response = await handler(request.override(tools=[], tool_choice=None))
        answer = response.result[0]
        if isinstance(answer, AIMessage) and answer.tool_calls:
            response.result = _ended(answer, request.messages)
        return response


def _ended(answer: AIMessage, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The stray calls with an answer each, then the turn's last word. The calls were streamed, so they stay paired."""
    content = refusal("repeated", "No more calls in this turn.")
    blocked = [_blocked(content, call["id"] or "", call["name"]) for call in answer.tool_calls]
    return [answer, *blocked, AIMessage(_known_so_far(messages), id=f"stop-{uuid.uuid4()}")]


def _known_so_far(messages: Sequence[BaseMessage]) -> str:
    texts = [str(row["text"]) for row in turn_rows(messages) if row.get("text")]
    question = next((m.text for m in reversed(messages) if isinstance(m, HumanMessage)), "")
    if texts:
        return "\n\n".join(texts)
    return "抱歉，我没能得到新的结果。" if is_chinese(question) else "Sorry, I could not find out more."


def _blocked(content: str, call_id: str, name: str) -> ToolMessage:
    return ToolMessage(content, tool_call_id=call_id, name=name, id=str(uuid.uuid4()), additional_kwargs={MARK: True})


def _fingerprint(call: Any) -> str:
    return f"{call['name']} {json.dumps(call['args'], sort_keys=True, ensure_ascii=False)}"


def _same_call_before(turn: Sequence[BaseMessage], call: Any) -> tuple[bool, ToolMessage | None]:
    """Whether this turn made the same call before, and what it gave if that is known. A failed call has more tries."""
    made = list(steps(turn))
    failures = 0
    fingerprint = _fingerprint(call)
    for position, step in enumerate(made):
        present = position == len(made) - 1
        for other in step.message.tool_calls:
            if present and other["id"] == call["id"]:
                return False, None
            result = step.results.get(other["id"] or "")
            if _fingerprint(other) != fingerprint:
                continue
            failures += result is not None and result.status == "error"
            if result is None or result.status != "error" or failures >= MAX_TRIES:
                return True, result
    return False, None
