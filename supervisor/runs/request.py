"""What a client asks of a thread, read from its RunAgentInput and not yet checked against the thread."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import orjson

from supervisor.dispatch.port import UserContext
from supervisor.graph.port import UserMessage

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """An entry of `resume`: the answer to an open interrupt, or the refusal to answer it."""

    interrupt_id: str
    cancelled: bool
    payload: Any = None


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """A tool message of the client: what its own tool gave. `id` is the message's."""

    id: str
    call_id: str
    content: str

    def message(self) -> Json:
        """The AG-UI message."""
        return {"id": self.id, "role": "tool", "content": self.content, "toolCallId": self.call_id}


@dataclass(frozen=True, slots=True)
class UserAction:
    """What a user chose in a card, as the client says. `timestamp` is the client's and tells two clicks apart."""

    name: str
    surface_id: str
    component_id: str | None
    context: Json
    timestamp: str | None


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """One POST to `/agui`, or one message to `/a2a`. `target` is the message that `edit-last` replaces.

    `once` is a key that the caller chose for the request, and the digest of what it says. A `partial` request may leave
    questions open; one that `declines` refuses them all and asks nothing more. `via` and `origin` as in `Turn`.
    """

    thread_id: str
    run_id: str
    user: UserContext
    messages: tuple[UserMessage, ...] = ()
    answers: tuple[Answer, ...] = ()
    outputs: tuple[ToolOutput, ...] = ()
    command: Literal["edit-last", "regenerate"] | None = None
    target: str | None = None
    model: str | None = None
    tools: tuple[Json, ...] = ()
    context: tuple[Json, ...] = ()
    state: Json = field(default_factory=dict[str, Any])
    action: UserAction | None = None
    once: tuple[str, str] | None = None
    partial: bool = False
    declines: bool = False
    via: tuple[str, ...] = ()
    origin: Json = field(default_factory=dict[str, Any])

    def receipts(self) -> dict[str, str]:
        """Digest per thing that may be done once only, by receipt name; what is newest in a conversation comes last."""
        found = {key_receipt(self.once[0]): self.once[1]} if self.once else {}
        found |= {tool_receipt(output.call_id): digest(output.content) for output in self.outputs}
        found |= {message.id: digest(message.content) for message in self.messages}
        found |= {resume_receipt(a.interrupt_id): digest([a.cancelled, a.payload]) for a in self.answers}
        if self.action is not None:
            found[f"action:{digest(asdict(self.action))}"] = ""
        if self.command == "regenerate":
            found[f"regenerate:{self.run_id}"] = ""
        return found


def tool_receipt(call_id: str) -> str:
    """Receipt id of the result of a call of the client's tool."""
    return f"tool:{call_id}"


def key_receipt(key: str) -> str:
    """Receipt id of a request that came with a key of its own."""
    return f"key:{key}"


def resume_receipt(interrupt_id: str) -> str:
    """Receipt id of the answer to an interrupt."""
    return f"resume:{interrupt_id}"


def digest(value: Any) -> str:
    """The same for equal JSON values."""
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()
