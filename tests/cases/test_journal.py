"""Cases of the journal: what a client saw is recorded, replays are the same bytes, a lost connection stops nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from chat_models import Turn
from tests.cases.case import Case, checked, dispatch
from tests.fakes.a2a_stub import Reply
from tests.fakes.agui import events, parse, run_input, text_of
from tests.fakes.asgi import StreamingASGITransport
from tests.fakes.house import BASE, House

requirement = pytest.mark.requirement

SIXTY = Turn(chunks=[{"text": f"{n} "} for n in range(60)])
EVENTS = "/agui/threads/t/events"


@asynccontextmanager
async def streaming(house: House, body: Any, path: str = "/agui") -> AsyncIterator[httpx.Response]:
    """A response that is read as it comes; leaving the block early drops the connection."""
    async with (
        httpx.AsyncClient(transport=StreamingASGITransport(house.app), base_url=BASE) as client,
        client.stream("POST", path, json=body) as response,
    ):
        yield response


async def frames_until(response: httpx.Response, enough: Any) -> bytes:
    """Whole frames read so far, once `enough(bytes)` is true; [] of what came after it."""
    received = b""
    async for piece in response.aiter_raw():
        received += piece
        if enough(received):
            return received
    return received


@requirement("JRN-01", "SB-JRN-01")
async def test_jrn_01_last_event_id_continues_exactly_after_the_cursor() -> None:
    case = Case(SIXTY)
    async with case.open() as house:
        async with streaming(house, run_input("x")) as response:
            first = await frames_until(response, lambda received: received.count(b"\n\n") >= 20)
        seen = parse(first)[:20]
        assert len(seen) == 20
        rest = await house.post("/agui", run_input("x"), last_event_id=str(seen[-1].seq))
        journal = (await house.client.get(EVENTS)).content
        assert b"".join(f.raw for f in seen) + rest.content == journal
        sequence = [f.seq for f in parse(journal)]
        assert sequence == list(range(1, len(sequence) + 1))
        assert text_of(events(journal)) == "".join(f"{n} " for n in range(60))
    assert len(case.saw) == 1


@requirement("SB-JRN-02")
async def test_a_cursor_continues_after_a_restart_with_the_same_bytes(tmp_path: Path) -> None:
    case = Case(SIXTY, tmp_path=tmp_path)
    async with case.open() as house:
        whole = parse((await house.post("/agui", run_input("x"))).content)
    async with case.open() as house:
        for cut in (1, 3, len(whole) - 1, len(whole)):
            rest = await house.post("/agui", run_input("x"), last_event_id=str(whole[cut - 1].seq))
            assert rest.content == b"".join(f.raw for f in whole[cut:])


@requirement("SB-JRN-03")
async def test_a_cursor_never_starts_a_run_and_never_leaves_its_run() -> None:
    case = Case("一", "二")
    async with case.open() as house:
        first = parse((await house.post("/agui", run_input("1", run="r1"))).content)
        await house.post("/agui", run_input("2", message="u2", run="r2"))
        rest = await house.post("/agui", run_input("3", message="u3", run="r3"), last_event_id=str(first[1].seq))
        assert rest.content == b"".join(f.raw for f in first[2:])
        assert len(case.saw) == 2


@requirement("SB-JRN-04")
@pytest.mark.parametrize(
    ("cursor", "status", "code"),
    [("999", 404, "event_not_found"), *((cursor, 400, "invalid_cursor") for cursor in ("x", "-1", "", "0", "1.0"))],
)
async def test_a_cursor_that_names_no_frame_is_refused_in_words(cursor: str, status: int, code: str) -> None:
    case = Case("一")
    async with case.open() as house:
        await house.post("/agui", run_input("1"))
        response = await house.post("/agui", run_input("2", message="u2"), last_event_id=cursor)
        assert (response.status_code, response.json()["code"]) == (status, code)
        assert len(case.saw) == 1


@requirement("SB-JRN-05")
async def test_every_reader_of_a_run_gets_the_same_bytes() -> None:
    gate = asyncio.Event()
    case = Case(dispatch(("canteen", "x")), "完")
    case.canteen.replies.append(Reply("x", gate=gate))
    async with case.open() as house:
        readers = [asyncio.create_task(house.post("/agui", run_input("x", run=f"r{n}"))) for n in range(3)]
        await case.canteen.received()
        readers.append(asyncio.create_task(house.client.get(EVENTS)))
        await asyncio.sleep(0)
        gate.set()
        first, *others = [response.content for response in await asyncio.gather(*readers)]
        assert [other == first for other in others] == [True] * 3
        assert text_of(events(first)) == "完"


@requirement("SB-JRN-06")
async def test_a_frame_is_in_the_journal_before_any_client_can_see_it() -> None:
    case = Case(SIXTY)
    async with case.open() as house:
        runs = house.app.state.runs
        append = runs._journal.append
        early: list[bytes] = []

        async def watched(thread_id: str, run_key: str, batch: Sequence[bytes]) -> int:
            shown = b"".join(runs.active(thread_id).feed.frames)
            await asyncio.sleep(0)
            early.extend(data for data in batch if data in shown)
            return await append(thread_id, run_key, batch)

        runs._journal.append = watched
        response = await house.post("/agui", run_input("x"))
        assert len(parse(response.content)) > 10
        assert not early


@requirement("JRN-04", "SB-RUN-01")
async def test_jrn_04_a_dropped_connection_is_not_a_cancel() -> None:
    gate = asyncio.Event()
    case = Case(dispatch(("canteen", "x")), "完成")
    case.canteen.replies.append(Reply("ok", gate=gate))
    async with case.open() as house:
        async with streaming(house, run_input("x")) as response:
            await frames_until(response, lambda received: b"TOOL_CALL_START" in received)
        run = house.app.state.runs.active("t")
        gate.set()
        await run.wait()
        assert (await house.snapshot())[-1]["content"] == "完成"
        late = await house.post("/agui/command", {"threadId": "t", "command": "cancel"})
        assert late.json()["status"] == "rejected"
    assert len(case.canteen.sends) == 1
    assert not case.canteen.cancelled


@requirement("SB-RUN-02")
async def test_a_client_that_is_gone_before_the_first_frame_still_gets_its_answer_later() -> None:
    case = Case("好")
    async with case.open() as house:
        async with streaming(house, run_input("x")):
            pass
        again = await house.post("/agui", run_input("x", run="r2"))
        assert text_of(checked(again)) == "好"
    assert len(case.saw) == 1


@requirement("SB-JRN-07")
async def test_the_journal_of_a_thread_holds_its_runs_one_after_the_other() -> None:
    async with Case("一", "二", "三").open() as house:
        bodies = [
            (await house.post("/agui", run_input(str(n), message=f"u{n}", run=f"r{n}"))).content for n in range(3)
        ]
        assert (await house.client.get(EVENTS)).content == b"".join(bodies)
        cut = parse(bodies[0])[-1].seq
        assert (await house.client.get(f"{EVENTS}?after={cut}")).content == b"".join(bodies[1:])
