"""Cases of the stream itself: tool calls, text, failures, silence, what clients may send."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk

from chat_models import Turn
from tests.cases.case import Case, arguments, call_chunk, checked, dispatch, of_type
from tests.cases.test_journal import frames_until, streaming
from tests.fakes.a2a_stub import Reply
from tests.fakes.agui import parse, run_input, text_of

requirement = pytest.mark.requirement

CANTEEN = '{"agent":"canteen","query":"辣"}'
TRANSPORT = '{"agent":"transport","query":"校车"}'


async def ask(case: Case, question: str = "x", **more: Any) -> list[dict[str, Any]]:
    """The checked events of one turn in a supervisor of its own."""
    async with case.open() as house:
        return checked(await house.post("/agui", run_input(question, **more)))


@requirement("AGS-01", "AGUI-TOOL-01")
async def test_ags_01_two_calls_streamed_one_after_the_other_keep_their_own_arguments() -> None:
    chunks = [
        call_chunk(0, "c1", ""),
        call_chunk(0, None, CANTEEN),
        call_chunk(1, "c2", ""),
        call_chunk(1, None, TRANSPORT),
    ]
    case = Case(Turn(chunks=chunks), "好的")
    found = await ask(case, "吃辣再坐校车")
    assert [e["toolCallId"] for e in of_type(found, "TOOL_CALL_START")] == ["c1", "c2"]
    assert {k: json.loads(v)["agent"] for k, v in arguments(found).items()} == {"c1": "canteen", "c2": "transport"}
    assert len(of_type(found, "TOOL_CALL_END")) == len(of_type(found, "TOOL_CALL_RESULT")) == 2
    assert (len(case.canteen.sends), len(case.transport.sends)) == (1, 1)


@requirement("SB-STREAM-01", "AGUI-TOOL-01")
@pytest.mark.parametrize(
    "chunks",
    [
        pytest.param(
            [
                call_chunk(0, "c1", CANTEEN[:9]), call_chunk(1, "c2", TRANSPORT[:9]),
                call_chunk(0, None, CANTEEN[9:]), call_chunk(1, None, TRANSPORT[9:]),
            ],
            id="interleaved",
        ),
        pytest.param([[call_chunk(0, "c1", CANTEEN), call_chunk(1, "c2", TRANSPORT)]], id="both in one chunk"),
        pytest.param([call_chunk(None, "c1", CANTEEN), call_chunk(None, "c2", TRANSPORT)], id="without an index"),
        pytest.param(
            [{"text": "我查"}, call_chunk(3, "c1", CANTEEN), call_chunk(7, "c2", TRANSPORT)], id="indexes with holes"
        ),
    ],
)  # fmt: skip
async def test_parallel_calls_never_mix_however_the_model_streams_them(chunks: list[Any]) -> None:
    case = Case(Turn(chunks=chunks), "好")
    found = await ask(case)
    assert arguments(found) == {"c1": CANTEEN, "c2": TRANSPORT}
    kinds = [e["type"] for e in found]
    last_end = len(kinds) - 1 - kinds[::-1].index("TOOL_CALL_END")
    assert last_end < kinds.index("SUBAGENT_STARTED"), "a call must be announced before its agent runs"


@requirement("AGS-03")
async def test_ags_03_name_and_arguments_in_one_chunk_give_args() -> None:
    soup = '{"agent":"canteen","query":"汤"}'
    case = Case(Turn(chunks=[call_chunk(0, "c1", soup)]), "ok")
    found = await ask(case, "汤")
    order = [e["type"] for e in found if e.get("toolCallId") == "c1"]
    assert order == ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT"]
    assert json.loads(arguments(found)["c1"]) == {"agent": "canteen", "query": "汤"}


@requirement("AGS-04", "AGUI-TEXT-01")
async def test_ags_04_text_after_a_tool_call_belongs_to_the_same_message() -> None:
    chunks = [{"text": "我来查"}, call_chunk(0, "c1", CANTEEN), {"text": "，请稍等"}]
    case = Case(Turn(chunks=chunks), "完成")
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("x")))
        before = found[: [e["type"] for e in found].index("TOOL_CALL_RESULT")]
        assert text_of(before) == "我来查，请稍等"
        said = [m.get("content") for m in await house.snapshot() if m["role"] == "assistant"]
        assert said == ["我来查，请稍等", "完成"]


@requirement("AGS-05", "AGUI-LIFECYCLE-05", "SB-ERR-01")
async def test_ags_05_a_model_that_fails_mid_sentence_ends_in_one_error_and_leaves_no_half_answer() -> None:
    broken = Turn("半截回答", error="503 key=sk-secret host 10.0.0.3", error_after=2)
    case = Case(broken, "好")
    async with case.open() as house:
        response = await house.post("/agui", run_input("hi"))
        kinds = [e["type"] for e in checked(response)]
        assert kinds[-1] == "RUN_ERROR"
        assert kinds.index("TEXT_MESSAGE_START") < kinds.index("TEXT_MESSAGE_END") < kinds.index("RUN_ERROR")
        assert "RUN_FINISHED" not in kinds
        assert b"sk-secret" not in response.content
        assert b"10.0.0.3" not in response.content
        again = checked(await house.post("/agui", run_input("again", message="u2", run="r2")))
        assert text_of(again) == "好"
        assert not [m for m in case.saw[-1] if "半截" in m.text]
        assert "半截" not in json.dumps(await house.snapshot(), ensure_ascii=False)


@requirement("SB-ERR-02")
async def test_a_model_that_fails_before_its_first_word_ends_in_one_error_and_the_next_turn_works() -> None:
    case = Case(Turn("没有", error="boom"), "好")
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("hi")))
        assert [e["type"] for e in found] == ["RUN_STARTED", "RUN_ERROR"]
        assert text_of(checked(await house.post("/agui", run_input("again", message="u2")))) == "好"


@requirement("SB-ERR-03")
async def test_a_model_that_fails_after_a_tool_answered_leaves_a_thread_that_goes_on() -> None:
    case = Case(dispatch(("canteen", "辣")), Turn("三道", error="boom", error_after=1), "好")
    case.canteen.replies.append(Reply("三道菜"))
    async with case.open() as house:
        assert checked(await house.post("/agui", run_input("hi")))[-1]["type"] == "RUN_ERROR"
        assert text_of(checked(await house.post("/agui", run_input("again", message="u2")))) == "好"
        assert len(case.canteen.sends) == 1


@requirement("AGS-10", "AGUI-LIFECYCLE-03", "AGUI-SHAPE-01")
async def test_ags_10_client_ids_are_echoed_and_empty_deltas_never_sent() -> None:
    found = await ask(Case(Turn(chunks=[{"text": ""}, {"text": "好"}, {"text": ""}])), thread="t-9", run="r-77")
    assert {(e["threadId"], e["runId"]) for e in (found[0], found[-1])} == {("t-9", "r-77")}
    assert [e["delta"] for e in of_type(found, "TEXT_MESSAGE_CONTENT")] == ["好"]


@requirement("AGS-11", "AGUI-STATE-01")
async def test_ags_11_a_snapshot_never_interrupts_a_run_and_says_the_ids_that_were_streamed() -> None:
    case = Case(dispatch(("canteen", "a"), text="查"), "完")
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("a")))
        kinds = [e["type"] for e in found]
        if "MESSAGES_SNAPSHOT" in kinds:
            last = max(i for i, kind in enumerate(kinds) if kind in ("TEXT_MESSAGE_END", "TOOL_CALL_RESULT"))
            assert kinds.index("MESSAGES_SNAPSHOT") > last
        streamed = [e["messageId"] for e in of_type(found, "TEXT_MESSAGE_START", "TOOL_CALL_RESULT")]
        assert [m["id"] for m in await house.snapshot() if m["role"] in ("assistant", "tool")] == streamed


@requirement("AGS-14", "AGUI-INPUT-01")
async def test_ags_14_foreign_roles_and_unknown_fields_are_tolerated_and_reach_nobody() -> None:
    case = Case("好")
    messages = [
        {"id": "u0", "role": "user", "content": "早"},
        {"id": "act1", "role": "activity", "activityType": "a2ui-surface", "content": {"a2ui_operations": []}},
        {"id": "r1", "role": "reasoning", "content": "想"},
        {"id": "u1", "role": "user", "content": "hi"},
    ]
    more = {
        "messages": messages,
        "state": {"messages": []},
        "user": {"id": "u1", "name": "Alice"},
        "forwardedProps": {"langgraph_config": {}, "whatever": 1},
    }
    async with case.open() as house:
        assert text_of(checked(await house.post("/agui", run_input(None, **more)))) == "好"
        assert [(m.type, m.id) for m in case.saw[0]] == [("human", "u0"), ("human", "u1")]
        assert "Alice" not in repr(case.saw)


@requirement("SB-STREAM-02")
async def test_the_last_word_that_comes_with_the_finish_reason_is_not_lost() -> None:
    end = {"response_metadata": {"finish_reason": "stop"}, "chunk_position": "last"}
    found = await ask(Case([AIMessageChunk("今"), AIMessageChunk("天。", **end)]))
    assert text_of(found) == "今天。"


V1_BLOCKS = [
    AIMessageChunk([{"type": "reasoning", "reasoning": "想一", "index": 0}]),
    AIMessageChunk([{"type": "reasoning", "reasoning": "想", "index": 0}]),
    AIMessageChunk([{"type": "text", "text": "答", "index": 1}]),
    AIMessageChunk([], chunk_position="last"),
]


@requirement("SB-STREAM-03", "AGUI-REASONING-01")
@pytest.mark.parametrize("turn", [Turn("答", reasoning="想一想"), V1_BLOCKS], ids=["reasoning_content", "v1 blocks"])
async def test_reasoning_is_streamed_apart_from_the_answer_and_never_reaches_the_model_as_text(turn: Any) -> None:
    case = Case(turn, "好")
    async with case.open() as house:
        found = checked(await house.post("/agui", run_input("x")))
        thought = "".join(e["delta"] for e in of_type(found, "REASONING_MESSAGE_CONTENT"))
        assert (thought, text_of(found)) == ("想一想", "答")
        kinds = [e["type"] for e in found]
        assert kinds.index("REASONING_END") < kinds.index("TEXT_MESSAGE_START")
        await house.post("/agui", run_input("y", message="u2"))
        assert [m.text for m in case.saw[1]] == ["x", "答", "y"]


@requirement("SB-STREAM-04")
async def test_a_tool_that_does_not_exist_and_arguments_that_do_not_fit_are_answered_and_the_run_goes_on() -> None:
    turn = Turn(calls=[("no_such_tool", {}), ("call_domain_agent", {"who": "?"})])
    found = await ask(Case(turn, "完"))
    assert len(of_type(found, "TOOL_CALL_RESULT")) == 2
    assert text_of(found) == "完"


@requirement("SB-STREAM-05")
async def test_a_call_id_that_the_model_uses_in_every_turn_stays_unique_in_the_thread() -> None:
    again = Turn(chunks=[call_chunk(0, "call_0", CANTEEN)])
    case = Case(again, "一", again, "二")
    async with case.open() as house:
        first = checked(await house.post("/agui", run_input("1")))
        second = checked(await house.post("/agui", run_input("2", message="u2")))
        ids = [e["toolCallId"] for found in (first, second) for e in of_type(found, "TOOL_CALL_START")]
        assert len(set(ids)) == 2
        assert [m["toolCallId"] for m in await house.snapshot() if m["role"] == "tool"] == ids
    assert len(case.canteen.sends) == 2


@requirement("SB-STREAM-06", "AGUI-PASS-01")
async def test_no_raw_event_no_prompt_and_no_state_leaves_the_server() -> None:
    case = Case(dispatch(("canteen", "a")), "完")
    async with case.open() as house:
        response = await house.post("/agui", run_input("a", state={"secret": "s3cr3t"}))
        found = checked(response)
        assert not of_type(found, "RAW", "STATE_SNAPSHOT", "MESSAGES_SNAPSHOT", "STEP_STARTED")
        assert not [e for e in found if "rawEvent" in e]
        assert b"s3cr3t" not in response.content
        assert b"User context" not in response.content


@requirement("SB-STREAM-07", "AGUI-USAGE-01")
async def test_usage_is_the_sum_of_this_runs_model_calls_and_never_a_made_up_zero() -> None:
    found = await ask(Case(dispatch(("canteen", "a")), "完"))
    (row,) = found[-1]["usage"]
    assert row["totalTokens"] == row["inputTokens"] + row["outputTokens"] > 0
    assert 0 not in row.values()


@requirement("SB-STREAM-08")
async def test_a_model_that_does_not_stream_gives_the_same_kinds_of_events() -> None:
    turns = [Turn("我查", calls=[("call_domain_agent", {"agent": "canteen", "query": "a"})]), Turn("完")]
    first, second = await ask(Case(*turns)), await ask(Case(*turns, streams=False))
    assert _kinds(first) == _kinds(second)
    assert text_of(first) == text_of(second) == "我查完"


def _kinds(found: list[dict[str, Any]]) -> list[str]:
    kinds = [e["type"] for e in found]
    return [kind for i, kind in enumerate(kinds) if i == 0 or kind != kinds[i - 1]]


@requirement("AGUI-VERSION-01", "AGUI-LIFECYCLE-02", "AGUI-INPUT-03")
@pytest.mark.parametrize("version", ["1.0", "1.9", "1.10", "tomorrow"])
async def test_a_client_of_any_later_version_is_served_and_told_ours(version: str) -> None:
    bare = {"threadId": "t", "runId": "r", "messages": [{"id": "u1", "role": "user", "content": "x"}]}
    async with Case("好").open() as house:
        found = checked(await house.post("/agui", {**bare, "protocolVersion": version}))
        assert (found[0]["protocolVersion"], text_of(found)) == ("1.0", "好")


@requirement("AGUI-VERSION-02")
async def test_a_client_without_a_version_is_served_in_shapes_that_its_release_knows() -> None:
    bare = {"threadId": "t", "runId": "r", "messages": [{"id": "u1", "role": "user", "content": "x"}]}
    async with Case(dispatch(("canteen", "a")), "完").open() as house:
        found = checked(await house.post("/agui", bare))
        assert found[-1]["outcome"] == {"type": "success"}
        assert all(isinstance(e["content"], str) for e in of_type(found, "TOOL_CALL_RESULT"))


@requirement("SB-STREAM-16")
async def test_a_message_that_only_calls_opens_no_empty_bubble() -> None:
    found = await ask(Case(dispatch(("canteen", "a")), "完"))
    before = found[: [e["type"] for e in found].index("TOOL_CALL_RESULT")]
    assert not of_type(before, "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END")


@requirement("SB-STREAM-17")
async def test_the_run_is_announced_before_the_model_has_said_a_word() -> None:
    case = Case("好")
    case.hold_after = 0
    async with case.open() as house:
        async with streaming(house, run_input("x")) as response:
            first = await frames_until(response, lambda received: b"\n\n" in received)
            await case.held.wait()
        assert [frame.event["type"] for frame in parse(first)] == ["RUN_STARTED"]
        await house.post("/agui/command", {"threadId": "t", "command": "cancel"})


SHOWN = [{"description": "购物车", "value": '{"菜": ["水煮鱼"]}'}]


@requirement("AGUI-INPUT-05")
async def test_what_the_client_shows_its_user_reaches_the_model_of_that_run_and_is_not_stored() -> None:
    case = Case("一份水煮鱼", "不知道")
    paints = {"description": "a2uiClientCapabilities", "value": {"supportedCatalogIds": ["none-of-ours"]}}
    async with case.open() as house:
        checked(await house.post("/agui", run_input("购物车里有什么", context=[paints, *SHOWN])))
        checked(await house.post("/agui", run_input("现在呢", message="u2", run="r2")))
        assert "水煮鱼" not in str((await house.snapshot())[0])
    assert "购物车" in case.prompts[0]
    assert "水煮鱼" in case.prompts[0]
    assert "none-of-ours" not in case.prompts[0]
    assert "购物车" not in case.prompts[1]


@requirement("AGUI-INPUT-01", "AGUI-INPUT-05")
@pytest.mark.parametrize("context", ["words", {"a": 1}, ["x", 5, None], [{"description": "x"}, {"value": {"a": 1}}]])
async def test_a_context_of_another_shape_is_not_for_the_model_and_fails_no_run(context: Any) -> None:
    case = Case("好")
    async with case.open() as house:
        checked(await house.post("/agui", run_input("hi", context=context)))
    assert "What the application shows" not in case.prompts[0]


@requirement("AGUI-INPUT-05")
async def test_a_context_that_is_too_large_is_refused_with_the_limit() -> None:
    async with Case().open() as house:
        context = [{"description": "x", "value": "y" * 20_000}] * 2
        refused = await house.post("/agui", run_input("hi", context=context))
    assert (refused.status_code, refused.json()["code"]) == (413, "message_too_large")
    assert "32000" in refused.json()["detail"]
