"""What AG-UI tests share: request bodies, parsed frames, the rules every stream keeps."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

TERMINAL = ("RUN_FINISHED", "RUN_ERROR")


def run_input(text: str | None = "hi", *, thread: str = "t", run: str = "r", message: str = "u1", **more: Any) -> Any:
    """A RunAgentInput with one user message, none when `text` is None."""
    messages = [] if text is None else [{"id": message, "role": "user", "content": text}]
    body = {"threadId": thread, "runId": run, "messages": messages, "tools": [], "context": [], "state": {}}
    return {**body, "forwardedProps": {}, "protocolVersion": "1.0", **more}


@dataclass(frozen=True)
class Frame:
    """One SSE frame. `seq` is None for frames that are not in the journal."""

    seq: int | None
    event: dict[str, Any]
    raw: bytes


def parse(body: bytes) -> list[Frame]:
    """All event frames of an SSE body; comments are dropped, malformed framing fails the test."""
    assert b"\r" not in body, "frames must use LF"
    assert body.endswith(b"\n\n") or not body, "the last frame is cut"
    frames: list[Frame] = []
    for block in body.split(b"\n\n")[:-1]:
        if block.startswith(b":"):
            continue
        lines = block.split(b"\n")
        seq = int(lines[0][4:]) if lines[0].startswith(b"id: ") else None
        assert lines[-1].startswith(b"data: "), block
        assert len(lines) == (1 if seq is None else 2), block
        frames.append(Frame(seq, json.loads(lines[-1][6:]), block + b"\n\n"))
    return frames


def events(body: bytes) -> list[dict[str, Any]]:
    """The events of an SSE body, checked for the rules of every stream."""
    found = [f.event for f in parse(body)]
    assert_well_formed(found)
    return found


def assert_well_formed(found: list[dict[str, Any]]) -> None:
    """RUN_STARTED first, one terminal event and nothing after it, every START closed, content only while open."""
    kinds = [e["type"] for e in found]
    assert kinds[0] == "RUN_STARTED", kinds
    assert [k for k in kinds if k in TERMINAL] == [kinds[-1]], kinds
    is_open: dict[str, str] = {}
    for event in found:
        kind = event["type"]
        key = event.get("toolCallId") if kind.startswith("TOOL_CALL") else event.get("messageId")
        if kind in ("TEXT_MESSAGE_START", "TOOL_CALL_START"):
            assert key not in is_open, f"{key} opened twice"
            is_open[key] = kind  # type: ignore[index]
        elif kind in ("TEXT_MESSAGE_CONTENT", "TOOL_CALL_ARGS"):
            assert key in is_open, f"{kind} for {key}, which is not open"
        elif kind in ("TEXT_MESSAGE_END", "TOOL_CALL_END"):
            del is_open[key]  # type: ignore[arg-type]
    assert not is_open, f"left open: {is_open}"


def text_of(found: list[dict[str, Any]]) -> str:
    """All streamed assistant text."""
    return "".join(e["delta"] for e in found if e["type"] == "TEXT_MESSAGE_CONTENT")
