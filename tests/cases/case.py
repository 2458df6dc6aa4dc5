"""One case: a scripted model, stub agents, and a supervisor that can be closed and opened again on the same data.

    case = Case(Turn(calls=[("call_domain_agent", {"agent": "canteen", "query": "辣"})]), "好的", tmp_path=tmp_path)
    case.canteen.replies.append(Reply("三道菜"))
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("吃辣")))
    async with case.open() as house:  # a new process, as far as memory is concerned
        ...

The model plays one turn per call, in order, for as long as the case lives; the last one repeats. It answers like a
strict provider: a conversation with a tool call that is not directly followed by its result fails the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from ag_ui.core import Event as AguiEvent
from ag_ui_validate.pytest_plugin import assert_valid_agui
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from pydantic import BaseModel, TypeAdapter

from chat_models import ScriptedChatModel, ToolSpec, Turn
from tests.fakes.a2a_stub import A2AStub, Reply, StubAgent
from tests.fakes.agui import events
from tests.fakes.house import House, open_house

Event = dict[str, Any]
Step = Turn | str | list[AIMessageChunk] | Callable[[Sequence[BaseMessage], Sequence[ToolSpec]], Turn]
"""A model turn, the literal chunks of a provider, or a function of what the model sees."""

OPEN_FIELDS = ("value", "snapshot", "content", "metadata", "responseSchema", "delta", "patch")
"""Fields that hold somebody's own JSON, in which a null is data."""

_ADAPTER: TypeAdapter[Any] = TypeAdapter(AguiEvent)
_playing: list[BaseChatModel] = []


def playing() -> BaseChatModel:
    """The model of the case that is being opened; `MODEL` names this function."""
    return _playing[-1]


class Scripted(ScriptedChatModel):
    """The model of a case."""

    case: Any

    def _play(self, messages: Sequence[BaseMessage], kwargs: Mapping[str, Any]) -> Iterator[AIMessageChunk]:
        composed = super()._play(messages, kwargs)
        return iter(self.case.literal) if self.case.literal else composed

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        count = 0
        async for chunk in super()._astream(*args, **kwargs):
            if count == self.case.hold_after:
                self.case.held.set()
                await asyncio.Event().wait()
            count += 1
            yield chunk


class Case:
    """`saw` holds the conversation of every model call, `prompts` its system message, `offered` its tools."""

    def __init__(self, *turns: Step, tmp_path: Path | None = None, streams: bool = True, **settings: Any) -> None:
        self.turns = list(turns) or ["好"]
        self.stub = A2AStub()
        self.canteen = self.agent("canteen", card_types=("dish_cards",))
        self.transport = self.agent("transport", card_types=("shuttle_cards",))
        self.saw: list[list[BaseMessage]] = []
        self.prompts: list[str] = []
        self.offered: list[list[str]] = []
        self._settings = {"database": f"sqlite:{tmp_path / 'case.db'}" if tmp_path else "memory", **settings}
        self.literal: list[AIMessageChunk] = []
        self.hold_after: int | None = None
        """After so many chunks the model says nothing more and `held` is set."""
        self.held = asyncio.Event()
        self._model: BaseChatModel = Scripted(policy=self._decide, case=self, disable_streaming=not streams)

    def agent(self, name: str, **card_options: Any) -> StubAgent:
        """One more agent, which answers everything until it is told otherwise."""
        agent = self.stub.agent(name, **card_options)
        agent.always = Reply("好")
        return agent

    @asynccontextmanager
    async def open(self, *, app: Any = None, **more: Any) -> AsyncIterator[House]:
        """The supervisor, started. `app` stands in for the stub agents, to break what they send."""
        _playing[:] = [self._model]
        agents = ",".join(f"{name}={url}" for name, url in self.stub.addresses().items())
        chosen = {"agents": agents, "model": f"{__name__}:playing", "flush_window_ms": 0, **self._settings, **more}
        async with open_house(app or self.stub, **chosen) as house:
            yield house

    def _decide(self, messages: Sequence[BaseMessage], tools: Sequence[ToolSpec]) -> Turn:
        talk = [m for m in messages if m.type != "system"]
        assert_paired(talk)
        turn = self.turns[min(len(self.saw), len(self.turns) - 1)]
        self.saw.append(talk)
        self.prompts.append("".join(m.text for m in messages if m.type == "system"))
        self.offered.append([tool.name for tool in tools])
        self.literal = turn if isinstance(turn, list) else []
        if isinstance(turn, list):
            return Turn()
        if callable(turn):
            return turn(talk, tools)
        return Turn(turn) if isinstance(turn, str) else turn


def assert_paired(messages: Sequence[BaseMessage]) -> None:
    """What strict providers demand: every tool call is answered once, right after the message that made it."""
    waiting: set[str] = set()
    for message in messages:
        if isinstance(message, ToolMessage):
            assert message.tool_call_id in waiting, f"a result nobody waits for: {message.tool_call_id}"
            waiting.discard(message.tool_call_id)
            continue
        assert not waiting, f"calls without a result: {waiting}"
        if isinstance(message, AIMessage):
            waiting = {call["id"] or "" for call in (*message.tool_calls, *message.invalid_tool_calls)}
    assert not waiting, f"calls without a result: {waiting}"


def dispatch(*pairs: tuple[str, str], text: str = "") -> Turn:
    """A model turn that asks (agent, query) pairs, one call each."""
    return Turn(text=text, calls=[("call_domain_agent", {"agent": a, "query": q}) for a, q in pairs])


def call_chunk(index: int | None, call_id: str | None, args: str, *, name: str = "call_domain_agent") -> dict[str, Any]:
    """A piece of a streamed tool call; without an id it goes on with an earlier one."""
    return {"tc": [index, call_id, name if call_id else None, args]}


def checked(response: httpx.Response, *, resumed: bool = False) -> list[Event]:
    """The events of a stream, held against our own rules, the official models and `ag-ui-validate`."""
    assert response.status_code == 200, response.text
    found = events(response.content)
    assert_known_shapes(found)
    # A resumed run answers calls that an earlier run announced, which the validator cannot know.
    assert_valid_agui(found, severity_overrides={"AGUI207": "off"} if resumed else None)
    if not resumed:
        announced = {e["toolCallId"] for e in found if e["type"] == "TOOL_CALL_START"}
        assert {e["toolCallId"] for e in found if e["type"] == "TOOL_CALL_RESULT"} <= announced
    return found


def assert_known_shapes(found: Sequence[Event]) -> None:
    """Every event is one of AG-UI 1.0, without a field that the official models do not know and without nulls."""
    for event in found:
        assert not list(_unknown(_ADAPTER.validate_python(event))), event
        assert not list(_nulls(event)), event


def of_type(found: Sequence[Event], *kinds: str) -> list[Event]:
    """The events of some types, in order."""
    return [event for event in found if event["type"] in kinds]


def arguments(found: Sequence[Event]) -> dict[str, str]:
    """Concatenated TOOL_CALL_ARGS by tool call id, in the order of the calls."""
    text = {e["toolCallId"]: "" for e in of_type(found, "TOOL_CALL_START")}
    for event in of_type(found, "TOOL_CALL_ARGS"):
        text[event["toolCallId"]] += event["delta"]
    return text


def _unknown(value: Any) -> Iterator[str]:
    if isinstance(value, BaseModel):
        yield from value.model_extra or ()
        for name in type(value).model_fields:
            yield from _unknown(getattr(value, name))
    elif isinstance(value, list):
        for item in value:
            yield from _unknown(item)


def _nulls(value: Any) -> Iterator[Any]:
    if value is None:
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from () if key in OPEN_FIELDS else _nulls(item)
    elif isinstance(value, list):
        for item in value:
            yield from _nulls(item)
