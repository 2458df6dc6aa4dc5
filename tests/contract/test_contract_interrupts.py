"""The schema of an interrupt on the wire against what the supervisor makes of questions, and the six payloads in it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from langgraph.types import Interrupt

from contracts.interrupts import TYPES
from contracts.load import validator
from supervisor.graph.hitl.helpers import ENVELOPE
from supervisor.graph.hitl.questions import read_questions

PAYLOADS: dict[str, dict[str, Any]] = {
    "input": {"type": "input", "message": "几点？", "placeholder": "12:00"},
    "select": {"type": "select", "message": "哪个？", "options": ["一", {"value": "2", "label": "二"}]},
    "multiSelect": {"type": "multiSelect", "message": "哪些？", "options": ["一", "二"]},
    "modal": {"type": "modal", "title": "确认", "body": "下单？", "actions": ["好", "不"]},
    "approval": {"type": "approval", "message": "付款？", "details": {"total": "12.00"}},
    "unlock": {"type": "unlock", "message": "解锁", "key": "k"},
}


def wire(value: Any) -> dict[str, Any]:
    (question,) = read_questions([Interrupt(value=value, id="i1")], datetime(2026, 12, 1, tzinfo=UTC))
    return dict(question.wire)


def test_every_type_of_question_is_tried_here() -> None:
    assert set(PAYLOADS) == set(TYPES)


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_question_keeps_the_contract_from_a_tool_and_from_an_agent(name: str) -> None:
    check = validator("interrupt")
    enveloped = {ENVELOPE: PAYLOADS[name], "toolCallId": "c1", "subagentRunId": "s1"}
    for found in (wire(PAYLOADS[name]), wire(enveloped)):
        check.validate(found)
        assert found["metadata"]["type"] == name
        assert not check.is_valid(found | {"surprise": 1})
        assert not check.is_valid(found | {"metadata": {"type": name}})
        assert not check.is_valid({key: value for key, value in found.items() if key != "id"})


@pytest.mark.parametrize("value", ["just a text", {"anything": 1}, {"type": "nobody knows this"}, None, [1]])
def test_an_interrupt_of_a_hosts_own_kind_keeps_the_contract(value: Any) -> None:
    validator("interrupt").validate(wire(value))
