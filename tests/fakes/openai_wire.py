"""A language model server on a real socket that speaks OpenAI's chat completions, scripted.

    async with serve(Reply(Turn(calls=[...])), Reply(Turn("好"))) as wire:
        model = resolve_model("openai:any", offline=..., base_url=wire.base_url, api_key="k")

Takes the turns of `ScriptedChatModel`, so that one script can be played through both. A reply is used up per request,
in order; the last one repeats. Speaks HTTP by hand: only so can a stream be cut or sent a byte at a time.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from chat_models import Turn
from chat_models.scripted import ARGUMENT_PIECE

PROVIDER_TEXT = "org-4711 has no more quota for key sk-wire-secret"
"""What the provider says in every error; nobody else may ever say it."""
USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
MODEL = "wire-1"


@dataclass(frozen=True)
class Reply:
    """One scripted response.

    `status` other than 200 answers with `error`. `end` says how a stream ends: `done` with finish reason,
    usage and `[DONE]`; `silent` without any of them; `error` with the `error` object; `reset` with a broken connection.
    `bytewise` writes every byte into a TCP segment of its own.
    """

    turn: Turn = field(default_factory=Turn)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    end: Literal["done", "silent", "error", "reset"] = "done"
    bytewise: bool = False
    error: dict[str, Any] = field(
        default_factory=lambda: {"message": PROVIDER_TEXT, "type": "wire_error", "code": None}
    )


@dataclass(frozen=True)
class Request:
    """One request as it arrived; header names are in lower case."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class OpenAIWire:
    """The server. `requests` holds what arrived; `replies` may be changed between requests."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.replies = list(replies)
        self.requests: list[Request] = []
        self.base_url = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one connection, which carries one request."""
        try:
            request = await _read(reader)
            self.requests.append(request)
            reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
            await _write(writer, reply, request)
        finally:
            writer.close()


@asynccontextmanager
async def serve(*replies: Reply) -> AsyncGenerator[OpenAIWire]:
    """The server at a free port of 127.0.0.1."""
    wire = OpenAIWire(replies)
    server = await asyncio.start_server(wire.answer, "127.0.0.1", 0)
    wire.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    async with server:
        yield wire


def nobody_listens() -> str:
    """The base URL of a port that refuses connections."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


async def _read(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    pairs = [line.split(": ", 1) for line in head[1:] if line]
    headers = {name.lower(): value for name, value in pairs}
    body = await reader.readexactly(int(headers["content-length"]))
    return Request(head[0].split(" ")[1], headers, json.loads(body))


async def _write(writer: asyncio.StreamWriter, reply: Reply, request: Request) -> None:
    if request.path != "/v1/chat/completions":
        writer.write(_head(404, {}, "application/json") + b"0\r\n\r\n")
    elif reply.status != 200:
        body = json.dumps({"error": reply.error}).encode()
        writer.write(_head(reply.status, reply.headers, "application/json") + _piece(body) + b"0\r\n\r\n")
    else:
        writer.write(_head(200, reply.headers, "text/event-stream"))
        for data in _stream(reply, bool(request.body.get("stream_options", {}).get("include_usage"))):
            await _send(writer, _piece(f"data: {data}\n\n".encode()), reply.bytewise)
        if reply.end == "reset":
            await writer.drain()
            return
        writer.write(b"0\r\n\r\n")
    await writer.drain()


async def _send(writer: asyncio.StreamWriter, data: bytes, bytewise: bool) -> None:
    for part in (data[i : i + 1] for i in range(len(data))) if bytewise else [data]:
        writer.write(part)
        await writer.drain()
        # The client reads in the same loop; without its turn the kernel would join the segments.
        await asyncio.sleep(0)


def _head(status: int, headers: dict[str, str], content_type: str) -> bytes:
    own = {"content-type": content_type, "transfer-encoding": "chunked", "connection": "close"}
    lines = [f"HTTP/1.1 {status} X", *(f"{k}: {v}" for k, v in {**own, **headers}.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _piece(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def _stream(reply: Reply, with_usage: bool) -> Iterator[str]:
    deltas = list(_deltas(reply.turn))
    yield _chunk({"role": "assistant", "content": ""})
    yield from map(_chunk, deltas)
    if reply.end == "error":
        yield json.dumps({"error": reply.error})
    if reply.end != "done":
        return
    called = any("tool_calls" in delta for delta in deltas)
    yield _chunk({}, reply.turn.finish_reason or ("tool_calls" if called else "stop"))
    if with_usage:
        yield json.dumps({**_envelope([]), "usage": USAGE})
    yield "[DONE]"


def _deltas(turn: Turn) -> Iterator[dict[str, Any]]:
    if turn.chunks is not None:
        for item in turn.chunks:
            yield _literal(item if isinstance(item, list) else [item])
        return
    for character in turn.text:
        yield {"content": character}
    for index, (name, arguments) in enumerate(turn.calls):
        yield {"tool_calls": [_call(index, f"call_{index}", name, "")]}
        raw = json.dumps(arguments, ensure_ascii=False)
        for start in range(0, len(raw), ARGUMENT_PIECE):
            yield {"tool_calls": [_call(index, None, None, raw[start : start + ARGUMENT_PIECE])]}


def _literal(parts: list[Any]) -> dict[str, Any]:
    text = "".join(part["text"] for part in parts if "text" in part)
    calls = [_call(*part["tc"]) for part in parts if "tc" in part]
    return {"content": text or None, **({"tool_calls": calls} if calls else {})}


def _call(index: int | None, call_id: str | None, name: str | None, arguments: str) -> dict[str, Any]:
    function = {**({"name": name} if name else {}), "arguments": arguments}
    opening = {"id": call_id, "type": "function"} if call_id else {}
    return {**({} if index is None else {"index": index}), **opening, "function": function}


def _chunk(delta: dict[str, Any], finish_reason: str | None = None) -> str:
    event = _envelope([{"index": 0, "delta": delta, "finish_reason": finish_reason}])
    plain = json.dumps(event, ensure_ascii=False)
    # Half a surrogate pair has no UTF-8; servers that split one write it as an escape.
    return plain if _has_utf8(plain) else json.dumps(event)


def _has_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _envelope(choices: list[Any]) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": MODEL, "choices": choices}
