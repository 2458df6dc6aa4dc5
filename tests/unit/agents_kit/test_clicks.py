"""Clicks in cards over A2A: an agent whose rule is written here, and whatever a message may hold instead of a click."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import BaseMessage
from mcp.server import MCPServer

from agents.kit.clock import Clock
from agents.kit.database import fetch, open_database
from agents.kit.spec import Action, Card, Conversation, Step
from agents.kit.tickets import CURSOR_CHARS, FILTER_CHARS, filters, pages, redeem, ticket
from chat_models import ScriptedChatModel, ToolSpec, Turn
from tests.unit.agents_kit.harness import SPEC as WORDS
from tests.unit.agents_kit.harness import Rpc, message, running, text_of

SECRET = "4711"


def server(db: sqlite3.Connection, clock: Clock) -> MCPServer[Any]:
    made = WORDS.mcp_server(db, clock)

    @made.tool()
    async def prove(word: str) -> dict[str, Any]:
        """Only for clicks."""
        return {"word": "proof", "length": len(word)}

    return made


def act(action: Action, conversation: Conversation) -> Step | None:
    match action.name:
        case "open_word" if word := action.text("id"):
            return Step([("look", {"word": word})], update=True)
        case "say":
            return Step(text="说" if conversation.chinese else "said")
        case "prove":
            return Step([("prove", {"word": SECRET})])
        case "next_page":
            return redeem(action, ("look",))
        case _:
            return None


def build_card(conversation: Conversation, answer: str) -> Card | None:
    found = conversation.result("look", "prove")
    return Card("message-card", {"text": answer}) if found else None


SPEC = replace(WORDS, mcp_server=server, act=act, build_card=build_card, action_tools=("prove",))


@pytest.fixture
async def rpc() -> AsyncIterator[Rpc]:
    async with running(SPEC) as client:
        yield client


async def test_a_click_is_answered_by_the_tools_it_leads_to_with_text_and_card(rpc: Rpc) -> None:
    task = await rpc.click("open_word", {"id": "tofu"})
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"
    assert text_of(task).startswith("tofu has 4 letters")
    assert task["metadata"]["card_template_id"] == "message-card"
    assert task["metadata"]["card_update"] is True
    assert task["status"]["message"]["metadata"] == task["metadata"]


async def test_an_answer_with_another_card_does_not_replace_the_clicked_one(rpc: Rpc) -> None:
    task = await rpc.click("open_word", {"id": "tofu"}, on="dish_cards")
    assert task["metadata"]["card_template_id"] == "message-card"
    assert "card_update" not in task["metadata"]


async def test_a_click_streams_a_status_and_text(rpc: Rpc) -> None:
    action = {"name": "open_word", "surfaceId": "s", "cardType": "message-card", "context": {"id": "汤", "name": "汤"}}
    asked = message("", parts=[{"data": {"userAction": action}}])
    events = await rpc.stream("SendStreamingMessage", {"message": asked})
    lines = [e["statusUpdate"]["status"].get("message") for e in events if "statusUpdate" in e]
    assert next(line["parts"][0]["text"] for line in lines if line) == "正在查汤"
    assert "artifactUpdate" in events[-2]


async def test_no_model_is_asked_and_none_is_offered_the_tools_for_clicks() -> None:
    offered: list[list[str]] = []

    def decide(messages: Sequence[BaseMessage], tools: Sequence[ToolSpec]) -> Turn:
        offered.append([tool.name for tool in tools])
        assert SECRET not in str(messages)
        return Turn(f"earlier: {[m.text for m in messages][1:]}")

    async with running(SPEC, model=ScriptedChatModel(policy=decide)) as rpc:
        await rpc.click("prove", {"values": {"pin": SECRET}}, contextId="c")
        assert offered == []
        text = text_of(await rpc.send("and now?", contextId="c"))
    assert offered == [["look"]]
    assert "'prove', 'proof has 4 letters" in text


async def test_a_question_may_follow_a_click(rpc: Rpc) -> None:
    await rpc.click("open_word", {"id": "tofu"}, contextId="c")
    assert "asked before: open_word;" in text_of(await rpc.send("汤", contextId="c"))


@pytest.mark.parametrize(
    ("before", "context", "metadata", "answer"),
    [
        (None, {"name": "水煮鱼"}, {}, "说"),
        ("汤", {"name": "Tofu"}, {}, "said"),
        ("汤", {}, {}, "说"),
        ("tofu", {}, {}, "said"),
        (None, {}, {"user_context": {"locale": "en"}}, "said"),
        (None, {}, {}, "说"),
    ],
)
async def test_the_answer_is_in_the_language_of_the_card(
    rpc: Rpc, before: str | None, context: Any, metadata: Any, answer: str
) -> None:
    if before:
        await rpc.send(before, contextId="c")
    assert text_of(await rpc.click("say", context, contextId="c", metadata=metadata)) == answer


@pytest.mark.parametrize(
    ("name", "context"),
    [
        ("open_word", {}),
        ("open_word", {"id": 5}),
        ("open_word", {"id": ""}),
        ("open_word", {"id": "x" * 101}),
        ("open_word", {"id": "no such word"}),
        ("open_word", {"id": "crash"}),
        ("delete_everything", {"id": "tofu"}),
        ("next_page", {"cursor": "[]"}),
        ("next_page", {"cursor": '["en","prove",{"word":"1"}]'}),
        ("next_page", {"cursor": '["en","look",{"word":["tofu"]}]'}),
    ],
)
async def test_a_click_that_makes_no_sense_is_answered_in_words(rpc: Rpc, name: str, context: Any) -> None:
    task = await rpc.click(name, context, metadata={"user_context": {"locale": "en"}})
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"
    assert text_of(task).startswith("That did not work")
    assert "card_template_id" not in task.get("metadata", {})


@pytest.mark.parametrize(
    "sent",
    [
        *(None, "open_word", [], 5, {}),
        *({"name": "open_word"}, {"name": "open_word", "surfaceId": "s", "cardType": "c", "context": []}),
        {"name": "x" * 300, "surfaceId": "s", "cardType": "c", "context": {}},
    ],
)
async def test_what_is_no_click_is_rejected_in_words(rpc: Rpc, sent: Any) -> None:
    task = await rpc.send("", parts=[{"text": "open"}, {"data": {"userAction": sent}}])
    assert task["status"]["state"] == "TASK_STATE_REJECTED"
    assert "cannot be read" in task["status"]["message"]["parts"][0]["text"]


async def test_other_data_beside_a_question_changes_nothing(rpc: Rpc) -> None:
    task = await rpc.send("", parts=[{"text": "tofu"}, {"data": {"other": 1}}, {"data": [1]}, {"data": "text"}])
    assert text_of(task).startswith("tofu has 4 letters")


async def test_an_agent_without_a_rule_reads_the_words_of_the_click() -> None:
    async with running(WORDS) as rpc:
        task = await rpc.click("x", {}, parts=[{"text": "tofu"}, {"data": {"userAction": CLICK}}])
    assert text_of(task).startswith("tofu has 4 letters")


CLICK = {"name": "open_word", "surfaceId": "s", "cardType": "message-card", "context": {"id": "汤"}}


async def test_version_0_3_may_click_too(rpc: Rpc) -> None:
    parts = [{"kind": "text", "text": "open"}, {"kind": "data", "data": {"userAction": CLICK}}]
    asked = {"kind": "message", "messageId": "m", "role": "user", "parts": parts}
    reply = await rpc.post("message/send", {"message": asked}, headers={})
    assert text_of(reply["result"]).startswith("汤 has 1 letters")


def clicked(**context: Any) -> Action:
    return Action("next_page", "s", "list-card", context)


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3))


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=3), st.booleans())
def test_a_ticket_comes_back_as_the_call_it_stands_for(arguments: dict[str, Any], chinese: bool) -> None:
    text = ticket("look", arguments, chinese)
    step = redeem(clicked(cursor=text), ("look",))
    if len(text) <= CURSOR_CHARS:
        given_ = {key: value for key, value in arguments.items() if value is not None}
        assert step == Step([("look", given_)], update=True, chinese=chinese)
    else:
        assert step is None


@given(st.text(max_size=600) | st.sampled_from(["[" * 400, '["zh","look",{"a":"\\ud800"}]', '["zh","look"]', "{}"]))
def test_no_text_that_is_no_ticket_is_taken_for_one(text: str) -> None:
    assert redeem(clicked(cursor=text), ("look",)) is None


def test_pages_lead_back_and_forth_within_the_list() -> None:
    def starts(offset: int, total: int) -> dict[str, Any]:
        found = pages("list", {"q": "x", "offset": 99}, {"offset": offset, "limit": 8, "total": total}, True)
        calls = {key: redeem(clicked(cursor=buttons[0]["cursor"]), ["list"]) for key, buttons in found.items()}
        return {key: step.calls[0][1]["offset"] for key, step in calls.items() if step}

    assert starts(0, 8) == {}
    assert starts(0, 9) == {"next_page": 8}
    assert starts(8, 17) == {"previous_page": 0, "next_page": 16}
    assert starts(5, 9) == {"previous_page": 0}
    assert starts(500, 9) == {"previous_page": 492}


def test_a_button_that_the_catalogue_would_refuse_is_left_out() -> None:
    long = {"q": "x" * CURSOR_CHARS}
    assert pages("list", long, {"offset": 0, "limit": 1, "total": 9}, True) == {}
    found = filters("list", {"q": "x", "offset": 3}, [("all", {"q": None}), ("x", {"q": "x"}), ("long", long)], False)
    assert [button["label"] for button in found] == ["all", "✓ x"]
    assert all(len(button["value"]) <= FILTER_CHARS and "offset" not in button["value"] for button in found)


def test_what_users_store_outlives_the_campus_data(tmp_path: Path) -> None:
    def seed(db: sqlite3.Connection) -> None:
        db.execute("CREATE TABLE rows (n INTEGER)")
        db.execute("CREATE TABLE IF NOT EXISTS kept.notes (n INTEGER)")

    for count in (1, 2, 3):
        db = open_database(seed, tmp_path, "x")
        db.execute("INSERT INTO kept.notes VALUES (1)")
        db.execute("INSERT INTO rows VALUES (1)")
        db.commit()
        assert (len(fetch(db, "SELECT * FROM kept.notes")), len(fetch(db, "SELECT * FROM rows"))) == (count, 1)
        db.close()
