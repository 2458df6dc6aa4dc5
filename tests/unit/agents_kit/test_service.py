from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from agents.kit.settings import AgentSettings
from chat_models import ScriptedChatModel, Turn, script
from tests.unit.agents_kit.harness import SPEC, V10, message, running, text_of

CARD_KEYS = {"card_template_id", "card_data_model", "card_category", "bubble_text"}
TRACE = {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}


async def test_the_card_declares_both_versions_at_one_address_and_our_extensions() -> None:
    settings = AgentSettings(public_base_url="https://words.example/")
    async with running(settings=settings) as rpc:
        card = (await rpc.http.get("/.well-known/agent-card.json")).json()
    interfaces = card["supportedInterfaces"]
    assert [i["protocolVersion"] for i in interfaces] == ["1.0", "0.3"]
    assert {i["url"] for i in interfaces} == {"https://words.example/a2a"}
    assert card["capabilities"]["streaming"] is True
    extensions = {e["uri"]: e.get("params") for e in card["capabilities"]["extensions"]}
    base = "https://switchboard.example/a2a/ext/"
    assert extensions[base + "cards/v1"] == {"cardTypes": ["message-card"], "catalogueVersion": "1"}
    assert {base + "context/v1", base + "idempotency/v1"} <= set(extensions)
    assert card["skills"][0]["tags"] == ["word", "字"]


async def test_an_unchanged_card_is_not_sent_again() -> None:
    async with running() as rpc:
        first = await rpc.http.get("/.well-known/agent-card.json")
        again = await rpc.http.get("/.well-known/agent-card.json", headers={"If-None-Match": first.headers["etag"]})
    assert first.headers["cache-control"] == "public, max-age=60"
    assert first.headers["last-modified"] == again.headers["last-modified"]
    assert again.status_code == 304


async def test_health_says_ok() -> None:
    async with running() as rpc:
        response = await rpc.http.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.parametrize("path", ["/a2a", "/a2a/"])
async def test_version_1_0_answers_with_text_and_card_on_the_wire(path: str) -> None:
    async with running() as rpc:
        reply = await rpc.post("SendMessage", {"message": message("tofu")}, path=path, headers={**V10, **TRACE})
    task = reply["result"]["task"]
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"
    assert text_of(task).startswith("tofu has 4 letters")
    assert set(task["metadata"]) == CARD_KEYS | {"trace_id"}
    assert task["metadata"]["card_template_id"] == "message-card"
    assert task["metadata"]["card_data_model"]["items"] == [{"label": "n", "value": "1"}]
    assert task["metadata"]["trace_id"] == "a" * 32
    assert task["status"]["message"]["metadata"] == task["metadata"]


async def test_version_0_3_answers_with_text_and_card_on_the_wire() -> None:
    asked = {"kind": "message", "messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "tofu"}]}
    async with running() as rpc:
        reply = await rpc.post("message/send", {"message": asked}, headers={})
    task = reply["result"]
    assert (task["kind"], task["status"]["state"]) == ("task", "completed")
    assert text_of(task).startswith("tofu has 4 letters")
    assert set(task["metadata"]) == CARD_KEYS
    assert task["status"]["message"]["metadata"] == task["metadata"]


async def test_the_legacy_envelope_is_understood() -> None:
    asked = {
        "role": "user",
        "parts": [{"text": "tofu"}],
        "message_id": "m-1",
        "context_id": "thread-abc",
        "metadata": {
            "user_context": json.dumps({"userId": "u1", "name": "Alice"}),
            "currentLocation": {"lat": 22.5, "lng": 113.9},
            "locationPermission": "granted",
            "session_id": "thread-abc",
        },
    }
    async with running() as rpc:
        reply = await rpc.post("message/send", {"message": asked}, headers={"traceparent": "..."})
    task = reply["result"]
    assert task["contextId"] == "thread-abc"
    assert "by Alice at (22.5, 113.9)" in text_of(task)
    assert task["metadata"]["card_template_id"] == "message-card"


def joined(events: list[dict[str, Any]]) -> str:
    return "".join(part["text"] for event in events for part in event["artifact"]["parts"])


async def test_a_1_0_stream_gives_the_task_then_statuses_then_text_in_pieces_then_the_card() -> None:
    async with running() as rpc:
        events = await rpc.stream("SendStreamingMessage", {"message": message("tofu")})
    assert events[0]["task"]["status"]["state"] == "TASK_STATE_SUBMITTED"
    statuses = [event["statusUpdate"] for event in events if "statusUpdate" in event]
    texts = [status["status"]["message"]["parts"][0]["text"] for status in statuses if "message" in status["status"]]
    assert texts[0] == "looking up tofu"
    pieces = [event["artifactUpdate"] for event in events if "artifactUpdate" in event]
    assert len(pieces) > 2
    assert [piece.get("append", False) for piece in pieces] == [False] + [True] * (len(pieces) - 1)
    assert [piece.get("lastChunk", False) for piece in pieces] == [False] * (len(pieces) - 1) + [True]
    last = events[-1]["statusUpdate"]
    assert last["status"]["state"] == "TASK_STATE_COMPLETED"
    assert last["metadata"]["card_template_id"] == "message-card"
    assert last["status"]["message"]["metadata"] == last["metadata"]
    assert joined(pieces) == last["status"]["message"]["parts"][0]["text"]


async def test_a_0_3_stream_ends_with_a_final_status_that_holds_the_card() -> None:
    asked = {"kind": "message", "messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "汤"}]}
    async with running() as rpc:
        events = await rpc.stream("message/stream", {"message": asked}, headers={})
    assert events[0]["kind"] == "task"
    assert "正在查汤" in json.dumps(events, ensure_ascii=False)
    assert joined([event for event in events if event["kind"] == "artifact-update"]).startswith("汤 has 1")
    assert events[-1]["final"] is True
    assert events[-1]["metadata"]["card_template_id"] == "message-card"


async def test_a_follow_up_in_the_same_context_knows_the_questions_before() -> None:
    async with running() as rpc:
        await rpc.send("tofu", contextId="c1")
        assert "asked before: tofu;" in text_of(await rpc.send("汤", contextId="c1"))
        assert "asked before: ;" in text_of(await rpc.send("汤", contextId="c2"))


async def test_a_task_can_be_read_again_with_its_card() -> None:
    async with running() as rpc:
        task = await rpc.send("tofu")
        reply = await rpc.post("GetTask", {"id": task["id"]})
    assert reply["result"]["metadata"] == task["metadata"]


async def test_a_crash_in_the_graph_gives_a_safe_text_in_the_language_of_the_question(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken = ScriptedChatModel(policy=script(Turn("x", error="503 key=sk-secret host 10.0.0.3")))
    async with running(model=broken) as rpc:
        english, chinese = await rpc.send("tofu"), await rpc.send("豆腐")
    assert english["status"]["state"] == chinese["status"]["state"] == "TASK_STATE_FAILED"
    assert english["status"]["message"]["parts"][0]["text"].startswith("Sorry")
    assert chinese["status"]["message"]["parts"][0]["text"].startswith("抱歉")
    assert "sk-secret" not in json.dumps([english, chinese]) + caplog.text


async def test_a_failed_turn_is_not_remembered() -> None:
    turns = {"boom": Turn("x", error="503")}
    policy = lambda messages, _: turns.get(messages[-1].text, Turn(f"{len(messages)} messages"))  # noqa: E731
    async with running(model=ScriptedChatModel(policy=policy)) as rpc:
        await rpc.send("boom", contextId="c")
        # The system prompt and this question.
        assert text_of(await rpc.send("again", contextId="c")) == "2 messages"


async def test_a_crash_in_a_tool_reaches_the_model_without_its_text() -> None:
    async with running() as rpc:
        task = await rpc.send("crash")
    assert text_of(task).startswith("failed: Error executing tool look")
    assert "hunter2" not in json.dumps(task)
    assert "metadata" not in task or "card_template_id" not in task["metadata"]


async def test_a_model_that_says_nothing_fails_the_task() -> None:
    async with running(model=ScriptedChatModel(policy=script(""))) as rpc:
        task = await rpc.send("tofu")
    assert task["status"]["state"] == "TASK_STATE_FAILED"


@pytest.mark.parametrize("text", ["   ", "x" * 20_000])
async def test_a_question_that_cannot_be_read_is_rejected_in_words(text: str) -> None:
    async with running() as rpc:
        task = await rpc.send(text)
    assert task["status"]["state"] == "TASK_STATE_REJECTED"
    assert task["status"]["message"]["parts"][0]["text"]


async def test_a_slow_turn_fails_at_its_deadline() -> None:
    slow = ScriptedChatModel(policy=script("never"), delay_ms=60_000)
    async with running(model=slow, settings=AgentSettings(turn_seconds=0.01)) as rpc:
        task = await rpc.send("tofu")
    assert task["status"]["state"] == "TASK_STATE_FAILED"
    assert "too long" in task["status"]["message"]["parts"][0]["text"]


async def test_a_running_task_can_be_cancelled() -> None:
    slow = ScriptedChatModel(policy=script("never"), delay_ms=60_000)
    async with running(model=slow) as rpc:
        params = {"message": message("tofu"), "configuration": {"returnImmediately": True}}
        task = (await rpc.post("SendMessage", params))["result"]["task"]
        reply = await rpc.post("CancelTask", {"id": task["id"]})
    assert reply["result"]["status"]["state"] == "TASK_STATE_CANCELED"


async def test_a_body_over_the_limit_is_refused_before_it_is_parsed() -> None:
    async with running(settings=AgentSettings(max_body_bytes=1000)) as rpc:
        declared = await rpc.http.post("/a2a", content=b"x" * 1001)

        async def pieces() -> Any:
            for _ in range(3):
                yield b"x" * 400

        streamed = await rpc.http.post("/a2a", content=pieces())
        small = await rpc.post("SendMessage", {"message": message("tofu")})
    for response in (declared, streamed):
        assert response.status_code == 413
        assert response.json()["error"]["code"] == -32600
    assert "result" in small


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{not json", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"Nope","params":{}}', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"role":"user"}}}', -32602),
    ],
)
async def test_malformed_requests_get_a_json_rpc_error(body: bytes, code: int) -> None:
    async with running() as rpc:
        response = await rpc.http.post("/a2a", content=body, headers={"Content-Type": "application/json", **V10})
    assert response.json()["error"]["code"] == code


async def test_making_the_tools_leaves_the_root_logger_alone() -> None:
    root = logging.getLogger()
    before = (list(root.handlers), root.level)
    async with running():
        assert (list(root.handlers), root.level) == before


async def test_tasks_outlive_the_process_when_a_database_is_set(tmp_path: Any) -> None:
    settings = AgentSettings(database=f"sqlite:{tmp_path / 'tasks.db'}")
    async with running(settings=settings) as rpc:
        task = await rpc.send("tofu")
    async with running(settings=settings) as rpc:
        reply = await rpc.post("GetTask", {"id": task["id"]})
    assert reply["result"]["metadata"] == task["metadata"]


async def test_a_task_that_a_dead_process_left_running_is_failed_at_the_next_start(tmp_path: Any) -> None:
    settings = AgentSettings(database=f"sqlite:{tmp_path / 'tasks.db'}")
    slow = ScriptedChatModel(policy=script("never"), delay_ms=60_000)
    async with running(model=slow, settings=settings) as rpc:
        params = {"message": message("tofu"), "configuration": {"returnImmediately": True}}
        left = (await rpc.post("SendMessage", params))["result"]["task"]
        finished = await rpc.send(" ")
    async with running(settings=settings) as rpc:
        orphan = (await rpc.post("GetTask", {"id": left["id"]}))["result"]
        other = (await rpc.post("GetTask", {"id": finished["id"]}))["result"]
    assert orphan["status"]["state"] == "TASK_STATE_FAILED"
    assert "restarted" in orphan["status"]["message"]["parts"][0]["text"]
    assert other["status"]["state"] == "TASK_STATE_REJECTED"


@pytest.mark.requirement("SB-KIT-31")
async def test_a_follow_up_after_a_restart_knows_the_questions_before_when_a_database_is_set(tmp_path: Any) -> None:
    settings = AgentSettings(database=f"sqlite:{tmp_path / 'tasks.db'}")
    async with running(settings=settings) as rpc:
        await rpc.send("tofu", contextId="c1")
    async with running(settings=settings) as rpc:
        assert "asked before: tofu;" in text_of(await rpc.send("汤", contextId="c1"))


async def test_the_data_is_a_file_when_a_directory_is_set(tmp_path: Any) -> None:
    async with running(settings=AgentSettings(data_dir=tmp_path)) as rpc:
        assert (tmp_path / f"{SPEC.name}.db").exists()
        assert text_of(await rpc.send("tofu")).startswith("tofu has 4")


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x", ""])
async def test_a_body_that_says_it_is_no_json_is_refused_with_what_to_send(kind: str) -> None:
    async with running() as rpc:
        response = await rpc.http.post("/a2a", content=b"{}", headers={"Content-Type": kind, **V10})
        others = [
            await rpc.http.post("/a2a", content=b"{}", headers={**V10, **good})
            for good in (
                {},
                {"Content-Type": "Application/JSON; charset=utf-8"},
                {"Content-Type": "application/a2a+json"},
            )
        ]
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (415, -32005)
    assert error["data"][0]["reason"] == "CONTENT_TYPE_NOT_SUPPORTED"
    assert "application/json" in error["message"]
    assert [other.json()["error"]["code"] for other in others] == [-32600] * 3


async def test_a_part_of_a_media_type_that_the_card_does_not_name_is_refused() -> None:
    picture = [{"text": "tofu"}, {"raw": "dGNr", "mediaType": "image/png"}]
    plain = [{"text": "tofu", "mediaType": "text/plain"}]
    async with running() as rpc:
        refused = await rpc.post("SendMessage", {"message": message("", parts=picture)})
        old = {"kind": "file", "file": {"bytes": "dGNr", "mimeType": "image/png"}}
        asked = {"kind": "message", "messageId": "m", "role": "user", "parts": [old]}
        refused_old = await rpc.post("message/send", {"message": asked}, headers={})
        answered = await rpc.send("", parts=plain)
    assert refused["error"]["code"] == refused_old["error"]["code"] == -32005
    assert "image/png" in refused["error"]["message"]
    assert answered["status"]["state"] == "TASK_STATE_COMPLETED"
