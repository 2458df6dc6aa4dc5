"""A host application with tools, a command and shared state of its own, as `EXTENSIONS` names one."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, Any

from langchain.agents import create_agent
from langchain.tools import ToolRuntime
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, InjectedToolCallId, tool
from langgraph.config import get_stream_writer
from langgraph.types import Command, interrupt

from chat_models import ScriptedChatModel, Turn, script
from supervisor.extensions import Extensions
from supervisor.graph.hitl.helpers import hitl_approval, hitl_input, hitl_unlock


def extensions() -> Extensions:
    """The factory."""
    return Extensions(tools=TOOLS, commands={"echo": echo}, shared_state=("plan",))


async def echo(*arguments: Any) -> Any:
    """A command of the host's."""
    return {"echo": len(arguments)}


@tool
async def pay(amount: int) -> str:
    """Pay, if the user approves."""
    return _told(hitl_approval("付款？", {"amount": amount}))


@tool
async def enter(door: str) -> str:
    """Enter, once the door is unlocked."""
    return _told(hitl_unlock("请开门", door))


@tool
async def foreign() -> str:
    """Asks without our helpers."""
    return json.dumps({"got": interrupt("anything?")})


@tool
async def announce(count: int) -> str:
    """Writes custom events, one of them with values that JSON does not know."""
    writer = get_stream_writer()
    for n in range(count):
        writer({"name": "campus.progress", "payload": {"step": n + 1}})
    odd = {"at": datetime(2026, 12, 1), "ratio": float("nan"), "half": "\ud83c"}
    writer({"name": "campus.odd", "payload": odd})
    writer({"name": "campus.nothing", "payload": None})
    writer("not an event")
    return "announced"


@tool
async def ready() -> str:
    """Writes ready AG-UI events: a step, and some that no run may contain here."""
    writer = get_stream_writer()
    for event in (
        {"type": "STEP_STARTED", "stepName": "查询"},
        {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "nobody", "delta": "x"},
        {"type": "NO_SUCH_EVENT"},
        {"type": "STEP_FINISHED", "stepName": "查询"},
        {"type": "STEP_STARTED", "stepName": "未完"},
    ):
        writer({"name": "agui", "payload": event})
    return "done"


@tool
async def plan(steps: list[str], tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Writes the shared plan."""
    return Command(update={"plan": {"steps": steps}, "messages": [ToolMessage("planned", tool_call_id=tool_call_id)]})


@tool
async def helper(question: str, runtime: ToolRuntime[Any, Any]) -> str:
    """Asks an agent that runs in this process."""
    nested = create_agent(ScriptedChatModel(policy=script(Turn("内部回答"))), [], name="helper_agent")
    found = await nested.ainvoke({"messages": [("user", question)]})
    return found["messages"][-1].text


@tool
async def anything(kind: str) -> Any:
    """Gives a result of some shape."""
    blocks = [{"type": "text", "text": "一"}, {"type": "text", "text": "二"}]
    return {"text blocks": blocks, "object": {"a": [1, None]}, "nothing": None, "number": 7}[kind]


@tool
async def ask_model() -> str:
    """Asks a model, for itself."""
    return str(len((await ScriptedChatModel(policy=script("内部独白")).ainvoke("x")).text))


@tool
async def ask_twice() -> str:
    """Asks the user two things, one after the other."""
    return json.dumps([hitl_input("一？"), hitl_input("二？")])


@tool
async def inner_question() -> str:
    """Asks the user from inside an agent."""
    return str(hitl_input("里面问"))


@tool
async def helper_that_asks() -> str:
    """An agent in this process that has a question."""
    turns = script(Turn(calls=[("inner_question", {})]), "完")
    nested = create_agent(ScriptedChatModel(policy=turns), [inner_question], name="asking_agent")
    found = await nested.ainvoke({"messages": [("user", "?")]})
    return " ".join(m.text for m in found["messages"])


@tool
async def broken() -> str:
    """Fails with a secret."""
    raise RuntimeError("password=hunter2 at 10.0.0.3")


def _told(answer: object) -> str:
    return json.dumps({"status": "answered" if answer is True or hasattr(answer, "approved") else "cancelled"})


TOOLS: list[BaseTool] = [
    pay, enter, foreign, announce, ready, plan, helper, anything, ask_model, ask_twice, helper_that_asks, broken
]  # fmt: skip
