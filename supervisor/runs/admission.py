"""Decides whether a request may become a run of its thread, and as which turn. No I/O, no clock of its own.

Never trusts the client's history, state or ids: open questions and pending calls are the checkpoint's.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from contracts.interrupts import answer_error
from supervisor.errors import ERRORS, Problem
from supervisor.graph.port import Question, SurfaceAction, ThreadView, Turn, UserMessage
from supervisor.runs.port import Receipt
from supervisor.runs.request import Answer, TurnRequest, UserAction, key_receipt, resume_receipt, tool_receipt
from supervisor.runs.standing import unanswered

EMPTY = ThreadView([])


@dataclass(frozen=True, slots=True)
class Admission:
    """A turn, the receipts that it takes, and where its answer begins (see `RunRecord.base`)."""

    turn: Turn
    receipts: Mapping[str, str]
    base: str | None

    def with_model(self, name: str | None) -> Turn:
        """The turn with the thread's model."""
        return replace(self.turn, model=name)


def news(request: TurnRequest, receipts: Mapping[str, Receipt]) -> TurnRequest:
    """The part of a request that was not accepted before.

    Raises `Problem` 409 message_conflict, or INVALID_RESUME for another answer to an answered question.
    """
    made = request.receipts()
    if request.once is not None and (held := receipts.get(key_receipt(request.once[0]))) is not None:
        return _nothing(request, held)

    def known(name: str) -> bool:
        return name in receipts

    def same(name: str) -> bool:
        return known(name) and receipts[name].digest == made[name]

    for answer in request.answers:
        name = resume_receipt(answer.interrupt_id)
        if known(name) and not same(name):
            raise invalid_resume("stale", answer.interrupt_id)
    last = request.messages[-1:]
    editing = request.command == "edit-last"
    for message in last:
        if known(message.id) and not same(message.id) and not (editing and message.id == request.target):
            raise _conflict()
    messages = tuple(
        m for m in (last if editing else request.messages) if not (same(m.id) or (known(m.id) and m not in last))
    )
    repeated = known(f"regenerate:{request.run_id}") or (editing and not messages and bool(last))
    return replace(
        request,
        messages=messages,
        answers=tuple(a for a in request.answers if not known(resume_receipt(a.interrupt_id))),
        outputs=tuple(o for o in request.outputs if not known(tool_receipt(o.call_id))),
        action=None if any(known(name) for name in made if name.startswith("action:")) else request.action,
        command=None if repeated else request.command,
    )


def _nothing(request: TurnRequest, held: Receipt) -> TurnRequest:
    """A request whose key was used before: all of it is known, or it is another one."""
    if request.once is None or held.digest != request.once[1]:
        detail = "This idempotency key was used for another request. Use a new key."
        raise Problem(409, "idempotency_key_reused", detail)
    nothing = replace(request, messages=(), answers=(), outputs=(), action=None, command=None, once=None)
    return replace(nothing, declines=False)


def known_run(request: TurnRequest, receipts: Mapping[str, Receipt]) -> Receipt | None:
    """The receipt of the latest thing in a request that was accepted before."""
    return next((receipts[name] for name in reversed(request.receipts()) if name in receipts), None)


@dataclass(frozen=True, slots=True)
class Rules:
    """What a server lets its clients do. `reserved` are tool names of ours; `actions` what each card type allows, with
    the JSON Schema of the action's context."""

    reserved: Collection[str] = ()
    actions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])


def admit(request: TurnRequest, view: ThreadView, rules: Rules, now: datetime) -> Admission | None:
    """The turn of a request's news; None when nothing of it is to be done.

    Raises `Problem`: 409 INVALID_RESUME, interrupt_pending, not_last_message or nothing_to_regenerate; 422
    invalid_input, invalid_action or no_message.
    """
    taken = sorted({tool["name"] for tool in request.tools} & set(rules.reserved))
    if taken:
        raise Problem(422, "invalid_input", f"`tools`: the name {taken[0]} is taken by a tool of ours. Use another.")
    waiting = view.pending_calls
    request = replace(request, outputs=tuple(o for o in request.outputs if o.call_id in waiting))
    resume = _resumed(request.answers, view, now) | _tool_results(request, view)
    if request.declines:
        resume = {question.id: question.cancelled() for question in view.questions}
    turn = _turn(request, view)
    if request.action is not None and not turn.messages:
        turn = replace(turn, action=_acted(request.action, view, rules))
    resume |= _left_open(turn, request, view, resume)
    if not turn.messages and not turn.action and not resume:
        return None
    base = _last_id(view, turn) if resume or turn.rewrite or turn.action else None
    return Admission(replace(turn, resume=resume), request.receipts(), base)


def invalid_resume(reason: str, interrupt_id: str, view: ThreadView = EMPTY, detail: str = "") -> Problem:
    """409 INVALID_RESUME; the interrupts that are open stay open and are listed."""
    row = ERRORS["INVALID_RESUME"]
    extra = {"reason": reason, "interruptId": interrupt_id, "interrupts": view.interrupts}
    return Problem(row.status, row.code, detail or _REASONS[reason], extra)


_REASONS = {
    "unknown_id": "No open question has this interruptId. Connect to the thread to see what is open.",
    "stale": "This question was answered before, with another answer.",
    "expired": "The time to answer this question is over. Send it with status `cancelled`.",
    "duplicate_id": "`resume` names this interruptId twice. Send one entry per question.",
    "bad_payload": "The payload does not fit the question's responseSchema.",
}


def _resumed(answers: Sequence[Answer], view: ThreadView, now: datetime) -> dict[str, Any]:
    questions = {q.id: q for q in view.questions if q.frontend_call is None}
    resume: dict[str, Any] = {}
    for answer in answers:
        question = questions.get(answer.interrupt_id)
        if question is None:
            raise invalid_resume("unknown_id", answer.interrupt_id, view)
        if question.id in resume:
            raise invalid_resume("duplicate_id", question.id, view)
        resume[question.id] = question.cancelled() if answer.cancelled else _checked(question, answer, view, now)
    return resume


def _checked(question: Question, answer: Answer, view: ThreadView, now: datetime) -> Any:
    if question.expires_at is not None and _time(question.expires_at) <= now:
        raise invalid_resume("expired", question.id, view)
    wrong = answer_error(question.schema, answer.payload) if question.schema is not None else None
    if wrong is not None:
        raise invalid_resume("bad_payload", question.id, view, f"{_REASONS['bad_payload']} {wrong}")
    return question.answered(answer.payload)


def _tool_results(request: TurnRequest, view: ThreadView) -> dict[str, Any]:
    waiting = {q.frontend_call: q for q in view.questions if q.frontend_call is not None}
    return {
        waiting[output.call_id].id: waiting[output.call_id].answered({"id": output.id, "content": output.content})
        for output in request.outputs
    }


def _turn(request: TurnRequest, view: ThreadView) -> Turn:
    turn = Turn(
        request.thread_id,
        request.run_id,
        request.messages,
        request.user,
        frontend_calls=tuple(view.pending_calls),
        tools=request.tools,
        context=request.context,
        state=request.state,
        unanswered=unanswered(view.messages),
        given=tuple(output.message() for output in request.outputs),
        via=request.via,
        origin=request.origin,
        declined=request.declines,
    )
    if request.command is None:
        return turn
    asked = next((m for m in view.messages if view.tail and m["id"] == view.tail[0]), None)
    if request.command == "regenerate":
        if asked is None:
            raise Problem(409, "nothing_to_regenerate", "This thread has no question yet. Send a message.")
        return replace(turn, messages=(UserMessage(asked["id"], asked["content"]),), rewrite=view.tail)
    if asked is None or asked["id"] != request.target:
        detail = "`targetMessageId` is not the last user message of this thread; only that one can be edited."
        raise Problem(409, "not_last_message", detail, {"lastMessageId": asked["id"] if asked else None})
    if not request.messages:
        raise Problem(422, "no_message", "Send the edited message as the last entry of `messages`.")
    return replace(turn, messages=request.messages, rewrite=view.tail)


def _left_open(turn: Turn, request: TurnRequest, view: ThreadView, resume: Mapping[str, Any]) -> dict[str, Any]:
    """Cancellations for what the turn goes past: calls of front-end tools, and under a rewrite every question."""
    uncovered = [q for q in view.questions if q.id not in resume]
    if request.command is None and not request.partial and any(q.frontend_call is None for q in uncovered):
        detail = "Questions are open: answer or cancel each of `interrupts` in `resume`, then go on."
        raise Problem(409, "interrupt_pending", detail, {"interrupts": view.interrupts})
    return {question.id: question.cancelled() for question in uncovered} if turn.messages or turn.action else {}


def _acted(action: UserAction, view: ThreadView, rules: Rules) -> SurfaceAction:
    """The action, if the surface was issued to this thread and its card allows it. Raises `Problem` 422."""
    surface = view.surfaces.get(action.surface_id)
    if surface is None:
        raise _invalid_action("unknown_surface", "This thread has no card with this surfaceId.")
    allowed = rules.actions.get(surface.card_type, {})
    if action.name not in allowed:
        raise _invalid_action("unknown_action", f"This card allows: {', '.join(sorted(allowed)) or 'nothing'}.")
    wrong = answer_error(allowed[action.name], action.context)
    if wrong is not None:
        raise _invalid_action("bad_context", f"The action's context does not fit. {wrong}")
    made = uuid.uuid4().hex
    return SurfaceAction(surface.id, action.name, action.context, f"action-{made}", f"call-{made[:12]}")


def _invalid_action(reason: str, detail: str) -> Problem:
    return Problem(422, "invalid_action", detail, {"reason": reason})


def _last_id(view: ThreadView, turn: Turn) -> str | None:
    """The last message that a snapshot may hold while the run goes on; "" for none."""
    if not turn.rewrite:
        return view.messages[-1]["id"] if view.messages else ""
    ids = [message["id"] for message in view.messages]
    place = ids.index(view.tail[0]) if view.tail and view.tail[0] in ids else len(ids)
    return ids[place - 1] if place else ""


def _conflict() -> Problem:
    detail = "A message with this id was accepted with other content. Use a new id, or the edit-last command."
    return Problem(409, "message_conflict", detail)


def _time(iso: str) -> datetime:
    found = datetime.fromisoformat(iso)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
