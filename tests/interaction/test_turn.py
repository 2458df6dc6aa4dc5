"""One turn end to end in process: HTTP, graph, A2A over ASGI, cards, journal. What goes wrong stays readable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from a2ui.utils.validation import validate_payload
from ag_ui_validate.pytest_plugin import assert_valid_agui

from a2ui_schemas.components import build_catalog
from supervisor.graph import offline
from tests.fakes.a2a_stub import A2AStub, Reply, Status, card
from tests.fakes.agui import assert_well_formed, run_input, text_of
from tests.fakes.house import House, open_house

DISHES = {"title": "辣味", "items": [{"id": "d1", "name": "水煮鱼", "price": "22.00"}]}
SHUTTLES = {"title": "班车", "items": [{"name": "1 号线", "next_departure": "10:20"}]}
SPANNING = "which canteen is least crowded and when is the next shuttle to the library?"


def campus() -> A2AStub:
    stub = A2AStub()
    stub.agent("canteen", card_types=("dish_cards",), skills=[_skill("dishes", ["辣", "菜", "canteen", "dish"])])
    stub.agent("transport", card_types=("shuttle_cards",), skills=[_skill("shuttle", ["shuttle", "校车"])])
    return stub


def _skill(name: str, tags: list[str]) -> dict[str, Any]:
    return {"id": name, "name": name, "description": name, "tags": tags, "examples": []}


def settings(stub: A2AStub, **more: Any) -> dict[str, Any]:
    return {"agents": ",".join(f"{name}={url}" for name, url in stub.addresses().items()), **more}


def events(frames: Any) -> list[dict[str, Any]]:
    found = [frame.event for frame in frames]
    assert_well_formed(found)
    assert_valid_agui(found)
    catalog = build_catalog()
    for surface in (e for e in found if e["type"] == "ACTIVITY_SNAPSHOT"):
        validate_payload([catalog], surface["content"]["a2ui_operations"])
    return found


def surfaces(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [e for e in found if e["type"] == "ACTIVITY_SNAPSHOT"]


async def still_works(house: House, stub: A2AStub) -> None:
    """The next turn on the same thread is answered."""
    stub.agents["canteen"].replies.clear()
    stub.agents["canteen"].replies.append(Reply("好了"))
    assert text_of(events(await house.turn("再推荐几道菜", message="next", run="next"))) == "好了"


@pytest.mark.requirement("SB-CARD-01", "AGUI-ACTIVITY-01")
async def test_a_question_gives_words_and_the_agents_card() -> None:
    stub = campus()
    stub.agents["canteen"].replies.append(Reply("三道辣菜", metadata=card("dish_cards", DISHES, bubble="辣味推荐")))
    async with open_house(stub, **settings(stub)) as house:
        found = events(await house.turn("推荐几道辣的菜"))
        (surface,) = surfaces(found)
        assert text_of(found) == "三道辣菜"
        assert surface["content"]["card_type"] == "dish_cards"
        assert surface["content"]["bubble_text"] == "辣味推荐"
        data = surface["content"]["a2ui_operations"][2]["updateDataModel"]["value"]
        assert [item["name"] for item in data["items"]] == ["水煮鱼"]
        kinds = [e["type"] for e in found]
        assert kinds.index("TOOL_CALL_RESULT") < kinds.index("ACTIVITY_SNAPSHOT") < kinds.index("RUN_FINISHED")
        result = next(e for e in found if e["type"] == "TOOL_CALL_RESULT")
        assert surface["messageId"] == f"a2ui-surface-{result['toolCallId']}"
        assert "a2ui_operations" not in result["content"]


async def test_a_question_for_two_agents_asks_both_and_shows_a_card_from_each() -> None:
    stub = campus()
    stub.agents["canteen"].replies.append(Reply("North is empty.", metadata=card("dish_cards", DISHES)))
    stub.agents["transport"].replies.append(Reply("At 10:20.", metadata=card("shuttle_cards", SHUTTLES)))
    async with open_house(stub, **settings(stub)) as house:
        found = events(await house.turn(SPANNING))
        assert text_of(found) == "North is empty.\n\nAt 10:20."
        assert [s["content"]["card_type"] for s in surfaces(found)] == ["dish_cards", "shuttle_cards"]
        assert len({s["messageId"] for s in surfaces(found)}) == 2
        assert stub.agents["canteen"].sends[0].text == "which canteen is least crowded"
        assert stub.agents["transport"].sends[0].text.startswith("when is the next shuttle")


@pytest.mark.requirement("AGUI-SUBAGENT-03")
async def test_when_one_agent_is_down_the_other_still_answers_and_the_failure_is_named() -> None:
    stub = campus()
    stub.agents["canteen"].replies.append(Reply("North is empty.", metadata=card("dish_cards", DISHES)))
    stub.agents["transport"].replies.append(Reply(http=500))
    async with open_house(stub, **settings(stub)) as house:
        found = events(await house.turn(SPANNING))
        assert "North is empty." in text_of(found)
        assert "The transport agent could not answer" in text_of(found)
        assert len(surfaces(found)) == 1
        assert [e["code"] for e in found if e["type"] == "SUBAGENT_ERROR"] == ["http_500"]


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(Reply(raw=b"<html>no json</html>", content_type="text/html"), id="not JSON"),
        pytest.param(Reply(raw=b'{"jsonrpc":"2.0","id":1,"result":{"task":{"id"'), id="cut JSON"),
        pytest.param(Reply(http=500, raw=b"Traceback: password=hunter2"), id="HTTP 500"),
        pytest.param(Reply(""), id="empty text"),
        pytest.param(Reply("x", state="failed"), id="failed task"),
        pytest.param(Reply(error=-32603), id="JSON-RPC error"),
    ],
)
async def test_a_broken_reply_ends_in_one_terminal_event_and_the_thread_goes_on(reply: Reply) -> None:
    stub = campus()
    stub.agents["canteen"].always = reply
    async with open_house(stub, **settings(stub)) as house:
        frames = await house.turn("推荐几道辣的菜")
        found = events(frames)
        assert found[-1]["type"] == "RUN_FINISHED"
        assert "canteen 服务暂时无法回答" in text_of(found)
        assert b"hunter2" not in b"".join(f.raw for f in frames)
        await still_works(house, stub)


@pytest.mark.requirement("CARD-08")
@pytest.mark.parametrize(
    "data",
    [
        "a string",
        None,
        {"items": None},
        {"items": [{}]},
        {"items": [{"name": "x", "image_url": "javascript:alert(1)"}]},
        {"items": [{"name": "x" * 300_000}]},
    ],
)
@pytest.mark.requirement("SB-CARD-02")
async def test_card_08_wrong_card_data_becomes_a_message_card_that_says_why(data: Any) -> None:
    stub = campus()
    stub.agents["canteen"].replies.append(Reply("三道菜", metadata=card("dish_cards", data, bubble="为你推荐")))
    async with open_house(stub, **settings(stub)) as house:
        frames = await house.turn("推荐几道辣的菜")
        found = events(frames)
        (surface,) = surfaces(found)
        assert surface["content"]["card_type"] == "message-card"
        assert surface["content"]["a2ui_operations"][2]["updateDataModel"]["value"]["text"] == "为你推荐"
        fallback = next(e["value"] for e in found if e["type"] == "CUSTOM" and e["name"] == "card-fallback")
        assert fallback["cardType"] == "dish_cards"
        assert fallback["errors"]
        assert text_of(found) == "三道菜"
        assert b"javascript:" not in b"".join(f.raw for f in frames)
        await still_works(house, stub)


@pytest.mark.requirement("CARD-01")
@pytest.mark.requirement("SB-CARD-02")
async def test_card_01_an_unknown_card_type_degrades_visibly() -> None:
    stub = campus()
    metadata = card("totally_new_card", {"items": [{"name": "麻婆豆腐"}]}, bubble="为你推荐 3 道辣菜")
    stub.agents["canteen"].replies.append(Reply("为你推荐", metadata=metadata))
    async with open_house(stub, **settings(stub)) as house:
        found = events(await house.turn("推荐几道辣的菜"))
        assert surfaces(found)[0]["content"]["card_type"] == "message-card"
        assert [e["value"]["reason"] for e in found if e.get("name") == "card-fallback"] == ["unknown_type"]


@pytest.mark.requirement("CARD-02")
@pytest.mark.requirement("SB-DUR-01", "SB-JRN-02")
async def test_card_02_a_restart_rebuilds_exactly_the_surfaces_that_were_painted(tmp_path: Path) -> None:
    stub = campus()
    stub.agents["canteen"].replies.append(Reply("三道菜", metadata=card("dish_cards", DISHES)))
    chosen = settings(stub, database=f"sqlite:{tmp_path / 'x.db'}")
    async with open_house(stub, **chosen) as house:
        frames = await house.turn("推荐几道辣的菜")
        (live,) = surfaces(events(frames))
    async with open_house(stub, **chosen) as house:
        messages = await house.snapshot()
        assert [m["role"] for m in messages] == ["user", "assistant", "tool", "activity", "assistant"]
        restored = messages[3]
        assert (restored["id"], restored["content"]) == (live["messageId"], live["content"])
        replay = await house.client.get("/agui/threads/t/events")
        assert replay.content == b"".join(f.raw for f in frames)
        again = await house.post("/agui", run_input("推荐几道辣的菜", run="again"))
        assert again.content == replay.content
    assert len(stub.agents["canteen"].sends) == 1


@pytest.mark.requirement("UNI-02")
async def test_uni_02_line_separators_and_frame_look_alikes_survive(monkeypatch: pytest.MonkeyPatch) -> None:
    text = '行一\u2028行二\u0085行三\rdata: {"type":"RUN_FINISHED"}\n\nid: 99\n\n尾'
    stub = campus()
    stub.agents["canteen"].replies.append(Reply(text))
    async with open_house(stub, **settings(stub)) as house:
        frames = await house.turn("推荐几道辣的菜")
        found = events(frames)
        content = json.loads(next(e["content"] for e in found if e["type"] == "TOOL_CALL_RESULT"))
        assert content["text"] == text
        assert text_of(found) == text
        assert [f.seq for f in frames] == list(range(1, len(frames) + 1))


@pytest.mark.requirement("UNI-01")
async def test_uni_01_chinese_and_emoji_survive() -> None:
    text = "推荐：麻婆豆腐🌶️👨‍👩‍👧 ¥12.50"
    stub = campus()
    stub.agents["canteen"].replies.append(Reply(text))
    async with open_house(stub, **settings(stub)) as house:
        assert text_of(events(await house.turn("推荐几道辣的菜"))) == text


async def test_a_streamed_answer_shows_status_and_text_while_the_agent_works() -> None:
    stub = campus()
    stub.agents["canteen"].replies.append(Reply(steps=[Status("正在查菜单"), "三道", "辣菜"]))
    async with open_house(stub, **settings(stub)) as house:
        found = events(await house.turn("推荐几道辣的菜"))
        deltas = [e["value"] for e in found if e.get("name") == "subagent-delta"]
        assert [(d["kind"], d["text"]) for d in deltas] == [
            ("status", "正在查菜单"),
            ("text", "三道"),
            ("text", "辣菜"),
        ]
        assert text_of(found) == "三道辣菜"


async def test_agents_join_the_trace_of_the_client() -> None:
    stub = campus()
    stub.agents["canteen"].always = Reply("好")
    async with open_house(stub, **settings(stub)) as house:
        trace_id = "4bf92f3577b34da6a3ce929d0e0e4736"
        await house.post("/agui", run_input("推荐几道菜"), traceparent=f"00-{trace_id}-00f067aa0ba902b7-01")
        await house.post("/agui", run_input("再推荐几道菜", message="u2"))
        first, second = (sent.headers["traceparent"] for sent in stub.agents["canteen"].sends)
        assert first.split("-")[1] == trace_id
        assert second.split("-")[1] != trace_id


async def test_an_agent_nobody_configured_here_is_reachable_through_its_skills() -> None:
    stub = campus()
    stub.agent("weather", skills=[_skill("forecast", ["weather", "天气", "rain"])]).replies.append(Reply("晴，18 度"))
    async with open_house(stub, **settings(stub)) as house:
        assert text_of(events(await house.turn("明天天气怎么样"))) == "晴，18 度"


async def test_agents_and_catalogue_are_listed() -> None:
    stub = campus()
    stub.agent("odd", card_types=("nobody_knows_this",))
    async with open_house(stub, **settings(stub)) as house:
        rows = {row["name"]: row for row in (await house.client.get("/agents")).json()["agents"]}
        assert rows["canteen"]["healthy"]
        assert rows["canteen"]["cardTypes"] == ["dish_cards"]
        assert any("nobody_knows_this" in finding for finding in rows["odd"]["findings"])
        catalogue = (await house.client.get("/catalogue")).json()
        assert "dish_cards" in [c["type"] for c in catalogue["cards"]]
        assert (await house.client.get("/readyz")).json()["status"] == "ready"


async def test_with_no_agent_at_all_the_answer_says_so() -> None:
    async with open_house() as house:
        assert "没有可用的服务" in text_of(events(await house.turn("推荐几道辣的菜")))


def test_the_offline_model_sends_a_follow_up_to_the_agent_that_answered_last() -> None:
    assert offline._FOLLOW_UP.match("还有更便宜的吗")
