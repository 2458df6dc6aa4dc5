"""Ask the user from inside an async tool: `hitl_*` wrap LangGraph's `interrupt` with the six neutral payloads.

The tool runs again from its first line when the answer is there, so what it did before must be repeatable (`@task`).
Every helper returns the answer, or `CANCELLED`, which is falsy, when the user declined to answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from langgraph.types import interrupt

from contracts.interrupts import answer_error, answer_schema, payload_error

ENVELOPE: Final = "switchboard/interrupt"
"""Key of an interrupt value that these helpers made; what else code hands to `interrupt` is passed on as it is."""

Json = dict[str, Any]
Option = str | Mapping[str, str]


class Cancelled:
    """The user declined. There is one, `CANCELLED`."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "CANCELLED"


CANCELLED: Final = Cancelled()


@dataclass(frozen=True, slots=True)
class Approval:
    """True only if the user approved."""

    approved: bool
    reason: str | None = None

    def __bool__(self) -> bool:
        return self.approved


@dataclass(frozen=True, slots=True)
class Origin:
    """What a question belongs to on the wire."""

    tool_call_id: str | None = None
    subagent_id: str | None = None


NOWHERE: Final = Origin()


def ask(payload: Json, origin: Origin = NOWHERE) -> Json | Cancelled:
    """The answer to any of the six payloads, as the wire has it. Raises ValueError for what is no payload."""
    wrong = payload_error(payload)
    if wrong is not None:
        raise ValueError(f"This is no interrupt payload. {wrong}")
    schema = answer_schema(payload)
    question = {ENVELOPE: payload, "toolCallId": origin.tool_call_id, "subagentRunId": origin.subagent_id}
    resumed = cast("Json", interrupt(question, response_schema=schema))
    if resumed.get("cancelled"):
        return CANCELLED
    answer = resumed.get("answer")
    wrong = answer_error(schema, answer)
    if wrong is not None:
        # The server checks before it resumes; this is for code that resumes the graph on its own.
        raise ValueError(f"This does not answer the question. {wrong}")
    return cast("Json", answer)


def hitl_input(message: str, placeholder: str | None = None, origin: Origin = NOWHERE) -> str | Cancelled:
    """A free text."""
    answer = ask(_payload("input", message=message, placeholder=placeholder), origin)
    return answer["value"] if isinstance(answer, dict) else CANCELLED


def hitl_select(message: str, options: Sequence[Option], origin: Origin = NOWHERE) -> str | Cancelled:
    """The value of one of `options`, which are texts or `{value, label?, description?}`."""
    answer = ask(_payload("select", message=message, options=list(options)), origin)
    return answer["value"] if isinstance(answer, dict) else CANCELLED


def hitl_multi_select(message: str, options: Sequence[Option], origin: Origin = NOWHERE) -> list[str] | Cancelled:
    """The values of any number of `options`."""
    answer = ask(_payload("multiSelect", message=message, options=list(options)), origin)
    return answer["values"] if isinstance(answer, dict) else CANCELLED


def hitl_modal(title: str, body: str, actions: Sequence[Option], origin: Origin = NOWHERE) -> str | Cancelled:
    """The value of the action that was chosen."""
    answer = ask(_payload("modal", title=title, body=body, actions=list(actions)), origin)
    return answer["action"] if isinstance(answer, dict) else CANCELLED


def hitl_approval(message: str, details: Any = None, origin: Origin = NOWHERE) -> Approval | Cancelled:
    """Whether the user approved, and why not."""
    answer = ask(_payload("approval", message=message, details=details), origin)
    return Approval(answer["approved"], answer.get("reason")) if isinstance(answer, dict) else CANCELLED


def hitl_unlock(message: str, key: str, origin: Origin = NOWHERE) -> bool | Cancelled:
    """True once the user says that `key` is unlocked."""
    answer = ask(_payload("unlock", message=message, key=key), origin)
    return True if isinstance(answer, dict) else CANCELLED


def _payload(kind: str, **fields: Any) -> Json:
    return {"type": kind, **{name: value for name, value in fields.items() if value is not None}}
