from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from mcp.server import MCPServer

from agents.kit.settings import AgentSettings
from tests.unit.agents_kit.harness import SPEC, Rpc, message, running


class Waiting:
    """An agent whose tool comes back when it may, and tells when it is called and when it is left."""

    def __init__(self) -> None:
        self.called, self.go, self.stopped = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.calls = 0
        self.spec = replace(SPEC, mcp_server=self._server)

    def _server(self, *_: Any) -> MCPServer[Any]:
        made: MCPServer[Any] = MCPServer("waiting")

        @made.tool()
        async def look(word: str) -> dict[str, Any]:
            """Look a word up."""
            self.calls += 1
            self.called.set()
            try:
                await self.go.wait()
            finally:
                self.stopped.set()
            return {"word": word, "length": len(word)}

        return made


async def begun(rpc: Rpc, text: str = "tofu", **fields: Any) -> dict[str, Any]:
    params = {"message": message(text, **fields), "configuration": {"returnImmediately": True}}
    return (await rpc.post("SendMessage", params))["result"]["task"]


@pytest.fixture(params=["memory", "sqlite"])
def settings(request: pytest.FixtureRequest, tmp_path: Any) -> AgentSettings:
    return AgentSettings(database="memory" if request.param == "memory" else f"sqlite:{tmp_path / 'tasks.db'}")


@pytest.mark.requirement("SB-KIT-21")
async def test_a_cancelled_task_stops_its_graph_and_the_tool_that_it_waits_for(settings: AgentSettings) -> None:
    waiting = Waiting()
    async with running(waiting.spec, settings=settings) as rpc, asyncio.timeout(20):
        task = await begun(rpc)
        await waiting.called.wait()
        reply = await rpc.post("CancelTask", {"id": task["id"]})
        assert reply["result"]["status"]["state"] == "TASK_STATE_CANCELED"
        await waiting.stopped.wait()


@pytest.mark.parametrize("_", range(5))
async def test_a_task_can_be_cancelled_as_soon_as_its_id_is_known(settings: AgentSettings, _: int) -> None:
    waiting = Waiting()
    async with running(waiting.spec, settings=settings) as rpc, asyncio.timeout(20):
        tasks = await asyncio.gather(*(begun(rpc) for _ in range(5)))
        replies = await asyncio.gather(*(rpc.post("CancelTask", {"id": task["id"]}) for task in tasks))
        assert {reply["result"]["status"]["state"] for reply in replies} == {"TASK_STATE_CANCELED"}
        for task in tasks:
            stored = (await rpc.post("GetTask", {"id": task["id"]}))["result"]
            assert stored["status"]["state"] == "TASK_STATE_CANCELED"


async def test_the_tasks_of_a_context_are_found_while_they_run(settings: AgentSettings) -> None:
    waiting = Waiting()
    async with running(waiting.spec, settings=settings) as rpc, asyncio.timeout(20):
        task = await begun(rpc, contextId="c")
        await begun(rpc, contextId="other")
        found = (await rpc.post("ListTasks", {"contextId": "c"}))["result"]["tasks"]
        assert [(one["id"], one["contextId"]) for one in found] == [(task["id"], "c")]
        await rpc.post("CancelTask", {"id": task["id"]})


async def test_a_stream_of_a_cancelled_task_ends(settings: AgentSettings) -> None:
    waiting = Waiting()
    async with running(waiting.spec, settings=settings) as rpc, asyncio.timeout(20):
        stream = asyncio.create_task(rpc.stream("SendStreamingMessage", {"message": message("tofu", contextId="c")}))
        await waiting.called.wait()
        (task,) = (await rpc.post("ListTasks", {"contextId": "c"}))["result"]["tasks"]
        await rpc.post("CancelTask", {"id": task["id"]})
        events = await stream
    assert events[-1]["statusUpdate"]["status"]["state"] == "TASK_STATE_CANCELED"


async def test_a_cancelled_task_cannot_be_cancelled_twice(settings: AgentSettings) -> None:
    waiting = Waiting()
    async with running(waiting.spec, settings=settings) as rpc, asyncio.timeout(20):
        task = await begun(rpc)
        await rpc.post("CancelTask", {"id": task["id"]})
        assert (await rpc.post("CancelTask", {"id": task["id"]}))["error"]["code"] == -32002
        assert (await rpc.post("CancelTask", {"id": "no-such-task"}))["error"]["code"] == -32001
