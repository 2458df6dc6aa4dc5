"""Turns the supervisor's internal events into AG-UI events of one run. No I/O, no request.

One handler per event type, each a few lines; `OpenItems` alone knows what must still be closed before a terminal event.
AG-UI rules: https://docs.ag-ui.com/spec/1.0/events.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Literal

from supervisor.errors import ErrorRow
from supervisor.events import internal as ev
from supervisor.events.open_items import OpenItems
from supervisor.events.ready import ReadyEvents
from supervisor.events.subagents import SubagentEvents, SubagentMode

Event = dict[str, Any]
SurfaceEvents = Callable[[str, dict[str, Any]], list[Event]]

PROTOCOL_VERSION = "1.0"


class Projector:
    """Projects one run. Feed `apply` with internal events, then call exactly one of `finish`, `cancel`, `fail`."""

    def __init__(
        self, thread_id: str, run_id: str, surface_events: SurfaceEvents, subagents: SubagentMode = "both"
    ) -> None:
        self._ids = {"threadId": thread_id, "runId": run_id}
        self._surface_events = surface_events
        self._open = OpenItems()
        self._subagents = SubagentEvents(subagents)
        self._ready = ReadyEvents()
        self._usage: dict[tuple[str | None, str | None], list[int]] = {}
        self._state: Event = {}
        self._results: set[str] = set()
        self._paused = ev.Paused([], [])
        self._handlers: dict[type, Callable[[Any], list[Event]]] = {
            ev.TextDelta: self._text,
            ev.ReasoningDelta: self._reasoning,
            ev.ToolCallDelta: self._tool_call,
            ev.MessageDone: self._message_done,
            ev.ToolResult: self._tool_result,
            ev.SubagentStarted: self._subagents.started,
            ev.SubagentDelta: self._subagents.delta,
            ev.SubagentEnded: self._subagents.ended,
            ev.SubagentTool: self._subagents.tool,
            ev.Custom: self._custom,
            ev.Usage: self._count,
            ev.ReadyEvent: lambda e: self._ready.admit(e.event),
            ev.StateSnapshot: self._state_snapshot,
            ev.StateChange: self._state_change,
            ev.Restated: lambda e: [messages_snapshot(e.messages)],
            ev.Paused: self._pause,
        }

    def start(self, origin: Mapping[str, Any] | None = None) -> list[Event]:
        """The opening event; `origin` goes into its metadata."""
        metadata = {"metadata": dict(origin)} if origin else {}
        return [{"type": "RUN_STARTED", **self._ids, "protocolVersion": PROTOCOL_VERSION, **metadata}]

    def apply(self, event: ev.InternalEvent) -> list[Event]:
        """AG-UI events for one internal event, in order; may be empty."""
        return self._handlers[type(event)](event)

    @property
    def paused(self) -> ev.Paused:
        """What the run waits for; nothing unless the graph said so."""
        return self._paused

    @property
    def said(self) -> set[str]:
        """Ids of the messages that this run added to the thread."""
        return self._open.said | self._results

    def take_over(self, sent: Iterable[Event]) -> list[Event]:
        """Go on after `sent`, the events of a process that died: END events of the messages it left open.

        Sub-agents stay open: their calls are made again with the same key, and the answer ends them.
        """
        for event in sent:
            self._open.recall(event)
            self._subagents.recall(event)
        return self._open.close_all()

    def settle(self, answered: Collection[str]) -> list[Event]:
        """End the sub-agents of calls that are answered: their process died between the answer and its telling."""
        return self._subagents.settle(answered)

    def finish(self) -> list[Event]:
        """Close everything and end the run: success, or `interrupt` when questions are open."""
        closing = self._close("suspended" if self._paused.interrupts else "failed")
        outcome = outcome_of(self._paused)
        return [*closing, {"type": "RUN_FINISHED", **self._ids, "outcome": outcome, **self._usage_field()}]

    def cancel(self, added: Iterable[ev.InternalEvent] = ()) -> list[Event]:
        """Close everything and end the run as stopped on purpose. `added` is what the stop put into the thread."""
        closing = self._close("cancelled")
        for event in added:
            closing += self.apply(event)
        outcome: Event = {"type": "cancelled"}
        return [*closing, {"type": "RUN_FINISHED", **self._ids, "outcome": outcome, **self._usage_field()}]

    def fail(self, row: ErrorRow, correlation_id: str | None) -> list[Event]:
        """Close everything and end the run with RUN_ERROR; `correlation_id` finds the cause in the log."""
        error: Event = {"type": "RUN_ERROR", "message": row.message, "code": row.code}
        if correlation_id:
            error["metadata"] = {"correlationId": correlation_id, "retryable": row.retryable}
        return [*self._close("failed"), {**error, **self._usage_field()}]

    def _close(self, subagent_status: Literal["failed", "suspended", "cancelled"]) -> list[Event]:
        return [*self._open.close_all(), *self._ready.close_all(), *self._subagents.close_all(subagent_status)]

    def _usage_field(self) -> Event:
        rows: list[Event] = []
        for (provider, model), (given, made) in self._usage.items():
            row: Event = {"inputTokens": given, "outputTokens": made, "totalTokens": given + made}
            rows.append({**({"provider": provider} if provider else {}), **({"model": model} if model else {}), **row})
        return {"usage": rows} if rows else {}

    def _text(self, e: ev.TextDelta) -> list[Event]:
        if not e.text:
            return []
        content: Event = {"type": "TEXT_MESSAGE_CONTENT", "messageId": e.message_id, "delta": e.text}
        opening = self._open.open_text(e.message_id)
        return [*opening, content] if opening else [content]

    def _reasoning(self, e: ev.ReasoningDelta) -> list[Event]:
        if not e.text:
            return []
        reasoning_id, opening = self._open.open_reasoning(e.message_id)
        return [*opening, {"type": "REASONING_MESSAGE_CONTENT", "messageId": reasoning_id, "delta": e.text}]

    def _tool_call(self, e: ev.ToolCallDelta) -> list[Event]:
        call_id, opening = self._open.open_call(e.message_id, e.index, e.call_id, e.name)
        if call_id is None or not e.args:
            return opening
        return [*opening, self._open.add_arguments(call_id, e.args)]

    def _message_done(self, e: ev.MessageDone) -> list[Event]:
        return self._open.close_message(e.message_id)

    def _tool_result(self, e: ev.ToolResult) -> list[Event]:
        self._results.add(e.message_id)
        if e.held:
            return self._open.close_call(e.call_id)
        result: Event = {
            "type": "TOOL_CALL_RESULT",
            "messageId": e.message_id,
            "toolCallId": e.call_id,
            "content": e.content,
            "role": "tool",
        }
        closing = self._open.close_call(e.call_id)
        cards = self._surface_events(e.call_id, e.artifact) if e.artifact else []
        return [*closing, result, *cards]

    def _custom(self, e: ev.Custom) -> list[Event]:
        return [{"type": "CUSTOM", "name": e.name, "value": e.payload}]

    def _state_snapshot(self, e: ev.StateSnapshot) -> list[Event]:
        self._state = dict(e.values)
        return [{"type": "STATE_SNAPSHOT", "snapshot": e.values}]

    def _state_change(self, e: ev.StateChange) -> list[Event]:
        changed = {k: v for k, v in e.values.items() if k not in self._state or self._state[k] != v}
        delta = [
            {"op": "replace" if key in self._state else "add", "path": f"/{_pointer(key)}", "value": value}
            for key, value in changed.items()
        ]
        self._state.update(changed)
        return [{"type": "STATE_DELTA", "delta": delta}] if delta else []

    def _pause(self, e: ev.Paused) -> list[Event]:
        self._paused = e
        return []

    def _count(self, e: ev.Usage) -> list[Event]:
        total = self._usage.setdefault((e.provider, e.model), [0, 0])
        total[0] += e.input_tokens
        total[1] += e.output_tokens
        return []


def messages_snapshot(messages: list[Event]) -> Event:
    """The conversation, cards included. The metadata lets clients drop cards that are not in it (@ag-ui/client 1.0)."""
    metadata = {"@ag-ui/client": {"authoritativeActivityTypes": ["a2ui-surface"]}}
    return {"type": "MESSAGES_SNAPSHOT", "messages": messages, "metadata": metadata}


def outcome_of(paused: ev.Paused) -> Event:
    """The outcome of a run that came to rest: success, or `interrupt` when questions are open."""
    if paused.interrupts:
        return {"type": "interrupt", "interrupts": paused.interrupts}
    pending = {"pendingToolCallIds": paused.pending_calls} if paused.pending_calls else {}
    return {"type": "success", **pending}


def _pointer(key: str) -> str:
    """A key as a segment of a JSON Pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")
