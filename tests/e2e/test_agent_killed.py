"""A real agent process over SQLite, killed with SIGKILL while it is asked: one task per key, one booking per task."""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.canteen_process import Canteen, message

pytestmark = pytest.mark.e2e
Json = dict[str, Any]


def state(task: Json) -> str:
    return task["status"]["state"].removeprefix("TASK_STATE_")


def question(task: Json) -> Json:
    return task["status"]["message"]["parts"][1]["data"]


def settled(canteen: Canteen, sent: Json, key: str, chance: random.Random) -> Json:
    """What came of a message whose process was killed over it, sent again under its key to the next process."""
    canteen.killed_while_asked(sent, key, chance)
    canteen.start()
    again = {**sent, "messageId": "another"}
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
        assert canteen.process is not None
        with canteen.streaming(message("spicy dishes"), "k") as events:
            found = [next(events)]
            canteen.process.process.send_signal(signal.SIGTERM)
            found += events
        assert canteen.process.process.wait(20) == 0, canteen.process.output()
    last = found[-1]["statusUpdate"]["status"]
    assert last["state"] == "TASK_STATE_FAILED"
    assert last["message"]["parts"][0]["text"].endswith("Please ask again in a moment.")
