"""The named stream of whole turns: the same conversation under other names, byte for byte again on every replay."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fakes.a2a_stub import A2AStub, Reply, Status, card
from tests.fakes.agui import parse, run_input
from tests.fakes.asgi import StreamingASGITransport
from tests.fakes.house import BASE, House, open_house

NAMED = "text/event-stream; profile=named"
SPANNING = "which canteen is least crowded and when is the next shuttle to the library?"
DISHES = {"title": "辣味", "items": [{"id": "d1", "name": "水煮鱼", "price": "22.00"}]}
SHUTTLES = {"title": "班车", "items": [{"name": "1 号线", "next_departure": "10:20"}]}


@dataclass(frozen=True)
class Named:
    """One named frame. `seq` is None for frames that are not in the journal."""

    seq: int | None
    name: str
    data: dict[str, Any]
    raw: bytes


def named(body: bytes) -> list[Named]:
    """All frames of a named stream; anything that is not `id?`, `event`, `data` fails the test."""
    assert body.endswith(b"\n\n")
    found: list[Named] = []
    for block in body.split(b"\n\n")[:-1]:
        *head, event, data = block.split(b"\n")
        assert len(head) <= 1, block
        seq = int(head[0].removeprefix(b"id: ")) if head else None
        assert event.startswith(b"event: "), block
        assert data.startswith(b"data: "), block
        found.append(Named(seq, event[7:].decode(), json.loads(data[6:]), block + b"\n\n"))
    return found


def campus() -> A2AStub:
    stub = A2AStub()
    for name, tags in (("canteen", ["canteen", "菜"]), ("transport", ["shuttle", "校车"])):
        skill = {"id": name, "name": name, "description": name, "tags": tags, "examples": []}
        stub.agent(name, card_types=("dish_cards", "shuttle_cards"), skills=[skill])
    canteen = Reply(steps=[Status("looking"), "North ", "is empty."], metadata=card("dish_cards", DISHES))
    stub.agents["canteen"].replies.append(canteen)
    stub.agents["transport"].replies.append(Reply("At 10:20.", metadata=card("shuttle_cards", SHUTTLES)))
    return stub


def settings(stub: A2AStub, **more: Any) -> dict[str, Any]:
    return {"agents": ",".join(f"{name}={url}" for name, url in stub.addresses().items()), **more}


async def ask(house: House, question: str = SPANNING) -> list[Named]:
    response = await house.post("/agui", run_input(question), accept=NAMED)
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8; profile=named"
    return named(response.content)


@pytest.mark.requirement("SB-NAMED-01")
async def test_a_turn_with_two_agents_and_cards_is_told_in_named_events() -> None:
    stub = campus()
    async with open_house(stub, **settings(stub)) as house:
        found = await ask(house)
    names = [f.name for f in found]
    assert (names[0], names[-1]) == ("run-start", "run-end")
    assert found[0].data["threadId"] == "t"
    assert found[-1].data["outcome"] == {"type": "success"}
    started = [f.data for f in found if f.name == "subagent-start"]
    ended = {f.data["subagentId"]: f.data for f in found if f.name == "subagent-end"}
    assert [s["subagentType"] for s in started] == ["canteen", "transport"]
    assert [ended[s["subagentId"]]["result"] for s in started] == ["North is empty.", "At 10:20."]
    assert [f.data["text"] for f in found if f.name == "subagent-delta"][:1] == ["looking"]
    call = next(f.data for f in found if f.name == "tool-call-start")
    assert call["toolName"] == "orchestrate_parallel"
    result = next(f.data for f in found if f.name == "tool-call-result")
    assert result["toolCallId"] == call["toolCallId"]
    assert json.loads(result["result"])
    cards = [f.data["content"]["card_type"] for f in found if f.name == "activity-snapshot"]
    assert cards == ["dish_cards", "shuttle_cards"]
    text = "".join(f.data["delta"] for f in found if f.name == "text-message-content")
    assert text == "North is empty.\n\nAt 10:20."


@pytest.mark.parametrize("mode", ["both", "standard", "custom"])
@pytest.mark.requirement("SB-NAMED-01")
async def test_every_standard_frame_is_there_under_its_own_id_but_the_doubled_ones(mode: str) -> None:
    stub = campus()
    async with open_house(stub, **settings(stub, subagent_events=mode)) as house:
        found = await ask(house)
        standard = parse((await house.client.get("/agui/threads/t/events")).content)
    told = {f.seq for f in found}
    left_out = [f.event["type"] for f in standard if f.seq not in told]
    doubled = {"SUBAGENT_STARTED": 2, "SUBAGENT_FINISHED": 2} if mode == "both" else {}
    assert {kind: left_out.count(kind) for kind in left_out} == doubled
    assert [f.name for f in found].count("subagent-start") == 2
    assert [f.name for f in found].count("subagent-end") == 2


@pytest.mark.requirement("SB-NAMED-02")
async def test_a_replay_after_any_cursor_gives_the_same_bytes_also_after_a_restart(tmp_path: Path) -> None:
    stub = campus()
    chosen = settings(stub, database=f"sqlite:{tmp_path / 'x.db'}")
    async with open_house(stub, **chosen) as house:
        live = await ask(house)
    async with open_house(stub, **chosen) as house:
        for position, cursor in enumerate(live, 1):
            rest = b"".join(f.raw for f in live[position:])
            again = await house.post("/agui", run_input(SPANNING), accept=NAMED, last_event_id=str(cursor.seq))
            assert again.content == rest
            events = await house.client.get(f"/agui/threads/t/events?after={cursor.seq}", headers={"accept": NAMED})
            assert events.content == rest
        repeated = await house.post("/agui", run_input(SPANNING, run="again"), accept=NAMED)
        assert repeated.content == b"".join(f.raw for f in live)


async def streamed(house: House, path: str, until: bytes, then: asyncio.Event) -> bytes:
    """The body of a named stream; once it holds `until`, `then` is set."""
    body = b""
    async with httpx.AsyncClient(transport=StreamingASGITransport(house.app), base_url=BASE) as client:
        request = {"json": run_input("推荐几道菜"), "headers": {"accept": NAMED}}
        async with client.stream("POST", path, **request) as response:
            async for piece in response.aiter_bytes():
                body += piece
                if until in body:
                    then.set()
    return body


@pytest.mark.requirement("SB-NAMED-02")
async def test_connect_joins_the_running_answer_and_later_restores_it_in_named_events() -> None:
    stub = campus()
    gate = asyncio.Event()
    stub.agents["canteen"].replies.appendleft(Reply("好了", gate=gate))
    async with open_house(stub, **settings(stub)) as house:
        run = asyncio.create_task(house.post("/agui", run_input("推荐几道菜")))
        await stub.agents["canteen"].received()
        found = named(await streamed(house, "/agui/connect", b"event: messages-snapshot", gate))
        await run
        assert [f.name for f in found[:2]] == ["run-start", "messages-snapshot"]
        assert found[1].seq is None
        assert "".join(f.data["delta"] for f in found if f.name == "text-message-content") == "好了"
        assert [f.name for f in found].count("run-end") == 1
        later = named((await house.post("/agui/connect", run_input(None, run="d"), accept=NAMED)).content)
        assert [f.name for f in later] == ["run-start", "messages-snapshot", "run-end"]
        assert [m["role"] for m in later[1].data["messages"]] == ["user", "assistant", "tool", "assistant"]


async def test_a_silent_run_pings_in_the_named_encoding_too() -> None:
    stub = campus()
    gate = asyncio.Event()
    stub.agents["canteen"].replies.appendleft(Reply("好了", gate=gate))
    async with open_house(stub, **settings(stub, heartbeat_seconds=0.001)) as house:
        body = await streamed(house, "/agui", b"\n\n: ping\n\n", gate)
        assert b"event: run-end" in body.split(b": ping\n\n", 1)[1]


@pytest.mark.requirement("SB-FRONT-01")
async def test_a_refusal_is_a_problem_in_either_encoding() -> None:
    async with open_house() as house:
        response = await house.post("/agui", run_input(None), accept=NAMED)
        assert (response.status_code, response.headers["content-type"]) == (422, "application/problem+json")
