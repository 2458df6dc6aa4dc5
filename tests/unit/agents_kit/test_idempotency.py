from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from a2a.auth.user import UnauthenticatedUser
from a2a.server.context import ServerCallContext
from a2a.types import Task
from langchain_core.messages import BaseMessage

from agents.kit.ledger import KeyEntry, MemoryLedger
from agents.kit.settings import AgentSettings
from agents.kit.tasks import BoundedTaskStore
from chat_models import ScriptedChatModel, ToolSpec, Turn
from tests.unit.agents_kit.harness import V10, message, running

KEY = {"Idempotency-Key": "k-1"}


class Counting:
    """A model that counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.model = ScriptedChatModel(policy=self.decide)

    def decide(self, messages: Sequence[BaseMessage], tools: Sequence[ToolSpec]) -> Turn:
        self.asked += 1
        return Turn(f"answer {self.asked}")


async def test_a_repeated_key_gives_the_task_that_the_first_request_made() -> None:
    counting = Counting()
    async with running(model=counting.model) as rpc:
        first = await rpc.send("tofu", headers=KEY, contextId="c")
        again = await rpc.send("tofu", headers=KEY, contextId="c")
    assert again == first
    assert counting.asked == 1


async def test_without_a_key_every_request_is_a_task() -> None:
    counting = Counting()
    async with running(model=counting.model) as rpc:
        first, again = await rpc.send("tofu"), await rpc.send("tofu")
    assert first["id"] != again["id"]
    assert counting.asked == 2


async def test_two_requests_with_one_key_at_the_same_time_run_once() -> None:
    counting = Counting()
    async with running(model=counting.model) as rpc:
        tasks = await asyncio.gather(*(rpc.send("tofu", headers=KEY, contextId="c") for _ in range(5)))
    assert {task["id"] for task in tasks} == {tasks[0]["id"]}
    assert {task["status"]["state"] for task in tasks} == {"TASK_STATE_COMPLETED"}
    assert counting.asked == 1


async def test_a_repeated_key_also_replays_into_a_stream() -> None:
    counting = Counting()
    async with running(model=counting.model) as rpc:
        first = await rpc.send("tofu", headers=KEY, contextId="c")
        asked = {"message": message("tofu", contextId="c")}
        events = await rpc.stream("SendStreamingMessage", asked, headers={**V10, **KEY})
    assert [event["task"]["id"] for event in events] == [first["id"]]
    assert counting.asked == 1


@pytest.mark.requirement("SB-KIT-07")
async def test_a_key_with_another_question_is_an_error_that_says_so() -> None:
    async with running() as rpc:
        await rpc.send("tofu", headers=KEY)
        asked = {"message": message("汤")}
        reply = await rpc.post("SendMessage", asked, headers={**V10, **KEY}, status=409)
        streamed = await rpc.post("SendStreamingMessage", asked, headers={**V10, **KEY}, status=409)
        old = {"role": "user", "parts": [{"text": "汤"}], "message_id": "m"}
        legacy = await rpc.post("message/send", {"message": old}, headers=KEY, status=409)
    assert reply["error"]["code"] == legacy["error"]["code"] == streamed["error"]["code"] == -32602
    assert "Idempotency-Key" in reply["error"]["message"]
    assert "IDEMPOTENCY_KEY_REUSED" in str(reply["error"]["data"])


async def test_a_repeated_key_gives_the_same_task_after_a_restart_with_a_database(tmp_path: Path) -> None:
    settings = AgentSettings(database=f"sqlite:{tmp_path / 'tasks.db'}")
    counting = Counting()
    async with running(model=counting.model, settings=settings) as rpc:
        first = await rpc.send("tofu", headers=KEY, contextId="c")
    async with running(model=counting.model, settings=settings) as rpc:
        again = await rpc.send("tofu", headers=KEY, contextId="c")
        asked = {"message": message("汤", contextId="c")}
        await rpc.post("SendMessage", asked, headers={**V10, **KEY}, status=409)
    assert (again["id"], again["status"], again["artifacts"]) == (first["id"], first["status"], first["artifacts"])
    assert counting.asked == 1


async def test_a_retry_may_mint_a_new_message_id() -> None:
    async with running() as rpc:
        first = await rpc.send("tofu", headers=KEY, messageId="m1")
        assert (await rpc.send("tofu", headers=KEY, messageId="m2"))["id"] == first["id"]


async def test_a_key_whose_request_made_no_task_may_be_used_again() -> None:
    async with running() as rpc:
        wrong = {"message": message("tofu", taskId="no-such-task")}
        reply = await rpc.post("SendMessage", wrong, headers={**V10, **KEY})
        task = await rpc.send("tofu", headers=KEY)
    assert reply["error"]["code"] == -32001
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"


async def test_a_key_of_absurd_length_is_refused() -> None:
    async with running() as rpc:
        reply = await rpc.post("SendMessage", {"message": message("x")}, headers={**V10, "Idempotency-Key": "k" * 300})
    assert reply["error"]["code"] == -32602


async def test_the_oldest_keys_are_forgotten_first() -> None:
    ledger = MemoryLedger(limit=2)
    for name in ("k1", "k2", "k3"):
        await ledger.claim("", name, KeyEntry(name, name), 1e12)
    assert (await ledger.claim("", "k3", KeyEntry("other", "other"), 1e12)).task_id == "k3"
    assert (await ledger.claim("", "k1", KeyEntry("other", "other"), 1e12)).task_id == "other"


async def test_a_key_whose_task_is_forgotten_does_not_act_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.kit.storage.BoundedTaskStore", lambda: BoundedTaskStore(limit=1))
    counting = Counting()
    async with running(model=counting.model) as rpc:
        await rpc.send("tofu", headers=KEY)
        await rpc.send("汤")
        reply = await rpc.post("SendMessage", {"message": message("tofu")}, headers={**V10, **KEY})
    assert (reply["error"]["code"], counting.asked) == (-32001, 2)


async def test_the_memory_of_tasks_is_bounded() -> None:
    store, context = BoundedTaskStore(limit=2), ServerCallContext(user=UnauthenticatedUser())
    for name in ("t1", "t2", "t3"):
        await store.save(Task(id=name, context_id="c"), context)
    assert await store.get("t1", context) is None
    assert await store.get("t3", context) is not None
