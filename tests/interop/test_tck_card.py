"""The card and who may see what, by the kit's ids."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.authentication import AuthCredentials, AuthenticationBackend, SimpleUser
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import HTTPConnection

from tests.interop.kit import UNKNOWN, URL, Json, Kit, asked, running
from tests.unit.agents_kit.harness import V10

CARD = "/.well-known/agent-card.json"


async def _card(kit: Kit) -> Json:
    return (await kit.http.get(CARD)).json()


@pytest.mark.requirement("CARD-DISC-001", "CARD-CACHE-001", "CARD-CACHE-002")
async def test_the_card_is_where_clients_look_and_may_be_kept(system: str) -> None:
    async with running(system) as kit:
        response = await kit.http.get(CARD)
        again = await kit.http.get(CARD, headers={"If-None-Match": response.headers["etag"]})
    assert (response.status_code, again.status_code) == (200, 304)
    assert response.headers["content-type"] == "application/json"
    assert "max-age=" in response.headers["cache-control"]


@pytest.mark.requirement("CARD-CACHE-003")
async def test_the_card_of_an_agent_says_when_it_changed() -> None:
    async with running() as kit:
        assert (await kit.http.get(CARD)).headers["last-modified"].endswith("GMT")


@pytest.mark.requirement("CARD-STRUCT-001")
async def test_the_card_has_what_a_card_must_have(system: str) -> None:
    texts, lists = ("name", "description", "version"), ("skills", "supportedInterfaces", "defaultInputModes")
    async with running(system) as kit:
        card = await _card(kit)
    assert all(isinstance(card[field], str) and card[field] for field in texts)
    assert all(isinstance(card[field], list) and card[field] for field in (*lists, "defaultOutputModes"))
    assert isinstance(card["capabilities"], dict)
    for skill in card["skills"]:
        assert {"id", "name", "description", "tags"} <= skill.keys()


@pytest.mark.requirement("CARD-PROTO-001", "CARD-PROTO-002", "BIND-FIELD-001")
async def test_every_interface_on_the_card_answers_in_its_version(system: str) -> None:
    old = {"kind": "message", "messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "Hello"}]}
    ways: dict[str, tuple[str, Json, dict[str, str]]] = {
        "1.0": ("SendMessage", asked("tck-complete-task"), V10),
        "0.3": ("message/send", old, {}),
    }
    async with running(system) as kit:
        interfaces = (await _card(kit))["supportedInterfaces"]
        for interface in interfaces:
            method, message, headers = ways[interface["protocolVersion"]]
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"message": message}}
            answer = await kit.http.post(interface["url"].removeprefix(URL), json=body, headers=headers)
            assert "result" in answer.json()
    assert [interface["protocolVersion"] for interface in interfaces] == ["1.0", "0.3"]
    assert {interface["protocolBinding"] for interface in interfaces} == {"JSONRPC"}


@pytest.mark.requirement("CORE-CAP-004")
async def test_no_extension_of_ours_is_required(system: str) -> None:
    async with running(system) as kit:
        extensions = (await _card(kit))["capabilities"]["extensions"]
        answer = await kit.task("tck-complete-task")
    assert extensions
    assert [extension["uri"] for extension in extensions if extension.get("required")] == []
    assert answer["status"]["state"] == "TASK_STATE_COMPLETED"


@pytest.mark.requirement("AUTH-INTASK-001", "AUTH-INTASK-002", "AUTH-INTASK-003", "AUTH-INTASK-006")
async def test_a_task_that_waits_for_a_sign_in_says_so_and_takes_messages() -> None:
    async with running() as kit:
        waiting = await kit.task("tck-auth-required")
        told = await kit.get(waiting)
        ids = {"taskId": waiting["id"], "contextId": waiting["contextId"]}
        still = await kit.task("tck-auth-required", "What for?", **ids)
        done = await kit.task("tck-complete-task", "I have signed in", **ids)
    for task in (waiting, told, still):
        assert (task["id"], task["status"]["state"]) == (waiting["id"], "TASK_STATE_AUTH_REQUIRED")
        assert task["status"]["message"]["parts"][0]["text"]
    assert (done["id"], done["status"]["state"]) == (waiting["id"], "TASK_STATE_COMPLETED")


class _ByHeader(AuthenticationBackend):
    """Stands for whatever lets users in."""

    async def authenticate(self, conn: HTTPConnection) -> tuple[AuthCredentials, SimpleUser]:
        return AuthCredentials(), SimpleUser(conn.headers["x-user"])


def _guarded(app: Any) -> Any:
    return AuthenticationMiddleware(app, backend=_ByHeader())


def _as(user: str) -> dict[str, str]:
    return {**V10, "X-User": user}


@pytest.mark.requirement("CORE-LIST-001")
async def test_a_list_holds_the_tasks_of_the_caller_alone() -> None:
    async with running(wrap=_guarded) as kit:
        made = {user: await _made(kit, user) for user in ("alice", "bob")}
        for user, task in made.items():
            listed = (await kit.result("ListTasks", {"contextId": "shared"}, _as(user)))["tasks"]
            assert [found["id"] for found in listed] == [task["id"]]
            everything = (await kit.result("ListTasks", {}, _as(user)))["tasks"]
            assert [found["id"] for found in everything] == [task["id"]]


@pytest.mark.requirement("AUTH-SCOPE-002", "AUTH-SCOPE-003")
@pytest.mark.parametrize("method", ["GetTask", "CancelTask", "SubscribeToTask", "SendMessage"])
async def test_the_task_of_somebody_else_looks_like_one_that_does_not_exist(method: str) -> None:
    async with running(wrap=_guarded) as kit:
        task = await _made(kit, "alice")
        theirs = await kit.error(method, _about(method, task["id"]), _as("bob"))
        none = await kit.error(method, _about(method, UNKNOWN), _as("bob"))
        still = await kit.result("GetTask", {"id": task["id"]}, _as("alice"))
    assert _without_ids(theirs, task["id"]) == _without_ids(none, UNKNOWN)
    assert theirs["code"] == -32001
    assert still["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"


async def _made(kit: Kit, user: str) -> Json:
    message = asked("tck-input-required", contextId="shared")
    return (await kit.result("SendMessage", {"message": message}, _as(user)))["task"]


def _about(method: str, task_id: str) -> Json:
    if method == "SendMessage":
        return {"message": asked("tck-complete-task", taskId=task_id)}
    return {"id": task_id}


def _without_ids(error: Json, task_id: str) -> str:
    return repr(error).replace(task_id, "ID")
