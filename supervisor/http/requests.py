"""Reads what clients send: size caps, JSON, the parts of RunAgentInput we take. Everything else in it is ignored.

Only what a user said is taken from `messages`; history, `state` and unknown `forwardedProps` never reach a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import orjson
from starlette.requests import Request

from supervisor.dispatch.port import UserContext
from supervisor.errors import Problem
from supervisor.graph.port import Turn, UserMessage

MAX_ID_CHARS = 200


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes of a body and characters of one message."""

    body_bytes: int
    message_chars: int


async def read_object(request: Request, limits: Limits) -> dict[str, Any]:
    """The body as a JSON object. Raises 413 body_too_large, 400 invalid_json."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limits.body_bytes:
            raise Problem(
                413, "body_too_large", f"The body may have {limits.body_bytes} bytes. Send only new messages."
            )
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise Problem(400, "invalid_json", "The body is not valid JSON.") from None
    if not isinstance(value, dict):
        raise Problem(400, "invalid_json", "The body must be a JSON object (RunAgentInput).")
    return cast("dict[str, Any]", value)


def required_id(body: dict[str, Any], name: str) -> str:
    """A non-empty string id. Raises 422 invalid_input."""
    value = body.get(name)
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_ID_CHARS:
        raise Problem(
            422, "invalid_input", f"`{name}` must be a non-empty string of at most {MAX_ID_CHARS} characters."
        )
    return _scalar_text(value, name)


def parse_turn(body: dict[str, Any], user: UserContext, limits: Limits) -> Turn:
    """The turn in a RunAgentInput. Raises 422 invalid_input, 413 message_too_large."""
    return Turn(
        thread_id=required_id(body, "threadId"),
        run_id=required_id(body, "runId"),
        messages=_new_user_messages(body.get("messages"), limits),
        user=_with_location(user, body.get("forwardedProps")),
        modern_peer=isinstance(body.get("protocolVersion"), str),
    )


def _new_user_messages(value: Any, limits: Limits) -> tuple[UserMessage, ...]:
    """The user's messages after the last assistant or tool message: all that can be new."""
    if not isinstance(value, list):
        raise Problem(422, "invalid_input", "`messages` must be an array of AG-UI messages.")
    messages: list[UserMessage] = []
    for index, item in enumerate(cast("list[Any]", value)):
        if not isinstance(item, dict):
            raise Problem(422, "invalid_input", f"`messages[{index}]` must be an object.")
        message = cast("dict[str, Any]", item)
        role = message.get("role")
        if role in ("assistant", "tool"):
            messages.clear()
        elif role == "user":
            messages.append(_user_message(message, index, limits))
        elif not isinstance(role, str):
            raise Problem(422, "invalid_input", f"`messages[{index}].role` is missing.")
    return tuple({message.id: message for message in messages}.values())


def _user_message(message: dict[str, Any], index: int, limits: Limits) -> UserMessage:
    where = f"messages[{index}]"
    message_id, content = message.get("id"), message.get("content")
    if not isinstance(message_id, str) or not message_id.strip() or len(message_id) > MAX_ID_CHARS:
        raise Problem(422, "invalid_input", f"`{where}.id` must be a non-empty string.")
    if isinstance(content, str):
        text = content
    elif isinstance(content, list):
        text = _text_of_parts(cast("list[Any]", content), where)
    else:
        raise Problem(422, "invalid_input", f"`{where}.content` must be a string or an array of content parts.")
    if not text.strip():
        raise Problem(422, "invalid_input", f"`{where}.content` is empty.")
    if len(text) > limits.message_chars:
        detail = f"`{where}.content` may have {limits.message_chars} characters."
        raise Problem(413, "message_too_large", detail)
    return UserMessage(_scalar_text(message_id, f"{where}.id"), _scalar_text(text, f"{where}.content"))


def _text_of_parts(parts: list[Any], where: str) -> str:
    texts: list[str] = []
    for index, item in enumerate(parts):
        part = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
        if part.get("type") != "text" or not isinstance(part.get("text"), str):
            raise Problem(422, "unsupported_content", f"`{where}.content[{index}]`: only text parts are supported.")
        texts.append(part["text"])
    return "\n".join(texts)


def _scalar_text(value: str, where: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Problem(422, "invalid_input", f"`{where}` holds a lone surrogate, which is no valid text.") from None
    return value


def _with_location(user: UserContext, forwarded: Any) -> UserContext:
    """`forwardedProps` by allowlist: `currentLocation {lat,lng}` and `locationPermission`."""
    props = cast("dict[str, Any]", forwarded) if isinstance(forwarded, dict) else {}
    place = props.get("currentLocation")
    location = None
    if isinstance(place, dict):
        lat, lng = (cast("dict[str, Any]", place).get(key) for key in ("lat", "lng"))
        if _degrees(lat, 90) and _degrees(lng, 180):
            location = {"lat": lat, "lng": lng}
    permission = props.get("locationPermission")
    known = permission if permission in ("granted", "denied", "prompt") else None
    return UserContext(user.user_id, user.name, user.locale, location, known, user.bearer_token)


def _degrees(value: Any, bound: int) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= bound
