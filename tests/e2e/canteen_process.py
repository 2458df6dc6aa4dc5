"""The canteen agent as a process: killed, started again, and asked as JSON-RPC on the wire."""

from __future__ import annotations

import contextlib
import json
import random
import signal
import sqlite3
import sys
import threading
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx

from tests.e2e.processes import ROOT, Running, clean_environment, free_port, running

Json = dict[str, Any]

V10 = {"A2A-Version": "1.0"}
LONGEST_MS = 250
"""Within this time a question of the canteen is answered, so that a kill hits every part of it."""


class Canteen:
    """The canteen agent in a folder of its own; it may be killed and started again."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self._folder = folder
        self._port = free_port()
        self._starts = 0
        self._settings = {"DATABASE": f"sqlite:{folder / 'tasks.db'}", "DATA_DIR": str(folder), **settings}
        self.process: Running | None = None
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Canteen:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        self._starts += 1
        environment = clean_environment(CAMPUS_NOW="2026-12-01T11:30", **self._settings)
        command = [sys.executable, "-m", "agents.canteen", "--port", str(self._port)]
        log = self._folder / f"canteen-{self._starts}.log"
        self.process = self._stack.enter_context(running(command, log, cwd=ROOT, env=environment))
        self.process.until_ok(f"{self.url}/healthz")

    def kill(self) -> None:
        assert self.process is not None
        self.process.end(signal.SIGKILL)

    def send(self, message: Json, key: str, method: str = "SendMessage") -> httpx.Response:
        body = {"jsonrpc": "2.0", "id": "r", "method": method, "params": {"message": message}}
        return httpx.post(f"{self.url}/a2a", json=body, headers={**V10, "Idempotency-Key": key}, timeout=30)

    @contextlib.contextmanager
    def streaming(self, message: Json, key: str) -> Iterator[Iterator[Json]]:
        """The results of a stream as they come."""
        body = {"jsonrpc": "2.0", "id": "r", "method": "SendStreamingMessage", "params": {"message": message}}
        headers = {**V10, "Idempotency-Key": key}
        with httpx.stream("POST", f"{self.url}/a2a", json=body, headers=headers, timeout=30) as response:
            lines = (line.removeprefix("data:") for line in response.iter_lines() if line.startswith("data:"))
            yield (json.loads(line)["result"] for line in lines)

    def task(self, message: Json, key: str) -> Json:
        reply = self.send(message, key).json()
        assert "result" in reply, reply
        return reply["result"]["task"]

    def tasks(self, context_id: str) -> list[Json]:
        body = {"jsonrpc": "2.0", "id": "r", "method": "ListTasks", "params": {"contextId": context_id}}
        return httpx.post(f"{self.url}/a2a", json=body, headers=V10, timeout=30).json()["result"]["tasks"]

    def bookings(self, task_id: str) -> int:
        with contextlib.closing(sqlite3.connect(self._folder / "canteen-kept.db")) as db:
            return db.execute("SELECT count(*) FROM bookings WHERE key LIKE ?", (f"{task_id}:%",)).fetchone()[0]

    def killed_while_asked(self, message: Json, key: str, chance: random.Random) -> None:
        """Send the message in either manner, and kill the process somewhere in the middle of it."""
        method = chance.choice(["SendMessage", "SendStreamingMessage"])
        timer = threading.Timer(chance.uniform(0, LONGEST_MS) / 1000, self.kill)
        timer.start()
        with contextlib.suppress(httpx.HTTPError):
            self.send(message, key, method)
        timer.join()


def message(text: str, answer: Mapping[str, Any] | None = None, **ids: Any) -> Json:
    parts: list[Json] = [{"text": text}, *([{"data": dict(answer)}] if answer else [])]
    return {"messageId": uuid.uuid4().hex, "role": "ROLE_USER", "parts": parts, **ids}
