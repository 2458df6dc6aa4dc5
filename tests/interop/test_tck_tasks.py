"""Tasks and messages, by the kit's ids: sending, reading, listing, cancelling, conversations, history."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.interop.kit import UNKNOWN, asked, follows, running

NOT_FOUND, NOT_CANCELABLE, UNSUPPORTED, BAD_TYPE = -32001, -32002, -32004, -32005
INVALID = -32602
DONE = "TASK_STATE_COMPLETED"


@pytest.mark.requirement("CORE-SEND-001")
@pytest.mark.parametrize(("convention", "kind"), [("tck-complete-task", "task"), ("tck-message-response", "message")])
async def test_a_message_is_answered_with_a_task_or_a_message(system: str, convention: str, kind: str) -> None:
    follows(system, convention)
    async with running(system) as kit:
        assert list(await kit.result("SendMessage", {"message": asked(convention)})) == [kind]


@pytest.mark.requirement("CORE-SEND-002")
@pytest.mark.parametrize("end", ["tck-complete-task", "tck-reject-task", "cancelled"])
async def test_a_task_that_has_ended_takes_no_message(system: str, end: str) -> None:
    follows(system, end)
    async with running(system) as kit:
        if end == "cancelled":
            task = await kit.result("CancelTask", {"id": (await kit.task("tck-input-required"))["id"]})
        else:
            task = await kit.task(end)
        again = await kit.refused("tck-complete-task", taskId=task["id"], contextId=task["contextId"])
    assert again == UNSUPPORTED


@pytest.mark.requirement("CORE-SEND-003")
async def test_a_media_type_that_the_card_does_not_name_is_refused() -> None:
    strange = [{"text": "look"}, {"raw": "dGNr", "mediaType": "application/x-strange"}]
    async with running(validate_input_modes=True) as kit:
        assert await kit.refused("tck-complete-task", parts=strange) == BAD_TYPE


@pytest.mark.requirement("CORE-GET-001")
async def test_a_task_is_told_as_it_is_now(system: str) -> None:
    async with running(system) as kit:
        working = await kit.at_work()
        before = await kit.get(working)
        answered = await kit.task("tck-artifact-text")
        after = await kit.get(answered)
    assert before["status"]["state"] in ("TASK_STATE_SUBMITTED", "TASK_STATE_WORKING")
    assert after["status"]["state"] == DONE
    assert after["artifacts"][0]["parts"] == [{"text": "Generated text content"}]


@pytest.mark.requirement("CORE-GET-002", "CORE-CANCEL-003", "STREAM-SUB-004")
@pytest.mark.parametrize("method", ["GetTask", "CancelTask", "SubscribeToTask"])
async def test_a_task_that_does_not_exist_is_not_found(system: str, method: str) -> None:
    async with running(system) as kit:
        assert (await kit.error(method, {"id": UNKNOWN}))["code"] == NOT_FOUND


@pytest.mark.requirement("CORE-LIST-002", "CORE-LIST-003", "CORE-LIST-004")
async def test_a_list_comes_in_pages_newest_first_and_the_last_page_says_so(system: str) -> None:
    async with running(system) as kit:
        sent = [(await kit.task("tck-complete-task", contextId="c"))["id"] for _ in range(5)]
        await kit.task("tck-complete-task", contextId="another")
        pages: list[list[str]] = []
        token = ""
        while not pages or token:
            page = await kit.result("ListTasks", {"contextId": "c", "pageSize": 2, "pageToken": token})
            pages.append([task["id"] for task in page["tasks"]])
            token = page["nextPageToken"]
    assert pages == [[sent[4], sent[3]], [sent[2], sent[1]], [sent[0]]]


@pytest.mark.requirement("CORE-LIST-005")
async def test_a_list_holds_artifacts_only_for_who_asks(system: str) -> None:
    async with running(system) as kit:
        await kit.task("tck-artifact-text", contextId="c")
        plain = await kit.result("ListTasks", {"contextId": "c"})
        full = await kit.result("ListTasks", {"contextId": "c", "includeArtifacts": True})
    assert "artifacts" not in plain["tasks"][0]
    assert full["tasks"][0]["artifacts"]


@pytest.mark.requirement("CORE-CANCEL-001")
@pytest.mark.parametrize("state", ["waiting", "at work"])
async def test_a_cancelled_task_is_told_as_cancelled(system: str, state: str) -> None:
    async with running(system) as kit:
        task = await (kit.task("tck-input-required") if state == "waiting" else kit.at_work())
        gone = await kit.result("CancelTask", {"id": task["id"]})
        later = await kit.get(task)
    assert gone["id"] == task["id"]
    assert gone["status"]["state"] == later["status"]["state"] == "TASK_STATE_CANCELED"


@pytest.mark.requirement("CORE-CANCEL-002")
async def test_a_task_that_has_ended_cannot_be_cancelled(system: str) -> None:
    async with running(system) as kit:
        done = await kit.task("tck-complete-task")
        assert (await kit.error("CancelTask", {"id": done["id"]}))["code"] == NOT_CANCELABLE


@pytest.mark.requirement("CORE-EXECUTION-MODE-001")
async def test_a_blocking_call_waits_for_the_end(system: str) -> None:
    async with running(system) as kit:
        waits = {"message": asked("test-resubscribe-message-id", contextId="c")}
        call = asyncio.create_task(kit.result("SendMessage", waits))
        async with kit.events("SendStreamingMessage", {"message": asked("tck-complete-task")}) as events:
            assert [event async for event in events]
        assert not call.done()
        kit.release.set()
        assert (await call)["task"]["status"]["state"] == DONE
        assert (await kit.task("tck-input-required"))["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"


@pytest.mark.requirement("CORE-EXECUTION-MODE-002")
async def test_a_call_that_must_not_block_is_answered_at_once(system: str) -> None:
    async with running(system) as kit:
        task = await kit.at_work()
        assert task["status"]["state"] in ("TASK_STATE_SUBMITTED", "TASK_STATE_WORKING")


@pytest.mark.requirement("CORE-MULTI-001", "CORE-MULTI-001a")
@pytest.mark.parametrize(("convention", "kind"), [("tck-complete-task", "task"), ("tck-message-response", "message")])
async def test_a_context_that_the_agent_starts_is_told(system: str, convention: str, kind: str) -> None:
    follows(system, convention)
    async with running(system) as kit:
        answers = [await kit.result("SendMessage", {"message": asked(convention)}) for _ in range(2)]
    contexts = {answer[kind]["contextId"] for answer in answers}
    assert len(contexts) == 2
    assert all(contexts)


@pytest.mark.requirement("CORE-MULTI-002", "CORE-MULTI-002a")
@pytest.mark.parametrize("context", ["c-1", "上下文/1", " spaces ", "x" * 300, "../etc"])
async def test_the_context_of_the_client_is_kept(system: str, context: str) -> None:
    async with running(system) as kit:
        answer = (await kit.call("SendMessage", {"message": asked("tck-complete-task", contextId=context)})).json()
    if "error" in answer:
        assert (system, len(context)) == ("supervisor", 300), answer
    else:
        assert answer["result"]["task"]["contextId"] == context


@pytest.mark.requirement("CORE-MULTI-003")
async def test_every_task_has_an_id_of_its_own_also_for_a_message_id_that_is_used_again(system: str) -> None:
    message = asked("tck-complete-task", contextId="c")
    async with running(system) as kit:
        tasks = [(await kit.result("SendMessage", {"message": message}))["task"]["id"] for _ in range(3)]
    assert len(set(tasks)) == 3


@pytest.mark.requirement("CORE-MULTI-004")
async def test_a_message_to_a_task_that_does_not_exist_is_refused(system: str) -> None:
    async with running(system) as kit:
        assert await kit.refused("tck-complete-task", taskId=UNKNOWN) == NOT_FOUND


@pytest.mark.requirement("CORE-MULTI-005", "CORE-MULTI-006")
async def test_a_message_to_a_task_belongs_to_its_context_and_to_no_other(system: str) -> None:
    async with running(system) as kit:
        task = await kit.task("tck-input-required", contextId="c")
        mismatch = await kit.refused("tck-complete-task", taskId=task["id"], contextId="another")
        events = await kit.streamed("tck-artifact-text", taskId=task["id"])
        answered = await kit.get(task)
    assert mismatch == INVALID
    told = [body for event in events for body in event.values()]
    assert {(body.get("taskId") or body["id"], body["contextId"]) for body in told} == {(task["id"], "c")}
    assert (answered["id"], answered["contextId"]) == (task["id"], "c")
    assert answered["status"]["state"] == DONE


@pytest.mark.requirement("CORE-HIST-001", "CORE-HIST-002", "CORE-HIST-003")
@pytest.mark.parametrize("wanted", [0, 1, 2, 50])
@pytest.mark.parametrize("spelling", ["historyLength", "history_length"])
async def test_a_history_is_as_long_as_wanted_at_most(system: str, spelling: str, wanted: int) -> None:
    limit: dict[str, Any] = {spelling: wanted}
    async with running(system) as kit:
        task = await kit.task("tck-input-required")
        for _ in range(2):
            answer = asked("tck-input-required", taskId=task["id"], contextId=task["contextId"])
            sent = (await kit.result("SendMessage", {"message": answer, "configuration": limit}))["task"]
        got = await kit.get(task, **limit)
    assert len(sent.get("history", [])) <= wanted
    # A supervisor remembers the words of its user, an agent its own as well.
    assert len(got.get("history", [])) == min(wanted, 5 if system == "agent" else 3)
    assert wanted or ("history" not in sent and "history" not in got)


@pytest.mark.requirement("CORE-HIST-004", "CORE-HIST-005", "CORE-HIST-006")
async def test_a_history_holds_what_was_said_in_that_order(system: str) -> None:
    texts = [f"tck-input-required {number}" for number in ("first", "second", "third")]
    said = [asked("tck-input-required", text) for text in texts]
    async with running(system) as kit:
        task: dict[str, Any] = {}
        for message in said:
            known = {"taskId": task["id"], "contextId": task["contextId"]} if task else {}
            task = (await kit.result("SendMessage", {"message": {**message, **known}}))["task"]
        history = (await kit.get(task))["history"]
    mine = [message for message in history if message["role"] == "ROLE_USER"]
    assert [message["messageId"] for message in mine] == [message["messageId"] for message in said]
    assert [message["parts"] for message in mine] == [[{"text": text}] for text in texts]
    assert system == "supervisor" or [message["role"] for message in history[1:3]] == ["ROLE_AGENT", "ROLE_USER"]
