"""Two replicas of an agent over one real PostgreSQL database."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from agents.kit.settings import AgentSettings
from agents.kit.spec import AgentSpec
from tests.e2e.canteen_process import Canteen
from tests.e2e.canteen_process import message as canteen_message
from tests.ports.postgres import fresh_database
from tests.unit.agents_kit.harness import SPEC, V10, Rpc, message, running, text_of
from tests.unit.agents_kit.ordering import ORDERING
from tests.unit.agents_kit.test_cancel import Waiting, begun

pytestmark = pytest.mark.e2e
KEY = {"Idempotency-Key": "k"}


class Replicas:
    """Starts replicas of agents that share a database."""

    def __init__(self, database: str, stack: AsyncExitStack) -> None:
        self._settings = AgentSettings(database=database)
        self._stack = stack

    async def of(self, spec: AgentSpec) -> Rpc:
        return await self._stack.enter_async_context(running(spec, settings=self._settings))


@pytest.fixture
async def replicas(postgres: str) -> AsyncIterator[Replicas]:
    database = await fresh_database(postgres, uuid.uuid4().hex)
    async with AsyncExitStack() as stack, asyncio.timeout(60):
        yield Replicas(database, stack)


@pytest.mark.requirement("SB-KIT-01")
async def test_a_key_that_was_used_on_one_replica_gives_its_task_on_the_other(replicas: Replicas) -> None:
    waiting = Waiting()
    first, second = await replicas.of(waiting.spec), await replicas.of(waiting.spec)
    asked = asyncio.create_task(first.send("tofu", headers=KEY, contextId="c"))
    await waiting.called.wait()
    also = asyncio.create_task(second.send("tofu", headers=KEY, contextId="c"))
    streamed = asyncio.create_task(
        second.stream("SendStreamingMessage", {"message": message("tofu", contextId="c")}, headers={**V10, **KEY})
    )
    waiting.go.set()
    task, again, events = await asked, await also, await streamed
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"
    assert (again["id"], text_of(again)) == (task["id"], text_of(task))
    assert events[0]["task"]["id"] == task["id"]
    assert waiting.calls == 1
    other = {"message": message("something else", contextId="c")}
    await second.post("SendMessage", other, headers={**V10, **KEY}, status=409)


@pytest.mark.requirement("SB-KIT-12")
async def test_a_question_of_one_replica_is_answered_on_the_other(replicas: Replicas) -> None:
    first, second = await replicas.of(ORDERING), await replicas.of(ORDERING)
    task = await first.send("tea", contextId="thread " * 20)
    for rpc, answer in ((second, {"value": "large"}), (first, {"approved": True})):
        parts = [{"data": answer}]
        task = await rpc.send("", parts=parts, taskId=task["id"], contextId=task["contextId"])
    assert text_of(task).endswith("tea: large")
    late = {
        "message": message("", parts=[{"data": {"approved": True}}], taskId=task["id"], contextId=task["contextId"])
    }
    assert (await second.post("SendMessage", late))["error"]["code"] == -32004


@pytest.mark.requirement("SB-KIT-02", "SB-KIT-13")
@pytest.mark.parametrize("_", range(3))
async def test_the_same_keyed_messages_on_both_replicas_at_once_make_one_task_and_one_order(
    replicas: Replicas, _: int
) -> None:
    both = await replicas.of(ORDERING), await replicas.of(ORDERING)
    task: dict[str, Any] = {}
    for number, answer in enumerate((None, {"value": "large"}, {"approved": True})):
        ids = {"taskId": task["id"], "contextId": "c"} if task else {"contextId": "c"}
        parts = [{"data": answer}] if answer else [{"text": "tea"}]
        key = {"Idempotency-Key": f"k{number}"}
        tasks = await asyncio.gather(*(rpc.send("", parts=parts, headers=key, **ids) for rpc in both for _ in range(3)))
        task = tasks[0]
        assert all((one["id"], one["status"]) == (task["id"], task["status"]) for one in tasks)
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"
    ordered = [text_of(await rpc.send("orders")) for rpc in both]
    assert sorted(ordered) == ["[['tea', 'large']]", "[]"]


async def test_of_two_answers_on_two_replicas_at_once_one_counts(replicas: Replicas) -> None:
    both = await replicas.of(ORDERING), await replicas.of(ORDERING)
    task = await both[0].send("tea", parts=[{"text": "tea"}])
    ids = {"taskId": task["id"], "contextId": task["contextId"]}
    await both[0].send("", parts=[{"data": {"value": "large"}}], **ids)
    params = {"message": message("", parts=[{"data": {"approved": True}}], **ids)}
    replies = await asyncio.gather(*(rpc.post("SendMessage", params) for rpc in both for _ in range(2)))
    assert {reply["error"]["code"] for reply in replies if "error" in reply} <= {-32004}
    ordered = [text_of(await rpc.send("orders")) for rpc in both]
    assert sorted(ordered) == ["[['tea', 'large']]", "[]"]
    stored = (await both[1].post("GetTask", {"id": task["id"]}))["result"]
    assert text_of(stored).endswith("tea: large")


@pytest.mark.requirement("SB-KIT-31")
async def test_a_follow_up_on_the_other_replica_knows_the_questions_before(replicas: Replicas) -> None:
    first, second = await replicas.of(SPEC), await replicas.of(SPEC)
    await first.send("tofu", contextId="c")
    assert "asked before: tofu;" in text_of(await second.send("汤", contextId="c"))
    assert "asked before: tofu, 汤;" in text_of(await first.send("tofu", contextId="c"))


@pytest.mark.requirement("SB-KIT-21")
async def test_a_task_that_is_cancelled_on_the_other_replica_is_stopped_where_it_runs(replicas: Replicas) -> None:
    waiting = Waiting()
    first, second = await replicas.of(waiting.spec), await replicas.of(waiting.spec)
    task = await begun(first)
    await waiting.called.wait()
    reply = await second.post("CancelTask", {"id": task["id"]})
    assert reply["result"]["status"]["state"] == "TASK_STATE_CANCELED"
    await first.app.state.housekeeping.beat()
    await waiting.stopped.wait()
    stored = (await first.post("GetTask", {"id": task["id"]}))["result"]
    assert stored["status"]["state"] == "TASK_STATE_CANCELED"


@pytest.mark.requirement("SB-KIT-04")
async def test_what_a_killed_replica_was_doing_is_failed_by_the_other_one_and_told_under_its_key(
    postgres: str, tmp_path: Path
) -> None:
    database = await fresh_database(postgres, uuid.uuid4().hex)
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    shared = {"DATABASE": database, "LEASE_SECONDS": "1.5"}
    with (
        Canteen(tmp_path / "first", OFFLINE_DELAY_MS="200", **shared) as first,
        Canteen(tmp_path / "second", **shared) as second,
    ):
        question = canteen_message("spicy dishes", contextId="c")
        with first.streaming(question, "k") as events:
            task_id = next(events)["task"]["id"]
            first.kill()
        task = await asyncio.to_thread(second.task, question, "k")
    assert (task["id"], task["status"]["state"]) == (task_id, "TASK_STATE_FAILED")
    assert "ask again" in task["status"]["message"]["parts"][0]["text"]
