"""The supervisor as an A2A agent: tasks over runs, in both versions of the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from chat_models import ScriptedChatModel, Turn, script
from contracts.extensions import ACTIVITY, CARDS, CONTEXT, IDEMPOTENCY, NESTING
from supervisor.dispatch.port import UserContext
from tests.fakes.a2a_caller import A2ACaller, Version, results, state, text, told
from tests.fakes.a2a_stub import A2AStub, Reply, StubAgent, card
from tests.fakes.agui import run_input
from tests.fakes.house import House, open_house

DISHES = {"title": "辣味", "items": [{"id": "d1", "name": "水煮鱼", "price": "22.00"}]}
SPICY = "推荐几道辣的菜"
BOTH: tuple[Version, ...] = ("1.0", "0.3")


def one_agent() -> tuple[A2AStub, StubAgent]:
    stub = A2AStub()
    skill = {"id": "dishes", "name": "菜品", "description": "推荐菜", "tags": ["辣", "菜"], "examples": ["推荐辣的菜"]}
    return stub, stub.agent("canteen", card_types=("dish_cards",), skills=[skill])


@asynccontextmanager
async def opened(
    *replies: Reply, always: Reply | None = None, **settings: Any
) -> AsyncGenerator[tuple[House, StubAgent]]:
    stub, agent = one_agent()
    agent.replies += replies
    agent.always = always
    async with open_house(stub, agents=f"canteen={agent.url}", **settings) as house:
        yield house, agent


@pytest.mark.requirement("SB-NEST-01", "SB-NEST-13")
@pytest.mark.parametrize("version", BOTH)
async def test_a_question_is_a_task_whose_answer_is_an_artifact_with_the_card_beside_it(version: Version) -> None:
    shown = card("dish_cards", DISHES, bubble="辣味推荐", category="recommend")
    async with opened(Reply("三道辣菜", metadata=shown)) as (house, _):
        caller = A2ACaller(house, version)
        task = await caller.send(SPICY, contextId="c1")
        again = await caller.get(task["id"])
    assert (state(task), text(task), task["contextId"]) == ("completed", "三道辣菜", "c1")
    metadata = task["metadata"]
    assert (metadata["card_template_id"], metadata["bubble_text"]) == ("dish_cards", "辣味推荐")
    assert metadata["card_category"] == "recommend"
    assert metadata["card_data_model"]["items"][0]["price"] == "22.00"
    assert task["history"][0]["messageId"] == "m1"
    assert {**again, "status": None} == {**task, "status": None}
    assert ("kind" in task) == (version == "0.3")


@pytest.mark.requirement("SB-NEST-01", "SB-NEST-13")
@pytest.mark.parametrize("version", BOTH)
async def test_a_stream_begins_with_the_task_tells_the_text_in_pieces_and_ends_with_its_state(version: Version) -> None:
    async with opened(Reply("三道辣菜", metadata=card("dish_cards", DISHES))) as (house, _):
        found = await A2ACaller(house, version).stream(SPICY)
    first, last = found[0], found[-1]
    if version == "1.0":
        assert list(first) == ["task"]
        assert {next(iter(event)) for event in found[1:]} == {"statusUpdate", "artifactUpdate"}
        assert last["statusUpdate"]["metadata"]["card_template_id"] == "dish_cards"
    else:
        assert first["kind"] == "task"
        assert [event.get("final") for event in found if event["kind"] == "status-update"] == [False, True]
    assert (state(first), state(last)) == ("submitted", "completed")
    assert told(found) == "三道辣菜"
    pieces = [event.get("artifactUpdate") or event for event in found if "artifact" in str(event)[:60]]
    assert [piece["append"] for piece in pieces if "artifact" in piece] == [False, True]


@pytest.mark.requirement("SB-A2A-ACTIVITY-05")
@pytest.mark.parametrize("version", BOTH)
async def test_inner_activity_is_told_to_who_asks_for_it_and_to_nobody_else(version: Version) -> None:
    name = "A2A_Extensions" if version == "1.0" else "X_A2A_Extensions"
    async with opened(always=Reply("三道辣菜")) as (house, _):
        caller = A2ACaller(house, version)
        quiet = await caller.stream(SPICY)
        response = await caller.post("stream", {"message": caller.message(SPICY)}, **{name: f"urn:x, {ACTIVITY}"})
    bodies = [event.get("statusUpdate") or event for event in results(response)]
    activity = [body["metadata"][ACTIVITY] for body in bodies if ACTIVITY in (body.get("metadata") or {})]
    kinds = [step["type"] for step in activity]
    assert kinds == ["tool-start", "agent-start", "agent-delta", "agent-end", "tool-end"]
    assert (activity[1]["name"], activity[0]["name"]) == ("canteen", "call_domain_agent")
    assert ACTIVITY not in str(quiet)
    assert response.headers[name.replace("_", "-")] == ACTIVITY


@pytest.mark.requirement("SB-NEST-13")
@pytest.mark.parametrize("version", BOTH)
async def test_a_caller_that_does_not_wait_gets_the_task_and_looks_later_or_subscribes(version: Version) -> None:
    gate = asyncio.Event()
    async with opened(Reply(steps=["三道", gate, "辣菜"])) as (house, agent):
        caller = A2ACaller(house, version)
        now = {"returnImmediately": True} if version == "1.0" else {"blocking": False}
        result = await caller.call("send", {"message": caller.message(SPICY), "configuration": now})
        task = result["task"] if version == "1.0" else result
        await agent.received()
        assert state(await caller.get(task["id"])) == "working"
        watching = asyncio.create_task(caller.post("subscribe", {"id": task["id"]}))
        await asyncio.sleep(0)
        gate.set()
        found = results(await watching)
        done = await caller.get(task["id"])
        late = await caller.fault("subscribe", {"id": task["id"]})
    assert (state(found[0]), state(found[-1])) == ("working", "completed")
    assert (state(done), text(done)) == ("completed", "三道辣菜")
    assert late == -32004


@pytest.mark.requirement("SB-NEST-08")
@pytest.mark.parametrize("version", BOTH)
async def test_a_cancelled_task_stops_its_agent_and_stays_cancelled(version: Version) -> None:
    async with opened(Reply(steps=["三道", asyncio.Event()])) as (house, agent):
        caller = A2ACaller(house, version)
        working = asyncio.create_task(caller.stream(SPICY, contextId="c1"))
        await agent.received()
        listed = await A2ACaller(house).call("list", {"contextId": "c1"})
        task_id = listed["tasks"][0]["id"]
        cancelled = await caller.call("cancel", {"id": task_id})
        found = await working
        assert await caller.fault("cancel", {"id": task_id}) == -32002
        assert await caller.fault("cancel", {"id": "nobody's"}) == -32001
        assert state(await caller.get(task_id)) == "canceled"
    assert (state(cancelled), state(found[-1])) == ("canceled", "canceled")
    assert len(agent.cancelled) == 1


async def test_a_context_is_a_conversation_and_each_question_in_it_a_task() -> None:
    async with opened(Reply("三道辣菜"), Reply("还有豆腐")) as (house, agent):
        caller = A2ACaller(house)
        first = await caller.send(SPICY, contextId="c1")
        second = await caller.send("那便宜点的呢？", contextId="c1")
        other = await caller.send("那便宜点的呢？", contextId="c2")
        page = await caller.call("list", {"contextId": "c1"})
    assert first["id"] != second["id"]
    assert [task["id"] for task in page["tasks"]] == [second["id"], first["id"]]
    assert len({sent.message["contextId"] for sent in agent.sends}) == 1
    assert text(second) == "还有豆腐"
    assert "豆腐" not in text(other)


@pytest.mark.requirement("SB-NEST-11")
@pytest.mark.parametrize("kind", ["send", "stream"])
async def test_the_same_key_and_message_give_the_same_task_and_another_message_is_refused(kind: str) -> None:
    key = {"Idempotency_Key": "k1"}
    async with opened(always=Reply("三道辣菜")) as (house, agent):
        caller = A2ACaller(house)
        ids: set[str] = set()
        for _ in range(3):
            if kind == "send":
                ids.add((await caller.send(SPICY, headers=key, contextId="c1"))["id"])
            else:
                found = await caller.stream(SPICY, headers=key, contextId="c1")
                assert told(found) == "三道辣菜"
                ids.add(found[0]["task"]["id"])
        refused = await caller.post("send", {"message": caller.message("别的菜", contextId="c1")}, **key)
        elsewhere = await caller.post("send", {"message": caller.message(SPICY, contextId="c2")}, **key)
    assert len(ids) == len(agent.sends) == 1
    for response in (refused, elsewhere):
        assert response.status_code == 409
        assert response.json()["error"]["data"][0]["reason"] == "IDEMPOTENCY_KEY_REUSED"


@pytest.mark.requirement("SB-NEST-11")
async def test_two_requests_with_one_key_at_the_same_time_are_one_task() -> None:
    gate = asyncio.Event()
    async with opened(Reply(steps=[gate, "三道辣菜"])) as (house, agent):
        caller = A2ACaller(house)
        both = [asyncio.create_task(caller.send(SPICY, headers={"Idempotency_Key": "k"})) for _ in range(5)]
        await agent.received()
        gate.set()
        tasks = await asyncio.gather(*both)
    assert len({task["id"] for task in tasks}) == len(agent.sends) == 1
    assert {text(task) for task in tasks} == {"三道辣菜"}


@pytest.mark.requirement("SB-NEST-11", "SB-NEST-09")
async def test_keys_tasks_and_questions_survive_the_process(tmp_path: Path) -> None:
    stub, agent = one_agent()
    ask = {"type": "select", "message": "几点？", "options": ["12:00", "12:30"]}
    agent.replies += [Reply("几点？", state="input-required", data=[ask]), Reply("订好了")]
    stored = {"agents": f"canteen={agent.url}", "database": f"sqlite:{tmp_path / 'a.db'}"}
    async with open_house(stub, **stored) as house:
        asked = await A2ACaller(house).send(SPICY, headers={"Idempotency_Key": "k1"})
    async with open_house(stub, **stored) as house:
        caller = A2ACaller(house)
        same = await caller.send(SPICY, headers={"Idempotency_Key": "k1"})
        assert (state(same), same["id"], same["contextId"]) == ("input-required", asked["id"], asked["contextId"])
        key = {"Idempotency_Key": "k2"}
        done = await caller.send("12:30", taskId=asked["id"], headers=key)
        again = await caller.send("12:30", taskId=asked["id"], headers=key)
        assert (await caller.post("send", {"message": caller.message("12:00", taskId=asked["id"])}, **key)).is_error
    async with open_house(stub, **stored) as house:
        later = await A2ACaller(house).get(asked["id"])
    assert state(asked) == "input-required"
    assert {text(task) for task in (done, again, later)} == {"订好了"}
    assert len(agent.sends) == 2


async def test_a_task_beside_a_busy_one_in_its_context_is_not_made_to_wait() -> None:
    ask = {"type": "input", "message": "Wann?"}
    async with opened(Reply("Wann?", state="input-required", data=[ask]), Reply("三道辣菜"), Reply("ok")) as (
        house,
        agent,
    ):
        caller = A2ACaller(house)
        waiting = await caller.send(SPICY, contextId="c1")
        beside = await caller.send(SPICY, contextId="c1")
        done = await caller.send("um zwölf", taskId=waiting["id"], contextId="c1")
        listed = await caller.call("list", {"contextId": "c1"})
    assert (state(waiting), state(beside), state(done)) == ("input-required", "completed", "completed")
    assert {task["contextId"] for task in (waiting, beside)} == {"c1"}
    assert len(listed["tasks"]) == 2
    assert agent.sends[-1].message["taskId"]


def broken() -> ScriptedChatModel:
    """For `MODEL`: the provider fails, and says a secret."""
    return ScriptedChatModel(policy=script(Turn("half a sentence", error="secret=hunter2", error_after=1)))


@pytest.mark.requirement("SB-NEST-04")
async def test_a_run_that_fails_is_a_failed_task_with_a_public_text() -> None:
    async with open_house(model="tests.interaction.test_a2a_tasks:broken") as house:
        caller = A2ACaller(house)
        task = await caller.send("hi")
        again = await caller.get(task["id"])
    for found in (task, again):
        assert state(found) == "failed"
        assert found["status"]["message"]["parts"][0]["text"]
        assert "hunter2" not in str(found)


async def test_several_cards_are_all_in_the_metadata_the_first_as_our_agents_write_it() -> None:
    stub = A2AStub()
    for name, tag, kind in (("canteen", "菜", "dish_cards"), ("transport", "校车", "shuttle_cards")):
        data = DISHES if name == "canteen" else {"title": "班车", "items": [{"name": "1", "next_departure": "10:20"}]}
        skill = {"id": name, "name": name, "description": name, "tags": [tag]}
        stub.agent(name, card_types=(kind,), skills=[skill]).always = Reply(name, metadata=card(kind, data))
    listed = ",".join(f"{name}={url}" for name, url in stub.addresses().items())
    async with open_house(stub, agents=listed) as house:
        task = await A2ACaller(house).send("推荐几道菜，校车几点")
    cards = task["metadata"][CARDS]["cards"]
    assert [found["card_template_id"] for found in cards] == ["dish_cards", "shuttle_cards"]
    assert task["metadata"]["card_template_id"] == "dish_cards"


class ByHeader:
    """For `AUTH`: the user is who the header says."""

    async def __call__(self, request: Request) -> UserContext:
        return UserContext(request.headers.get("x-user", "nobody"))


@pytest.mark.requirement("SB-NEST-12")
async def test_tasks_and_contexts_are_a_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("supervisor.app.SingleUser", ByHeader)
    ask = {"type": "input", "message": "Wann?"}
    async with opened(Reply("Wann?", state="input-required", data=[ask]), always=Reply("gut")) as (house, _):
        alice, bob = (A2ACaller(house, X_User=name) for name in ("alice", "bob"))
        hers = await alice.send(SPICY, contextId="c1", headers={"Idempotency_Key": "k"})
        his = await bob.send(SPICY, contextId="c1", headers={"Idempotency_Key": "k"})
        mine = {"id": hers["id"]}
        for what in ("get", "cancel", "subscribe"):
            assert await bob.fault(what, mine) == -32001
        assert await bob.fault("send", {"message": bob.message("x", taskId=hers["id"])}) == -32001
        assert [task["id"] for task in (await bob.call("list", {}))["tasks"]] == [his["id"]]
        assert state(await alice.get(hers["id"])) == "input-required"
    assert hers["id"] != his["id"]
    assert state(his) == "completed"


@pytest.mark.requirement("SB-NEST-12")
async def test_a2a_contexts_and_threads_of_the_page_are_apart() -> None:
    async with opened(always=Reply("三道辣菜")) as (house, _):
        await house.turn(SPICY, thread="shared")
        caller = A2ACaller(house)
        task = await caller.send(SPICY, contextId="shared")
        assert len(await house.snapshot("shared")) == 4
        assert [found["id"] for found in (await caller.call("list", {}))["tasks"]] == [task["id"]]
        refused = await house.post("/agui", run_input("hi", thread="a2a:0000000000000000:0:c1"))
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input")


@pytest.mark.requirement("SB-NEST-10")
async def test_the_card_has_the_skills_of_the_agents_both_versions_our_extensions_and_a_tag() -> None:
    async with opened() as (house, agent):
        response = await house.client.get("/.well-known/agent-card.json")
        found = response.json()
        same = await house.client.get(
            "/.well-known/agent-card.json", headers={"if-none-match": response.headers["etag"]}
        )
    (skill,) = found["skills"]
    assert (skill["id"], skill["tags"], skill["examples"]) == ("canteen/dishes", ["辣", "菜"], ["推荐辣的菜"])
    versions = [(i["protocolVersion"], i["url"]) for i in found["supportedInterfaces"]]
    assert versions == [("1.0", "http://supervisor.test/a2a"), ("0.3", "http://supervisor.test/a2a")]
    assert (found["url"], found["protocolVersion"], found["preferredTransport"]) == (versions[0][1], "0.3.0", "JSONRPC")
    declared = {ext["uri"]: ext.get("params") for ext in found["capabilities"]["extensions"]}
    assert set(declared) == {CARDS, CONTEXT, IDEMPOTENCY, ACTIVITY, NESTING}
    assert declared[CARDS]["cardTypes"] == list(agent.card["capabilities"]["extensions"][-1]["params"]["cardTypes"])
    assert (same.status_code, same.content) == (304, b"")


@pytest.mark.requirement("SB-NEST-10")
async def test_a_supervisor_without_agents_has_a_general_skill_and_the_public_address() -> None:
    async with open_house(public_url="https://campus.example/sb/") as house:
        found = (await house.client.get("/.well-known/agent-card.json")).json()
    assert [skill["id"] for skill in found["skills"]] == ["ask"]
    assert found["url"] == "https://campus.example/sb/a2a"


async def test_a_supervisor_may_be_no_agent() -> None:
    async with open_house(serve_a2a=False) as house:
        assert (await house.post("/a2a", {})).status_code in (404, 405)
        assert (await house.client.get("/.well-known/agent-card.json")).status_code == 404
