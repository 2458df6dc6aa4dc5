"""AG-UI event dicts to JSON bytes and SSE frames, and back. LF framing, one JSON object per `data:` line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

import orjson

Event = dict[str, Any]

PING = b": ping\n\n"


def encode(event: Event) -> bytes:
    """JSON bytes of one event. Lone surrogates become U+FFFD, values JSON does not know become text: a run never
    dies of one event."""
    try:
        return orjson.dumps(event)
    except TypeError:
        return orjson.dumps(clean(event))


def frame(seq: int, data: bytes) -> bytes:
    """One SSE frame; `seq` is the journal sequence that `Last-Event-ID` names."""
    return b"id: %d\ndata: %b\n\n" % (seq, data)


def read_frame(data: bytes) -> Event:
    """The event of a frame of ours."""
    return cast("Event", orjson.loads(data[data.index(b"data: ") + 6 :]))


def unnumbered(event: Event) -> bytes:
    """A frame that is not in the journal: snapshots that `connect` derives from the checkpoint."""
    return b"data: %b\n\n" % encode(event)


def clean(value: Any) -> Any:
    """A copy that JSON can hold: no lone surrogates, no NaN or infinities, no foreign objects, string keys."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**64 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(clean(str(k))): clean(v) for k, v in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [clean(item) for item in cast("list[Any]", value)]
    return str(value)


def merge_deltas(events: list[Event]) -> list[Event]:
    """Join neighbouring text deltas of one message, so that a burst of tokens costs one frame."""
    merged: list[Event] = []
    last: Event | None = None
    for event in events:
        mergeable = event["type"] == "TEXT_MESSAGE_CONTENT"
        if mergeable and last is not None and last["messageId"] == event["messageId"]:
            last["delta"] += event["delta"]
            continue
        if mergeable:
            event = dict(event)
        merged.append(event)
        last = event if mergeable else None
    return merged
