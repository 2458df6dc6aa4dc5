"""How a tool asks the user: it gives `ask(...)` instead of a result, and is called again with the answer.

    async def book(self, dish: str, answers: Answers, chinese: bool = False, call: str = "") -> dict[str, Any]:
        if "sure" not in answers:
            return ask("sure", {"type": "approval", "message": f"Book {dish}?"})
        return self._book(dish, once=call) if answers["sure"]["approved"] else {"booked": False}

A question with the name of a parameter fills that in: after `ask("dish", {"type": "select", ...})` the tool is called
with the `dish` that was chosen, as if the model had said so.
Parameters with these three names are filled in by the kit and never shown to a model: `answers` has the typed answers
so far, by the name of their question; `chinese` is the language to ask in; `call` is the same text each time the same
call is made, so that what must happen once can be keyed by it. Questions and answers: `contracts/hitl`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Annotated, Any, cast

from pydantic import Field

from contracts.interrupts import payload_error

Answers = Annotated[dict[str, Any], Field(default_factory=dict)]
KIT_ARGUMENTS = ("answers", "chinese", "call")
_ASK = "ask"
MOST_NAME = 40


@dataclass(frozen=True, slots=True)
class Call:
    """What the kit knows of the call that is being made."""

    id: str = ""
    chinese: bool = False
    answers: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def arguments(self) -> dict[str, Any]:
        """The parameters that no model fills in."""
        return {"answers": dict(self.answers), "chinese": self.chinese, "call": self.id}


CURRENT: ContextVar[Call | None] = ContextVar("switchboard_tool_call", default=None)


@dataclass(frozen=True, slots=True)
class Ask:
    """The question of one tool call. `name` is what its answer is called."""

    call_id: str
    name: str
    payload: Mapping[str, Any]


def ask(name: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """What a tool gives to ask the user. Raises ValueError for a payload that is none of the six."""
    if (wrong := payload_error(payload)) is not None:
        raise ValueError(f"The question {name!r} cannot be asked: {wrong}")
    return {_ASK: {"name": name[:MOST_NAME], "question": dict(payload)}}


def ask_in(call_id: str, result: Any) -> Ask | None:
    """The question in what a tool gave. Raises ValueError for one that cannot be asked."""
    asked = cast("Mapping[str, Any]", result).get(_ASK) if isinstance(result, Mapping) else None
    if asked is None:
        return None
    if not isinstance(asked, Mapping) or not isinstance(asked.get("name"), str):
        raise ValueError("a question without a name")
    if (wrong := payload_error(asked.get("question"))) is not None:
        raise ValueError(wrong)
    return Ask(call_id, asked["name"], asked["question"])
