"""The supervisor's own events: what a graph did, free of LangGraph and of AG-UI.

The graph side (`graph/source.py`, `graph/tools.py`) produces them, `events/projector.py` turns each into AG-UI events.
Not a wire format: nothing here is stored or sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

REASONING_SUFFIX = ":reasoning"
"""What makes the id of a reasoning message of the id of the assistant message it belongs to."""

SubagentStatus = Literal["completed", "failed", "timed_out", "suspended", "cancelled"]


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of assistant text. `message_id` is the id the checkpoint will hold."""

    message_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of the model's reasoning, belonging to assistant message `message_id`."""

    message_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A piece of a tool call. The first piece of (`message_id`, `index`) carries `call_id` and `name`."""

    message_id: str
    index: int | str
    call_id: str | None
    name: str | None
    args: str


@dataclass(frozen=True, slots=True)
class MessageDone:
    """The assistant message is complete; everything it opened may be closed."""

    message_id: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool's answer. `artifact` holds what the model must not read, above all `cards` (see `cards/artifact.py`).

    `held` answers came from the client, which must not be told its own.
    """

    message_id: str
    call_id: str
    name: str
    content: str
    artifact: dict[str, Any] | None = None
    failed: bool = False
    held: bool = False


@dataclass(frozen=True, slots=True)
class SubagentStarted:
    """One invocation of an agent or of an in-process sub-graph began. `subagent_id` is unique per invocation."""

    subagent_id: str
    name: str
    description: str
    call_id: str | None
    parent_id: str | None = None


@dataclass(frozen=True, slots=True)
class SubagentDelta:
    """Something a running sub-agent said: a piece of its `text`, or a `status` line that replaces the last one."""

    subagent_id: str
    kind: Literal["text", "status"]
    text: str


@dataclass(frozen=True, slots=True)
class SubagentEnded:
    """One invocation ended, and all that runs in it.

    `error` is a stable code (`http_500`, `timeout`, ...) unless `status` is completed.
    """

    subagent_id: str
    status: SubagentStatus
    result: str
    error: str | None = None


@dataclass(frozen=True, slots=True)
class SubagentTool:
    """A tool that a running sub-agent uses itself. `tool_id` is unique in the run; `name` is told at the start."""

    subagent_id: str
    tool_id: str
    name: str
    status: Literal["started", "completed", "failed"]


@dataclass(frozen=True, slots=True)
class Custom:
    """What a node or tool wrote with `stream_writer({"name", "payload"})`."""

    name: str
    payload: Any


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call, totals that include cached and reasoning tokens."""

    provider: str | None
    model: str | None
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class ReadyEvent:
    """An AG-UI event that a node wrote ready-made; the projector lets it pass where it is well-formed."""

    event: Any


@dataclass(frozen=True, slots=True)
class StateSnapshot:
    """The shared keys of the state, whole."""

    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class StateChange:
    """Shared keys that a node wrote."""

    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Restated:
    """The conversation so far, because what clients hold is no longer true."""

    messages: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Paused:
    """The run waits: `interrupts` (AG-UI `Interrupt`s) for the user, `pending_calls` (ids) for the client's tools."""

    interrupts: list[dict[str, Any]]
    pending_calls: list[str]


InternalEvent = (
    TextDelta
    | ReasoningDelta
    | ToolCallDelta
    | MessageDone
    | ToolResult
    | SubagentStarted
    | SubagentDelta
    | SubagentEnded
    | SubagentTool
    | Custom
    | Usage
    | ReadyEvent
    | StateSnapshot
    | StateChange
    | Restated
    | Paused
)
