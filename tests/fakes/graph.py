"""The real graph over a scripted model and a fake dispatcher."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver

from chat_models import ScriptedChatModel, Turn, script
from supervisor.dispatch.port import Dispatcher, UserContext
from supervisor.events.internal import InternalEvent
from supervisor.events.projector import Projector
from supervisor.graph import port
from supervisor.graph.build import GraphParts
from supervisor.graph.service import SupervisorGraph
from tests.fakes.agui import assert_well_formed
from tests.fakes.dispatcher import FakeDispatcher

Event = dict[str, Any]


def model(*turns: Turn | str) -> ScriptedChatModel:
    """A model that plays these turns after every question."""
    return ScriptedChatModel(policy=script(*turns))


def calls(*pairs: tuple[str, str], text: str = "") -> Turn:
    """A turn that asks (agent, query) pairs with one `call_domain_agent` each."""
    return Turn(text=text, calls=[("call_domain_agent", {"agent": a, "query": q}) for a, q in pairs])


class NoCards:
    """A `Cards` port without cards."""

    def render(self, *_: Any) -> None:
        return None

    def activities(self, *_: Any) -> list[Any]:
        return []

    def surfaces(self, *_: Any) -> list[Any]:
        return []


class Desk:
    """Asks the graph and returns AG-UI events."""

    def __init__(
        self,
        chat_model: BaseChatModel,
        dispatcher: Dispatcher | None = None,
        checkpointer: BaseCheckpointSaver[Any] | None = None,
    ) -> None:
        self.dispatcher = dispatcher or FakeDispatcher()
        parts = GraphParts(chat_model, self.dispatcher, checkpointer or InMemorySaver(), NoCards())
        self.graph = SupervisorGraph(parts)
        self._asked = 0

    async def internal(self, question: str, thread: str = "t", user: str = "alice") -> Sequence[InternalEvent]:
        self._asked += 1
        message = port.UserMessage(f"u{self._asked}", question)
        turn = port.Turn(thread, f"r{self._asked}", (message,), UserContext(user))
        return [event async for batch in self.graph.stream(turn) for event in batch]

    async def ask(self, question: str = "hi", thread: str = "t") -> list[Event]:
        projector = Projector(thread, f"r{self._asked}", lambda *_: [])
        events = projector.start()
        for event in await self.internal(question, thread):
            events += projector.apply(event)
        events += projector.finish()
        assert_well_formed(events)
        return events


def arguments(events: Sequence[Event]) -> dict[str, str]:
    """Concatenated TOOL_CALL_ARGS by tool call id."""
    found: dict[str, str] = {}
    for event in events:
        if event["type"] == "TOOL_CALL_START":
            found[event["toolCallId"]] = ""
        elif event["type"] == "TOOL_CALL_ARGS":
            found[event["toolCallId"]] += event["delta"]
    return found


def of_type(events: Sequence[Event], kind: str) -> list[Event]:
    """Events of one type."""
    return [event for event in events if event["type"] == kind]
