"""What an AG-UI client makes of the events it gets: messages, state, open questions, pending calls.

The rules of the AG-UI 1.0 client: deltas are appended; a tool result stands behind its assistant message and the
results that are there already; a snapshot drops held messages that are not in it, replaces the others where they
stand, and appends what is new. Reasoning survives a snapshot without any, activities one that does not claim their
type.
"""

from __future__ import annotations

import copy
import json
from typing import Any

Event = dict[str, Any]
Message = dict[str, Any]


class Conversation:
    """One client's copy of a thread. `outcome` is that of the last run, None while it goes on."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.state: Any = {}
        self.outcome: Event | None = None

    @property
    def interrupts(self) -> list[Event]:
        """Open questions."""
        return (self.outcome or {}).get("interrupts", [])

    @property
    def pending(self) -> list[str]:
        """Calls of the client's tools that wait for their result."""
        return (self.outcome or {}).get("pendingToolCallIds", [])

    def say(self, message: Message) -> None:
        """Add the user's own message."""
        self.messages.append(copy.deepcopy(message))

    def give(self, message: Message) -> None:
        """Add the result of the client's own tool."""
        self._insert_result({key: message[key] for key in ("id", "role", "toolCallId", "content")})

    def apply(self, event: Event) -> None:
        """Take one event."""
        handler = getattr(self, f"_{event['type'].lower()}", None)
        if handler is not None:
            handler(event)

    def _held(self, message_id: str) -> Message | None:
        return next((m for m in self.messages if m["id"] == message_id), None)

    def _begin(self, message_id: str, role: str) -> None:
        if self._held(message_id) is None:
            self.messages.append({"id": message_id, "role": role, "content": ""})

    def _append(self, event: Event) -> None:
        message = self._held(event["messageId"])
        assert message is not None, f"text for a message that is not there: {event}"
        message["content"] = (message.get("content") or "") + event["delta"]

    def _call(self, call_id: str) -> Event | None:
        calls = (call for m in self.messages for call in m.get("toolCalls", ()))
        return next((call for call in calls if call["id"] == call_id), None)

    def _insert_result(self, message: Message) -> None:
        calls = [any(c["id"] == message["toolCallId"] for c in m.get("toolCalls", ())) for m in self.messages]
        place = calls.index(True) + 1 if True in calls else len(calls)
        while place < len(self.messages) and self.messages[place]["role"] == "tool":
            place += 1
        self.messages.insert(place, message)

    def _run_started(self, _: Event) -> None:
        self.outcome = None

    def _run_finished(self, event: Event) -> None:
        self.outcome = event["outcome"]

    def _run_error(self, event: Event) -> None:
        self.outcome = {"type": "error", "code": event["code"]}

    def _text_message_start(self, event: Event) -> None:
        self._begin(event["messageId"], event["role"])

    def _text_message_content(self, event: Event) -> None:
        self._append(event)

    def _reasoning_message_start(self, event: Event) -> None:
        self._begin(event["messageId"], "reasoning")

    def _reasoning_message_content(self, event: Event) -> None:
        self._append(event)

    def _tool_call_start(self, event: Event) -> None:
        if self._call(event["toolCallId"]) is not None:
            return
        self._begin(event["parentMessageId"], "assistant")
        owner = self._held(event["parentMessageId"]) or {}
        function = {"name": event["toolCallName"], "arguments": ""}
        owner.setdefault("toolCalls", []).append({"id": event["toolCallId"], "type": "function", "function": function})

    def _tool_call_args(self, event: Event) -> None:
        call = self._call(event["toolCallId"])
        assert call is not None, f"arguments for a call that is not there: {event}"
        call["function"]["arguments"] += event["delta"]

    def _tool_call_result(self, event: Event) -> None:
        result = {"id": event["messageId"], "role": "tool", "toolCallId": event["toolCallId"]}
        self._insert_result({**result, "content": event["content"]})

    def _activity_snapshot(self, event: Event) -> None:
        shown = {"role": "activity", "activityType": event["activityType"], "content": event["content"]}
        held = self._held(event["messageId"])
        if held is None:
            self.messages.append({"id": event["messageId"], **shown})
        else:
            held.update(shown)

    def _state_snapshot(self, event: Event) -> None:
        self.state = copy.deepcopy(event["snapshot"])

    def _state_delta(self, event: Event) -> None:
        for step in event["delta"]:
            key = step["path"].removeprefix("/")
            assert (step["op"] == "replace") == (key in self.state), f"{step} on {self.state}"
            self.state[key] = step["value"]

    def _messages_snapshot(self, event: Event) -> None:
        fresh = {m["id"]: copy.deepcopy(m) for m in event["messages"]}
        assert len(fresh) == len(event["messages"]), "a snapshot holds an id twice"
        claimed = event["metadata"]["@ag-ui/client"]["authoritativeActivityTypes"]
        reasons = any(m["role"] == "reasoning" for m in fresh.values())

        def survives(message: Message) -> bool:
            if message["role"] == "activity":
                return message["activityType"] not in claimed
            return message["role"] == "reasoning" and not reasons

        kept = [fresh.get(m["id"], m) for m in self.messages if m["id"] in fresh or survives(m)]
        held = {m["id"] for m in kept}
        self.messages = kept + [m for m in fresh.values() if m["id"] not in held]


def spine(messages: list[Message]) -> list[Message]:
    """Messages in a form in which two holders of one thread are equal: arguments parsed, nothing empty, and what
    belongs to a call (its result, its cards) in the order of the calls, behind the message that makes them.

    Parallel calls end in any order, and a snapshot cannot move what a client holds, so no order of results is promised.
    """
    owners = {call["id"]: m["id"] for m in messages for call in m.get("toolCalls", ())}
    order = {call_id: place for place, call_id in enumerate(owners)}
    attached: dict[str, list[tuple[int, str, Message]]] = {}
    found: list[Message] = []
    for message in messages:
        call_id = _call_of(message, owners)
        if call_id is None:
            found.append(message)
        else:
            entry = (order[call_id], message["role"] == "activity", message)
            attached.setdefault(owners[call_id], []).append(entry)
    whole = [m for head in found for m in (head, *(e[2] for e in sorted(attached.get(head["id"], []), key=_place)))]
    return [_plain(m) for m in whole]


def _place(entry: tuple[int, str, Message]) -> tuple[str, int, str]:
    return entry[1], entry[0], entry[2]["id"]


def _call_of(message: Message, owners: dict[str, str]) -> str | None:
    if message["role"] == "tool":
        return message["toolCallId"] if message["toolCallId"] in owners else None
    if message["role"] == "activity":
        return next((call_id for call_id in owners if message["id"].endswith(call_id)), None)
    return None


def _plain(message: Message) -> Message:
    plain = {key: value for key, value in message.items() if value not in (None, "", [])}
    if "toolCalls" in plain:
        calls = [(call["id"], call["function"]) for call in plain["toolCalls"]]
        plain["toolCalls"] = [(i, f["name"], _parsed(f["arguments"])) for i, f in calls]
    return plain


def _parsed(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return f"no JSON: {arguments}"
