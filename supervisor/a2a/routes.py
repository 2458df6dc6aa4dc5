"""`/a2a`: JSON-RPC over HTTP for A2A callers, 1.0 and 0.3 at one address, and the agent card. No business rules."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, cast

import orjson
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from contracts.extensions import ACTIVITY
from supervisor.a2a import errors
from supervisor.a2a.card import CARD_PATH, RPC_PATH, agent_card
from supervisor.a2a.desk import Caller, Desk, Told
from supervisor.a2a.errors import RpcError
from supervisor.a2a.listing import tasks_page
from supervisor.a2a.message import history_length, read_message, required_task
from supervisor.a2a.spelling import MODERN, OLD, Spelling
from supervisor.dispatch.port import UserContext
from supervisor.dispatch.reply import as_dict
from supervisor.errors import Problem
from supervisor.events.encode import PING
from supervisor.http.requests import read_body, with_location
from supervisor.http.routes import FrontDoor
from supervisor.http.sse import EventStream
from supervisor.telemetry.tracing import joined

Json = dict[str, Any]

MAX_KEY_CHARS = 255
CARD_SECONDS = 10
"""How long the card may be kept: about as long as it takes to hear of a new agent."""


@dataclass(frozen=True, slots=True)
class A2ADoor:
    """What the endpoints need beside the front door. `public_url` is in the card instead of the requested address."""

    front: FrontDoor
    desk: Desk
    depth: int
    public_url: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One request, checked as far as the envelope goes."""

    door: A2ADoor
    caller: Caller
    spelling: Spelling
    id: Any
    params: Json

    def response(self, member: Json) -> Json:
        """The envelope around a result or an error."""
        return {"jsonrpc": "2.0", "id": self.id, **member}


Method = Callable[[Call], Awaitable[Json | AsyncIterator[bytes]]]


def router(door: A2ADoor) -> APIRouter:
    """The card and the endpoint, with and without a slash at its end."""
    routes = APIRouter()

    @routes.get(CARD_PATH)
    async def card(request: Request) -> Response:
        """The agent card of this supervisor."""
        base = (door.public_url or str(request.base_url)).rstrip("/")
        version = str(door.front.catalogue.get("version", ""))
        found = agent_card(base, door.front.agents(), version, door.depth)
        headers = {"etag": found.etag, "cache-control": f"max-age={CARD_SECONDS}"}
        if found.etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(found.body, headers=headers, media_type="application/json")

    @routes.post(RPC_PATH)
    @routes.post(f"{RPC_PATH}/")
    async def rpc(request: Request) -> Response:
        """One JSON-RPC request -> its response, or a stream of responses."""
        user = await door.front.authenticate(request)
        call_id: Any = None
        try:
            raw = _envelope(request, await read_body(request, door.front.limits))
            call_id = _call_id(raw)
            method, spelling = _method(raw, request)
            call = Call(door, _caller(request, user, as_dict(raw.get("params"))), spelling, call_id, _params(raw))
            with joined(request.headers):
                answer = await method(call)
        except Problem as problem:
            refused = errors.of_problem(problem)
            if refused is None:
                raise
            return _refusal(refused, call_id)
        except RpcError as refused:
            return _refusal(refused, call_id)
        response = JSONResponse(call.response({"result": answer})) if isinstance(answer, dict) else EventStream(answer)
        if call.caller.activity:
            response.headers["a2a-extensions" if call.spelling.modern else "x-a2a-extensions"] = ACTIVITY
        return response

    return routes


async def _send(call: Call) -> Json:
    configuration = as_dict(call.params.get("configuration"))
    history, told = history_length(configuration), await _begun(call)
    at_once = configuration.get("returnImmediately") is True or configuration.get("blocking") is False
    async with aclosing(call.door.desk.follow(told)) as followed:
        async for steps in followed:
            if at_once and steps:
                break
    return call.spelling.sent(call.spelling.task(told.story, history=history))


async def _stream(call: Call) -> AsyncIterator[bytes]:
    return _streamed(call, await _begun(call))


async def _subscribe(call: Call) -> AsyncIterator[bytes]:
    return _streamed(call, await call.door.desk.subscribe(required_task(call.params), call.caller))


async def _get(call: Call) -> Json:
    history = history_length(call.params)
    story = await call.door.desk.story(required_task(call.params), call.caller)
    return call.spelling.task(story, history=history)


async def _cancel(call: Call) -> Json:
    return call.spelling.task(await call.door.desk.cancel(required_task(call.params), call.caller))


async def _list(call: Call) -> Json:
    return await tasks_page(call.door.desk, call.caller, call.spelling, call.params)


async def _begun(call: Call) -> Told:
    asked = read_message(call.params, call.door.front.limits.message_chars, strict=call.spelling.modern)
    return await call.door.desk.send(asked, call.caller)


async def _streamed(call: Call, told: Told) -> AsyncIterator[bytes]:
    """The task as it stands, then its events. Ends where the task does, or its process."""
    yield _event(call, call.spelling.sent(call.spelling.task(told.story)))
    async for steps in call.door.desk.follow(told):
        events = [_event(call, call.spelling.update(told.story, step)) for step in steps]
        yield b"".join(events) or PING


def _refuses(code: int, text: str) -> Method:
    async def refuse(_: Call) -> Json:
        raise RpcError(code, text)

    return refuse


_NO_PUSH = _refuses(errors.NO_PUSH, "Push notifications are not offered. Stream, subscribe, or look at the task.")
_METHODS: Mapping[str, tuple[Method, Spelling]] = {
    "SendMessage": (_send, MODERN),
    "SendStreamingMessage": (_stream, MODERN),
    "GetTask": (_get, MODERN),
    "ListTasks": (_list, MODERN),
    "CancelTask": (_cancel, MODERN),
    "SubscribeToTask": (_subscribe, MODERN),
    "CreateTaskPushNotificationConfig": (_NO_PUSH, MODERN),
    "GetTaskPushNotificationConfig": (_NO_PUSH, MODERN),
    "ListTaskPushNotificationConfigs": (_NO_PUSH, MODERN),
    "DeleteTaskPushNotificationConfig": (_NO_PUSH, MODERN),
    "GetExtendedAgentCard": (_refuses(errors.UNSUPPORTED, "There is no extended agent card."), MODERN),
    "message/send": (_send, OLD),
    "message/stream": (_stream, OLD),
    "tasks/get": (_get, OLD),
    "tasks/cancel": (_cancel, OLD),
    "tasks/resubscribe": (_subscribe, OLD),
    "tasks/pushNotificationConfig/set": (_NO_PUSH, OLD),
    "tasks/pushNotificationConfig/get": (_NO_PUSH, OLD),
    "tasks/pushNotificationConfig/list": (_NO_PUSH, OLD),
    "tasks/pushNotificationConfig/delete": (_NO_PUSH, OLD),
    "agent/getAuthenticatedExtendedCard": (_refuses(errors.NO_EXTENDED_CARD, "There is no extended agent card."), OLD),
}


def _method(raw: Json, request: Request) -> tuple[Method, Spelling]:
    """The method, if it is one of the version that the request declares; none declared means 0.3."""
    name = raw.get("method")
    if raw.get("jsonrpc") != "2.0":
        raise RpcError(errors.INVALID_REQUEST, "`jsonrpc` must be 2.0.")
    version = request.headers.get("a2a-version") or request.query_params.get("A2A-Version") or ""
    major = version.partition(".")[0]
    if version and major != "1" and not version.startswith("0.3"):
        raise RpcError(errors.VERSION, "A2A 1.0 and 0.3 are spoken here.")
    if not isinstance(name, str):
        raise RpcError(errors.INVALID_REQUEST, "`method` must be a string.")
    found = _METHODS.get(name)
    if found is None or (major == "1" and not found[1].modern):
        raise RpcError(errors.NO_METHOD, "There is no such method in this version of A2A.")
    if found[1].modern and major != "1":
        raise RpcError(errors.VERSION, "This method is of A2A 1.0: send the header A2A-Version: 1.0.")
    return found


def _envelope(request: Request, body: bytes) -> Json:
    # Must be said: a page of another origin can post anything but this unasked.
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise RpcError(errors.CONTENT_TYPE, "Send the request as Content-Type: application/json.", status=415)
    try:
        raw = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise RpcError(errors.PARSE, "The body is not valid JSON.") from None
    if not isinstance(raw, dict):
        raise RpcError(errors.INVALID_REQUEST, "The body must be one JSON-RPC 2.0 request.")
    return cast("Json", raw)


def _call_id(raw: Json) -> Any:
    found = raw.get("id")
    if not isinstance(found, (str, int, float, type(None))) or isinstance(found, bool):
        raise RpcError(errors.INVALID_REQUEST, "`id` must be a string or a number.")
    return found


def _params(raw: Json) -> Json:
    params = raw.get("params")
    if params is not None and not isinstance(params, dict):
        raise RpcError(errors.INVALID_PARAMS, "`params` must be an object.")
    read = _camel(as_dict(params))
    if isinstance(read.get("configuration"), dict):
        read["configuration"] = _camel(read["configuration"])
    return read


def _camel(params: Json) -> Json:
    """The same in the spelling of the wire: who reads ProtoJSON takes the names of the definition as well."""
    return {re.sub(r"_(\w)", lambda found: found[1].upper(), key): value for key, value in params.items()}


def _caller(request: Request, user: UserContext, params: Json) -> Caller:
    """Who calls: identity from the request; place and language are advisory and may come with the message."""
    metadata = as_dict(as_dict(params.get("message")).get("metadata"))
    user = with_location(user, metadata)
    locale = as_dict(metadata.get("user_context")).get("locale")
    if isinstance(locale, str) and locale.replace("-", "").isalnum() and len(locale) <= 35:
        user = replace(user, locale=locale)
    key = request.headers.get("idempotency-key") or None
    if key is not None and len(key) > MAX_KEY_CHARS:
        raise RpcError(errors.INVALID_PARAMS, f"An Idempotency-Key may have {MAX_KEY_CHARS} characters.")
    asked = [*request.headers.getlist("a2a-extensions"), *request.headers.getlist("x-a2a-extensions")]
    wanted = {uri.strip() for header in asked for uri in header.split(",")}
    return Caller(user, key, ACTIVITY in wanted)


def _event(call: Call, result: Json) -> bytes:
    return b"data: " + orjson.dumps(call.response({"result": result})) + b"\n\n"


def _refusal(refused: RpcError, call_id: Any) -> JSONResponse:
    return JSONResponse({"jsonrpc": "2.0", "id": call_id, "error": refused.body()}, refused.status)
