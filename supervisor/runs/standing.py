"""What a snapshot holds while a run goes on: the thread as the run found it, and what its request brought. Pure.

Clients that join get such a snapshot and then the whole run, so what the run streams must not be in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from supervisor.graph.port import Turn

Message = dict[str, Any]

_SAYS = ("TEXT_MESSAGE_CONTENT", "REASONING_MESSAGE_CONTENT", "TOOL_CALL_RESULT", "ACTIVITY_SNAPSHOT")


def before(messages: Sequence[Message], turn: Turn, base: str | None) -> list[Message]:
    """The part of a thread's messages that the run of `turn` did not stream. `base` as in `RunRecord`."""
    ids = [message["id"] for message in messages]
    if base is not None:
        end = ids.index(base) + 1 if base in ids else 0
    else:
        mine = {m.id for m in turn.messages}
        end = next((i for i, message_id in enumerate(ids) if message_id in mine), len(ids))
    # Results of calls that waited stand among older ones, but are this run's.
    kept = [message for message in messages[:end] if message.get("toolCallId") not in turn.unanswered]
    return [*_with_results(kept, turn.given), *_asked(turn)]


def so_far(messages: Sequence[Message], turn: Turn) -> list[Message]:
    """The thread, and what the request brought, which may have died before it was in there."""
    asked = {m.id: m.content for m in turn.messages}
    replaced = any(m["id"] in turn.rewrite and m.get("content") != asked.get(m["id"]) for m in messages)
    end = next((i for i, m in enumerate(messages) if replaced and m["id"] == turn.rewrite[0]), len(messages))
    held = {message["id"] for message in messages[:end]}
    given = [result for result in turn.given if result["id"] not in held]
    return [*_with_results(messages[:end], given), *(m for m in _asked(turn) if m["id"] not in held)]


def owes(messages: Sequence[Message], events: Sequence[Message]) -> bool:
    """Whether clients that have read `events` lack something of `messages`: a result, a card, the end of an answer."""
    told: dict[str, str] = {}
    for event in events:
        key = event.get("messageId") if event["type"] in _SAYS else event.get("toolCallId")
        if key:
            told[key] = told.get(key, "") + event.get("delta", "")
    return not all(_is_told(message, told) for message in messages)


def _is_told(message: Message, told: Mapping[str, str]) -> bool:
    if message["role"] in ("tool", "activity"):
        return message["id"] in told
    content = message.get("content")
    calls = message.get("toolCalls", ())
    return (not isinstance(content, str) or told.get(message["id"], "") == content) and all(
        _parsed(told.get(call["id"])) == _parsed(call["function"]["arguments"]) for call in calls
    )


def _parsed(arguments: str | None) -> Any:
    try:
        return json.loads(arguments or "")
    except ValueError:
        return arguments


def unanswered(messages: Sequence[Message]) -> tuple[str, ...]:
    """Ids of the tool calls without a result."""
    answered = {message.get("toolCallId") for message in messages}
    calls = (call["id"] for message in messages for call in message.get("toolCalls", ()))
    return tuple(call_id for call_id in calls if call_id not in answered)


def _asked(turn: Turn) -> list[Message]:
    return [{"id": m.id, "role": "user", "content": m.content} for m in turn.messages]


def _with_results(messages: Sequence[Message], given: Sequence[Message]) -> list[Message]:
    """Each result where its client holds it: behind the message with its call, and the results that are there."""
    found = list(messages)
    for result in given:
        calls = [any(c["id"] == result["toolCallId"] for c in m.get("toolCalls", ())) for m in found]
        if True in calls:
            place = calls.index(True) + 1
            while place < len(found) and found[place]["role"] == "tool":
                place += 1
            found.insert(place, result)
    return found
