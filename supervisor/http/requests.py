"""Reads what clients send: size caps, JSON, the parts of RunAgentInput we take. Everything else in it is ignored.

Only what a user or a client's own tool said is taken from `messages`; history and unknown `forwardedProps` never reach
a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

import orjson
from starlette.requests import Request

from supervisor.dispatch.port import UserContext
from supervisor.errors import Problem
from supervisor.graph.port import UserMessage
from supervisor.http.capabilities import about_cards, context_of
from supervisor.http.fields import each, invalid, list_of, object_of, required_id, scalar_text
from supervisor.http.parts import content_of
from supervisor.runs.port import A2A
from supervisor.runs.request import Answer, ToolOutput, TurnRequest, UserAction

MAX_TOOLS = 128

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes of a body and characters of one message."""

    body_bytes: int
    message_chars: int


async def read_body(request: Request, limits: Limits) -> bytes:
    """The body. Raises 413 body_too_large."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limits.body_bytes:
            raise Problem(
                413, "body_too_large", f"The body may have {limits.body_bytes} bytes. Send only new messages."
            )
    return bytes(body)


async def read_object(request: Request, limits: Limits) -> Json:
    """The body as a JSON object. Raises 413 body_too_large, 400 invalid_json."""
    body = await read_body(request, limits)
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise Problem(400, "invalid_json", "The body is not valid JSON.") from None
    if not isinstance(value, dict):
        raise Problem(400, "invalid_json", "The body must be a JSON object (RunAgentInput).")
    return cast("Json", value)


def modern(body: Json) -> bool:
    """Whether the client declares a protocol version; those that do not (<= 0.0.59) reject some shapes of 1.0."""
    return isinstance(body.get("protocolVersion"), str)


def parse_turn(body: Json, user: UserContext, limits: Limits) -> TurnRequest:
    """The request in a RunAgentInput. Raises 422 invalid_input or unsupported_content, 413 message_too_large."""
    props = object_of(body, "forwardedProps")
    messages, outputs = _news(list_of(body, "messages", required=True), limits)
    thread_id = required_id(body, "threadId")
    if thread_id.startswith(A2A):
        raise invalid(f"`threadId` may not begin with `{A2A}`: such threads belong to tasks of A2A callers.")
    return TurnRequest(
        thread_id=thread_id,
        run_id=required_id(body, "runId"),
        user=with_location(user, props),
        messages=messages,
        answers=each(body, "resume", _answer),
        outputs=outputs,
        command=_command(props),
        target=_optional_id(props, "targetMessageId"),
        model=_optional_id(props, "model"),
        tools=_tools(body),
        context=_context(body, limits),
        state=object_of(body, "state"),
        action=_action(props),
    )


def _news(items: list[Json], limits: Limits) -> tuple[tuple[UserMessage, ...], tuple[ToolOutput, ...]]:
    """All that can be new: user messages after the last answer, and tool messages after the last assistant message.

    What comes before is history and not even read.
    """
    said: dict[str, Json] = {}
    given: dict[str, Json] = {}
    for index, message in enumerate(items):
        role, where = message.get("role"), f"messages[{index}]."
        if not isinstance(role, str):
            raise invalid(f"`{where}role` is missing.")
        if role in ("assistant", "tool"):
            said.clear()
        if role == "assistant":
            given.clear()
        elif role in ("tool", "user"):
            (given if role == "tool" else said)[where] = message
    messages = [_said(message, where, limits) for where, message in said.items()]
    outputs = [_output(message, where, limits) for where, message in given.items()]
    return tuple({m.id: m for m in messages}.values()), tuple({o.call_id: o for o in outputs}.values())


def _said(message: Json, where: str, limits: Limits) -> UserMessage:
    message_id = required_id(message, "id", where)
    return UserMessage(message_id, content_of(message.get("content"), f"{where}content", limits.message_chars))


def _output(message: Json, where: str, limits: Limits) -> ToolOutput:
    content = message.get("content")
    if isinstance(content, list):
        parts = [p for p in cast("list[Any]", content) if isinstance(p, dict)]
        content = "\n".join(str(part.get("text") or "") for part in parts)
    if not isinstance(content, str):
        raise invalid(f"`{where}content` of a tool message must be a string.")
    if len(content) > limits.message_chars:
        raise Problem(413, "message_too_large", f"`{where}content` may have {limits.message_chars} characters.")
    ids = required_id(message, "id", where), required_id(message, "toolCallId", where)
    return ToolOutput(*ids, scalar_text(content, f"{where}content"))


def _answer(entry: Json, where: str) -> Answer:
    status = entry.get("status")
    if status not in ("resolved", "cancelled"):
        raise invalid(f"`{where}status` must be `resolved` or `cancelled`.")
    return Answer(required_id(entry, "interruptId", where), status == "cancelled", entry.get("payload"))


def _tools(body: Json) -> tuple[Json, ...]:
    tools = each(body, "tools", _tool)
    if len(tools) > MAX_TOOLS:
        raise invalid(f"`tools` may hold {MAX_TOOLS} tools.")
    return tuple({tool["name"]: tool for tool in tools}.values())


def _context(body: Json, limits: Limits) -> tuple[Json, ...]:
    """What the application shows its user beside the conversation. What has another shape is not for the model."""
    found = tuple(filter(None, map(_shown, context_of(body))))
    if sum(len(text) for entry in found for text in entry.values()) > limits.message_chars:
        raise Problem(413, "message_too_large", f"`context` may have {limits.message_chars} characters in all.")
    return found


def _shown(entry: Json) -> Json | None:
    shown = {name: entry.get(name) for name in ("description", "value")}
    if about_cards(entry) or not all(isinstance(text, str) for text in shown.values()):
        return None
    return {name: scalar_text(cast("str", text), f"context.{name}") for name, text in shown.items()}


def _tool(entry: Json, where: str) -> Json:
    name = required_id(entry, "name", where)
    if not name.replace("_", "").replace("-", "").isalnum() or not name.isascii() or len(name) > 64:
        raise invalid(f"`{where}name` may hold 64 ASCII letters, digits, `_` and `-`.")
    description, parameters = entry.get("description"), entry.get("parameters")
    if description is not None and not isinstance(description, str):
        raise invalid(f"`{where}description` must be a string.")
    if parameters is not None and not isinstance(parameters, dict):
        raise invalid(f"`{where}parameters` must be a JSON Schema object.")
    return {"name": name, "description": description, "parameters": parameters}


def _command(props: Json) -> Literal["edit-last", "regenerate"] | None:
    command = props.get("command")
    if command is None or isinstance(command, dict):
        # Older clients resume with an object here; answers come in `resume` only.
        return None
    if command not in ("edit-last", "regenerate"):
        raise invalid("`forwardedProps.command` must be `edit-last` or `regenerate`; others go to /agui/command.")
    return command


def _action(props: Json) -> UserAction | None:
    """`forwardedProps.a2uiAction.userAction`, as A2UI renderers send it."""
    sent = object_of(props, "a2uiAction").get("userAction")
    if sent is None:
        return None
    where = "forwardedProps.a2uiAction.userAction."
    if not isinstance(sent, dict):
        raise invalid(f"`{where[:-1]}` must be an object.")
    action = cast("Json", sent)
    context, timestamp = action.get("context"), action.get("timestamp")
    if context is not None and not isinstance(context, dict):
        raise invalid(f"`{where}context` must be an object.")
    component = action.get("sourceComponentId")
    return UserAction(
        required_id(action, "name", where),
        required_id(action, "surfaceId", where),
        component if isinstance(component, str) else None,
        cast("Json", context or {}),
        timestamp if isinstance(timestamp, str) else None,
    )


def _optional_id(props: Json, name: str) -> str | None:
    return required_id(props, name, "forwardedProps.") if props.get(name) is not None else None


def with_location(user: UserContext, props: Json) -> UserContext:
    """`forwardedProps` by allowlist: `currentLocation {lat,lng}` and `locationPermission`."""
    place = props.get("currentLocation")
    location = None
    if isinstance(place, dict):
        lat, lng = (cast("Json", place).get(key) for key in ("lat", "lng"))
        if _degrees(lat, 90) and _degrees(lng, 180):
            location = {"lat": lat, "lng": lng}
    permission = props.get("locationPermission")
    known = permission if permission in ("granted", "denied", "prompt") else None
    return UserContext(user.user_id, user.name, user.locale, location, known, user.bearer_token)


def _degrees(value: Any, bound: int) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= bound
