"""A server that never was: the built page with scripted answers of `/agui`, for what a real server seldom says.

Speaks the wire contract as data; what the real server does with these requests is tested elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Page, Route, expect

from supervisor.http.page import STATIC
from tests.e2e.page_browser import ask

ADDRESS = "http://page.test/"
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}

Json = dict[str, Any]


@dataclass
class StubServer:
    """`answers` are played in order by `/agui`, `connects` by `/agui/connect`; `asked` holds the bodies that came."""

    answers: list[Json] = field(default_factory=list[Json])
    connects: list[Json] = field(default_factory=list[Json])
    asked: list[Json] = field(default_factory=list[Json])
    commands: list[Json] = field(default_factory=list[Json])

    async def install(self, page: Page) -> None:
        """Answer every request of `page`."""
        await page.route("**/*", self._answer)

    async def _answer(self, route: Route) -> None:
        path = route.request.url.removeprefix(ADDRESS).partition("?")[0].partition("#")[0]
        if path == "agui":
            self.asked.append(json.loads(route.request.post_data or "null"))
            await route.fulfill(**self.answers.pop(0))
        elif path == "agui/connect":
            await route.fulfill(**(self.connects.pop(0) if self.connects else restored([])))
        elif path == "agui/command":
            self.commands.append(json.loads(route.request.post_data or "null"))
            await route.fulfill(json={"status": "accepted"})
        elif path == "agents":
            await route.fulfill(json={"agents": []})
        else:
            file = STATIC / (Path(path).name or "index.html")
            await route.fulfill(body=file.read_bytes(), content_type=TYPES[file.suffix])


def stream(*events: Json) -> Json:
    """SSE of one run, between RUN_STARTED and whatever ends it."""
    ids = {"threadId": "t", "runId": "r"}
    frames = [
        {"type": "RUN_STARTED", "protocolVersion": "1.0", **ids},
        *({**ids, **e} if "outcome" in e else e for e in events),
    ]
    body = "".join(f"id: {n}\ndata: {json.dumps(frame, ensure_ascii=False)}\n\n" for n, frame in enumerate(frames, 1))
    return {"status": 200, "content_type": "text/event-stream", "body": body}


def text(words: str, message_id: str = "a1") -> list[Json]:
    """An answer of the assistant."""
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": message_id, "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": message_id, "delta": words},
        {"type": "TEXT_MESSAGE_END", "messageId": message_id},
    ]


def finished(*interrupts: Json) -> Json:
    """RUN_FINISHED: success, or the questions that are open."""
    outcome: Json = {"type": "interrupt", "interrupts": list(interrupts)} if interrupts else {"type": "success"}
    return {"type": "RUN_FINISHED", "outcome": outcome}


def restored(messages: Iterable[Json], *interrupts: Json) -> Json:
    """What connect gives for a thread where nothing is going on."""
    return stream({"type": "MESSAGES_SNAPSHOT", "messages": list(messages)}, finished(*interrupts))


def question(interrupt_id: str, payload: Json, **more: Any) -> Json:
    """An interrupt as the wire has it."""
    message = payload.get("message") or payload.get("title")
    words = {"message": message} if message else {}
    return {
        "id": interrupt_id,
        "reason": str(payload.get("type", "input_required")),
        **words,
        "metadata": payload,
        **more,
    }


def refused(status: int, code: str, detail: str, **more: Any) -> Json:
    """problem+json."""
    body = {"type": f"urn:switchboard:problem:{code}", "status": status, "code": code, "detail": detail, **more}
    return {"status": status, "content_type": "application/problem+json", "body": json.dumps(body)}


DONE = stream(*text("Booked."), finished())


async def asked_by(page: Page, *interrupts: Json, then: Iterable[Json] = (DONE,)) -> StubServer:
    """A page on which these questions are open; `then` is what the server says to the answers."""
    server = StubServer(answers=[stream(finished(*interrupts)), *then])
    await server.install(page)
    await page.goto(ADDRESS)
    await ask(page, "book a table")
    await expect(page.get_by_test_id("question")).to_have_count(len(interrupts))
    return server


async def booked(page: Page) -> None:
    """`DONE` was the answer, and no question is open."""
    await expect(page.get_by_test_id("message-assistant")).to_have_text("Booked.")
    await expect(page.get_by_test_id("question")).to_have_count(0)


def resolved(interrupt_id: str, payload: Any) -> Json:
    """An entry of `resume`."""
    return {"interruptId": interrupt_id, "status": "resolved", "payload": payload}
