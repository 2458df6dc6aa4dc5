"""What a process that died left of a run: the frames it sent, and the turn that it was about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from supervisor.events.encode import frame
from supervisor.graph.port import Turn
from supervisor.journal.port import Record
from supervisor.runs.port import RunStatus

_TURN = TypeAdapter(Turn)
_ANNOUNCED = {"TEXT_MESSAGE_START": ("messageId",), "TOOL_CALL_START": ("toolCallId", "parentMessageId")}
_SECRETS: Any = {"user": {"bearer_token"}}


@dataclass(frozen=True, slots=True)
class Past:
    """Events and frames of a run up to now; empty for a run that begins. `status` is set if its end is on record."""

    events: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    frames: list[bytes] = field(default_factory=list[bytes])
    first_seq: int = 0
    status: RunStatus | None = None
    recovered: bool = False

    @property
    def announced(self) -> frozenset[str]:
        """Ids of the answers and tool calls that clients were told of."""
        return frozenset(event[name] for event in self.events for name in _ANNOUNCED.get(event["type"], ()))

    @classmethod
    def read(cls, records: Sequence[Record]) -> Past:
        """The past of the run that these records are of."""
        events = [orjson.loads(record.data) for record in records]
        frames = [frame(record.seq, record.data) for record in records]
        return cls(events, frames, records[0].seq if records else 0, _ending(events[-1]) if events else None, True)


def dump_turn(turn: Turn) -> bytes:
    """The turn as JSON. The user's token is left out: it is a secret, and would be too old when it is needed."""
    return _TURN.dump_json(turn, exclude=_SECRETS)


def load_turn(data: bytes | None) -> Turn | None:
    """The turn of `dump_turn`; None if another version wrote it so that it cannot be read."""
    try:
        return _TURN.validate_json(data or b"")
    except ValidationError:
        return None


def _ending(event: dict[str, Any]) -> RunStatus | None:
    if event["type"] == "RUN_ERROR":
        return "error"
    if event["type"] != "RUN_FINISHED":
        return None
    outcome = event["outcome"]
    return "waiting" if outcome.get("pendingToolCallIds") else outcome["type"]
