from __future__ import annotations

from typing import Any

import pytest

from supervisor.dispatch.outcome import of_reply
from supervisor.dispatch.port import Progress
from supervisor.dispatch.reply import AgentReply, NotAReply, Reading, restore_ints


def read(*results: Any, legacy: bool = False) -> AgentReply:
    reading = Reading(legacy=legacy)
    for result in results:
        reading.apply(result)
    return reading.reply()


def task(state: Any, *, text: str | None = None, artifacts: list[Any] | None = None, **more: Any) -> dict[str, Any]:
    status: dict[str, Any] = {"state": state}
    if text is not None:
        status["message"] = {"parts": [{"text": text}]}
    return {"id": "t1", "contextId": "c1", "status": status, "artifacts": artifacts or [], **more}


def artifact(*texts: str, key: str = "a1") -> dict[str, Any]:
    return {"artifactId": key, "parts": [{"text": text} for text in texts]}


def chunk(text: str, key: str = "a1", **flags: bool) -> dict[str, Any]:
    return {"artifactUpdate": {"taskId": "t1", "contextId": "c1", "artifact": artifact(text, key=key), **flags}}


HELLO = {"parts": [{"kind": "text", "text": "你好"}]}
SHAPES = [
    {"kind": "message", "messageId": "m1", "role": "agent", **HELLO},
    {"kind": "task", "id": "t1", "contextId": "c1", "status": {"state": "completed", "message": HELLO}},
    {"task": {"id": "t1", "contextId": "c1", "status": {"state": "TASK_STATE_COMPLETED", "message": HELLO}}},
    {"message": {"messageId": "m1", "role": "ROLE_AGENT", "parts": [{"text": "你好"}]}},
]


@pytest.mark.parametrize("result", SHAPES)
@pytest.mark.requirement("A2A-01")
def test_a2a_01_every_reply_shape_gives_its_text(result: dict[str, Any]) -> None:
    outcome = of_reply("canteen", read(result))
    assert (outcome.ok, outcome.status, outcome.content) == (True, "completed", "你好")


STATES = [
    ("completed", "TASK_STATE_COMPLETED", "completed", None),
    ("failed", "TASK_STATE_FAILED", "failed", "a2a_state_failed"),
    ("rejected", "TASK_STATE_REJECTED", "failed", "a2a_state_rejected"),
    ("canceled", "TASK_STATE_CANCELED", "cancelled", "a2a_state_canceled"),
    ("input-required", "TASK_STATE_INPUT_REQUIRED", "suspended", "a2a_state_input_required"),
    ("auth-required", "TASK_STATE_AUTH_REQUIRED", "suspended", "a2a_state_auth_required"),
    ("unheard-of", "TASK_STATE_FOO", "failed", "a2a_state_unknown"),
    ("unknown", "TASK_STATE_UNSPECIFIED", "failed", "a2a_state_unknown"),
    ("error", "TASK_STATE_ERROR", "failed", "a2a_state_unknown"),
]


@pytest.mark.parametrize(("old", "new", "status", "error"), STATES)
@pytest.mark.requirement("A2A-02")
def test_a2a_02_both_spellings_of_a_state_give_one_outcome(old: str, new: str, status: str, error: str | None) -> None:
    for spelling in (old, new):
        outcome = of_reply("canteen", read(task(spelling, text="说明")))
        assert (outcome.ok, outcome.status, outcome.error) == (status == "completed", status, error)
        assert outcome.content == "说明"


@pytest.mark.parametrize("state", [None, 3, {}, ["completed"]])
def test_a_state_of_the_wrong_type_is_unknown(state: Any) -> None:
    assert read(task(state, text="x")).state == "unknown"


def test_the_state_error_is_a_failure_of_legacy_agents_only() -> None:
    reply = read({"task": task("error", text="上游超时")}, legacy=True)
    assert (reply.state, reply.error, reply.text) == ("error", "a2a_state_error", "上游超时")


@pytest.mark.requirement("A2A-ISSUE-05")
def test_artifacts_win_over_the_status_message_of_a_completed_task() -> None:
    assert read(task("completed", text="done", artifacts=[artifact("答案")])).text == "答案"


def test_the_status_message_is_the_answer_when_there_is_no_artifact_text() -> None:
    only_data = {"artifactId": "a1", "parts": [{"data": {"n": 1}}]}
    reply = read(task("completed", text="见数据", artifacts=[only_data]))
    assert (reply.text, reply.data) == ("见数据", ({"n": 1},))


@pytest.mark.requirement("A2A-ISSUE-05")
def test_an_interrupted_task_asks_with_its_status_message_first() -> None:
    assert read(task("input-required", text="哪天？", artifacts=[artifact("草稿")])).text == "哪天？"


def test_a_failed_task_explains_itself_with_its_status_message_first() -> None:
    assert read(task("failed", text="系统维护", artifacts=[artifact("半个答案")])).text == "系统维护"


@pytest.mark.requirement("A2A-ISSUE-06")
def test_history_and_progress_never_become_the_answer() -> None:
    old = {"role": "agent", "parts": [{"text": "正在查菜单…"}]}
    working = {"statusUpdate": {"taskId": "t1", "status": {"state": "TASK_STATE_WORKING", "message": old}}}
    done = {"statusUpdate": {"taskId": "t1", "status": {"state": "TASK_STATE_COMPLETED"}}}
    reply = read(task("working", history=[old]), working, done)
    assert (reply.state, reply.text) == ("completed", "")
    assert of_reply("canteen", reply).error == "bad_response"


@pytest.mark.requirement("A2A-ISSUE-06")
def test_chunks_of_one_artifact_are_one_text_and_artifacts_are_paragraphs() -> None:
    events = [chunk("今天", append=False), chunk("有辣菜", append=True, lastChunk=True), chunk("还有汤", key="a2")]
    assert read(*events, task("completed")).text == "今天有辣菜\n\n还有汤"


@pytest.mark.requirement("A2A-ISSUE-06")
def test_a_chunk_that_does_not_append_replaces_the_artifact() -> None:
    assert read(chunk("旧", append=False), chunk("新", append=False), task("completed")).text == "新"


def test_a_snapshot_of_the_task_replaces_what_was_streamed() -> None:
    assert read(chunk("部分"), task("completed", artifacts=[artifact("部分", "完整")])).text == "部分完整"
    assert read(chunk("草稿", key="draft"), task("completed", artifacts=[artifact("答案")])).text == "答案"


def test_a_snapshot_without_artifacts_keeps_what_was_streamed() -> None:
    assert read(chunk("答案"), task("completed")).text == "答案"


def test_chunks_and_working_states_are_progress() -> None:
    reading = Reading()
    said = [
        *reading.apply({"task": task("submitted")}),
        *reading.apply(
            {"kind": "status-update", "taskId": "t1", "status": task("working", text="正在查菜单…")["status"]}
        ),
        *reading.apply(chunk("三", append=False)),
        *reading.apply(chunk("道", append=True)),
        *reading.apply(chunk("汤", key="a2")),
        *reading.apply({"kind": "status-update", "taskId": "t1", "status": task("completed", text="好")["status"]}),
    ]
    assert said == [
        Progress("status", "正在查菜单…"),
        Progress("text", "三"),
        Progress("text", "道"),
        Progress("text", "\n\n汤"),
    ]


def test_ids_come_from_whatever_event_has_them() -> None:
    reply = read(chunk("x"))
    assert (reply.task_id, reply.context_id) == ("t1", "c1")
    assert read({"message": {"parts": [], "taskId": "t9", "contextId": "c9"}}).task_id == "t9"


def test_integral_floats_become_ints_and_nothing_else_changes() -> None:
    value = {"a": 1.0, "b": [2.5, 3.0, {"c": -4.0}], "d": "5.0", "e": True, "f": 2.0**53, "g": 1e300}
    assert restore_ints(value) == {"a": 1, "b": [2.5, 3, {"c": -4}], "d": "5.0", "e": True, "f": 2**53, "g": 1e300}
    restored = restore_ints({"a": 1.0, "g": 1e300})
    assert (type(restored["a"]), type(restored["g"])) == (int, float)


def test_card_data_and_data_parts_have_their_ints_back() -> None:
    parts = [{"data": {"seats": 12.0}}]
    metadata = {"card_template_id": "canteen_cards", "card_data_model": {"items": [{"distance_m": 250.0}]}}
    reply = read(task("completed", artifacts=[{"artifactId": "a", "parts": parts}], metadata=metadata))
    outcome = of_reply("canteen", reply)
    assert isinstance(outcome.card_data["items"][0]["distance_m"], int)
    assert isinstance(outcome.data["seats"], int)


def test_nesting_beyond_reason_is_not_a_reply() -> None:
    value: Any = {}
    for _ in range(5000):
        value = {"x": value}
    with pytest.raises(NotAReply):
        restore_ints(value)


@pytest.mark.parametrize("where", ["task", "status", "message", "artifact"])
def test_a_card_is_found_wherever_the_agent_puts_its_metadata(where: str) -> None:
    meta = {
        "card_template_id": "dish_cards",
        "card_data_model": {"items": []},
        "card_category": "recommend",
        "bubble_text": "三道菜",
        "trace_id": "abc",
    }
    body = task("completed", text="好", artifacts=[artifact("好")])
    match where:
        case "task":
            body["metadata"] = meta
        case "status":
            body["status"]["message"]["metadata"] = meta
        case "artifact":
            body["artifacts"][0]["metadata"] = meta
        case _:
            body = {"message": {"parts": [{"text": "好"}], "metadata": meta}}
    outcome = of_reply("canteen", read(body))
    assert (outcome.card_type, outcome.card_data) == ("dish_cards", {"items": []})
    assert (outcome.card_category, outcome.bubble_text, outcome.trace_id) == ("recommend", "三道菜", "abc")


def test_two_cards_are_never_mixed() -> None:
    body = task("completed", text="好", metadata={"card_template_id": "old", "card_data_model": {"old": True}})
    body["status"]["message"]["metadata"] = {"card_template_id": "new"}
    outcome = of_reply("canteen", read(body))
    assert (outcome.card_type, outcome.card_data) == ("new", None)


def test_metadata_of_the_terminal_status_update_counts() -> None:
    done = {"kind": "status-update", "taskId": "t1", "status": {"state": "completed"}, "final": True}
    reply = read(task("working"), {**done, "metadata": {"card_template_id": "dish_cards", "card_data": {"items": []}}})
    outcome = of_reply("canteen", reply)
    assert (outcome.ok, outcome.card_type, outcome.card_data) == (True, "dish_cards", {"items": []})


def test_a_card_without_text_speaks_with_its_bubble() -> None:
    reply = read(task("completed", metadata={"card_template_id": "dish_cards", "bubble_text": "三道菜"}))
    outcome = of_reply("canteen", reply)
    assert (outcome.ok, outcome.content) == (True, "三道菜")


@pytest.mark.parametrize("text", [None, "", " \n"])
def test_completing_with_no_content_at_all_is_a_bad_response(text: str | None) -> None:
    outcome = of_reply("canteen", read(task("completed", text=text)))
    assert (outcome.ok, outcome.status, outcome.error) == (False, "failed", "bad_response")


def test_card_metadata_of_the_wrong_type_is_left_out() -> None:
    reply = read(task("completed", text="好", metadata={"card_template_id": 7, "bubble_text": ["x"], "trace_id": {}}))
    outcome = of_reply("canteen", reply)
    assert (outcome.ok, outcome.card_type, outcome.bubble_text, outcome.trace_id) == (True, None, None, None)


def test_files_are_links_and_bytes_are_left_out() -> None:
    parts = [
        {"url": "https://x.test/menu.pdf", "mediaType": "application/pdf", "filename": "menu.pdf"},
        {"kind": "file", "file": {"uri": "https://x.test/a.png", "mimeType": "image/png", "name": "a.png"}},
        {"raw": "AAAA", "mediaType": "image/png"},
    ]
    assert read(task("completed", artifacts=[{"artifactId": "a", "parts": parts}])).data == (
        {"url": "https://x.test/menu.pdf", "mediaType": "application/pdf", "filename": "menu.pdf"},
        {"url": "https://x.test/a.png", "mediaType": "image/png", "filename": "a.png"},
    )


@pytest.mark.parametrize("result", [None, [], "text", 1, {}, {"task": None}, {"kind": "nonsense"}, {"id": "t1"}])
def test_a_result_without_a_known_shape_is_not_a_reply(result: Any) -> None:
    with pytest.raises(NotAReply):
        Reading().apply(result)


@pytest.mark.parametrize(
    "result",
    [
        {"task": {"id": 1, "contextId": [], "status": {"state": "completed", "message": "x"}, "artifacts": "no"}},
        {"task": {"id": "t", "status": {"state": "completed", "message": {"parts": [None, 1, {"text": 2}]}}}},
        {"message": {"parts": "x", "metadata": 4}},
        {"artifactUpdate": {"artifact": [], "append": "yes"}},
    ],
)
def test_wrong_types_anywhere_are_read_as_missing(result: Any) -> None:
    assert read(result).text == ""
