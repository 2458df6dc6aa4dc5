"""How a call becomes a request: ids that every attempt shares, headers, the message with its metadata. Pure."""

from __future__ import annotations

import json
import uuid
from functools import lru_cache
from typing import Any

import orjson

from supervisor.dispatch.codecs import CODECS, Question
from supervisor.dispatch.codecs.base import Version
from supervisor.dispatch.port import AgentCall, UserContext

_MESSAGE_IDS = uuid.uuid5(uuid.NAMESPACE_URL, "https://switchboard.example/a2a/message-id")


def message_id(call: AgentCall) -> str:
    """The same for every attempt of a call, and without meaning to others."""
    return str(uuid.uuid5(_MESSAGE_IDS, call.idempotency_key))


def header_key(call: AgentCall) -> str:
    """The idempotency key as a header value; one that cannot be a header is replaced by the message id, as stable."""
    key = call.idempotency_key
    return key if key.isascii() and key.isprintable() else message_id(call)


@lru_cache(maxsize=256)
def _fixed(version: Version, extensions: tuple[str, ...]) -> dict[str, str]:
    codec = CODECS[version]
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **codec.headers}
    if codec.extensions_header and extensions:
        headers[codec.extensions_header] = ", ".join(extensions)
    return headers


def fixed_headers(version: Version, extensions: tuple[str, ...]) -> dict[str, str]:
    """The headers that do not depend on the call, as a fresh dict."""
    return dict(_fixed(version, extensions))


def question(call: AgentCall, more: dict[str, Any]) -> Question:
    """The message of a call; `more` goes into its metadata."""
    user = call.user
    metadata = {
        "user_context": _without_none(_user_context(user)),
        "currentLocation": user.location,
        "locationPermission": user.location_permission,
        "session_id": call.context_id,
        **more,
    }
    return Question(call.query, message_id(call), call.context_id, call.task_id, _without_none(metadata), call.data)


def _user_context(user: UserContext) -> dict[str, Any]:
    return {"user_id": user.user_id, "name": user.name, "locale": user.locale}


def _without_none(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def dumps(body: dict[str, Any]) -> bytes:
    """UTF-8 JSON. Half surrogate pairs, which models and old clients do produce, become `?`."""
    try:
        return orjson.dumps(body)
    except TypeError:
        return json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
