"""One turn of an agent: what is asked, and the events of its answer. Says nothing about A2A or models."""

from __future__ import annotations

from dataclasses import dataclass

from agents.kit.open_turn import OpenTurn
from agents.kit.spec import Action, Asker, Card


@dataclass(frozen=True, slots=True)
class Status:
    """A line that says what the agent is doing: calling `tool`. `call` is the id of that call."""

    text: str
    call: str = ""
    tool: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """The call has given something."""

    call: str
    ok: bool


@dataclass(frozen=True, slots=True)
class Text:
    """The next piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of the turn: the whole answer and its card, if it has one. `update`: it replaces the clicked card."""

    text: str
    card: Card | None
    update: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """The end of the turn for now: the user has to answer first."""

    turn: OpenTurn


@dataclass(frozen=True, slots=True)
class Question:
    """One question in a conversation, or a click. `owner` is the authenticated user, "" without authentication."""

    text: str
    asker: Asker
    owner: str
    context_id: str
    action: Action | None = None
    task_id: str = ""


Event = Status | Done | Text | Answer | Asked
