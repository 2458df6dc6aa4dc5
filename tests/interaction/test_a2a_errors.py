"""What `/a2a` refuses, and how: JSON-RPC errors of the protocol in either version, in public words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.a2a_caller import A2ACaller, Version, state
from tests.fakes.a2a_stub import Reply
from tests.interaction.test_a2a_tasks import BOTH, SPICY, opened

SEND = {"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]}}
OLD = {"message": {"messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "hi"}]}}


def rpc(method: Any = "SendMessage", params: Any = SEND, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params, **more}


def message(**more: Any) -> dict[str, Any]:
    return rpc(params={"message": {**SEND["message"], **more}})


@pytest.mark.requirement("SB-NEST-13")
@pytest.mark.parametrize(
    ("body", "headers", "code"),
    [
        (rpc(), {}, -32009),
        (rpc(), {"A2A_Version": "0.3"}, -32009),
        (rpc(), {"A2A_Version": "2.0"}, -32009),
        (rpc("message/send", OLD), {"A2A_Version": "1.0"}, -32601),
        (rpc("message/send", OLD), {"A2A_Version": "0.2"}, -32009),
        (rpc("NoSuchMethod"), {"A2A_Version": "1.0"}, -32601),
        (rpc("tasks/nothing"), {}, -32601),
        (rpc(7), {"A2A_Version": "1.0"}, -32600),
        ([rpc()], {"A2A_Version": "1.0"}, -32600),
        ({**rpc(), "jsonrpc": "1.0"}, {"A2A_Version": "1.0"}, -32600),
        (rpc(id={"a": 1}), {"A2A_Version": "1.0"}, -32600),
        (rpc(params=[SEND]), {"A2A_Version": "1.0"}, -32602),
        (rpc(params={}), {"A2A_Version": "1.0"}, -32602),
        (message(role="ROLE_AGENT"), {"A2A_Version": "1.0"}, -32602),
        (message(parts=[]), {"A2A_Version": "1.0"}, -32602),
        (message(parts=[{"video": "x"}]), {"A2A_Version": "1.0"}, -32005),
        (message(parts=[{"raw": "not base64", "mediaType": "image/png"}]), {"A2A_Version": "1.0"}, -32602),
        (message(parts=[{"text": "x" * 40_000}]), {"A2A_Version": "1.0"}, -32602),
        (message(contextId=7), {"A2A_Version": "1.0"}, -32602),
        (message(contextId="c" * 201), {"A2A_Version": "1.0"}, -32602),
        (message(taskId="nobody's"), {"A2A_Version": "1.0"}, -32001),
        (rpc(), {"A2A_Version": "1.0", "Idempotency_Key": "k" * 256}, -32602),
        (rpc("GetTask", {"id": "nobody's"}), {"A2A_Version": "1.0"}, -32001),
        (rpc("GetTask", {}), {"A2A_Version": "1.0"}, -32602),
        (rpc("SubscribeToTask", {"id": "nobody's"}), {"A2A_Version": "1.0"}, -32001),
        (rpc("ListTasks", {"pageSize": 101}), {"A2A_Version": "1.0"}, -32602),
        (rpc("ListTasks", {"status": "done"}), {"A2A_Version": "1.0"}, -32602),
        (rpc("CreateTaskPushNotificationConfig", {}), {"A2A_Version": "1.0"}, -32003),
        (rpc("tasks/pushNotificationConfig/set", {}), {}, -32003),
        (rpc("GetExtendedAgentCard", {}), {"A2A_Version": "1.0"}, -32004),
        (rpc("agent/getAuthenticatedExtendedCard", {}), {}, -32007),
    ],
)
async def test_a_request_that_cannot_be_served_gets_the_error_of_the_protocol(
    body: Any, headers: dict[str, str], code: int
) -> None:
    async with opened(always=Reply("好")) as (house, agent):
        response = await house.post("/a2a", body, **headers)
    found = response.json()
    assert (response.status_code, found["jsonrpc"], found["error"]["code"]) == (200, "2.0", code)
    assert found["error"]["message"]
    assert agent.sends == []


@pytest.mark.requirement("SB-NEST-13")
@pytest.mark.parametrize(
    ("content", "kind", "status", "code"),
    [
        (b"{", "application/json", 200, -32700),
        (b"{}", "text/plain", 415, -32005),
        (b"{}", "", 415, -32005),
        (b"x" * 2_000_000, "application/json", 413, None),
    ],
)
async def test_a_body_that_is_no_request_is_refused(content: bytes, kind: str, status: int, code: int | None) -> None:
    async with opened() as (house, _):
        response = await house.client.post("/a2a", content=content, headers={"content-type": kind} if kind else {})
    assert response.status_code == status
    if code is not None:
        assert response.json() == {"jsonrpc": "2.0", "id": None, "error": response.json()["error"]}
        assert response.json()["error"]["code"] == code


@pytest.mark.requirement("SB-NEST-13")
@pytest.mark.parametrize("version", BOTH)
async def test_a_message_that_says_nothing_is_a_rejected_task(version: Version) -> None:
    async with opened() as (house, agent):
        task = await A2ACaller(house, version).send("  ")
    assert state(task) == "rejected"
    assert task["status"]["message"]["parts"][0]["text"]
    assert agent.sends == []


@pytest.mark.requirement("SB-NEST-13")
@pytest.mark.parametrize("version", BOTH)
async def test_a_task_that_has_ended_takes_no_message_and_one_of_another_context_neither(version: Version) -> None:
    async with opened(always=Reply("好")) as (house, _):
        caller = A2ACaller(house, version)
        task = await caller.send(SPICY, contextId="c1")
        ended = await caller.fault("send", {"message": caller.message("x", taskId=task["id"])})
        elsewhere = await caller.fault("send", {"message": caller.message("x", taskId=task["id"], contextId="c2")})
        assert state(await caller.get(task["id"])) == "completed"
    assert (ended, elsewhere) == (-32004, -32602)


@pytest.mark.requirement("SB-NEST-13")
async def test_both_spellings_of_the_path_and_the_version_as_a_parameter_are_served() -> None:
    async with opened(always=Reply("好")) as (house, _):
        for path in ("/a2a/?A2A-Version=1.0", "/a2a?A2A-Version=1.0"):
            assert state((await house.post(path, rpc())).json()["result"]) == "completed"


@pytest.mark.requirement("SB-NEST-13")
async def test_tasks_are_listed_in_pages_and_by_state() -> None:
    ask = {"type": "input", "message": "Wann?"}
    asking = Reply("Wann?", state="input-required", data=[ask])
    async with opened(Reply("1"), asking, Reply("3"), always=Reply("4")) as (house, _):
        caller = A2ACaller(house)
        ids = [(await caller.send(SPICY, contextId=f"c{n}"))["id"] for n in range(4)]
        pages, token = [], ""
        while True:
            page = await caller.call("list", {"pageSize": 3, "pageToken": token, "includeArtifacts": bool(token)})
            pages.append(page)
            token = page["nextPageToken"]
            if not token:
                break
        waiting = await caller.call("list", {"status": "TASK_STATE_INPUT_REQUIRED"})
    assert [task["id"] for page in pages for task in page["tasks"]] == list(reversed(ids))
    assert [(len(page["tasks"]), page["totalSize"]) for page in pages] == [(3, 4), (1, 4)]
    assert "artifacts" not in pages[0]["tasks"][0]
    assert pages[1]["tasks"][0]["artifacts"]
    assert [task["id"] for task in waiting["tasks"]] == [ids[1]]
