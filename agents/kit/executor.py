"""Runs the agent's graph for one A2A task and tells what happens as task events. Every task ends, or waits."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from a2a.helpers import new_data_part, new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.agent_execution.active_task import TERMINAL_TASK_STATES
from a2a.server.events import EventQueue
from a2a.server.tasks import TaskUpdater
from a2a.types import Message, TaskState
from a2a.utils.errors import UnsupportedOperationError
from google.protobuf.json_format import MessageToDict

from agents.kit.action import BadAction, action_in
from agents.kit.activity import Activity, wanted_by
from agents.kit.answering import answer_in, asked_again, question_text
from agents.kit.artifact import ANSWER, TextArtifact
from agents.kit.conversation import answers_in_chinese, asker_of
from agents.kit.graph import AgentGraph
from agents.kit.ledger import Ledger, MemoryLedger, ParkedTurn
from agents.kit.open_turn import OpenTurn, open_turn
from agents.kit.public_texts import CANCELLED, ENDED, public_text
from agents.kit.turn import Answer, Asked, Done, Event, Question, Status, Text

logger = logging.getLogger(__name__)

STREAMING_METHODS = frozenset({"SendStreamingMessage", "message/stream"})
WAIT_SECONDS = 86_400.0


class GraphExecutor(AgentExecutor):
    """Executes tasks with an `AgentGraph`. `turn_seconds` bounds one answer, `max_chars` one question.

    A turn that asks its user waits in `ledger`, for `wait_seconds`. `watch` tells when a task is stored in a state.
    """

    def __init__(
        self,
        graph: AgentGraph,
        *,
        turn_seconds: float,
        max_chars: int,
        ledger: Ledger | None = None,
        wait_seconds: float = WAIT_SECONDS,
        watch: Callable[[str, int], Awaitable[None]] | None = None,
    ) -> None:
        self._graph = graph
        self._turn_seconds = turn_seconds
        self._max_chars = max_chars
        self._ledger = ledger or MemoryLedger()
        self._wait_seconds = wait_seconds
        self._watch = watch
        self._running: set[asyncio.Task[Any]] = set()
        self._stopping = False

    def stop(self) -> None:
        """End what runs as failed: the process goes. Nothing may be executed after this."""
        self._stopping = True
        for task in self._running:
            task.cancel()

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Answer the message: WORKING statuses, the text as an artifact in pieces, then COMPLETED with the card.

        A message to a task that waits for its user is the answer, and the turn goes on.
        """
        message, task = context.message, asyncio.current_task()
        assert message is not None
        assert task is not None
        if context.current_task and context.current_task.status.state in TERMINAL_TASK_STATES:
            # Two messages came at once, and the first one ended the task.
            raise UnsupportedOperationError(message=ENDED)
        if not context.current_task:
            await event_queue.enqueue_event(new_task_from_user_message(message))
        updater = TaskUpdater(event_queue, context.task_id or "", context.context_id or "")
        question = _question(context, message)
        self._running.add(task)
        try:
            async with asyncio.timeout(self._turn_seconds):
                await self._deal_with(updater, question, message, context)
        except TimeoutError:
            await self._fail(updater, question, "timeout")
        except asyncio.CancelledError:
            if not self._stopping:
                raise
            task.uncancel()
            await self._fail(updater, question, "stopped")
        except Exception as error:
            logger.error("a turn failed: %s", type(error).__name__)
            await self._fail(updater, question, "failed")
        finally:
            self._running.discard(task)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Record the cancellation; the SDK then cancels `execute`, and with it the graph and its tool calls."""
        updater = TaskUpdater(event_queue, context.task_id or "", context.context_id or "")
        await _finish(updater, TaskState.TASK_STATE_CANCELED, CANCELLED)

    async def _deal_with(
        self, updater: TaskUpdater, question: Question, message: Message, context: RequestContext
    ) -> None:
        parked = await self._ledger.parked(question.task_id) if context.current_task else None
        if parked is not None:
            await self._go_on(updater, question, message, context, parked)
            return
        try:
            question = replace(question, action=action_in(message))
            problem = self._problem(question)
        except BadAction as error:
            logger.warning("a click was refused: %s", error)
            problem = "bad_action"
        if problem:
            await _finish(updater, TaskState.TASK_STATE_REJECTED, public_text(problem, question))
            return
        await self._start(updater)
        await self._tell(updater, question, self._graph.run(question), context, 0)

    async def _go_on(
        self, updater: TaskUpdater, who: Question, message: Message, context: RequestContext, parked: ParkedTurn
    ) -> None:
        """The message is the answer to the question of a parked turn; if it does not answer it, it is asked again."""
        turn = open_turn(parked.state)
        asked = replace(who, text=turn.messages[0].text)
        answer = answer_in(message, turn.asks[0].payload)
        if answer is None or len(who.text) > self._max_chars:
            chinese = answers_in_chinese(asked.text, asked.asker)
            payload = asked_again(turn.asks[0].payload, chinese)
            await self._park(updater, asked, turn, payload, parked.round + 1)
            return
        await self._start(updater)
        await self._tell(updater, asked, self._graph.resume(who, turn, answer), context, parked.round)

    async def _start(self, updater: TaskUpdater) -> None:
        """WORKING, and stored as such before anything is done: what a killed process did is never done again."""
        state = TaskState.TASK_STATE_WORKING
        stored = self._watch(updater.task_id, state) if self._watch is not None else None
        await updater.start_work()
        if stored is not None:
            await stored

    def _problem(self, question: Question) -> str | None:
        if question.action is not None:
            return None
        if not question.text.strip():
            return "empty"
        return "too_long" if len(question.text) > self._max_chars else None

    async def _tell(
        self,
        updater: TaskUpdater,
        question: Question,
        events: AsyncIterator[Event],
        context: RequestContext,
        asked: int,
    ) -> None:
        """`asked` is the number of the question that was answered last."""
        state, task = context.call_context.state, context.current_task
        begun = task is not None and any(artifact.artifact_id == ANSWER for artifact in task.artifacts)
        streaming = state.get("method") in STREAMING_METHODS
        artifact = TextArtifact(updater, streaming=streaming, begun=begun)
        # Without a stream nobody would hear of it.
        activity = Activity(updater, wanted=streaming and wanted_by(state.get("headers", {})))
        end: Answer | Asked | None = None
        async for event in events:
            match event:
                case Status():
                    await activity.begins(event)
                case Done():
                    await activity.ends(event)
                case Text(text):
                    await artifact.write(text)
                case Answer() | Asked():
                    end = event
        assert end is not None
        if isinstance(end, Asked):
            await artifact.pause()
            await self._park(updater, question, end.turn, end.turn.asks[0].payload, asked + 1)
            return
        await artifact.close()
        metadata = _metadata(end, _trace_id(state.get("headers", {})))
        await _finish(updater, TaskState.TASK_STATE_COMPLETED, end.text, metadata)
        await self._ledger.unpark(question.task_id)

    async def _park(
        self, updater: TaskUpdater, question: Question, turn: OpenTurn, payload: Mapping[str, Any], number: int
    ) -> None:
        """Keep the turn, then ask: a question that somebody has seen can be answered."""
        expires = time.time() + self._wait_seconds
        await self._ledger.park(ParkedTurn(question.task_id, question.owner, number, turn.dumps(), expires))
        until = datetime.fromtimestamp(expires, UTC).isoformat(timespec="seconds")
        parts = [new_text_part(question_text(payload)), new_data_part({"expiresAt": until, **payload})]
        state = TaskState.TASK_STATE_INPUT_REQUIRED
        if payload["type"] == "unlock":
            state = TaskState.TASK_STATE_AUTH_REQUIRED
        await updater.update_status(state, updater.new_agent_message(parts))

    async def _fail(self, updater: TaskUpdater, question: Question, why: str) -> None:
        if await self._ledger.parked(question.task_id) is not None:
            why = "unsure"
        # A turn may be stopped after its last word.
        with suppress(RuntimeError):
            await _finish(updater, TaskState.TASK_STATE_FAILED, public_text(why, question))
        await self._ledger.unpark(question.task_id)


def _question(context: RequestContext, message: Message) -> Question:
    metadata = MessageToDict(message.metadata)
    return Question(
        text=context.get_user_input(),
        asker=asker_of(metadata),
        owner=context.call_context.user.user_name,
        context_id=context.context_id or "",
        task_id=context.task_id or "",
    )


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
