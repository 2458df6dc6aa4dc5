"""The tools with which the supervisor's model asks the user: each interrupts the run and returns the answer.

What the model reads: `{"status": "answered", "answer": {...}}`, or `{"status": "cancelled"}` when the user declined.
"""

from __future__ import annotations

from typing import Any

import orjson
from langchain.tools import ToolRuntime, tool
from langchain_core.tools import BaseTool

from contracts.interrupts import payload_error
from supervisor.graph.context import RunContext
from supervisor.graph.hitl.helpers import Cancelled, Origin, ask
from supervisor.graph.results import refusal

Runtime = ToolRuntime[RunContext, Any]


def ask_tools() -> list[BaseTool]:
    """`ask_input`, `ask_choice`, `ask_multi_choice`, `ask_confirm`."""
    return [ask_input, ask_choice, ask_multi_choice, ask_confirm]


@tool
async def ask_input(message: str, runtime: Runtime, placeholder: str | None = None) -> str:
    """Ask the user for a short text that you need to go on. Use it only when nothing else tells you."""
    optional = {"placeholder": placeholder} if placeholder else {}
    return _asked({"type": "input", "message": message, **optional}, runtime)


@tool
async def ask_choice(message: str, options: list[str], runtime: Runtime) -> str:
    """Let the user choose one of several options."""
    return _asked({"type": "select", "message": message, "options": options}, runtime)


@tool
async def ask_multi_choice(message: str, options: list[str], runtime: Runtime) -> str:
    """Let the user choose any number of several options."""
    return _asked({"type": "multiSelect", "message": message, "options": options}, runtime)


@tool
async def ask_confirm(title: str, body: str, actions: list[str], runtime: Runtime) -> str:
    """Show the user a text and let them choose an action, before something that cannot be undone."""
    return _asked({"type": "modal", "title": title, "body": body, "actions": actions}, runtime)


def _asked(payload: dict[str, Any], runtime: Runtime) -> str:
    wrong = payload_error(payload)
    if wrong is not None:
        return refusal("bad_arguments", wrong)
    answer = ask(payload, Origin(runtime.tool_call_id))
    if isinstance(answer, Cancelled):
        return orjson.dumps({"status": "cancelled", "message": "The user declined to answer."}).decode()
    return orjson.dumps({"status": "answered", "answer": answer}).decode()
