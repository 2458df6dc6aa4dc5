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
from supervisor.graph.middleware.chain import GuardChain
from supervisor.graph.middleware.directory import AgentDirectory
from supervisor.graph.middleware.guards import (
    FinishReasonGuard,
    RepairDangling,
    ToolErrorGuard,
    UniqueCallIds,
    UserContextInjector,
    ValidText,
)
from supervisor.graph.pairs import steps
from supervisor.graph.port import Turn
from supervisor.graph.prompt import SYSTEM_PROMPT
from supervisor.graph.results import refusal, since_last_question
from supervisor.graph.source import STREAM_MODES, internal_events
from supervisor.graph.tools import RenderCards, dispatch_tools

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
                GuardChain(
                    [
                        UserContextInjector(parts.now),
                        AgentDirectory(parts.dispatcher, tools),
                        DoneCallBreaker(),
                        RepairDangling(),
                        FinishReasonGuard(),
                        ValidText(),
                        UniqueCallIds(),
                        ToolErrorGuard(),
                    ]
                )
            ],
            context_schema=RunContext,
            checkpointer=parts.checkpointer,
        )
        self._recursion_limit = parts.recursion_limit
        self._activities = parts.activities

    async def stream(self, turn: Turn) -> AsyncIterator[Sequence[InternalEvent]]:
        """Run one turn. Raises `RunFailure` with a stable code for every failure."""
        context = RunContext(turn.thread_id, turn.user)
        parts = self._graph.astream(
            {"messages": [HumanMessage(m.content, id=m.id) for m in turn.messages]},
            self._config(turn.thread_id),
            context=context,
            stream_mode=STREAM_MODES,
            version="v2",
            durability="async",
        )
        try:
            async for events in internal_events(parts, context.call_ids):
                yield events
        except Exception as error:
            code = code_of(error)
            # Only the kind: the text may hold a prompt, a key or an address.
            logger.error("the graph failed with %s: %s", type(error).__name__, code)
            await self._leave_clean(turn.thread_id)
            raise RunFailure(code) from None

    async def messages(self, thread_id: str) -> list[dict[str, Any]]:
        """The thread as AG-UI messages, cards included; [] for an unknown thread."""
        return agui_messages(await self._checkpoint(thread_id), self._activities)

    async def cancel_turn(self, thread_id: str) -> None:
        """Answer every open tool call as cancelled and close the turn with a note, so that the next one is clean."""
        messages = await self._answer_open_calls(thread_id, refusal("cancelled", "The user stopped this call."))
        if messages:
            note = AIMessage("（已停止）" if _asked_in_chinese(messages) else "(stopped)")
            await self._graph.aupdate_state(self._config(thread_id), {"messages": [note]}, as_node="model")

    async def _leave_clean(self, thread_id: str) -> None:
        """After a failure: answer open calls if the checkpoint can still be written; the next turn repairs the rest."""
        try:
            await self._answer_open_calls(thread_id, refusal("failed", "The turn failed before this was done."))
        except Exception as error:
            logger.error("closing the failed turn failed with %s", type(error).__name__)

    async def _answer_open_calls(self, thread_id: str, content: str) -> list[BaseMessage]:
        messages = await self._checkpoint(thread_id)
        step = next(reversed(list(steps(since_last_question(messages)))), None)
        if step is not None and step.unanswered:
            missing = [
                ToolMessage(content, tool_call_id=call["id"] or "", name=call["name"] or "", status="error")
                for call in step.unanswered
            ]
            # Finished siblings are only pending writes until the step ends; they must be written along.
            update = {"messages": [*step.results.values(), *missing]}
            await self._graph.aupdate_state(self._config(thread_id), update, as_node="tools")
        return messages

    async def _checkpoint(self, thread_id: str) -> list[BaseMessage]:
        state = await self._graph.aget_state(self._config(thread_id))
        return cast("list[BaseMessage]", state.values.get("messages", []))

    def _config(self, thread_id: str) -> RunnableConfig:
        return {"configurable": {"thread_id": thread_id}, "recursion_limit": self._recursion_limit}


def _asked_in_chinese(messages: Sequence[BaseMessage]) -> bool:
    return is_chinese(next((m.text for m in reversed(messages) if isinstance(m, HumanMessage)), ""))
