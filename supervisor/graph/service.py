"""The supervisor's graph behind the `TurnGraph` port: builds it once, runs turns, reads and repairs threads."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver

from chat_models import is_chinese
from supervisor.dispatch.port import Dispatcher
from supervisor.errors import RunFailure
from supervisor.events.internal import InternalEvent
from supervisor.graph.context import RunContext
from supervisor.graph.failures import code_of
from supervisor.graph.history import ActivityMessages, agui_messages
from supervisor.graph.middleware.breaker import DoneCallBreaker
from supervisor.graph.middleware.directory import AgentDirectory
from supervisor.graph.middleware.guards import FinishReasonGuard, RepairDangling, ToolErrorGuard, UserContextInjector
from supervisor.graph.prompt import SYSTEM_PROMPT
from supervisor.graph.results import refusal
from supervisor.graph.source import STREAM_MODES, internal_events
from supervisor.graph.tools import RenderCards, dispatch_tools
from supervisor.runs.port import Turn

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class GraphParts:
    """What the graph is made of. `activities` derives card messages from a tool artifact (see `cards/artifact.py`)."""

    model: BaseChatModel
    dispatcher: Dispatcher
    checkpointer: BaseCheckpointSaver[Any]
    render_cards: RenderCards
    activities: ActivityMessages
    now: Callable[[], datetime] = datetime.now
    recursion_limit: int = 50


class SupervisorGraph:
    """One compiled graph for all runs of a process; holds nothing per run."""

    def __init__(self, parts: GraphParts) -> None:
        tools = dispatch_tools(parts.dispatcher, parts.render_cards)
        self._graph: Any = create_agent(
            parts.model,
            tools,
            system_prompt=SYSTEM_PROMPT,
            middleware=[
                UserContextInjector(parts.now),
                AgentDirectory(parts.dispatcher, tools),
                DoneCallBreaker(),
                RepairDangling(),
                FinishReasonGuard(),
                ToolErrorGuard(),
            ],
            context_schema=RunContext,
            checkpointer=parts.checkpointer,
        )
        self._recursion_limit = parts.recursion_limit
        self._activities = parts.activities

    async def stream(self, turn: Turn) -> AsyncIterator[Sequence[InternalEvent]]:
        """Run one turn. Raises `RunFailure` with a stable code for every failure."""
        parts = self._graph.astream(
            {"messages": [HumanMessage(m.content, id=m.id) for m in turn.messages]},
            self._config(turn.thread_id),
            context=RunContext(turn.thread_id, turn.user),
            stream_mode=STREAM_MODES,
            version="v2",
            durability="async",
        )
        try:
            async for events in internal_events(parts):
                yield events
        except Exception as error:
            code = code_of(error)
            if code == "AGENT_INTERNAL":
                logger.exception("the graph failed")
            raise RunFailure(code) from None

    async def messages(self, thread_id: str) -> list[dict[str, Any]]:
        """The thread as AG-UI messages, cards included; [] for an unknown thread."""
        return agui_messages(await self._checkpoint(thread_id), self._activities)

    async def cancel_turn(self, thread_id: str) -> None:
        """Answer every open tool call as cancelled and close the turn with a note, so that the next one is clean."""
        messages = await self._checkpoint(thread_id)
        config = self._config(thread_id)
        step = _last_step(messages)
        if step is not None:
            results = _results_of(messages, step)
            have = {result.tool_call_id for result in results}
            content = refusal("cancelled", "The user stopped this call.")
            missing = [
                ToolMessage(content, tool_call_id=call["id"] or "", name=call["name"], status="error")
                for call in step.tool_calls
                if call["id"] not in have
            ]
            if missing:
                # Finished siblings are only pending writes until the step ends; they must be written along.
                await self._graph.aupdate_state(config, {"messages": [*results, *missing]}, as_node="tools")
        if messages:
            note = AIMessage("（已停止）" if _asked_in_chinese(messages) else "(stopped)")
            await self._graph.aupdate_state(config, {"messages": [note]}, as_node="model")

    async def _checkpoint(self, thread_id: str) -> list[BaseMessage]:
        state = await self._graph.aget_state(self._config(thread_id))
        return cast("list[BaseMessage]", state.values.get("messages", []))

    def _config(self, thread_id: str) -> RunnableConfig:
        return {"configurable": {"thread_id": thread_id}, "recursion_limit": self._recursion_limit}


def _last_step(messages: Sequence[BaseMessage]) -> AIMessage | None:
    """The assistant message whose tool calls the turn stopped in."""
    for message in reversed(messages):
        if isinstance(message, AIMessage):
            return message if message.tool_calls else None
        if isinstance(message, HumanMessage):
            return None
    return None


def _results_of(messages: Sequence[BaseMessage], step: AIMessage) -> list[ToolMessage]:
    calls = {call["id"] for call in step.tool_calls}
    return [m for m in messages if isinstance(m, ToolMessage) and m.tool_call_id in calls]


def _asked_in_chinese(messages: Sequence[BaseMessage]) -> bool:
    return is_chinese(next((m.text for m in reversed(messages) if isinstance(m, HumanMessage)), ""))
