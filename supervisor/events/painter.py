"""Cards for clients that say what they can paint, and cannot paint one: words instead, and the stream says so.

A pure function over frames, applied where a stream leaves the server, like `downgrade.py`: another reader of the run
may well paint the card.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import orjson

from supervisor.events.encode import encode

Event = dict[str, Any]

SURFACE = "a2ui-surface"
_MARKS = (b'"type":"ACTIVITY_SNAPSHOT"', b'"type":"MESSAGES_SNAPSHOT"')


@dataclass(frozen=True, slots=True)
class Painter:
    """What a client paints: A2UI catalogue ids, and card types if it names any. None means: it did not say."""

    catalogues: frozenset[str] | None = None
    card_types: frozenset[str] | None = None

    def paints(self, content: Event) -> bool:
        """Whether the client can show the surface of an activity message."""
        created = [op["createSurface"].get("catalogId") for op in content["a2ui_operations"] if "createSurface" in op]
        if self.catalogues is not None and not self.catalogues.issuperset(created):
            return False
        return self.card_types is None or content.get("card_type") in self.card_types


async def painted(source: AsyncIterator[bytes], painter: Painter) -> AsyncIterator[bytes]:
    """The same pieces; a card that `painter` cannot show is its bubble text and a `card-fallback`."""
    async for piece in source:
        yield _piece(piece, painter) if any(mark in piece for mark in _MARKS) else piece


def _piece(piece: bytes, painter: Painter) -> bytes:
    return b"".join(_frame(frame, painter) for frame in piece.split(b"\n\n")[:-1])


def _frame(frame: bytes, painter: Painter) -> bytes:
    head, mark, data = frame.rpartition(b"data: ")
    if not any(sign in data for sign in _MARKS):
        return frame + b"\n\n"
    events = _told(orjson.loads(data), painter)
    # The frame's number stands on the last of them: a reader that has only some asks for all of them again.
    first = b"".join(mark + encode(event) + b"\n\n" for event in events[:-1])
    return first + head + mark + encode(events[-1]) + b"\n\n"


def _told(event: Event, painter: Painter) -> list[Event]:
    if event["type"] == "MESSAGES_SNAPSHOT":
        return [{**event, "messages": [_held(message, painter) for message in event["messages"]]}]
    content = event["content"]
    if event["activityType"] != SURFACE or painter.paints(content):
        return [event]
    message = _in_words(event["messageId"], content)
    ids = {"messageId": message["id"]}
    told: list[Event] = [
        {"type": "TEXT_MESSAGE_START", **ids, "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", **ids, "delta": message["content"]},
        {"type": "TEXT_MESSAGE_END", **ids},
    ]
    value = {"cardType": content["card_type"], "reason": "frontend", "errors": []}
    return [*told, {"type": "CUSTOM", "name": "card-fallback", "value": value}]


def _held(message: Event, painter: Painter) -> Event:
    if message["role"] != "activity" or message["activityType"] != SURFACE or painter.paints(message["content"]):
        return message
    return _in_words(message["id"], message["content"])


def _in_words(message_id: str, content: Event) -> Event:
    text = content.get("bubble_text") or f"[{content['card_type']}]"
    return {"id": f"{message_id}-text", "role": "assistant", "content": text}
