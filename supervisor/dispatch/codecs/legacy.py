"""The envelope that predates the contract: 0.3 method, snake_case ids, bare text parts, the user as a JSON string."""

from __future__ import annotations

from typing import Any

import orjson

from supervisor.dispatch.codecs.base import Codec, Question


def _send_params(question: Question) -> dict[str, Any]:
    message: dict[str, Any] = {
        "role": "user",
        "parts": [{"text": question.text}],
        "message_id": question.message_id,
        "context_id": question.context_id,
        "metadata": _metadata(question),
    }
    if question.task_id:
        message["task_id"] = question.task_id
    return {"message": message}


def _metadata(question: Question) -> dict[str, Any]:
    """The same keys as today, but the user as one JSON string with the key `userId` and the place inside."""
    metadata = dict(question.metadata)
    user: dict[str, Any] = dict(metadata.get("user_context") or {})
    if "user_id" in user:
        user["userId"] = user.pop("user_id")
    if "currentLocation" in metadata:
        user["location"] = metadata["currentLocation"]
    metadata["user_context"] = orjson.dumps(user).decode()
    return metadata


def _get_params(task_id: str) -> dict[str, Any]:
    return {"id": task_id}


LEGACY = Codec(
    version="legacy",
    send="message/send",
    stream=None,
    get="tasks/get",
    cancel="tasks/cancel",
    subscribe=None,
    list=None,
    headers={},
    extensions_header=None,
    send_params=_send_params,
    get_params=_get_params,
)
