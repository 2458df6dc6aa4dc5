from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agents.kit.settings import AgentSettings
from tests.unit.agents_kit.harness import V10, message, running
from tests.unit.agents_kit.test_cancel import Waiting, begun


def settings(seconds: float, tmp_path: Any) -> AgentSettings:
    return AgentSettings(drain_seconds=seconds, database=f"sqlite:{tmp_path / 'tasks.db'}")


@pytest.mark.requirement("SB-KIT-22")
async def test_who_comes_while_an_agent_goes_is_told_to_come_again(tmp_path: Any) -> None:
    waiting = Waiting()
    async with running(waiting.spec, settings=settings(60, tmp_path)) as rpc, asyncio.timeout(30):
        task = await begun(rpc)
        await waiting.called.wait()
        drained = rpc.app.state.drain.begin()
        headers = {**V10, "Idempotency-Key": "k"}
        for method in ("SendMessage", "SendStreamingMessage"):
            body = {"jsonrpc": "2.0", "id": "r", "method": method, "params": {"message": message("tofu")}}
            response = await rpc.http.post("/a2a", json=body, headers=headers)
            assert (response.status_code, response.headers["retry-after"]) == (503, "2")
            assert "AGENT_SHUTTING_DOWN" in response.text
        health = await rpc.http.get("/healthz")
        assert (health.status_code, health.json()) == (503, {"status": "draining"})
        # What is there already can still be read and cancelled.
        reply = await rpc.post("CancelTask", {"id": task["id"]})
        assert reply["result"]["status"]["state"] == "TASK_STATE_CANCELED"
        await drained


@pytest.mark.requirement("SB-KIT-23")
async def test_a_task_that_finishes_in_time_is_answered(tmp_path: Any) -> None:
    waiting = Waiting()
    async with running(waiting.spec, settings=settings(60, tmp_path)) as rpc, asyncio.timeout(30):
        stream = asyncio.create_task(rpc.stream("SendStreamingMessage", {"message": message("tofu")}))
        await waiting.called.wait()
        drained = rpc.app.state.drain.begin()
        waiting.go.set()
        events = await stream
        await drained
    assert events[-1]["statusUpdate"]["status"]["state"] == "TASK_STATE_COMPLETED"


@pytest.mark.requirement("SB-KIT-23")
async def test_a_task_that_does_not_finish_in_time_fails_with_an_invitation_to_ask_again(tmp_path: Any) -> None:
    waiting = Waiting()
    async with running(waiting.spec, settings=settings(0, tmp_path)) as rpc, asyncio.timeout(30):
        stream = asyncio.create_task(rpc.stream("SendStreamingMessage", {"message": message("tofu")}))
        await waiting.called.wait()
        unseen = await begun(rpc, "茶")
        await rpc.app.state.drain.begin()
        last = (await stream)[-1]["statusUpdate"]
        stored = (await rpc.post("GetTask", {"id": unseen["id"]}))["result"]
        assert waiting.stopped.is_set()
    assert last["status"]["state"] == stored["status"]["state"] == "TASK_STATE_FAILED"
    assert last["status"]["message"]["parts"][0]["text"].endswith("Please ask again in a moment.")
    assert stored["status"]["message"]["parts"][0]["text"] == "服务正在重启，请稍后再问一次。"


async def test_an_agent_with_nothing_to_do_goes_at_once(tmp_path: Any) -> None:
    async with running(settings=settings(60, tmp_path)) as rpc, asyncio.timeout(20):
        await rpc.send("tofu")
        await rpc.app.state.drain.begin()
