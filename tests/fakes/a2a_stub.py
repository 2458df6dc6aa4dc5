"""A scripted A2A server in process: several agents under one ASGI app, each at its own path.

    stub = A2AStub()
    canteen = stub.agent("canteen", card_types=("dish_cards",))
    canteen.replies += [Reply("三道菜", metadata=card("dish_cards", {"items": []})), Reply(http=500)]
    client = make_client(settings, StreamingASGITransport(stub))          # tests/fakes/asgi.py
    discovery = StaticDiscovery(DispatchSettings(agents=stub.addresses()), client)

A reply is used up per message that the agent receives, in order; `agent.always` answers when the script is over, and
without it the agent answers JSON-RPC error -32099. The agent answers in the version in which it is asked: 1.0, 0.3 or
the legacy envelope. With `httpx.ASGITransport` everything works too, but a stream arrives only once it is over.

Nothing sleeps. To hold an answer back give `Reply(gate=event)`, or put an `asyncio.Event` between steps of a stream,
and wait for requests with `await agent.received(2)`. `agent.requests` holds what arrived, `agent.cancelled` the ids of
cancelled tasks.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.a2a_shapes import CARDS, CONTEXT, IDEMPOTENCY, Dialect, agent_card, dialect_of, shapes

SENDS = ("SendMessage", "SendStreamingMessage", "message/send", "message/stream")
STREAMS = ("SendStreamingMessage", "message/stream")
GETS = ("GetTask", "tasks/get")
CANCELS = ("CancelTask", "tasks/cancel")
LIST = "ListTasks"
SUBSCRIBES = ("SubscribeToTask", "tasks/resubscribe")
SCRIPT_OVER = -32099
_UNSET: Any = object()


@dataclass(frozen=True)
class Status:
    """A step of a stream: a status text while working."""

    text: str


Step = str | Status | asyncio.Event | bytes | dict[str, Any] | Exception
"""A piece of answer text, a status, a gate, verbatim bytes, a verbatim result, or a broken connection."""


@dataclass
class Reply:
    """One scripted answer.

    `text` goes into an artifact if the task is completed, else into the status message; `status_text` into the status
    message in any case. `metadata` is put on the task and on the status message. `message` answers with a message
    instead of a task. `steps` are sent before the end of a stream; without them the whole text is one piece. `cut` ends
    the stream before the terminal state. `polls` is what later looks at the task find, the last for ever.

    What replaces all that: `result` (verbatim), `error` (JSON-RPC code), `http` (status, with `raw` as body), `raw`
    (bytes), `fail` (raised before anything is answered).
    """

    text: str = ""
    state: str = "completed"
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    data: Sequence[Any] = ()
    status_text: str = ""
    message: bool = False
    steps: Sequence[Step] | None = None
    cut: bool = False
    polls: Sequence[Reply] = ()
    gate: asyncio.Event | None = None
    result: Any = _UNSET
    error: int | None = None
    http: int | None = None
    raw: bytes | None = None
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict[str, str])
    fail: Exception | None = None


def card(card_type: str, data: Any, *, bubble: str | None = None, category: str | None = None) -> dict[str, Any]:
    """The reply metadata that carries a card."""
    extra = {"bubble_text": bubble, "card_category": category}
    return {"card_template_id": card_type, "card_data_model": data, **{k: v for k, v in extra.items() if v is not None}}


@dataclass(frozen=True)
class Recorded:
    """One JSON-RPC request as it arrived."""

    method: str
    params: dict[str, Any]
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> dict[str, Any]:
        return self.params["message"]

    @property
    def text(self) -> str:
        return "".join(part["text"] for part in self.message["parts"])


class StubAgent:
    """One agent of the stub. Everything may be changed between requests."""

    def __init__(self, name: str, url: str, **card_options: Any) -> None:
        self.name = name
        self.url = url
        self.versions: Sequence[str] = card_options.pop("versions", ("1.0", "0.3"))
        self.card: dict[str, Any] = agent_card(name, url, self.versions, **card_options)
        self.card_path = ".well-known/agent-card.json"
        self.card_reply: Reply | None = None
        """Answers requests for the card instead of `card`."""
        self.card_requests: list[dict[str, str]] = []
        self.replies: deque[Reply] = deque()
        self.always: Reply | None = None
        self.requests: list[Recorded] = []
        self.tasks: dict[str, list[Reply]] = {}
        self.cancelled: list[str] = []
        self.subscriptions: deque[Reply] = deque()
        """Streams that go on with a task; without one the agent does not know the method."""
        self.listed: list[dict[str, Any]] | None = None
        """What `ListTasks` gives; without it the agent does not know the method."""
        self.cancel_state = "canceled"
        self.cancel_gate: asyncio.Event | None = None
        self._arrived = asyncio.Condition()

    @property
    def sends(self) -> list[Recorded]:
        """The requests that carried a message."""
        return [request for request in self.requests if request.method in SENDS]

    @property
    def gets(self) -> list[Recorded]:
        """The looks at tasks."""
        return [request for request in self.requests if request.method in GETS]

    async def received(self, count: int = 1, methods: Iterable[str] = SENDS) -> None:
        """Returns once `count` requests with one of `methods` have arrived."""
        wanted = tuple(methods)
        async with self._arrived:
            await self._arrived.wait_for(lambda: sum(r.method in wanted for r in self.requests) >= count)

    async def cards_asked(self, count: int) -> None:
        """Returns once the card was asked for `count` times."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.card_requests) >= count)

    async def note(self, *, request: Recorded | None = None, card: dict[str, str] | None = None) -> None:
        async with self._arrived:
            if request:
                self.requests.append(request)
            if card is not None:
                self.card_requests.append(card)
            self._arrived.notify_all()

    def next_reply(self) -> Reply:
        return self.replies.popleft() if self.replies else self.always or Reply(error=SCRIPT_OVER)


class A2AStub:
    """The ASGI app. `base` is the address that tests use; cards advertise it unless told otherwise."""

    def __init__(self, base: str = "http://agents.test") -> None:
        self.base = base
        self.agents: dict[str, StubAgent] = {}

    def agent(self, name: str, **card_options: Any) -> StubAgent:
        """Adds an agent at `<base>/<name>`. Options: `versions` and those of `a2a_shapes.agent_card`."""
        self.agents[name] = StubAgent(name, f"{self.base}/{name}", **card_options)
        return self.agents[name]

    def addresses(self) -> dict[str, str]:
        """Name -> base URL, as discovery takes it."""
        return {name: agent.url for name, agent in self.agents.items()}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        name, _, rest = scope["path"].lstrip("/").partition("/")
        agent = self.agents.get(name)
        headers = {key.decode(): value.decode() for key, value in scope["headers"]}
        body = await _body(receive)
        if agent and rest == agent.card_path:
            await self._serve_card(agent, headers, send)
        elif agent and rest.rstrip("/") == "a2a" and scope["method"] == "POST":
            await _Exchange(agent, headers, body, send).answer()
        else:
            await respond(send, 404, b'{"detail":"Not Found"}')

    async def _serve_card(self, agent: StubAgent, headers: dict[str, str], send: Any) -> None:
        await agent.note(card=headers)
        if agent.card_reply:
            await scripted(send, agent.card_reply)
            return
        body = json.dumps(agent.card).encode()
        etag = f'"{hash(body)}"'
        if headers.get("if-none-match") == etag:
            await respond(send, 304, b"")
        else:
            await respond(send, 200, body, headers={"etag": etag})


class _Exchange:
    """One JSON-RPC request of one agent."""

    def __init__(self, agent: StubAgent, headers: dict[str, str], body: bytes, send: Any) -> None:
        self._agent = agent
        self._send = send
        call = json.loads(body)
        self._id = call.get("id")
        self._request = Recorded(call["method"], call.get("params") or {}, headers, body)
        self._dialect: Dialect = dialect_of(call["method"], self._request.params)

    async def answer(self) -> None:
        agent, method = self._agent, self._request.method
        await agent.note(request=self._request)
        refusal = self._refusal()
        if refusal:
            await self._error(refusal)
        elif method in SENDS:
            await self._answer_message(agent.next_reply())
        elif method in GETS:
            await self._answer_get()
        elif method in SUBSCRIBES:
            await self._stream(agent.subscriptions.popleft(), self._request.params["id"])
        elif method == LIST:
            await self._result({"tasks": agent.listed})
        else:
            task_id = self._request.params["id"]
            if agent.cancel_gate:
                await agent.cancel_gate.wait()
            agent.cancelled.append(task_id)
            await self._result(shapes(self._dialect).task(task_id, "ctx", Reply(state=agent.cancel_state)))

    def _refusal(self) -> int | None:
        """The error of a server that does not speak the version it was asked in."""
        modern = self._dialect == "1.0"
        if ("1.0" if modern else "0.3") not in self._agent.versions and self._dialect != "legacy":
            return -32601
        version = self._request.headers.get("a2a-version")
        if modern and version != "1.0":
            return -32009
        if not modern and version is not None:
            return -32603
        offered = {LIST: self._agent.listed is not None, **dict.fromkeys(SUBSCRIBES, bool(self._agent.subscriptions))}
        if offered.get(self._request.method):
            return None
        return None if self._request.method in (*SENDS, *GETS, *CANCELS) else -32601

    async def _answer_message(self, reply: Reply) -> None:
        streamed = self._request.method in STREAMS
        if await scripted(self._send, reply, gate_only=True):
            return
        if reply.error is not None:
            await self._error(reply.error)
            return
        task_id = self._request.message.get("taskId") or f"{self._agent.name}-{len(self._agent.requests)}"
        self._agent.tasks[task_id] = list(reply.polls or [reply])
        if streamed:
            await self._stream(reply, task_id)
        else:
            await self._result(self._whole(reply, task_id))

    def _whole(self, reply: Reply, task_id: str) -> Any:
        if reply.result is not _UNSET:
            return reply.result
        shape = shapes(self._dialect)
        return shape.wrap_message(reply) if reply.message else shape.wrap_task(task_id, self._context(), reply)

    async def _answer_get(self) -> None:
        task_id = self._request.params["id"]
        states = self._agent.tasks.get(task_id)
        if not states:
            await self._error(-32001)
            return
        reply = states.pop(0) if len(states) > 1 else states[0]
        if await scripted(self._send, reply, gate_only=True):
            return
        if reply.error is not None:
            await self._error(reply.error)
            return
        found = shapes(self._dialect).task(task_id, self._context(), reply)
        await self._result(found if reply.result is _UNSET else reply.result)

    async def _stream(self, reply: Reply, task_id: str) -> None:
        shape, context = shapes(self._dialect), self._context()
        await self._send(start(200, "text/event-stream", reply.headers))
        if reply.message or reply.result is not _UNSET:
            await self._event(self._whole(reply, task_id))
        else:
            await self._event(shape.wrap_task(task_id, context, Reply(state="submitted")))
            first = True
            for step in reply.steps if reply.steps is not None else filter(None, [reply.text]):
                if isinstance(step, str):
                    await self._event(shape.artifact(task_id, context, step, append=not first))
                    first = False
                else:
                    await self._step(step, task_id)
            if not reply.cut:
                await self._event(shape.status(task_id, context, reply.state, reply.status_text or _said(reply), reply))
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _step(self, step: Step, task_id: str) -> None:
        match step:
            case Status():
                await self._event(shapes(self._dialect).status(task_id, self._context(), "working", step.text, None))
            case asyncio.Event():
                await step.wait()
            case bytes():
                await self._send({"type": "http.response.body", "body": step, "more_body": True})
            case Exception():
                raise step
            case _:
                await self._event(step)

    def _context(self) -> str:
        message = self._request.params.get("message", {})
        return message.get("contextId") or message.get("context_id") or "ctx"

    async def _event(self, result: Any) -> None:
        frame = b"data: " + self._envelope({"result": result}) + b"\r\n\r\n"
        await self._send({"type": "http.response.body", "body": frame, "more_body": True})

    async def _result(self, result: Any) -> None:
        await respond(self._send, 200, self._envelope({"result": result}))

    async def _error(self, code: int) -> None:
        message = {"code": code, "message": "secret=hunter2 in an exception text"}
        await respond(self._send, 200, self._envelope({"error": message}))

    def _envelope(self, member: dict[str, Any]) -> bytes:
        return json.dumps({"jsonrpc": "2.0", "id": self._id, **member}, ensure_ascii=False).encode()


def _said(reply: Reply) -> str:
    return "" if reply.state == "completed" else reply.text


async def scripted(send: Any, reply: Reply, *, gate_only: bool = False) -> bool:
    """Plays what a reply says about HTTP, True if that was the whole answer.

    `gate_only`: a reply without status and bytes is no answer yet.
    """
    if reply.gate:
        await reply.gate.wait()
    if reply.fail:
        raise reply.fail
    if gate_only and reply.http is None and reply.raw is None:
        return False
    await respond(send, reply.http or 200, reply.raw or b"", reply.content_type, reply.headers)
    return True


def start(status: int, content_type: str, headers: dict[str, str] | None = None) -> dict[str, Any]:
    pairs = [("content-type", content_type), *(headers or {}).items()]
    return {"type": "http.response.start", "status": status, "headers": [(k.encode(), v.encode()) for k, v in pairs]}


async def respond(
    send: Any, status: int, body: bytes, kind: str = "application/json", headers: dict[str, str] | None = None
) -> None:
    """A whole response."""
    await send(start(status, kind, headers))
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def _body(receive: Any) -> bytes:
    parts: list[bytes] = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


__all__ = ["CARDS", "CONTEXT", "IDEMPOTENCY", "A2AStub", "Recorded", "Reply", "Status", "StubAgent", "card"]
