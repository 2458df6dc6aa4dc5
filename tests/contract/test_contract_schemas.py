"""The schemas in `contracts/` against what the supervisor really produces."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from a2ui_schemas import load_catalogue
from contracts.load import HERE, read_supervisor, schema, validator
from supervisor.cards import artifact
from supervisor.cards.render import CardRenderer
from supervisor.events import internal as ev
from supervisor.events.subagents import SubagentEvents
from supervisor.journal.memory import MemoryJournal

SCHEMAS = sorted(path.name.removesuffix(".schema.json") for path in HERE.glob("*.schema.json"))
VALUES: dict[str, dict[str, Any]] = {
    "subagent-start": {"subagentId": "s", "subagentType": "canteen", "description": "辣", "toolCallId": "c"},
    "subagent-delta": {"subagentId": "s", "kind": "text", "text": "三"},
    "subagent-end": {"subagentId": "s", "status": "failed", "result": "", "errorCode": "http_500"},
    "card-fallback": {"cardType": "x", "reason": "unknown_type", "errors": []},
}


def custom(name: str, value: Any) -> dict[str, Any]:
    return {"type": "CUSTOM", "name": name, "value": value}


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_schema_is_a_schema_with_its_own_id(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))
    assert schema(name)["$id"].endswith(f"/{name}.schema.json")


def test_the_mirror_of_sub_agents_keeps_the_contract() -> None:
    events = SubagentEvents("custom")
    long = "菜" * 600
    sent = [
        *events.started(ev.SubagentStarted("s1", "canteen", "辣", "c1")),
        *events.delta(ev.SubagentDelta("s1", "status", "正在查菜单…")),
        *events.delta(ev.SubagentDelta("s1", "text", "三道")),
        *events.ended(ev.SubagentEnded("s1", "completed", long)),
        *events.started(ev.SubagentStarted("s2", "transport", "", "c1")),
        *events.ended(ev.SubagentEnded("s2", "timed_out", "", "timeout")),
        *events.started(ev.SubagentStarted("s3", "transport", "", "c1")),
        *events.close_all("cancelled"),
    ]
    assert len(sent) == 8
    for event in sent:
        validator("custom-events").validate(event)


@pytest.mark.parametrize(
    ("card_type", "data"),
    [("nope", {"items": []}), ("dish_cards", {"items": "x"}), ("dish_cards", {"items": [{"name": "x" * 300_000}]})],
)
def test_a_fallback_keeps_the_contract(card_type: str, data: Any) -> None:
    card = CardRenderer(load_catalogue()).render(card_type, data, bubble_text="三道菜")
    events = artifact.surface_events("c1", artifact.build([artifact.Issued(card)]))
    assert [event["type"] for event in events] == ["ACTIVITY_SNAPSHOT", "CUSTOM"]
    validator("custom-events").validate(events[1])


@pytest.mark.parametrize("name", VALUES)
def test_custom_events_with_a_field_missing_or_unknown_break_the_contract(name: str) -> None:
    check = validator("custom-events")
    assert check.is_valid(custom(name, VALUES[name]))
    assert not check.is_valid(custom(name, VALUES[name] | {"surprise": 1}))
    for key in VALUES[name].keys() - {"errorCode"}:
        assert not check.is_valid(custom(name, {k: v for k, v in VALUES[name].items() if k != key}))
    assert not check.is_valid(custom("unheard-of", VALUES[name]))


def test_cards_travel_on_the_channel_that_the_supervisor_promises() -> None:
    catalogue, promised = load_catalogue(), read_supervisor()
    card = CardRenderer(catalogue).render("dish_cards", catalogue.cards["dish_cards"].example)
    event = artifact.surface_events("c1", artifact.build([artifact.Issued(card)]))[0]
    assert (event["type"], event["activityType"]) == (promised.channel.event, promised.channel.activity_type)
    assert promised.channel.carries in event["content"]
    assert {operation["version"] for operation in event["content"]["a2ui_operations"]} == {promised.a2ui_version}


async def test_the_journal_holds_records_of_the_contract() -> None:
    journal = MemoryJournal()
    events = [{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}, {"type": "RUN_FINISHED", "runId": "r"}]
    await journal.append("t", "r", [json.dumps(event).encode() for event in events])
    for record in await journal.read("t"):
        entry = {"seq": record.seq, "threadId": "t", "runId": record.run_key, "event": json.loads(record.data)}
        validator("journal-record").validate(entry)
        assert not validator("journal-record").is_valid(entry | {"seq": 0})
        assert not validator("journal-record").is_valid(entry | {"event": {"type": "RAW"}})


def test_card_metadata_names_its_card_and_carries_its_data() -> None:
    check = validator("a2a-card-metadata")
    whole = {"card_template_id": "dish_cards", "card_data_model": {"items": []}, "bubble_text": "三道菜"}
    assert check.is_valid({})
    assert check.is_valid(whole | {"trace_id": "0af7651916cd43dd8448eb211c80319c", "other": 1})
    assert not check.is_valid({"card_data_model": {}})
    assert not check.is_valid({"card_template_id": "dish_cards"})
    assert not check.is_valid(whole | {"card_data_model": "[]"})
    assert check.is_valid(whole | {"card_update": True})
    assert not check.is_valid(whole | {"card_update": "yes"})
    assert not check.is_valid({"card_update": True})
