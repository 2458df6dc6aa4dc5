"""What the model reads of a dispatch: compact JSON, without card data and never with A2UI operations. And back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import orjson
from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage

from supervisor.dispatch.port import DispatchResult

ERROR_HINTS = {
    "timeout": "The agent did not answer in time.",
    "unreachable": "The agent cannot be reached.",
    "circuit_open": "The agent failed repeatedly and is left alone for a moment.",
    "unauthorized": "The agent refused our credentials.",
    "unknown_agent": "There is no such agent.",
    "cancelled": "The call was stopped.",
}


def single(result: DispatchResult) -> str:
    """`{"agent", "status", "text"?, "data"?, "card"?, "error"?, "message"?}`; `status` is completed, failed, ..."""
    return _dump(_row(result))


def several(results: Sequence[DispatchResult]) -> str:
    """`{"status": completed|partial|failed, "results": [one row per leg, in the order of the calls]}`."""
    good = sum(result.ok for result in results)
    status = "completed" if good == len(results) else "partial" if good else "failed"
    return _dump({"status": status, "results": [_row(result) for result in results]})


def refusal(code: str, message: str, **more: Any) -> str:
    """A call that could not even be tried."""
    return _dump({"status": "failed", "error": code, "message": message, **more})


def rows(content: str) -> list[dict[str, Any]]:
    """The rows in the content of a dispatch ToolMessage; [] when it is none."""
    try:
        value = orjson.loads(content.encode(errors="replace"))
    except orjson.JSONDecodeError:
        return []
    if not isinstance(value, dict):
        return []
    whole = cast("dict[str, Any]", value)
    found = whole.get("results", [whole])
    return (
        [cast("dict[str, Any]", r) for r in cast("list[Any]", found) if isinstance(r, dict)]
        if isinstance(found, list)
        else []
    )


def since_last_question(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The messages of the present turn, without the question itself."""
    asked = max((i for i, m in enumerate(messages) if isinstance(m, HumanMessage)), default=-1)
    return list(messages[asked + 1 :])


def turn_rows(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    """The rows of every dispatch of the present turn, in order, repeats dropped."""
    found: list[dict[str, Any]] = []
    for message in since_last_question(messages):
        if isinstance(message, ToolMessage):
            found.extend(row for row in rows(message.text) if row not in found)
    return found


def _row(result: DispatchResult) -> dict[str, Any]:
    row: dict[str, Any] = {"agent": result.agent, "status": result.status}
    if result.content:
        row["text"] = result.content
    if result.data is not None and result.card_type is None:
        row["data"] = result.data
    if result.card_type:
        row["card"] = result.card_type
    if not result.ok and result.error:
        row["error"] = result.error
        row["message"] = ERROR_HINTS.get(result.error, "The agent could not answer.")
    return row


def _dump(value: dict[str, Any]) -> str:
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return orjson.dumps({"status": "failed", "error": "bad_response"}).decode()
