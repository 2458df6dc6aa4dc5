"""Open interrupts of a checkpoint as the wire has them, and answers as the graph wants them back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final, cast

from langgraph.types import Interrupt

from contracts.interrupts import answer_schema
from supervisor.graph.hitl.helpers import ENVELOPE
from supervisor.graph.port import Question

FRONTEND_CALL: Final = "switchboard/frontend-call"
"""Key of the interrupt value of a front-end tool's call; such a call waits for a tool message, not for an answer."""

Json = dict[str, Any]


def read_questions(interrupts: Iterable[Interrupt], expires_at: datetime | None = None) -> tuple[Question, ...]:
    """One question per open interrupt, in order. `expires_at` is for those that name no time themselves."""
    return tuple(_question(item, expires_at) for item in interrupts)


def _question(item: Interrupt, expires_at: datetime | None) -> Question:
    value: Any = item.value
    entry = cast("Json", value) if isinstance(value, dict) else {}
    if FRONTEND_CALL in entry:
        return Question(item.id, {}, frontend_call=str(entry[FRONTEND_CALL]))
    if ENVELOPE in entry:
        payload = cast("Json", entry[ENVELOPE])
        ids = {"toolCallId": entry.get("toolCallId"), "subagentRunId": entry.get("subagentRunId")}
        return _worded(item.id, payload, ids, answer_schema(payload), expires_at, enveloped=True)
    schema = item.response_schema if isinstance(item.response_schema, dict) else None
    payload = entry if isinstance(entry.get("type"), str) else {"value": value}
    return _worded(item.id, payload, {}, schema, expires_at, enveloped=False)


def _worded(
    interrupt_id: str,
    payload: Json,
    ids: Mapping[str, str | None],
    schema: Json | None,
    expires_at: datetime | None,
    *,
    enveloped: bool,
) -> Question:
    expires = payload.get("expiresAt") or (expires_at.isoformat() if expires_at else None)
    wire = {
        "id": interrupt_id,
        "reason": _reason(payload),
        "message": _message(payload),
        "responseSchema": schema,
        "expiresAt": expires,
        **ids,
        "metadata": {key: value for key, value in payload.items() if key not in ("reason", "expiresAt")},
    }
    present = {key: value for key, value in wire.items() if value is not None}
    return Question(interrupt_id, present, schema, expires, enveloped=enveloped)


def _reason(payload: Json) -> str:
    if isinstance(payload.get("reason"), str):
        return payload["reason"]
    if payload.get("type") == "approval":
        return "confirmation"
    return payload["type"] if isinstance(payload.get("type"), str) else "input_required"


def _message(payload: Json) -> str | None:
    found = payload.get("message") or payload.get("title") or payload.get("value")
    return found if isinstance(found, str) else None
