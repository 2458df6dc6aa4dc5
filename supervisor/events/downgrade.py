"""Frames for clients that declare no protocol version (<= 0.0.59), which reject some shapes of AG-UI 1.0.

A pure function over frames, applied where a stream leaves the server: the journal holds one truth for all readers.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import orjson

from supervisor.errors import ERRORS
from supervisor.events.encode import encode

_MARK = b'"type":"RUN_FINISHED"'


async def downgraded(source: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same pieces; a cancelled run ends as RUN_ERROR code `cancelled`, and no `pendingToolCallIds` are named."""
    async for piece in source:
        yield _piece(piece) if _MARK in piece else piece


def _piece(piece: bytes) -> bytes:
    return b"".join(_frame(frame) for frame in piece.split(b"\n\n")[:-1])


def _frame(frame: bytes) -> bytes:
    head, mark, data = frame.rpartition(b"data: ")
    if _MARK in data:
        data = encode(_finished(orjson.loads(data)))
    return head + mark + data + b"\n\n"


def _finished(event: dict[str, Any]) -> dict[str, Any]:
    outcome = event.get("outcome", {})
    if outcome.get("type") == "cancelled":
        usage = {"usage": event["usage"]} if "usage" in event else {}
        return {"type": "RUN_ERROR", "message": ERRORS["CANCELLED"].message, "code": "cancelled", **usage}
    return {**event, "outcome": {k: v for k, v in outcome.items() if k != "pendingToolCallIds"}}
