"""Clicks in cards: checked against what was issued, answered by the card's owner, new card or update in place."""

from __future__ import annotations

from typing import Any

import pytest

from chat_models import Turn
from tests.cases.case import Case, checked, of_type
from tests.fakes.a2a_stub import Reply, card
from tests.fakes.agui import run_input, text_of
from tests.fakes.house import House

DISHES = {"items": [{"id": "d1", "name": "水煮鱼"}]}
ASK = Turn(calls=[("call_domain_agent", {"agent": "canteen", "query": "辣"})])


def click(surface: str, name: str = "open_dish", run: str = "click", **more: Any) -> Any:
    action = {
        "name": name,
        "surfaceId": surface,
        "sourceComponentId": "row",
        "context": {"id": "d1"},
        "timestamp": "2026-11-30T08:00:00Z",
        **more,
    }
    return run_input(None, run=run, forwardedProps={"a2uiAction": {"userAction": action}})


async def issued(case: Case, house: House) -> str:
    """The surface of a dish card."""
    case.canteen.replies.append(Reply("三道菜", metadata=card("dish_cards", DISHES)))
    found = checked(await house.post("/agui", run_input("辣")))
    (shown,) = of_type(found, "ACTIVITY_SNAPSHOT")
    return shown["content"]["a2ui_operations"][0]["createSurface"]["surfaceId"]


@pytest.mark.requirement("SB-ACTION-01")
async def test_a_click_goes_to_the_owner_of_the_card_and_no_model_is_asked() -> None:
    case = Case(ASK, "看卡片")
    async with case.open() as house:
        surface = await issued(case, house)
        asked = len(case.saw)
        case.canteen.replies.append(Reply("水煮鱼，22 元", metadata=card("dish_cards", DISHES)))
        found = checked(await house.post("/agui", click(surface)))
        assert len(case.saw) == asked
        assert text_of(found) == "水煮鱼，22 元"
        assert found[-1]["outcome"] == {"type": "success"}
        assert [e["name"] for e in of_type(found, "SUBAGENT_STARTED")] == ["canteen"]
        sent = case.canteen.requests[-1].message
        data = next(part["data"] for part in sent["parts"] if "data" in part)
        expected = {"name": "open_dish", "surfaceId": surface, "cardType": "dish_cards", "context": {"id": "d1"}}
        assert data == {"userAction": expected}
        cards = [m for m in await house.snapshot() if m["role"] == "activity"]
        assert len(cards) == 2
        case.turns = ["换个话题"]
        checked(await house.post("/agui", run_input("谢谢", message="u2", run="r2")))


@pytest.mark.requirement("SB-ACTION-02")
async def test_an_update_replaces_the_card_where_it_stands() -> None:
    case = Case(ASK, "看卡片")
    async with case.open() as house:
        surface = await issued(case, house)
        before = [m["id"] for m in await house.snapshot() if m["role"] == "activity"]
        more = {"items": [{"id": "d2", "name": "麻婆豆腐"}]}
        case.canteen.replies.append(Reply("下一页", metadata={**card("dish_cards", more), "card_update": True}))
        found = checked(await house.post("/agui", click(surface)))
        (shown,) = of_type(found, "ACTIVITY_SNAPSHOT")
        assert [shown["messageId"]] == before
        snapshot = await house.snapshot()
        (held,) = [m for m in snapshot if m["role"] == "activity"]
        assert held["content"] == shown["content"]
        assert "麻婆豆腐" in str(held)
        assert "水煮鱼" not in str(held)
        assert [m["role"] for m in snapshot][:4] == ["user", "assistant", "tool", "activity"]
        operations = held["content"]["a2ui_operations"]
        assert operations[0]["createSurface"]["surfaceId"] == surface


@pytest.mark.requirement("SB-ACTION-03")
async def test_the_same_click_sent_again_replays_its_run_and_another_click_is_a_new_one() -> None:
    case = Case(ASK, "看卡片")
    async with case.open() as house:
        surface = await issued(case, house)
        first = await house.post("/agui", click(surface))
        again = await house.post("/agui", click(surface, run="again"))
        assert again.content == first.content
        calls = len(case.canteen.requests)
        other = await house.post("/agui", click(surface, run="other", timestamp="2026-11-30T08:00:01Z"))
        assert other.content != first.content
        assert len(case.canteen.requests) == calls + 1


@pytest.mark.requirement("SB-ACTION-04")
@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"surfaceId": "dish_cards-forged"}, "unknown_surface"),
        ({"name": "delete_everything"}, "unknown_action"),
        ({"context": {"id": 5}}, "bad_context"),
        ({"context": {}}, "bad_context"),
    ],
)
async def test_a_forged_click_is_refused_and_reaches_nobody(changed: dict[str, Any], reason: str) -> None:
    case = Case(ASK, "看卡片")
    async with case.open() as house:
        surface = await issued(case, house)
        calls = len(case.canteen.requests)
        body = click(surface)
        body["forwardedProps"]["a2uiAction"]["userAction"] |= changed
        response = await house.post("/agui", body)
        assert (response.status_code, response.json()["code"], response.json()["reason"]) == (
            422,
            "invalid_action",
            reason,
        )
        assert len(case.canteen.requests) == calls


@pytest.mark.requirement("SB-ACTION-04")
async def test_a_card_of_another_thread_cannot_be_clicked() -> None:
    case = Case(ASK, "看卡片")
    async with case.open() as house:
        surface = await issued(case, house)
        response = await house.post("/agui", {**click(surface), "threadId": "other"})
        assert response.json()["reason"] == "unknown_surface"


@pytest.mark.requirement("SB-ACTION-05")
async def test_a_model_cannot_act_in_the_users_name() -> None:
    case = Case(ASK, "看卡片")
    async with case.open() as house:
        surface = await issued(case, house)
        calls = len(case.canteen.requests)
        act = ("card_action", {"surface_id": surface, "name": "open_dish", "context": {"id": "d1"}})
        case.turns = [*case.turns[:1], "看卡片", Turn(calls=[act]), "完"]
        found = checked(await house.post("/agui", run_input("再来", message="u2", run="r2")))
        assert "not_allowed" in of_type(found, "TOOL_CALL_RESULT")[0]["content"]
        assert len(case.canteen.requests) == calls
        assert all("card_action" not in offered for offered in case.offered)


@pytest.mark.requirement("SB-ACTION-06")
async def test_an_agent_may_ask_back_about_a_click() -> None:
    case = Case(ASK, "看卡片")
    async with case.open() as house:
        surface = await issued(case, house)
        asked = len(case.saw)
        case.canteen.replies += [Reply("几份？", state="input-required"), Reply("两份已订")]
        first = checked(await house.post("/agui", click(surface)))
        (question,) = first[-1]["outcome"]["interrupts"]
        answer = {"interruptId": question["id"], "status": "resolved", "payload": {"value": "2"}}
        resumed = await house.post("/agui", run_input(None, run="r3", resume=[answer]))
        done = checked(resumed, resumed=True)
        assert text_of(done) == "两份已订"
        assert len(case.saw) == asked


@pytest.mark.requirement("SB-ACTION-07")
async def test_a_click_on_a_card_whose_agent_fails_is_answered_in_words() -> None:
    case = Case(ASK, "看卡片")
    async with case.open() as house:
        surface = await issued(case, house)
        case.canteen.replies.append(Reply(http=500))
        found = checked(await house.post("/agui", click(surface)))
        assert "canteen" in text_of(found)
        assert found[-1]["outcome"] == {"type": "success"}
