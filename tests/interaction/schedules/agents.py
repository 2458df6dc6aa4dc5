"""Domain agents that outlive the supervisor: a repeated key is answered with the task it made, never executed again."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.a2a_shapes import agent_card, shapes
from tests.fakes.a2a_stub import Reply, card, respond, start
from tests.interaction.schedules.gates import Gates

NAMES = ("canteen", "transport")
_SHAPE = shapes("1.0")


@dataclass
class Task:
    """One piece of work. `manner` is the rest of the query, `answers` what the user said to its questions."""

    id: str
    context: str
    place: str
    manner: list[str]
    answers: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Effect:
    """Something that an agent did because of a key it had not seen. `task` is set for an answer to a question."""

    agent: str
    key: str
    text: str
    task: str | None


@dataclass(frozen=True)
class _Done:
    effect: Effect
    task: Task
    reply: Reply


class Agents:
    """The ASGI app of all agents."""

    def __init__(self, gates: Gates) -> None:
        self._gates = gates
        self._done: dict[tuple[str, str], _Done] = {}
        self._tasks: dict[str, Task] = {}
        self.effects: list[Effect] = []
        self.problems: list[str] = []
        """What no supervisor may do: one key for two different things, or an answer to nobody's question."""

    def setting(self) -> str:
        """The supervisor's setting `AGENTS`."""
        return ",".join(f"{name}=http://agents.test/{name}" for name in NAMES)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        name, _, rest = scope["path"].lstrip("/").partition("/")
        body = (await receive()).get("body", b"")
        if rest == ".well-known/agent-card.json":
            url = f"http://agents.test/{name}"
            shown = agent_card(name, url, ("1.0",), card_types=("message-card",))
            await respond(send, 200, json.dumps(shown).encode())
            return
        call = json.loads(body)
        if call["method"] == "SendStreamingMessage":
            headers = {key.decode(): value.decode() for key, value in scope["headers"]}
            done = self._execute(name, headers["idempotency-key"], call["params"]["message"])
            await self._stream(call["id"], done, receive, send)
        else:
            known = self._tasks.get(call["params"]["id"])
            task = _SHAPE.task(call["params"]["id"], known.context if known else "", Reply(state="canceled"))
            await respond(send, 200, _envelope(call["id"], task))

    def _execute(self, agent: str, key: str, message: dict[str, Any]) -> _Done:
        text = "".join(part.get("text", "") for part in message["parts"])
        effect = Effect(agent, key, text, message.get("taskId"))
        done = self._done.get((agent, key))
        if done is None:
            self.effects.append(effect)
            done = self._done[agent, key] = self._work(effect, message)
        elif done.effect != effect:
            self.problems.append(f"one key for two things: {done.effect} and {effect}")
        return done

    def _work(self, effect: Effect, message: dict[str, Any]) -> _Done:
        if effect.task is None:
            place, *manner = effect.text.split()
            task = Task(f"task-{len(self.effects)}", message["contextId"], place, manner)
            self._tasks[task.id] = task
        else:
            task = self._tasks[effect.task]
            task.answers.append(effect.text)
        return _Done(effect, task, _reply(task))

    async def _stream(self, call_id: str, done: _Done, receive: Any, send: Any) -> None:
        task, reply = done.task, done.reply
        await send(start(200, "text/event-stream"))
        await _event(send, call_id, _SHAPE.wrap_task(task.id, task.context, Reply(state="submitted")))
        if reply.state == "completed":
            await _event(send, call_id, _SHAPE.artifact(task.id, task.context, reply.text[:2], append=False))
            if task.manner == ["held"] and not await self._let_go(task.place, receive):
                return
            await _event(send, call_id, _SHAPE.artifact(task.id, task.context, reply.text[2:], append=True))
        said = "" if reply.state == "completed" else reply.text
        await _event(send, call_id, _SHAPE.status(task.id, task.context, reply.state, said, reply))
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _let_go(self, place: str, receive: Any) -> bool:
        """False when the caller is gone first."""
        gate = asyncio.create_task(self._gates.wait(place))
        gone = asyncio.create_task(receive())
        try:
            await asyncio.wait([gate, gone], return_when=asyncio.FIRST_COMPLETED)
            return gate.done()
        finally:
            gate.cancel()
            gone.cancel()


def _reply(task: Task) -> Reply:
    """What an agent says about a task as it stands."""
    match task.manner:
        case ["refuses"]:
            return Reply("不行", state="failed")
        case ["card"]:
            data = {"title": task.place, "text": "卡片", "items": []}
            return Reply(f"已办 {task.place}", metadata=card("message-card", data, bubble="卡片"))
        case ["wants", follows] if not task.answers:
            return Reply(f"{task.place} {follows}", state="input-required")
        case ["wants", "resolved"] if len(task.answers) == 1:
            return Reply(f"{task.place} never", state="input-required")
        case _:
            return Reply(f"已办 {task.place} {'，'.join(task.answers)}")


def _envelope(call_id: str, result: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": call_id, "result": result}, ensure_ascii=False).encode()


async def _event(send: Any, call_id: str, result: Any) -> None:
    frame = b"data: " + _envelope(call_id, result) + b"\n\n"
    await send({"type": "http.response.body", "body": frame, "more_body": True})
