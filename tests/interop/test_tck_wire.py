"""JSON-RPC, errors and versions, by the kit's ids."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.interop.kit import UNKNOWN, URL, Json, Kit, asked, running
from tests.interop.shapes import spelling_faults
from tests.unit.agents_kit.harness import V10

ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
SEND = {"message": asked("tck-complete-task")}
OLD = {"kind": "message", "messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "Hello"}]}


async def _finished(kit: Kit, method: str) -> Json:
    done = await kit.task("tck-complete-task")
    if method == "SendMessage":
        return await kit.error(method, {"message": asked("tck-complete-task", taskId=done["id"])})
    return await kit.error(method, {"id": done["id"]})


async def _plain_text(kit: Kit) -> Json:
    response = await kit.http.post("/a2a", content=b"Hello", headers={**V10, "Content-Type": "text/plain"})
    return response.json()["error"]


Fault = Callable[[Kit], Awaitable[Json]]
FAULTS: dict[str, tuple[int, str, Fault]] = {
    "unknown task": (-32001, "TASK_NOT_FOUND", lambda kit: kit.error("GetTask", {"id": UNKNOWN})),
    "cancel of the finished": (-32002, "TASK_NOT_CANCELABLE", lambda kit: _finished(kit, "CancelTask")),
    "push": (
        -32003,
        "PUSH_NOTIFICATION_NOT_SUPPORTED",
        lambda kit: kit.error("CreateTaskPushNotificationConfig", {"taskId": UNKNOWN, "url": "https://a.example"}),
    ),
    "message to the finished": (-32004, "UNSUPPORTED_OPERATION", lambda kit: _finished(kit, "SendMessage")),
    "no JSON": (-32005, "CONTENT_TYPE_NOT_SUPPORTED", _plain_text),
    "unknown version": (
        -32009,
        "VERSION_NOT_SUPPORTED",
        lambda kit: kit.error("SendMessage", SEND, {"A2A-Version": "99.0"}),
    ),
}


@pytest.mark.requirement(
    "CORE-ERR-001", "JSONRPC-ERR-001", "JSONRPC-ERR-002", "JSONRPC-ERR-003", "JSONRPC-SSE-002", "VER-SERVER-002"
)
@pytest.mark.parametrize("name", FAULTS)
async def test_every_error_of_the_protocol_has_number_words_and_reason(system: str, name: str) -> None:
    code, reason, fault = FAULTS[name]
    async with running(system) as kit:
        error = await fault(kit)
    assert error["code"] == code
    assert error["message"].strip()
    (info,) = [detail for detail in error["data"] if detail["@type"] == ERROR_INFO]
    assert (info["reason"], info["domain"]) == (reason, "a2a-protocol.org")


@pytest.mark.requirement("CORE-CAP-001")
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("CreateTaskPushNotificationConfig", {"taskId": "t", "url": "https://a.example"}),
        ("GetTaskPushNotificationConfig", {"taskId": "t", "id": "c"}),
        ("ListTaskPushNotificationConfigs", {"taskId": "t"}),
        ("DeleteTaskPushNotificationConfig", {"taskId": "t", "id": "c"}),
    ],
)
async def test_an_agent_that_does_not_push_says_so(system: str, method: str, params: Json) -> None:
    async with running(system) as kit:
        assert (await kit.error(method, params))["code"] == -32003


@pytest.mark.requirement("CORE-CAP-003")
async def test_an_agent_without_an_extended_card_says_so(system: str) -> None:
    async with running(system) as kit:
        assert (await kit.error("GetExtendedAgentCard", {}))["code"] == -32004


@pytest.mark.requirement("CORE-ERR-002", "DM-SERIAL-004")
@pytest.mark.parametrize("missing", ["messageId", "role", "parts", "message"])
async def test_a_message_that_lacks_something_is_refused_and_makes_no_task(system: str, missing: str) -> None:
    message = asked("tck-complete-task", contextId="c")
    message.pop(missing, None)
    async with running(system) as kit:
        error = await kit.error("SendMessage", {} if missing == "message" else {"message": message})
        listed = await kit.result("ListTasks", {"contextId": "c"})
    assert error["code"] == -32602
    assert listed["tasks"] == []


@pytest.mark.requirement("CORE-ERR-002", "JSONRPC-ERR-001")
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("GetTask", {"id": 7}),
        ("GetTask", {"id": "t", "historyLength": -1}),
        ("GetTask", {}),
        ("ListTasks", {"pageSize": 0}),
        ("ListTasks", {"pageSize": 101}),
        ("ListTasks", {"pageToken": "no token of ours"}),
        ("SendMessage", {"message": asked("tck-complete-task", parts=[{"text": "a", "url": "https://a.example"}])}),
        ("SendMessage", {"message": asked("tck-complete-task", role="ROLE_NOBODY")}),
        ("SendMessage", []),
    ],
)
async def test_parameters_that_make_no_sense_are_refused(system: str, method: str, params: Any) -> None:
    async with running(system) as kit:
        error = await kit.error(method, params)
    assert error["code"] == -32602
    assert isinstance(error.get("data", []), list)


@pytest.mark.requirement("DM-SERIAL-005")
async def test_fields_that_we_do_not_know_are_ignored(system: str) -> None:
    message = asked("tck-complete-task", futureField={"a": 1}, parts=[{"text": "Hello", "mood": "good"}])
    async with running(system) as kit:
        answer = await kit.result("SendMessage", {"message": message, "priority": "high"})
    assert answer["task"]["status"]["state"] == "TASK_STATE_COMPLETED"


@pytest.mark.requirement("DM-SERIAL-001")
async def test_names_of_the_definition_are_read_and_never_written(system: str) -> None:
    message = {"message_id": "m", "context_id": "c", "role": "ROLE_USER", "parts": [{"text": "Hello"}]}
    async with running(system) as kit:
        task = (await kit.result("SendMessage", {"message": message}))["task"]
        page = await kit.result("ListTasks", {"context_id": "c", "page_size": 1})
    assert (task["contextId"], [found["id"] for found in page["tasks"]]) == ("c", [task["id"]])
    assert list(spelling_faults([task, page])) == []


@pytest.mark.requirement("JSONRPC-FMT-001", "JSONRPC-FMT-002")
@pytest.mark.parametrize("id_", ["r-1", 7, 0])
async def test_an_answer_is_a_json_rpc_response_with_the_id_of_its_request(system: str, id_: Any) -> None:
    async with running(system) as kit:
        for method, member in (("SendMessage", "result"), ("GetTask", "error")):
            body = {"jsonrpc": "2.0", "id": id_, "method": method, "params": {**SEND, "id": UNKNOWN}}
            response = await kit.http.post("/a2a", json=body, headers=V10)
            assert response.headers["content-type"].split(";")[0] == "application/json"
            assert set(response.json()) == {"jsonrpc", "id", member}
            assert (response.json()["jsonrpc"], response.json()["id"]) == ("2.0", id_)


@pytest.mark.requirement("JSONRPC-FMT-001")
@pytest.mark.parametrize(
    ("body", "code", "id_"),
    [
        (b"{", -32700, None),
        (b"[]", -32600, None),
        (b'{"id":1,"method":"GetTask","params":{}}', -32600, 1),
        (b'{"jsonrpc":"1.0","id":1,"method":"GetTask","params":{}}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":1,"params":{}}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":true,"method":"GetTask","params":{}}', -32600, None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}]', -32600, None),
    ],
)
async def test_what_is_no_json_rpc_request_is_refused_under_its_id(
    system: str, body: bytes, code: int, id_: int | None
) -> None:
    async with running(system) as kit:
        response = await kit.http.post("/a2a", content=body, headers={"Content-Type": "application/json", **V10})
    answer = response.json()
    assert (answer["jsonrpc"], answer["id"], answer["error"]["code"]) == ("2.0", id_, code)


@pytest.mark.requirement("JSONRPC-SVC-001")
@pytest.mark.parametrize("method", ["sendMessage", "send_message", "SENDMESSAGE", "a2a.SendMessage", "Nothing"])
async def test_a_method_by_another_name_does_not_exist(system: str, method: str) -> None:
    async with running(system) as kit:
        assert (await kit.error(method, SEND))["code"] == -32601


@pytest.mark.requirement("JSONRPC-SVC-002", "VER-SERVER-001", "VER-SERVER-003")
@pytest.mark.parametrize(
    ("headers", "method", "code"),
    [
        ({"A2A-Version": "1.0"}, "SendMessage", None),
        ({"a2a-version": "1.0", "A2A-Extensions": "https://a.example/1, https://a.example/2"}, "SendMessage", None),
        ({"A2A-Version": ""}, "message/send", None),
        ({}, "message/send", None),
        ({"A2A-Version": "0.3"}, "message/send", None),
        ({"A2A-Version": ""}, "SendMessage", -32009),
        ({}, "SendMessage", -32009),
        ({"A2A-Version": "0.3"}, "SendMessage", -32009),
        ({"A2A-Version": "2.0"}, "SendMessage", -32009),
        ({"A2A-Version": "no version"}, "SendMessage", -32009),
    ],
)
async def test_the_version_is_that_of_the_header_and_0_3_without_one(
    system: str, headers: dict[str, str], method: str, code: int | None
) -> None:
    async with running(system) as kit:
        answer = (await kit.call(method, SEND if method == "SendMessage" else {"message": OLD}, headers)).json()
    if code is not None:
        assert answer["error"]["code"] == code
    elif method == "SendMessage":
        assert answer["result"]["task"]["status"]["state"] == "TASK_STATE_COMPLETED"
    else:
        assert (answer["result"]["kind"], answer["result"]["status"]["state"]) == ("task", "completed")


@pytest.mark.requirement("VER-CLIENT-002")
@pytest.mark.parametrize("version", ["1.0.0", "1.0.9"])
async def test_the_last_number_of_a_version_changes_nothing(system: str, version: str) -> None:
    async with running(system) as kit:
        assert "task" in await kit.result("SendMessage", SEND, {"A2A-Version": version})


@pytest.mark.requirement("JSONRPC-SSE-001")
async def test_a_stream_is_server_sent_events_of_json_rpc_responses(system: str) -> None:
    async with running(system) as kit:
        body = {"jsonrpc": "2.0", "id": "r-7", "method": "SendStreamingMessage", "params": SEND}
        response = await kit.http.post("/a2a", json=body, headers={**V10, "Accept": "text/event-stream"})
        assert str(response.url).startswith(URL)
    assert response.headers["content-type"].split(";")[0] == "text/event-stream"
    events = [block for block in response.text.replace("\r\n", "\n").split("\n\n") if block and block[0] != ":"]
    assert len(events) > 1
    for event in events:
        assert event.startswith("data:")
        assert '"jsonrpc": "2.0"' in event or '"jsonrpc":"2.0"' in event
        assert '"r-7"' in event
