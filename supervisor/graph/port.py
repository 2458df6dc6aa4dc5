"""The graph as runs see it: turns in, internal events out. Free of LangGraph."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from supervisor.dispatch.port import UserContext
from supervisor.events.internal import InternalEvent

Json = dict[str, Any]
Content = str | list[Json]
"""What a user said: a text, or AG-UI content parts (text, image, audio, video, document)."""


@dataclass(frozen=True, slots=True)
class UserMessage:
    """One message a user sent."""

    id: str
    content: Content


@dataclass(frozen=True, slots=True)
class Surface:
    """A card that was issued to a thread: whose it is, and the activity message that shows it."""

    id: str
    card_type: str
    agent: str
    message_id: str


@dataclass(frozen=True, slots=True)
class SurfaceAction:
    """What a user chose in a card, checked. `message_id` and `call_id` are those of the call that stands for it."""

    surface_id: str
    name: str
    context: Json
    message_id: str
    call_id: str


@dataclass(frozen=True, slots=True)
class Turn:
    """The admitted input of one run.

    `resume` maps the id of an open interrupt to what it returns; `frontend_calls` are calls of the client's tools that
    waited when the turn was admitted, `unanswered` all calls that did; `given` the client's tool messages that answer
    some of them. `rewrite` holds the ids of the messages, from the last question on, that
    `messages` replace. `tools` are the client's own, `context` is what it shows its user (`description`,
    `value`), `state` is what it asks to write, `model` a name of the setting.
    `via` names the supervisors through which the question came, outermost first; `origin` is what the record of the run
    begins with beside its ids. A `declined` turn refuses the open questions and stops there: no model speaks.
    """

    thread_id: str
    run_id: str
    messages: tuple[UserMessage, ...]
    user: UserContext
    resume: Mapping[str, Any] = field(default_factory=dict[str, Any])
    frontend_calls: tuple[str, ...] = ()
    rewrite: tuple[str, ...] = ()
    tools: tuple[Json, ...] = ()
    context: tuple[Json, ...] = ()
    state: Mapping[str, Any] = field(default_factory=dict[str, Any])
    model: str | None = None
    action: SurfaceAction | None = None
    unanswered: tuple[str, ...] = ()
    given: tuple[Json, ...] = ()
    via: tuple[str, ...] = ()
    origin: Mapping[str, Any] = field(default_factory=dict[str, Any])
    declined: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """An open interrupt. `wire` is the AG-UI `Interrupt`; a call of a front-end tool has `frontend_call` instead.

    `schema` is what an answer must satisfy, None for anything; `expires_at` an ISO time. `enveloped` questions were
    asked through the `hitl_*` helpers, which tell an answer from a refusal to answer.
    """

    id: str
    wire: Json
    schema: Json | None = None
    expires_at: str | None = None
    frontend_call: str | None = None
    enveloped: bool = True

    def answered(self, payload: Any) -> Any:
        """The value with which the graph goes on."""
        return {"answer": payload} if self.enveloped else payload

    def cancelled(self) -> Any:
        """The value with which the graph goes on when there is no answer."""
        return {"cancelled": True}


@dataclass(frozen=True, slots=True)
class ThreadView:
    """A thread as its checkpoint has it. `messages` are AG-UI messages, cards included; `state` the shared keys,
    None where nothing is shared.

    `tail` holds the ids of the checkpoint's messages from the last user message on; `surfaces` the cards by surface id.
    """

    messages: list[Json]
    questions: tuple[Question, ...] = ()
    state: Json | None = None
    tail: tuple[str, ...] = ()
    surfaces: Mapping[str, Surface] = field(default_factory=dict[str, Surface])

    @property
    def interrupts(self) -> list[Json]:
        """Open questions to the user, as AG-UI interrupts."""
        return [question.wire for question in self.questions if question.frontend_call is None]

    @property
    def pending_calls(self) -> list[str]:
        """Calls of front-end tools that wait for their result."""
        return [question.frontend_call for question in self.questions if question.frontend_call is not None]


class TurnGraph(Protocol):
    """The graph as runs see it. Failures are raised as `RunFailure`, never with a provider's text."""

    def stream(
        self, turn: Turn, *, recovered: bool = False, announced: frozenset[str] = frozenset()
    ) -> AsyncIterator[Sequence[InternalEvent]]:
        """Run the turn and yield what happens, in order.

        `recovered`: go on where a dead process left it; `announced` are ids of answers and calls that it told of.
        """
        ...

    async def view(self, thread_id: str) -> ThreadView:
        """The thread as it stands; an empty view for an unknown thread."""
        ...

    async def cancel_turn(self, turn: Turn) -> Sequence[InternalEvent]:
        """Close a turn that was stopped half-way, so that the next one starts clean. What this adds to the thread."""
        ...

    def release(self) -> None:
        """The process is going down: calls under way are left to their agents, not cancelled there."""
        ...
