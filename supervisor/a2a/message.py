"""Reads what an A2A caller sends: one message in either spelling, as the run manager takes it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from contracts.extensions import NESTING
from supervisor.a2a.errors import CONTENT_TYPE, INVALID_PARAMS, RpcError
from supervisor.dispatch.reply import as_dict, as_list
from supervisor.graph.port import Content
from supervisor.http.fields import MAX_ID_CHARS
from supervisor.http.parts import MEDIA, content_of

Json = dict[str, Any]

_ROLES = ("ROLE_USER", "user")
_CONTENTS = frozenset({"text", "data", "raw", "url", "file"})
_MAX_VIA = 64


@dataclass(frozen=True, slots=True)
class Asked:
    """One message. `content` is all of it as a user message, empty if it says nothing; `text` its words, `data` its one
    typed answer.

    `action` is the click that `data` holds instead; `via` the supervisors that the question came through.
    """

    message_id: str
    context_id: str | None
    task_id: str | None
    content: Content
    text: str
    data: Json | None = None
    action: Json | None = None
    via: tuple[str, ...] = ()


def read_message(params: Json, max_chars: int, *, strict: bool = False) -> Asked:
    """The message in the params of a send. Raises RpcError, and `Problem` for content that is refused everywhere.

    `strict` wants what 1.0 wants; callers from before it leave things out.
    """
    message = as_dict(params.get("message"))
    if not message:
        raise _invalid("`message` is missing.")
    if message.get("role") not in _ROLES:
        raise _invalid("`message.role` must be ROLE_USER (A2A 1.0) or user (0.3).")
    parts = [as_dict(part) for part in as_list(message.get("parts"))]
    if not parts:
        raise _invalid("`message.parts` is empty.")
    if strict and _id(message, "messageId", "message_id") is None:
        raise _invalid("`message.messageId` is missing.")
    if any(len(_CONTENTS & part.keys()) > 1 for part in parts):
        raise _invalid("Each of `message.parts` holds one of text, data, raw and url.")
    data = next((as_dict(part["data"]) for part in parts if as_dict(part.get("data"))), None)
    action = as_dict(data.get("userAction")) if data else {}
    found = list(_content(parts, skip_data=bool(action)))
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    return Asked(
        _id(message, "messageId", "message_id") or str(uuid.uuid4()),
        _id(message, "contextId", "context_id"),
        _id(message, "taskId", "task_id"),
        content_of(found, "message.parts", max_chars) if _says(found) else "",
        "\n".join(texts),
        None if action else data,
        action or None,
        _via(as_dict(message.get("metadata"))),
    )


def _says(content: list[Json]) -> bool:
    return any(part["type"] != "text" or part["text"].strip() for part in content)


def required_task(params: Json) -> str:
    """The id of the task that a request is about."""
    found = _id(params, "id", "taskId")
    if found is None:
        raise _invalid("`id` is missing: name the task.")
    return found


def history_length(params: Json) -> int | None:
    """How many messages of a task's history are wanted, None for all."""
    length = params.get("historyLength")
    if length is None:
        return None
    if not isinstance(length, int) or isinstance(length, bool) or length < 0:
        raise _invalid("`historyLength` must be a whole number from 0.")
    return length


def _content(parts: list[Json], *, skip_data: bool) -> Iterator[Json]:
    """AG-UI content parts. JSON is told as text, as a language model reads it."""
    for part in parts:
        if isinstance(part.get("text"), str):
            yield {"type": "text", "text": part["text"]}
        elif part.get("data") is not None:
            if not skip_data:
                yield {"type": "text", "text": json.dumps(part["data"], ensure_ascii=False)}
        else:
            yield _file(part)


def _file(part: Json) -> Json:
    """A file in 1.0 (`raw`, `url`) or 0.3 (`file.bytes`, `file.uri`)."""
    file = as_dict(part.get("file"))
    raw, url = part.get("raw") or file.get("bytes"), part.get("url") or file.get("uri")
    mime = part.get("mediaType") or file.get("mimeType") or ""
    if not isinstance(mime, str) or not isinstance(raw or url, str):
        raise RpcError(CONTENT_TYPE, "Parts must be text, JSON data, or a file with its media type.")
    family = mime.partition("/")[0]
    source = {"type": "data", "value": raw} if raw else {"type": "url", "value": url}
    return {
        "type": family if family in MEDIA else "document",
        "source": {**source, **({"mimeType": mime} if mime else {})},
    }


def _via(metadata: Json) -> tuple[str, ...]:
    names = as_list(as_dict(metadata.get(NESTING)).get("via"))
    return tuple(name[:MAX_ID_CHARS] for name in names[:_MAX_VIA] if isinstance(name, str))


def _id(raw: Json, *names: str) -> str | None:
    value = next((raw[name] for name in names if raw.get(name) not in (None, "")), None)
    if value is None:
        return None
    if not isinstance(value, str) or not value.isprintable() or len(value) > MAX_ID_CHARS:
        raise _invalid(f"`{names[0]}` must be a printable string of at most {MAX_ID_CHARS} characters.")
    return value


def _invalid(text: str) -> RpcError:
    return RpcError(INVALID_PARAMS, text)
