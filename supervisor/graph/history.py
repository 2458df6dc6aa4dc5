"""A thread's checkpoint as AG-UI messages: the same ids, order and cards that were streamed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

Message = dict[str, Any]
ActivityMessages = Callable[[str, dict[str, Any]], list[Message]]


def agui_messages(messages: Sequence[BaseMessage], activities: ActivityMessages) -> list[Message]:
    """User, assistant and tool messages; the cards of a step come after all its tool messages, as clients hold them."""
    found: list[Message] = []
    cards: list[Message] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            found.append(_tool(message))
            if isinstance(message.artifact, dict):
                cards += activities(message.tool_call_id, cast("dict[str, Any]", message.artifact))
            continue
        found += cards
        cards = []
        if isinstance(message, HumanMessage):
            found.append({"id": message.id, "role": "user", "content": message.text})
        elif isinstance(message, AIMessage) and (message.text or message.tool_calls):
            found.append(_assistant(message))
    return found + cards


def _assistant(message: AIMessage) -> Message:
    entry: Message = {"id": message.id, "role": "assistant"}
    if message.text:
        entry["content"] = message.text
    if message.tool_calls:
        entry["toolCalls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": json.dumps(call["args"], ensure_ascii=False)},
            }
            for call in message.tool_calls
        ]
    return entry


def _tool(message: ToolMessage) -> Message:
    return {"id": message.id, "role": "tool", "content": message.text, "toolCallId": message.tool_call_id}
