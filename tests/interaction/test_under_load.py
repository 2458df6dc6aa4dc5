"""Silent tools and many streams at once, in process."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from tests.fakes.a2a_stub import Reply
from tests.fakes.agui import events, run_input, text_of
from tests.fakes.asgi import StreamingASGITransport
from tests.fakes.house import BASE, open_house
from tests.interaction.test_turn import campus, settings

STREAMS = 50


@pytest.mark.requirement("AGS-12", "AGUI-SSE-03")
async def test_ags_12_a_silent_tool_is_bridged_by_comments_that_are_not_journalled() -> None:
    gate = asyncio.Event()
    stub = campus()
    stub.agents["canteen"].replies.append(Reply("好", gate=gate))
    async with open_house(stub, **settings(stub, heartbeat_seconds=0.02)) as house:
        transport = StreamingASGITransport(house.app)
        async with (
            httpx.AsyncClient(transport=transport, base_url=BASE) as client,
            client.stream("POST", "/agui", json=run_input("推荐几道菜")) as response,
        ):
            received = b""
            async for piece in response.aiter_raw():
                received += piece
                if b"SUBAGENT_STARTED" in received and received.endswith(b": ping\n\n"):
                    gate.set()
        assert received.count(b": ping\n\n") >= 1
        assert text_of(events(received)) == "好"
        replay = (await house.client.get("/agui/threads/t/events")).content
        assert replay == b"".join(b + b"\n\n" for b in received.split(b"\n\n") if b.startswith(b"id: "))


@pytest.mark.requirement("SB-LOAD-01")
async def test_scale_01_fifty_streams_at_once_never_mix() -> None:
    stub = campus()
    stub.agents["canteen"].always = Reply("菜")

    def question(n: int) -> dict[str, Any]:
        text = f"推荐几道菜 {n}" if n % 3 == 0 else f"hello-{n}"
        return run_input(text, thread=f"thread-{n}", run=f"run-{n}", message=f"m-{n}")

    async with open_house(stub, **settings(stub)) as house:
        responses = await asyncio.gather(*(house.post("/agui", question(n)) for n in range(STREAMS)))
        for n, response in enumerate(responses):
            found = events(response.content)
            assert {e["threadId"] for e in found if "threadId" in e} == {f"thread-{n}"}
            assert (found[0]["runId"], found[-1]["runId"]) == (f"run-{n}", f"run-{n}")
            assert (text_of(found) == "菜") == (n % 3 == 0)
    asked = sorted(int(sent.text.split()[-1]) for sent in stub.agents["canteen"].sends)
    assert asked == [n for n in range(STREAMS) if n % 3 == 0]


@pytest.mark.requirement("SB-FRONT-03")
async def test_scale_02_of_two_questions_at_once_one_is_refused_and_none_is_lost() -> None:
    gate = asyncio.Event()
    stub = campus()
    stub.agents["canteen"].replies.append(Reply("甲", gate=gate))
    stub.agents["canteen"].always = Reply("乙")
    async with open_house(stub, **settings(stub)) as house:
        first = asyncio.create_task(house.post("/agui", run_input("推荐几道菜", message="a")))
        await stub.agents["canteen"].received()
        refused = await house.post("/agui", run_input("再推荐几道菜", message="b"))
        assert (refused.status_code, refused.json()["code"]) == (409, "thread_busy")
        gate.set()
        assert text_of(events((await first).content)) == "甲"
        accepted = await house.post("/agui", run_input("再推荐几道菜", message="b"))
        assert text_of(events(accepted.content)) == "乙"
        assert [m["id"] for m in await house.snapshot() if m["role"] == "user"] == ["a", "b"]


@pytest.mark.requirement("HIST-02")
async def test_hist_02_stop_during_a_tool_call_then_go_on() -> None:
    stub = campus()
    stub.agents["canteen"].replies.append(Reply("x", gate=asyncio.Event()))
    stub.agents["canteen"].always = Reply("好的")
    async with open_house(stub, **settings(stub)) as house:
        run = asyncio.create_task(house.post("/agui", run_input("推荐几道菜")))
        await stub.agents["canteen"].received()
        stopped = await house.post("/agui/command", {"threadId": "t", "command": "cancel"})
        assert stopped.json() == {"status": "accepted"}
        assert events((await run).content)[-1]["outcome"] == {"type": "cancelled"}
        roles = [m["role"] for m in await house.snapshot()]
        assert roles == ["user", "assistant", "tool", "assistant"]
        again = await house.post("/agui", run_input("换几道菜", message="u2"))
        assert text_of(events(again.content)) == "好的"
