"""A real agent process over SQLite, killed with SIGKILL while it is asked: one task per key, one booking per task."""

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
import pytest

from tests.e2e.processes import ROOT, Running, clean_environment, free_port, running

pytestmark = pytest.mark.e2e
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


def state(task: Json) -> str:
    return task["status"]["state"].removeprefix("TASK_STATE_")


def question(task: Json) -> Json:
    return task["status"]["message"]["parts"][1]["data"]


def settled(canteen: Canteen, sent: Json, key: str, chance: random.Random) -> Json:
    """What came of a message whose process was killed over it, sent again under its key to the next process."""
    canteen.killed_while_asked(sent, key, chance)
    canteen.start()
    again = {**sent, "messageId": uuid.uuid4().hex}
    task = canteen.task(again, key)
    assert canteen.task(again, key) == task
    assert state(task) in ("INPUT_REQUIRED", "COMPLETED", "FAILED")
    if state(task) == "FAILED":
        assert "ask again" in task["status"]["message"]["parts"][0]["text"]
    return task


@pytest.fixture
def canteen(tmp_path: Path) -> Iterator[Canteen]:
    with Canteen(tmp_path, OFFLINE_DELAY_MS="1") as started:
        yield started


@pytest.mark.requirement("SB-KIT-01", "SB-KIT-30")
@pytest.mark.parametrize("seed", range(5))
def test_an_agent_that_is_killed_over_a_booking_makes_one_task_and_books_at_most_once(
    canteen: Canteen, seed: int
) -> None:
    chance = random.Random(seed)
    task = settled(canteen, message("book lunch at canteen two", contextId="c"), "k1", chance)
    assert [one["id"] for one in canteen.tasks("c")] == [task["id"]]
    made = {task["id"]}
    if state(task) == "FAILED":
        task = canteen.task(message("book lunch at canteen two", contextId="c"), "k1-again")
        made.add(task["id"])
    ids = {"taskId": task["id"], "contextId": "c"}
    slot = question(task)["options"][0]["value"]
    task = settled(canteen, message(slot, {"value": slot}, **ids), "k2", chance)
    if state(task) == "INPUT_REQUIRED":
        assert question(task)["type"] == "approval"
        task = settled(canteen, message("approved", {"approved": True}, **ids), "k3", chance)
        assert state(task) in ("COMPLETED", "FAILED")
        assert canteen.bookings(task["id"]) <= 1
        assert canteen.bookings(task["id"]) == 1 or state(task) == "FAILED"
    assert {one["id"] for one in canteen.tasks("c")} == made
    reused = canteen.send(message("something else", contextId="c"), "k1")
    assert (reused.status_code, "IDEMPOTENCY_KEY_REUSED" in reused.text) == (409, True)


@pytest.mark.requirement("SB-KIT-12")
def test_a_question_of_an_agent_that_was_killed_can_be_answered_and_books_once(canteen: Canteen) -> None:
    task = canteen.task(message("订二食堂的午餐", contextId="c"), "k1")
    for number, answer in enumerate(({"value": question(task)["options"][0]["value"]}, {"approved": True})):
        canteen.kill()
        canteen.start()
        sent = message("answer", answer, taskId=task["id"], contextId="c")
        task = canteen.task(sent, f"a{number}")
        assert canteen.task(sent, f"a{number}") == task
    assert state(task) == "COMPLETED"
    assert canteen.bookings(task["id"]) == 1


@pytest.mark.requirement("SB-KIT-23")
def test_an_agent_that_is_told_to_go_ends_its_stream_in_words_and_itself_with_0(tmp_path: Path) -> None:
    with Canteen(tmp_path, OFFLINE_DELAY_MS="100", DRAIN_SECONDS="0.3") as canteen:
        body = {
            "jsonrpc": "2.0",
            "id": "r",
            "method": "SendStreamingMessage",
            "params": {"message": message("spicy dishes")},
        }
        found: list[Json] = []
        with httpx.stream("POST", f"{canteen.url}/a2a", json=body, headers=V10, timeout=30) as response:
            for line in response.iter_lines():
                if line.startswith("data:"):
                    found.append(json.loads(line.removeprefix("data:"))["result"])
                    if len(found) == 1:
                        assert canteen.process is not None
                        canteen.process.process.send_signal(signal.SIGTERM)
        assert canteen.process is not None
        assert canteen.process.process.wait(20) == 0, canteen.process.output()
    last = found[-1]["statusUpdate"]["status"]
    assert last["state"] == "TASK_STATE_FAILED"
    assert last["message"]["parts"][0]["text"].endswith("Please ask again in a moment.")
