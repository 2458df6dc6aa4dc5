"""The ordering state machine of one AG-UI run: what is open, and what must be closed in which order.

Knows messages, reasoning spans and tool calls; sub-agents have their own (`subagents.py`). Emits only STARTs and ENDs,
and the `{}` of a call that came without arguments: clients parse them once the call is closed.
"""

from __future__ import annotations

from typing import Any

from supervisor.events.internal import REASONING_SUFFIX

Event = dict[str, Any]


class OpenItems:
    """Open text messages, reasoning spans and tool calls, each opened once and closed once."""

    def __init__(self) -> None:
        self._text: dict[str, None] = {}
        self._reasoning: dict[str, str] = {}
        self._calls: dict[tuple[str, int | str], str] = {}
        self._open_calls: dict[str, str] = {}
        self._announced: set[str] = set()
        self._bare: set[str] = set()
        self.said: set[str] = set()
        """Ids of the assistant messages that were opened."""

    def recall(self, event: Event) -> None:
        """Take note of an event that was sent before, by a process that died."""
        kind, message_id, call_id = event["type"], event.get("messageId", ""), event.get("toolCallId", "")
        if kind == "TEXT_MESSAGE_START":
            self._text[message_id] = None
        elif kind == "TEXT_MESSAGE_END":
            self._text.pop(message_id, None)
        elif kind == "REASONING_MESSAGE_START":
            self._reasoning[message_id.removesuffix(REASONING_SUFFIX)] = message_id
        elif kind == "REASONING_MESSAGE_END":
            self._reasoning.pop(message_id.removesuffix(REASONING_SUFFIX), None)
        elif kind == "TOOL_CALL_START":
            self._open_calls[call_id] = event.get("parentMessageId", "")
            self._announced.add(call_id)
            self._bare.add(call_id)
        elif kind == "TOOL_CALL_ARGS":
            self._bare.discard(call_id)
        elif kind == "TOOL_CALL_END":
            self._open_calls.pop(call_id, None)

    def open_text(self, message_id: str) -> list[Event]:
        """Events that open the text of `message_id`; [] while it is open. Reasoning ends where text begins."""
        if message_id in self._text:
            return []
        closing = self._close_reasoning(message_id)
        self._text[message_id] = None
        self.said.add(message_id)
        return [*closing, {"type": "TEXT_MESSAGE_START", "messageId": message_id, "role": "assistant"}]

    def open_reasoning(self, message_id: str) -> tuple[str, list[Event]]:
        """The id of the reasoning span of `message_id`, and the events that open it."""
        reasoning_id = f"{message_id}{REASONING_SUFFIX}"
        if message_id in self._reasoning:
            return reasoning_id, []
        self._reasoning[message_id] = reasoning_id
        return reasoning_id, [
            {"type": "REASONING_START", "messageId": reasoning_id},
            {"type": "REASONING_MESSAGE_START", "messageId": reasoning_id, "role": "reasoning"},
        ]

    def open_call(
        self, message_id: str, index: int | str, call_id: str | None, name: str | None
    ) -> tuple[str | None, list[Event]]:
        """The open call that a delta belongs to and the events that open it; None when it must not be streamed.

        A call that was announced before (a resumed run) is never opened again: its arguments would be doubled.
        """
        key = (message_id, index)
        known = self._calls.get(key)
        if known is not None and (call_id is None or call_id == known):
            return (known if known in self._open_calls else None), []
        if call_id is None or not name or call_id in self._announced:
            return None, []
        self._calls[key] = call_id
        self._open_calls[call_id] = message_id
        self._announced.add(call_id)
        self._bare.add(call_id)
        self.said.add(message_id)
        closing = self._close_reasoning(message_id)
        start = {
            "type": "TOOL_CALL_START",
            "toolCallId": call_id,
            "toolCallName": name,
            "parentMessageId": message_id,
        }
        return call_id, [*closing, start]

    def close_message(self, message_id: str) -> list[Event]:
        """END events of everything that belongs to `message_id`."""
        events = self._close_reasoning(message_id)
        if message_id in self._text:
            del self._text[message_id]
            events.append({"type": "TEXT_MESSAGE_END", "messageId": message_id})
        for call_id in [call for call, owner in self._open_calls.items() if owner == message_id]:
            events.extend(self.close_call(call_id))
        return events

    def add_arguments(self, call_id: str, delta: str) -> Event:
        """A piece of an open call's arguments."""
        self._bare.discard(call_id)
        return {"type": "TOOL_CALL_ARGS", "toolCallId": call_id, "delta": delta}

    def close_call(self, call_id: str) -> list[Event]:
        """The END event of one call, [] when it is not open."""
        if self._open_calls.pop(call_id, None) is None:
            return []
        arguments = [self.add_arguments(call_id, "{}")] if call_id in self._bare else []
        return [*arguments, {"type": "TOOL_CALL_END", "toolCallId": call_id}]

    def close_all(self) -> list[Event]:
        """END events of everything that is open."""
        owners = dict.fromkeys([*self._reasoning, *self._text, *self._open_calls.values()])
        return [event for message_id in owners for event in self.close_message(message_id)]

    def _close_reasoning(self, message_id: str) -> list[Event]:
        reasoning_id = self._reasoning.pop(message_id, None)
        if reasoning_id is None:
            return []
        return [
            {"type": "REASONING_MESSAGE_END", "messageId": reasoning_id},
            {"type": "REASONING_END", "messageId": reasoning_id},
        ]
