"""The supervisor's graph behind the `TurnGraph` port: runs turns, reads and repairs threads. Holds nothing per run."""

from __future__ import annotations

import itertools
import json
import logging
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.constants import END, START
from langgraph.types import Command

from chat_models import is_chinese
from supervisor.errors import RunFailure
from supervisor.events import internal as ev
from supervisor.graph.actions import CARD_ACTION, action_message, arguments
from supervisor.graph.attachments import human, said
from supervisor.graph.build import GraphParts, build
from supervisor.graph.call_ids import CallIds
from supervisor.graph.cards import surfaces_of
from supervisor.graph.checkpoints import forget
from supervisor.graph.context import RunContext
from supervisor.graph.failures import code_of
from supervisor.graph.history import agui_messages
from supervisor.graph.hitl.questions import read_questions
from supervisor.graph.middleware.frontend import tool_schemas
from supervisor.graph.pairs import steps
from supervisor.graph.port import SurfaceAction, ThreadView, Turn
from supervisor.graph.results import refusal, since_last_question
from supervisor.graph.source import MODEL_NODE, PartReader, Watch, told

logger = logging.getLogger(__name__)

NOTE = "stop-"
"""How the id of a last word begins that is not the model's."""
TOOLS_NODE = "tools"
MAX_ROUNDS = 8
"""How often questions that come up while others are being answered are cancelled, before their calls are closed."""

Events = AsyncIterator[Sequence[ev.InternalEvent]]


@dataclass(frozen=True, slots=True)
class Invocation:
    """The compiled graph, and input, config and context of one turn. `state_keys` are those that a client may see."""

    graph: Any
    given: Any
    config: RunnableConfig
    context: RunContext
    state_keys: tuple[str, ...]


class SupervisorGraph:
    """One compiled graph for all runs of a process."""

    def __init__(self, parts: GraphParts) -> None:
        self._parts = parts
        self._graph = build(parts)
        self._watch = Watch(frozenset(parts.shared_state), bool(parts.tools))

    async def stream(self, turn: Turn, *, recovered: bool = False, announced: frozenset[str] = frozenset()) -> Events:
        """Run one turn. Raises `RunFailure` with a stable code for every failure."""
        try:
            async for events in self._turn(turn, self._context(turn, announced), recovered):
                yield events
        except Exception as error:
            code = _logged(error)
            closed = await self._leave_clean(turn.thread_id, code)
            if closed:
                yield told(*closed)
            raise RunFailure(code) from None
        finally:
            forget(self._parts.checkpointer, turn.thread_id)

    async def invocation(self, turn: Turn) -> Invocation:
        """What the compiled graph is to be called with for a turn, by who tells it another way than `stream`.

        Answers that come with a new message are given before this returns.
        """
        context = self._context(turn)
        if turn.resume and turn.messages:
            async for _ in self._answer_first(turn, context, PartReader(self._watch, context.call_ids)):
                pass
        removals = (await self._rewritten(turn))[1] if turn.rewrite else []
        keys = ("messages", *self._parts.shared_state)
        return Invocation(self._graph, self._input(turn, removals), self._config(turn.thread_id), context, keys)

    async def failure(self, error: Exception, thread_id: str) -> RunFailure:
        """What to raise for an exception of the graph; its thread is left clean."""
        code = _logged(error)
        await self._leave_clean(thread_id, code)
        return RunFailure(code)

    async def view(self, thread_id: str) -> ThreadView:
        """The thread as it stands; an empty view for an unknown thread."""
        state = await self._state(thread_id)
        shared = self._parts.shared_state
        messages = _messages(state)
        asked = max((i for i, m in enumerate(messages) if isinstance(m, HumanMessage)), default=len(messages))
        return ThreadView(
            agui_messages(messages, self._parts.cards),
            read_questions(state.interrupts, self._expiry(state)),
            {key: state.values[key] for key in shared if key in state.values} if shared else None,
            tuple(m.id or "" for m in messages[asked:]),
            surfaces_of(messages, self._parts.cards),
        )

    async def cancel_turn(self, turn: Turn) -> Sequence[ev.InternalEvent]:
        """Answer every open tool call as cancelled and close the turn with a note, so that the next one is clean.

        A turn that was stopped before its question was stored leaves the question in the thread all the same.
        """
        thread_id = turn.thread_id
        await self._take_in(thread_id)
        closing = refusal("cancelled", "The user stopped this call.")
        events: list[ev.InternalEvent] = told(*await self._answer_open_calls(thread_id, closing))
        messages = _messages(await self._state(thread_id))
        added: list[BaseMessage] = []
        if not _in_place(turn, messages):
            added = [human(m) for m in turn.messages]
            if turn.rewrite:
                restated, removals = await self._rewritten(turn)
                events, added = [restated], [*removals, *added]
        if added or (messages and not _is_note(messages[-1])):
            note = _note([*messages, *added])
            update = {"messages": [*added, note], **(self._writable(turn) if added else {})}
            await self._graph.aupdate_state(self._config(thread_id), update, as_node=MODEL_NODE)
            events += told(note)
        if self._watch.shared:
            events.append(ev.StateSnapshot((await self.view(thread_id)).state or {}))
        return events

    def release(self) -> None:
        """Calls under way are left to their agents: the process ends and will ask for them again."""
        self._parts.dispatcher.release()

    async def _turn(self, turn: Turn, context: RunContext, recovered: bool) -> Events:
        first = bool(turn.resume) and bool(turn.messages or turn.action or turn.declined)
        turn, begun = await self._left_of(turn) if recovered else (turn, False)
        reader = PartReader(self._watch, context.call_ids)
        if self._watch.shared:
            yield [await self._shared_state(turn, begun)]
        if first and not begun and (turn.resume or _stands_at(TOOLS_NODE, await self._state(turn.thread_id))):
            async for events in self._answer_first(turn, context, reader):
                # What a rewrite withdraws is not told: the snapshot that follows is without it.
                if not turn.rewrite:
                    yield events
        if turn.declined:
            return
        if turn.action is not None and not begun:
            yield await self._act(turn.thread_id, turn.action)
            begun = True
        removals: list[RemoveMessage] = []
        if turn.rewrite and not begun:
            restated, removals = await self._rewritten(turn)
            yield [restated]
        async for events in self._run(turn.thread_id, None if begun else self._input(turn, removals), context, reader):
            yield events
        if context.paused:
            view = await self.view(turn.thread_id)
            yield [ev.Paused(view.interrupts, view.pending_calls)]

    async def _left_of(self, turn: Turn) -> tuple[Turn, bool]:
        """What a dead process left to do of a turn, and whether its input is in the checkpoint already."""
        state = await self._state(turn.thread_id)
        open_ids = {item.id for item in state.interrupts}
        left = replace(turn, resume={k: v for k, v in turn.resume.items() if k in open_ids})
        messages = _messages(state)
        if turn.action is not None:
            return left, any(m.id == turn.action.message_id for m in messages)
        if not turn.messages:
            return left, not left.resume and not turn.declined
        unanswered = not state.tasks and isinstance(messages[-1] if messages else None, HumanMessage)
        return left, _stands_at(START, state) or (_in_place(turn, messages) and not unanswered)

    async def _act(self, thread_id: str, action: SurfaceAction) -> Sequence[ev.InternalEvent]:
        """Put the call that stands for a click into the thread; the run goes on with it."""
        update = {"messages": [action_message(action)]}
        await self._graph.aupdate_state(self._config(thread_id), update, as_node=MODEL_NODE)
        args = json.dumps(arguments(action), ensure_ascii=False)
        told = ev.ToolCallDelta(action.message_id, 0, action.call_id, CARD_ACTION, args)
        return [told, ev.MessageDone(action.message_id)]

    async def _answer_first(self, turn: Turn, context: RunContext, reader: PartReader) -> Events:
        """Open questions are answered and their tools end; the model does not speak before the new message is there."""
        resume = turn.resume
        for _ in range(MAX_ROUNDS):
            # A process that died over the answers may have left none to give: the tools go on with what they have.
            given = Command(resume=dict(resume)) if resume else None
            async for events in self._run(turn.thread_id, given, context, reader, interrupt_before=[MODEL_NODE]):
                yield events
            left = read_questions((await self._state(turn.thread_id)).interrupts)
            context.paused = False
            if not left:
                return
            resume = {question.id: question.cancelled() for question in left}
        await self._answer_open_calls(turn.thread_id, refusal("cancelled", "The user went on without answering."))

    async def _rewritten(self, turn: Turn) -> tuple[ev.Restated, list[RemoveMessage]]:
        """The conversation with the last question and what followed replaced, and what that removes."""
        view = await self.view(turn.thread_id)
        kept = itertools.takewhile(lambda m: m["id"] != view.tail[0], view.messages) if view.tail else view.messages
        asked = [{"id": m.id, "role": "user", "content": m.content} for m in turn.messages]
        return ev.Restated([*kept, *asked]), [RemoveMessage(id=message_id) for message_id in view.tail]

    def _input(self, turn: Turn, removals: Sequence[RemoveMessage]) -> Any:
        state = self._writable(turn)
        if turn.messages:
            return {"messages": [*removals, *(human(m) for m in turn.messages)], **state}
        return Command(resume=dict(turn.resume), update=state or None)

    async def _run(self, thread_id: str, given: Any, context: RunContext, reader: PartReader, **options: Any) -> Events:
        parts = self._graph.astream(
            given,
            self._config(thread_id),
            context=context,
            stream_mode=self._watch.modes,
            subgraphs=self._watch.subgraphs,
            version="v2",
            # Calls of agents wait for the checkpoint that their keys hang on (`legs.py`); the rest need not.
            durability="async",
            **options,
        )
        async for events in reader.events(parts):
            yield events

    async def _shared_state(self, turn: Turn, begun: bool) -> ev.StateSnapshot:
        """With what the client asks to write, unless that is in the state already: tools may have written since."""
        view = await self.view(turn.thread_id)
        taken = begun and not _stands_at(START, await self._state(turn.thread_id))
        return ev.StateSnapshot((view.state or {}) | ({} if taken else self._writable(turn)))

    def _writable(self, turn: Turn) -> dict[str, Any]:
        return {key: turn.state[key] for key in self._parts.shared_state if key in turn.state}

    def _expiry(self, state: Any) -> datetime | None:
        if self._parts.interrupt_ttl is None or not state.created_at:
            return None
        return datetime.fromisoformat(state.created_at) + self._parts.interrupt_ttl

    async def _leave_clean(self, thread_id: str, code: str) -> list[ToolMessage]:
        """After a failure: answer open calls if the checkpoint can still be written; the next turn repairs the rest."""
        if code == "INVALID_RESUME":
            return []
        try:
            return await self._answer_open_calls(thread_id, refusal("failed", "The turn failed before this was done."))
        except Exception as error:
            logger.error("closing the failed turn failed with %s", type(error).__name__)
            return []

    async def _answer_open_calls(self, thread_id: str, content: str) -> list[ToolMessage]:
        """Give the calls of the present turn that have no answer this one. The answers."""
        messages = _messages(await self._state(thread_id))
        step = next(reversed(list(steps(since_last_question(messages)))), None)
        if step is None or not step.unanswered:
            return []
        missing = [
            ToolMessage(
                content, id=str(uuid.uuid4()), tool_call_id=call["id"] or "", name=call["name"] or "", status="error"
            )
            for call in step.unanswered
        ]
        await self._take_in(thread_id)
        await self._graph.aupdate_state(self._config(thread_id), {"messages": missing}, as_node=TOOLS_NODE)
        return missing

    async def _take_in(self, thread_id: str) -> None:
        """Keep what finished tasks gave, which is only pending until their step ends, and drop the other tasks."""
        if (await self._state(thread_id)).tasks:
            await self._graph.aupdate_state(self._config(thread_id), None, as_node=END)

    async def _state(self, thread_id: str) -> Any:
        return await self._graph.aget_state(self._config(thread_id))

    def _context(self, turn: Turn, announced: frozenset[str] = frozenset()) -> RunContext:
        tools, waiting = tool_schemas(turn.tools), frozenset(turn.frontend_calls)
        seconds = self._parts.turn_seconds
        return RunContext(
            turn.thread_id,
            turn.user,
            tools,
            waiting,
            turn.model,
            CallIds(announced),
            via=turn.via,
            ends_at=None if seconds is None else time.monotonic() + seconds,
            shown=turn.context,
        )

    def _config(self, thread_id: str) -> RunnableConfig:
        return {"configurable": {"thread_id": thread_id}, "recursion_limit": self._parts.recursion_limit}


def _messages(state: Any) -> list[BaseMessage]:
    return cast("list[BaseMessage]", state.values.get("messages", []))


def _logged(error: Exception) -> str:
    """The code of an error, which the log tells with its kind only: its text may hold a prompt, a key or an address."""
    code = code_of(error)
    logger.error("the graph failed with %s: %s", type(error).__name__, code)
    return code


def _stands_at(node: str, state: Any) -> bool:
    """Whether this node is to be run next, or has run and waits for the end of its step, when it is in no `next`."""
    return any(task.name == node for task in state.tasks)


def _in_place(turn: Turn, messages: Sequence[BaseMessage]) -> bool:
    """Whether the thread holds what a turn asks, and no more what that replaces."""
    held = {m.id: said(m) for m in messages if isinstance(m, HumanMessage)}
    stale = {m.id for m in messages} & (set(turn.rewrite) - {m.id for m in turn.messages})
    return not stale and all(held.get(m.id) == m.content for m in turn.messages)


def _note(messages: Sequence[BaseMessage]) -> AIMessage:
    """The last word of a turn that was stopped."""
    return AIMessage("（已停止）" if _asked_in_chinese(messages) else "(stopped)", id=f"{NOTE}{uuid.uuid4()}")


def _is_note(message: BaseMessage) -> bool:
    return (message.id or "").startswith(NOTE)


def _asked_in_chinese(messages: Sequence[BaseMessage]) -> bool:
    return is_chinese(next((m.text for m in reversed(messages) if isinstance(m, HumanMessage)), ""))
