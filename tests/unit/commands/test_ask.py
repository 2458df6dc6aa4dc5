"""What `switchboard ask` prints for the events of a stream."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from supervisor.commands.ask import AskFailed, Printer


def printed(*events: dict[str, Any]) -> str:
    console = Console(file=io.StringIO(), width=100)
    printer = Printer(console)
    for event in events:
        printer.show(event)
    return console.file.getvalue()  # type: ignore[attr-defined]


def surface(data: dict[str, Any]) -> dict[str, Any]:
    return {"type": "ACTIVITY_SNAPSHOT", "content": {"a2ui_operations": [{"updateDataModel": {"value": data}}]}}


def test_text_and_sub_agents_are_printed_as_they_come() -> None:
    out = printed(
        {"type": "SUBAGENT_STARTED", "subagentRunId": "s", "name": "canteen"},
        {"type": "SUBAGENT_ERROR", "subagentRunId": "s", "message": "The agent did not answer in time."},
        {"type": "TEXT_MESSAGE_CONTENT", "delta": "[bold]你"},
        {"type": "TEXT_MESSAGE_CONTENT", "delta": "好"},
        {"type": "TEXT_MESSAGE_END"},
        {"type": "STEP_STARTED"},
    )
    assert "→ canteen" in out
    assert "did not answer in time" in out
    assert "[bold]你好" in out


def test_a_card_is_a_table_of_what_a_person_reads() -> None:
    row = {"id": "d1", "name": "[red]鱼", "price": "22.00", "eta_minutes": 7, "eta_label": "in 7 min", "image_url": "x"}
    out = printed(surface({"title": "辣味", "items": [row]}))
    assert "辣味" in out
    assert "[red]鱼" in out
    assert "in 7 min" in out
    assert "eta_minutes" not in out
    assert "d1" not in out
    assert "image" not in out


def test_a_message_card_and_an_empty_one_are_printed_too() -> None:
    assert "没有空位" in printed(surface({"title": "停车", "text": "没有空位", "items": []}))
    printed(surface({}))


def test_a_failed_run_is_told_in_its_words() -> None:
    with pytest.raises(AskFailed, match="busy"):
        printed({"type": "RUN_ERROR", "message": "The language model is busy.", "code": "LLM_RATE_LIMITED"})
