"""Runs the agent's graph for one A2A task and says what happens as task events. Every task ends in a terminal state."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from a2a.helpers import new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.tasks import TaskUpdater
from a2a.types import Message, TaskState
from google.protobuf.json_format import MessageToDict

from agents.kit.action import BadAction, action_in
from agents.kit.conversation import answers_in_chinese, asker_of
from agents.kit.graph import AgentGraph
from agents.kit.turn import Answer, Question, Status, Text

logger = logging.getLogger(__name__)

FLUSH_CHARS = 24
FLUSH_SECONDS = 0.05
STREAMING_METHODS = frozenset({"SendStreamingMessage", "message/stream"})

_TEXTS = {
    "failed": (
        "抱歉，处理这个问题时出了点差错，请稍后再试。",
        "Sorry, something went wrong here. Please try again later.",
    ),
    "timeout": ("抱歉，这个问题花的时间太长，请稍后再试。", "Sorry, this took too long. Please try again later."),
    "empty": ("没有读到问题，请用文字描述。", "The message holds no text. Please ask in words."),
    "too_long": ("问题太长了，请缩短后再试。", "The question is too long. Please shorten it."),
    "bad_action": ("读不懂这次点击，请重新打开卡片。", "This click cannot be read. Please open the card again."),
    "cancelled": ("已取消。", "Cancelled."),
}


class GraphExecutor(AgentExecutor):
    """Executes tasks with an `AgentGraph`. `turn_seconds` bounds one answer, `max_chars` one question."""

    def __init__(self, graph: AgentGraph, *, turn_seconds: float, max_chars: int) -> None:
        self._graph = graph
        self._turn_seconds = turn_seconds
        self._max_chars = max_chars

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Answer the message: WORKING statuses, the text as an artifact in pieces, then COMPLETED with the card."""
        message = context.message
        assert message is not None
        if not context.current_task:
            await event_queue.enqueue_event(new_task_from_user_message(message))
        updater = TaskUpdater(event_queue, context.task_id or "", context.context_id or "")
        question = _question(context, message)
        try:
            try:
                question = replace(question, action=action_in(message))
                problem = self._problem(question)
            except BadAction as error:
                logger.warning("a click was refused: %s", error)
                problem = "bad_action"
            if problem:
                await _finish(updater, TaskState.TASK_STATE_REJECTED, _public(problem, question))
                return
            async with asyncio.timeout(self._turn_seconds):
                await self._answer(updater, question, context)
        except TimeoutError:
            await _finish(updater, TaskState.TASK_STATE_FAILED, _public("timeout", question))
        except Exception as error:
            logger.error("a turn failed: %s", type(error).__name__)
            await _finish(updater, TaskState.TASK_STATE_FAILED, _public("failed", question))

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Record the cancellation; the SDK then cancels `execute`, and with it the graph and its tool calls."""
        updater = TaskUpdater(event_queue, context.task_id or "", context.context_id or "")
        await _finish(updater, TaskState.TASK_STATE_CANCELED, "已取消。 Cancelled.")

    def _problem(self, question: Question) -> str | None:
        if question.action is not None:
            return None
        if not question.text.strip():
            return "empty"
        return "too_long" if len(question.text) > self._max_chars else None

    async def _answer(self, updater: TaskUpdater, question: Question, context: RequestContext) -> None:
        await updater.start_work()
        state = context.call_context.state
        artifact = _TextArtifact(updater, streaming=state.get("method") in STREAMING_METHODS)
        answer: Answer | None = None
        async for event in self._graph.run(question):
            match event:
                case Status(text):
                    await updater.start_work(updater.new_agent_message([new_text_part(text)]))
                case Text(text):
                    await artifact.write(text)
                case Answer():
                    answer = event
        assert answer is not None
        await artifact.close()
        metadata = _metadata(answer, _trace_id(state.get("headers", {})))
        await _finish(updater, TaskState.TASK_STATE_COMPLETED, answer.text, metadata)


class _TextArtifact:
    """The answer's text as one artifact: streamed in small pieces, otherwise whole, since a task keeps every piece."""

    def __init__(self, updater: TaskUpdater, *, streaming: bool) -> None:
        self._updater = updater
        self._streaming = streaming
        self._held = ""
        self._sent = False
        self._flushed_at = 0.0

    async def write(self, text: str) -> None:
        self._held += text
        due = len(self._held) >= FLUSH_CHARS or time.monotonic() - self._flushed_at >= FLUSH_SECONDS
        # The last piece has to carry `last_chunk`, so one character is always held back.
        if self._streaming and due and len(self._held) > 1:
            ready, self._held = self._held[:-1], self._held[-1]
            await self._send(ready, last=False)

    async def close(self) -> None:
        await self._send(self._held, last=True)

    async def _send(self, text: str, *, last: bool) -> None:
        await self._updater.add_artifact(
            [new_text_part(text)], artifact_id="answer", name="answer", append=self._sent, last_chunk=last
        )
        self._sent = True
        self._flushed_at = time.monotonic()


def _question(context: RequestContext, message: Message) -> Question:
    metadata = MessageToDict(message.metadata)
    return Question(
        text=context.get_user_input(),
        asker=asker_of(metadata),
        owner=context.call_context.user.user_name,
        context_id=context.context_id or "",
    )


def _public(key: str, question: Question) -> str:
    chinese, english = _TEXTS[key]
    return chinese if answers_in_chinese(question.text, question.asker) else english


def _metadata(answer: Answer, trace_id: str | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if (card := answer.card) is not None:
        found = {
            "card_template_id": card.type,
            "card_data_model": dict(card.data),
            "card_category": card.category,
            "card_update": True if answer.update else None,
            "bubble_text": card.bubble_text or answer.text,
        }
    found["trace_id"] = trace_id
    return {key: value for key, value in found.items() if value is not None}


def _trace_id(headers: Mapping[str, str]) -> str | None:
    parts = headers.get("traceparent", "").split("-")
    return parts[1] if len(parts) >= 4 and len(parts[1]) == 32 and set(parts[1]) <= set("0123456789abcdef") else None


async def _finish(updater: TaskUpdater, state: Any, text: str, metadata: Mapping[str, Any] | None = None) -> None:
    # On the update the SDK merges it into the task's metadata; on the message it stays with the words.
    message = updater.new_agent_message([new_text_part(text)], metadata=dict(metadata or {}) or None)
    await updater.update_status(state, message, metadata=dict(metadata or {}) or None)
