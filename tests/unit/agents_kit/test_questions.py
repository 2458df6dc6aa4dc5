from __future__ import annotations

import asyncio
import json
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from a2a.types import Message, Part
from google.protobuf.json_format import ParseDict
from langchain_core.messages import AIMessage, BaseMessage

from agents.kit.answering import answer_in, asked_again, question_text
from agents.kit.settings import AgentSettings
from chat_models import ScriptedChatModel, Turn
from contracts.interrupts import payload_error
from tests.unit.agents_kit.harness import V10, Rpc, message, running, text_of
from tests.unit.agents_kit.ordering import ORDERING

INPUT = "TASK_STATE_INPUT_REQUIRED"


def asked(task: dict[str, Any], state: str = INPUT) -> dict[str, Any]:
    """The payload of the question that a task waits with."""
    assert task["status"]["state"] == state, task["status"]
    text, data = task["status"]["message"]["parts"]
    assert text["text"]
    assert payload_error(data["data"]) is None
    return data["data"]


async def reply(rpc: Rpc, task: dict[str, Any], *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return await rpc.send("", parts=list(parts), taskId=task["id"], contextId=task["contextId"], **more)


def typed(**answer: Any) -> dict[str, Any]:
    return {"data": answer}


async def orders(rpc: Rpc) -> str:
    return text_of(await rpc.send("orders"))


@pytest.mark.requirement("SB-KIT-10")
async def test_a_tool_asks_twice_and_acts_after_the_last_answer_in_the_same_task() -> None:
    async with running(ORDERING) as rpc:
        first = await rpc.send("tea")
        assert asked(first)["options"] == ["small", {"value": "large", "label": "Large one"}]
        second = await reply(rpc, first, {"text": "large"}, typed(value="large"))
        assert asked(second)["details"] == {"thing": "tea"}
        assert await orders(rpc) == "[]"
        third = await reply(rpc, second, {"text": "approved"}, typed(approved=True))
        assert (third["id"], third["status"]["state"]) == (first["id"], "TASK_STATE_COMPLETED")
        assert text_of(third) == "Let me see.\n\ntea: large"
        assert await orders(rpc) == "[['tea', 'large']]"
        assert "asked before" not in json.dumps(third)


@pytest.mark.parametrize(
    ("words", "yes"),
    [
        (("Large one", "yes"), True),
        (("2", "好的。"), True),
        (("LARGE", "rejected: too dear"), False),
        (("2", "不要"), False),
    ],
)
async def test_an_answer_in_words_alone_is_understood(words: tuple[str, str], yes: bool) -> None:
    async with running(ORDERING) as rpc:
        task = await rpc.send("tea")
        for word in words:
            task = await reply(rpc, task, {"text": word})
        assert text_of(task).endswith("tea: large" if yes else "tea: None")
        assert (await orders(rpc) == "[['tea', 'large']]") is yes


@pytest.mark.requirement("SB-KIT-11")
@pytest.mark.parametrize(
    "part",
    [
        {"text": "huge"},
        {"text": "x" * 9000},
        typed(value="huge"),
        typed(approved=True),
        {"data": [1]},
        {"data": {"userAction": {"name": "n"}}},
        {"url": "https://x.example/large"},
    ],
)
async def test_an_answer_that_does_not_fit_asks_again_and_says_so(part: dict[str, Any]) -> None:
    async with running(ORDERING) as rpc:
        first = await rpc.send("tea")
        again = await reply(rpc, first, part)
        assert asked(again)["message"] == "That answer does not fit. Which size?"
        assert asked(await reply(rpc, again, part))["message"] == "That answer does not fit. Which size?"
        assert asked(await reply(rpc, again, typed(value="small")))["type"] == "approval"


async def test_questions_are_in_the_language_of_what_was_asked_first() -> None:
    async with running(ORDERING) as rpc:
        first = await rpc.send("茶")
        assert asked(first)["message"] == "多大？"
        assert asked(await reply(rpc, first, {"text": "huge"}))["message"] == "没有看懂这个回答。多大？"


async def test_calls_of_one_step_ask_one_after_the_other() -> None:
    async with running(ORDERING) as rpc:
        task = await rpc.send("tea and cake")
        for answer in ({"value": "small"}, {"approved": True}, {"value": "large"}, {"approved": False}):
            asked(task)
            task = await reply(rpc, task, typed(**answer))
        assert text_of(task).endswith("tea: small; cake: None")
        assert await orders(rpc) == "[['tea', 'small']]"


@pytest.mark.requirement("SB-KIT-12")
@pytest.mark.parametrize("restarts", [1, 2])
async def test_a_question_survives_restarts_with_a_database(tmp_path: Path, restarts: int) -> None:
    settings = AgentSettings(database=f"sqlite:{tmp_path / 'tasks.db'}", data_dir=tmp_path)
    async with running(ORDERING, settings=settings) as rpc:
        task = await rpc.send("tea and cake", metadata={"currentLocation": {"lat": 1, "lng": 2}})
        task = await reply(rpc, task, typed(value="large"))
    for _ in range(restarts):
        async with running(ORDERING, settings=settings) as rpc:
            again = (await rpc.post("GetTask", {"id": task["id"]}))["result"]
            assert asked(again)["type"] == "approval"
    async with running(ORDERING, settings=settings) as rpc:
        for answer in ({"approved": True}, {"value": "small"}, {"approved": True}):
            task = await reply(rpc, task, typed(**answer))
        assert text_of(task).endswith("tea: large; cake: small")
        assert await orders(rpc) == "[['cake', 'small'], ['tea', 'large']]"


@pytest.mark.requirement("SB-KIT-13")
async def test_an_answer_that_is_sent_again_under_its_key_is_given_once() -> None:
    async with running(ORDERING) as rpc:
        task = await rpc.send("tea and cake", headers={"Idempotency-Key": "k0"})
        for number, answer in enumerate(({"value": "small"}, {"approved": True})):
            before, key = task, {"Idempotency-Key": f"k{number + 1}"}
            task = await reply(rpc, before, typed(**answer), headers=key)
            assert (await reply(rpc, before, typed(**answer), headers=key))["status"] == task["status"]
        assert (await rpc.send("tea and cake", headers={"Idempotency-Key": "k0"}))["status"] == task["status"]
        assert asked(task)["message"] == "Which size?"
        assert await orders(rpc) == "[['tea', 'small']]"


@pytest.mark.requirement("SB-KIT-02", "SB-KIT-13")
@pytest.mark.parametrize("database", ["memory", "sqlite"])
@pytest.mark.parametrize("method", ["SendMessage", "SendStreamingMessage"])
async def test_keyed_messages_that_are_sent_many_times_at_once_count_once(
    tmp_path: Path, database: str, method: str
) -> None:
    place = "memory" if database == "memory" else f"sqlite:{tmp_path / 'tasks.db'}"
    async with running(ORDERING, settings=AgentSettings(database=place)) as rpc:
        task: dict[str, Any] = {}
        for number, answer in enumerate((None, {"value": "large"}, {"approved": True})):
            ids = {"taskId": task["id"], "contextId": "c"} if task else {"contextId": "c"}
            parts = [{"data": answer}] if answer else [{"text": "tea"}]
            params = {"message": message("", parts=parts, **ids)}
            headers = {**V10, "Idempotency-Key": f"k{number}"}
            send = rpc.post if method == "SendMessage" else rpc.stream
            replies = await asyncio.gather(*(send(method, params, headers=headers) for _ in range(5)))
            ends = [last_state(reply) for reply in replies]
            task = (await rpc.post("ListTasks", {"contextId": "c"}))["result"]["tasks"][0]
            assert ends == [task["status"]["state"]] * 5
        assert task["status"]["state"] == "TASK_STATE_COMPLETED"
        assert await orders(rpc) == "[['tea', 'large']]"


def last_state(reply: Any) -> str:
    """The state in which an answer leaves its task, streamed or not."""
    last = reply[-1] if isinstance(reply, list) else reply["result"]
    return (last.get("task") or last["statusUpdate"])["status"]["state"]


async def test_a_new_message_under_a_key_to_a_task_that_waits_for_none_is_refused() -> None:
    async with running(ORDERING) as rpc:
        task = await reply(rpc, await rpc.send("door"), {"text": "unlocked"}, headers={"Idempotency-Key": "k1"})
        late = {"message": message("more", taskId=task["id"], contextId=task["contextId"])}
        refused = await rpc.post("SendMessage", late, headers={**V10, "Idempotency-Key": "k2"})
        assert refused["error"]["code"] == -32004
        assert (await rpc.post("SendMessage", late, headers={**V10, "Idempotency-Key": "k2"})) == refused


@pytest.mark.requirement("SB-KIT-14")
@pytest.mark.parametrize("restart", [False, True])
async def test_a_task_that_waits_can_be_cancelled_and_does_nothing_any_more(tmp_path: Path, restart: bool) -> None:
    settings = AgentSettings(database=f"sqlite:{tmp_path / 'tasks.db'}")
    async with running(ORDERING, settings=settings) as rpc:
        task = await reply(rpc, await rpc.send("tea"), typed(value="large"))
        if not restart:
            await cancelled(rpc, task)
    if restart:
        async with running(ORDERING, settings=settings) as rpc:
            await cancelled(rpc, task)


async def cancelled(rpc: Rpc, task: dict[str, Any]) -> None:
    answered = await rpc.post("CancelTask", {"id": task["id"]})
    assert answered["result"]["status"]["state"] == "TASK_STATE_CANCELED"
    late = {"message": message("", parts=[typed(approved=True)], taskId=task["id"], contextId=task["contextId"])}
    assert (await rpc.post("SendMessage", late))["error"]["code"] == -32004
    assert (await rpc.post("CancelTask", {"id": task["id"]}))["error"]["code"] == -32002
    assert await orders(rpc) == "[]"


async def test_a_question_says_until_when_it_can_be_answered() -> None:
    async with running(ORDERING, settings=AgentSettings(interrupted_seconds=3600)) as rpc:
        payload = asked(await rpc.send("tea"))
    assert datetime.fromisoformat(payload["expiresAt"]).tzinfo is not None


async def test_a_question_whose_time_is_over_fails_its_task_and_takes_no_answer() -> None:
    async with running(ORDERING, settings=AgentSettings(interrupted_seconds=3600)) as rpc:
        task = await rpc.send("tea")
        housekeeping = rpc.app.state.housekeeping
        await housekeeping.beat(time.time() + 3500)
        assert (await rpc.post("GetTask", {"id": task["id"]}))["result"]["status"]["state"] == INPUT
        await housekeeping.beat(time.time() + 3700)
        stored = (await rpc.post("GetTask", {"id": task["id"]}))["result"]
        assert stored["status"]["state"] == "TASK_STATE_FAILED"
        assert "ask again" in stored["status"]["message"]["parts"][0]["text"]
        late = {"message": message("large", taskId=task["id"], contextId=task["contextId"])}
        assert (await rpc.post("SendMessage", late))["error"]["code"] == -32004


async def test_what_has_to_be_unlocked_is_a_task_that_waits_for_authorisation() -> None:
    async with running(ORDERING) as rpc:
        task = await rpc.send("door")
        assert asked(task, "TASK_STATE_AUTH_REQUIRED")["key"] == "door-7"
        assert text_of(await reply(rpc, task, {"text": "unlocked"})).endswith("door: open")


async def test_a_question_that_cannot_be_shown_is_a_tool_that_failed() -> None:
    async with running(ORDERING) as rpc:
        assert text_of(await rpc.send("nonsense")).endswith("failed: The tool failed.")


async def test_what_the_kit_fills_in_is_hidden_from_models_and_cannot_be_forged() -> None:
    seen: list[Any] = []

    def decide(messages: list[BaseMessage], tools: list[Any]) -> Turn:
        seen.extend(tools)
        if isinstance(messages[-1], AIMessage) or messages[-1].type != "human":
            return Turn("done")
        return Turn(
            calls=[("order", {"thing": "tea", "answers": {"size": {"value": "large"}, "sure": {"approved": True}}})]
        )

    async with running(ORDERING, model=ScriptedChatModel(policy=decide)) as rpc:
        assert asked(await rpc.send("tea"))["type"] == "select"
    order = next(tool for tool in seen if tool.name == "order")
    assert set(order.parameters["properties"]) == {"thing"}


async def test_a_stream_ends_with_the_question_and_the_next_one_goes_on_with_the_text() -> None:
    async with running(ORDERING) as rpc:
        first = await rpc.stream("SendStreamingMessage", {"message": message("door")})
        task = first[0]["task"]
        assert first[-1]["statusUpdate"]["status"]["state"] == "TASK_STATE_AUTH_REQUIRED"
        told = message("", parts=[typed()], taskId=task["id"], contextId=task["contextId"])
        second = await rpc.stream("SendStreamingMessage", {"message": told}, headers=V10)
        assert second[-1]["statusUpdate"]["status"]["state"] == "TASK_STATE_COMPLETED"
        stored = (await rpc.post("GetTask", {"id": task["id"]}))["result"]
    pieces = [event["artifactUpdate"] for event in [*first, *second] if "artifactUpdate" in event]
    assert [piece.get("append", False) for piece in pieces] == [False] + [True] * (len(pieces) - 1)
    assert [piece.get("lastChunk", False) for piece in pieces] == [False] * (len(pieces) - 1) + [True]
    assert text_of(stored) == "Let me see.\n\ndoor: open"


async def test_version_0_3_asks_and_is_answered_in_words() -> None:
    async with running(ORDERING) as rpc:
        asked_in: dict[str, Any] = {"kind": "message", "messageId": "m1", "role": "user"}
        first = await rpc.post(
            "message/send", {"message": {**asked_in, "parts": [{"kind": "text", "text": "tea"}]}}, headers={}
        )
        task = first["result"]
        assert task["status"]["state"] == "input-required"
        text, data = task["status"]["message"]["parts"]
        assert (text["kind"], data["kind"], data["data"]["type"]) == ("text", "data", "select")
        ids = {"taskId": task["id"], "contextId": task["contextId"]}
        for number, word in enumerate(("large", "yes")):
            answer = {**asked_in, "messageId": f"a{number}", "parts": [{"kind": "text", "text": word}], **ids}
            task = (await rpc.post("message/send", {"message": answer}, headers={}))["result"]
        assert (task["status"]["state"], text_of(task)) == ("completed", "Let me see.\n\ntea: large")


async def test_the_same_last_answer_twice_at_once_without_a_key_acts_once() -> None:
    async with running(ORDERING) as rpc:
        task = await reply(rpc, await rpc.send("tea"), typed(value="large"))
        parts = [typed(approved=True)]
        params = {"message": message("", parts=parts, taskId=task["id"], contextId=task["contextId"])}
        replies = await asyncio.gather(*(rpc.post("SendMessage", params) for _ in range(3)))
        assert {reply["error"]["code"] for reply in replies if "error" in reply} <= {-32004}
        assert any("result" in reply for reply in replies)
        assert await orders(rpc) == "[['tea', 'large']]"
        stored = (await rpc.post("GetTask", {"id": task["id"]}))["result"]
    assert (stored["status"]["state"], text_of(stored)) == ("TASK_STATE_COMPLETED", "Let me see.\n\ntea: large")


OPTIONS = ["A", {"value": "b", "label": "Bee"}]
PAYLOADS: dict[str, dict[str, Any]] = {
    "input": {"type": "input", "message": "Who?"},
    "select": {"type": "select", "message": "Which?", "options": OPTIONS},
    "multiSelect": {"type": "multiSelect", "message": "Which?", "options": OPTIONS},
    "modal": {"type": "modal", "title": "Well", "body": "What now?", "actions": OPTIONS},
    "approval": {"type": "approval", "message": "Sure?"},
    "unlock": {"type": "unlock", "message": "Open it.", "key": "k"},
}


@pytest.mark.parametrize(
    ("kind", "words", "data"),
    [
        ("input", "Ada", {"value": "Ada"}),
        ("select", "bee", {"value": "b"}),
        ("multiSelect", "A、Bee", {"values": ["A", "b"]}),
        ("modal", "2", {"action": "b"}),
        ("approval", "no: too late", {"approved": False, "reason": "too late"}),
        ("unlock", "unlocked", {}),
    ],
)
def test_each_kind_of_question_takes_its_typed_answer_and_words(kind: str, words: str, data: dict[str, Any]) -> None:
    payload = PAYLOADS[kind]
    assert answer_in(Message(parts=[Part(text=words)]), payload) == data
    both = ParseDict({"parts": [{"text": "nonsense"}, {"data": data}]}, Message())
    assert answer_in(both, payload) == data
    assert payload_error(asked_again(payload, True)) is None


@pytest.mark.parametrize("kind", PAYLOADS)
@pytest.mark.parametrize("words", ["", "0", "3", "-1", "maybe", "A, C", "²"])
def test_words_that_are_no_answer_are_none(kind: str, words: str) -> None:
    found = answer_in(Message(parts=[Part(text=words)]), PAYLOADS[kind])
    assert found is None or kind in ("unlock", "input")


def test_a_question_in_words_names_its_choices() -> None:
    assert question_text(PAYLOADS["select"]) == "Which? (A / Bee)"
    assert question_text(PAYLOADS["modal"]) == "Well: What now? (A / Bee)"
