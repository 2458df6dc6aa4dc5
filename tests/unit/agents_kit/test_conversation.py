from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from agents.kit.clock import campus_clock
from agents.kit.conversation import asker_of, conversation_of, question_message
from agents.kit.database import fetch, insert_rows, load_csv, open_database
from agents.kit.history import MemoryHistory
from agents.kit.spec import Asker
from agents.kit.storage import open_storage


def called(call_id: str, name: str, **arguments: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": call_id}])


def test_a_conversation_separates_this_question_from_the_ones_before() -> None:
    conversation = conversation_of(
        [
            question_message("first", Asker()),
            called("c1", "look", word="a"),
            ToolMessage("one", tool_call_id="c1", artifact={"n": 1}),
            AIMessage("done"),
            question_message("第二", Asker(name="Alice", location=(1.0, 2.0))),
            called("c2", "look", word="b"),
            ToolMessage("oops", tool_call_id="c2", status="error"),
        ]
    )
    assert (conversation.question, conversation.chinese) == ("第二", True)
    assert conversation.asker == Asker(name="Alice", location=(1.0, 2.0))
    assert conversation.earlier == ("first",)
    assert [dict(r.data) for r in conversation.earlier_results] == [{"n": 1}]
    assert [(r.arguments, r.ok, r.text) for r in conversation.results] == [({"word": "b"}, False, "oops")]
    assert conversation.result("look") is None


@pytest.mark.parametrize(
    ("question", "locale", "chinese"), [("3?", "en-US", False), ("3?", None, True), ("hi", "zh", False)]
)
def test_a_question_without_letters_is_answered_in_the_language_of_the_asker(
    question: str, locale: str | None, chinese: bool
) -> None:
    assert conversation_of([question_message(question, Asker(locale=locale))]).chinese is chinese


@pytest.mark.parametrize(
    ("metadata", "asker"),
    [
        ({}, Asker()),
        ({"user_context": {"user_id": "u", "name": "A", "locale": "en"}}, Asker("u", "A", "en")),
        ({"user_context": '{"userId": "u"}', "currentLocation": {"lat": 1, "lng": 2}}, Asker("u", location=(1.0, 2.0))),
        ({"currentLocation": {"lat": 1, "lng": 2}, "locationPermission": "denied"}, Asker()),
        ({"currentLocation": {"lat": 400, "lng": 2}}, Asker()),
        ({"user_context": "not json", "currentLocation": [1, 2]}, Asker()),
    ],
)
def test_the_asker_is_read_from_every_spelling_of_the_metadata(metadata: dict[str, Any], asker: Asker) -> None:
    assert asker_of(metadata) == asker


async def test_the_memory_of_conversations_is_bounded() -> None:
    history = MemoryHistory(max_contexts=2, max_turns=2)
    for context in ("a", "b", "b", "b", "c"):
        await history.remember("", context, [HumanMessage("q"), AIMessage("a")])
    assert await history.messages("", "a") == []
    assert len(await history.messages("", "b")) == 4


def test_the_campus_clock_can_be_stopped() -> None:
    now = campus_clock({"CAMPUS_NOW": "2026-12-01T10:30"})
    assert now().isoformat() == "2026-12-01T10:30:00+08:00"
    elsewhere = campus_clock({"CAMPUS_NOW": "2026-12-01T10:30+08:00", "CAMPUS_TZ": "UTC"})
    assert elsewhere().hour == 2


@pytest.mark.parametrize("environ", [{"CAMPUS_NOW": "soon"}, {"CAMPUS_TZ": "Moon/Crater"}])
def test_a_clock_that_cannot_be_read_says_which_setting_is_wrong(environ: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=next(iter(environ))):
        campus_clock(environ)


def test_the_database_is_filled_anew_at_every_start(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("id,name\n1,汤\n", encoding="utf-8")

    def seed(db: sqlite3.Connection) -> None:
        db.execute("CREATE TABLE rows (id TEXT, name TEXT)")
        insert_rows(db, "rows", load_csv(tmp_path / "rows.csv"))

    for _ in range(2):
        db = open_database(seed, tmp_path / "data", "x")
        assert fetch(db, "SELECT name FROM rows WHERE id = ?", "1") == [{"name": "汤"}]
        db.close()


@pytest.mark.parametrize("database", ["mysql://x", "sqlite:", "tasks.db", "postgresql:x"])
def test_a_task_database_in_another_form_is_refused_without_repeating_it(database: str) -> None:
    with pytest.raises(ValueError, match="DATABASE names no place") as refused:
        open_storage(database, "agent")
    assert database not in str(refused.value).replace("`sqlite:PATH`", "")
