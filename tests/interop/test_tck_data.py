"""The data model on the wire, by the kit's ids: every task, message and event of the system under test is looked at."""

from __future__ import annotations

import pytest

from tests.interop.kit import Kit, asked, follows, running
from tests.interop.shapes import (
    STATES,
    artifact_faults,
    message_faults,
    spelling_faults,
    status_faults,
    task_faults,
)

CONVENTIONS = (
    "tck-complete-task",
    "tck-input-required",
    "tck-auth-required",
    "tck-reject-task",
    "tck-artifact-text",
    "tck-artifact-file",
    "tck-artifact-file-url",
    "tck-artifact-data",
    "tck-stream-artifact-chunked",
)
PARTS = {
    "tck-artifact-text": {"text": "Generated text content"},
    "tck-artifact-file": {"raw": "dGNr", "mediaType": "text/plain", "filename": "output.txt"},
    "tck-artifact-file-url": {
        "url": "https://example.com/output.txt",
        "mediaType": "text/plain",
        "filename": "output.txt",
    },
    "tck-artifact-data": {"data": {"key": "value", "count": 42}},
}


@pytest.mark.requirement("DM-TASK-001", "DM-TASK-002", "DM-STATUS-001", "DM-MSG-001", "DM-MSG-002", "DM-ART-001")
@pytest.mark.requirement("DM-SERIAL-001", "DM-SERIAL-002", "DM-SERIAL-003")
@pytest.mark.parametrize("convention", CONVENTIONS)
async def test_a_task_has_the_shape_of_the_protocol_however_it_is_told(system: str, convention: str) -> None:
    async with running(system) as kit:
        sent = await kit.task(convention, contextId="c")
        listed = await kit.result("ListTasks", {"contextId": "c", "includeArtifacts": True, "historyLength": 9})
        tasks = [sent, await kit.get(sent), *listed["tasks"]]
    assert len(tasks) == 3
    assert [fault for task in tasks for fault in (*task_faults(task), *spelling_faults(task))] == []
    assert all(task["status"]["timestamp"] for task in tasks)


@pytest.mark.requirement("DM-PART-001", "DM-ART-001")
@pytest.mark.parametrize("convention", PARTS)
async def test_every_kind_of_part_arrives_as_what_it_is(system: str, convention: str) -> None:
    follows(system, convention)
    async with running(system) as kit:
        (artifact,) = (await kit.task(convention))["artifacts"]
    assert list(artifact_faults(artifact)) == []
    assert artifact["parts"] == [PARTS[convention]]


@pytest.mark.requirement("DM-MSG-001", "DM-MSG-002", "DM-PART-001")
async def test_a_message_that_is_the_answer_has_the_shape_of_the_protocol() -> None:
    async with running() as kit:
        message = (await kit.result("SendMessage", {"message": asked("tck-message-response")}))["message"]
    assert [*message_faults(message), *spelling_faults(message)] == []
    assert message["role"] == "ROLE_AGENT"


@pytest.mark.requirement("DM-TASK-002", "DM-SERIAL-001", "DM-SERIAL-002", "DM-SERIAL-003")
@pytest.mark.parametrize("convention", CONVENTIONS)
async def test_events_of_a_stream_have_the_shape_of_the_protocol(system: str, convention: str) -> None:
    async with running(system) as kit:
        events = await kit.streamed(convention)
    faults = list(spelling_faults(events))
    for event in events:
        ((kind, body),) = event.items()
        match kind:
            case "task":
                faults += task_faults(body)
            case "statusUpdate":
                faults += status_faults(body["status"])
            case "artifactUpdate":
                faults += artifact_faults(body["artifact"])
        assert body.get("taskId") or body["id"]
        assert body["contextId"]
    assert faults == []


@pytest.mark.requirement("DM-TASK-002")
async def test_every_state_that_a_task_can_be_in_is_one_of_the_protocol() -> None:
    async with running() as kit:
        seen = {await _state(kit, convention) for convention in CONVENTIONS}
        working = (await kit.at_work())["status"]["state"]
        gone = await kit.result("CancelTask", {"id": (await kit.task("tck-input-required"))["id"]})
    assert {*seen, working, gone["status"]["state"]} < STATES
    assert len(seen) == 4


async def _state(kit: Kit, convention: str) -> str:
    return (await kit.task(convention))["status"]["state"]
