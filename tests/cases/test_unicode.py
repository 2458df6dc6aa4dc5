"""Cases of text that breaks naive code: bytes split anywhere, line separators, look-alikes of frames, any script."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from chat_models import Turn
from tests.cases.case import Case, arguments, checked, dispatch, of_type
from tests.fakes.a2a_stub import Reply
from tests.fakes.agui import events, parse, run_input, text_of
from tests.fakes.asgi import ASGIApp, StreamingASGITransport
from tests.fakes.house import BASE
from tests.fakes.openai_wire import Reply as ModelReply
from tests.fakes.openai_wire import serve

requirement = pytest.mark.requirement

DISH = "推荐：麻婆豆腐🌶️👨‍👩‍👧 ¥12.50"
FRAMES = '行一\u2028行二\u0085行三\u2029行四\rdata: {"type":"RUN_FINISHED"}\n\nid: 99\n\n尾'
SCRIPTS = {
    "family emoji and flags": "👨‍👩‍👧‍👦🏳️‍🌈🇨🇳",
    "combining and right to left": "e\u0301 ñ שלום \u202eabc\u202c مرحبا",
    "beyond the basic plane": "𠮷野家 𝄞 \U0010ffff",
    "control characters": "a\x00b\x1bc\x7fd\ttab",
    "byte order mark and zero width": "\ufeff零\u200b宽",
    "looks like a frame": "data: x\n\n: ping\n\nevent: end\nretry: 1\n\nend",
}


def bytewise(app: ASGIApp) -> ASGIApp:
    """The app, with every body a byte at a time."""

    async def wrapped(scope: Any, receive: Any, send: Any) -> None:
        async def pieces(message: Any) -> None:
            body = message.get("body", b"")
            for i in range(len(body) - 1):
                await send({**message, "body": body[i : i + 1], "more_body": True})
            await send({**message, "body": body[-1:]} if body else message)

        await app(scope, receive, pieces)

    return wrapped


@requirement("UNI-01", "AGUI-SSE-01")
async def test_uni_01_chinese_and_emoji_survive_any_byte_split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    case = Case()
    case.canteen.replies.append(Reply(DISH))
    ask = ModelReply(dispatch(("canteen", DISH)), bytewise=True)
    async with serve(ask, ModelReply(Turn(DISH), bytewise=True)) as wire:
        more = {"model": "openai:m", "model_base_url": wire.base_url, "model_api_key": "k"}
        async with case.open(app=bytewise(case.stub), **more) as house:
            client = httpx.AsyncClient(transport=StreamingASGITransport(house.app), base_url=BASE)
            async with client, client.stream("POST", "/agui", json=run_input(DISH)) as response:
                assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
                received = b""
                async for byte in response.aiter_raw(1):
                    received += byte
    found = events(received)
    assert text_of(found) == DISH
    (result,) = of_type(found, "TOOL_CALL_RESULT")
    assert json.loads(result["content"])["text"] == DISH
    assert json.loads(next(iter(arguments(found).values())))["query"] == DISH
    assert case.canteen.sends[0].text == DISH
    assert "\ufffd" not in received.decode()


@requirement("UNI-02", "AGUI-SSE-02")
async def test_uni_02_line_separators_and_frame_look_alikes_break_no_frame() -> None:
    case = Case(dispatch(("canteen", "x")), FRAMES)
    case.canteen.replies.append(Reply(FRAMES))
    async with case.open() as house:
        response = await house.post("/agui", run_input("x"))
        found = checked(response)
        assert _by_lines(response.content) == found
        content = json.loads(of_type(found, "TOOL_CALL_RESULT")[0]["content"])
        assert content["text"] == text_of(found) == FRAMES
        assert len(of_type(found, "RUN_FINISHED")) == 1
        sequence = [frame.seq for frame in parse(response.content)]
        assert sequence == list(range(1, len(sequence) + 1))


def _by_lines(body: bytes) -> list[dict[str, Any]]:
    """What a client reads that splits into lines first, as bytes, and joins the `data` lines of an event."""
    found: list[dict[str, Any]] = []
    data: list[bytes] = []
    for line in body.splitlines():
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line and data:
            found.append(json.loads(b"\n".join(data)))
            data = []
    return found


@requirement("SB-UNI-01")
@pytest.mark.parametrize("text", SCRIPTS.values(), ids=SCRIPTS.keys())
async def test_any_text_comes_back_as_it_was_from_the_user_the_model_and_the_agent(text: str, tmp_path: Path) -> None:
    case = Case(dispatch(("canteen", text)), text, tmp_path=tmp_path)
    case.canteen.replies.append(Reply(text))
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input(text)))
        assert text_of(found) == text
        assert json.loads(of_type(found, "TOOL_CALL_RESULT")[0]["content"])["text"] == text
        assert case.canteen.sends[0].text == text
    async with case.open() as house:
        messages = await house.snapshot()
        assert (messages[0]["content"], messages[-1]["content"]) == (text, text)


@requirement("SB-UNI-02")
async def test_half_an_emoji_from_the_model_becomes_valid_text_in_the_stream_and_in_the_thread() -> None:
    case = Case(Turn(chunks=[{"text": "辣"}, {"text": "\ud83c"}, {"text": "\udf36"}, {"text": "！"}]))
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("x")))
        said = (await house.snapshot())[-1]["content"]
        assert said == text_of(found) == "辣🌶！"


@requirement("SB-UNI-03")
async def test_a_lone_surrogate_in_a_question_is_refused() -> None:
    case = Case()
    async with case.open() as house:
        body = json.dumps(run_input("x")).replace('"x"', '"\\ud83c"')
        response = await house.client.post("/agui", content=body)
        assert response.status_code in (400, 422)
        assert response.json()["code"] in ("invalid_json", "invalid_input")
    assert not case.saw


@requirement("SB-UNI-04")
@pytest.mark.parametrize("thread", ["会话 1", "a/b", "a?b#c%25", "👨‍👩‍👧"])
async def test_any_thread_id_works_in_every_address(thread: str) -> None:
    async with Case("好").open() as house:
        live = await house.post("/agui", run_input("x", thread=thread, run="跑/1", message="消息#1"))
        checked(live)
        assert (await house.snapshot(thread))[0]["id"] == "消息#1"
        replay = await house.client.get(f"/agui/threads/{quote(thread, safe='')}/events")
        assert replay.content == live.content
