from __future__ import annotations

from collections.abc import Sequence

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool

from chat_models import ScriptedChatModel, ToolSpec, Turn, script
from chat_models.scripted import ScriptedModelError

ASK = [HumanMessage("辣的菜", id="h1")]
CALL = ("look", {"dish": "麻婆豆腐", "spiciness": 3, "tags": ["辣", "下饭"]})


def model(*turns: Turn | str | dict[str, object]) -> ScriptedChatModel:
    return ScriptedChatModel(policy=script(*turns))


async def chunks(model: BaseChatModel, messages: Sequence[BaseMessage] = ASK) -> list[AIMessageChunk]:
    return [chunk async for chunk in model.astream(list(messages)) if isinstance(chunk, AIMessageChunk)]


def merged(pieces: Sequence[AIMessageChunk]) -> AIMessageChunk:
    return pieces[0] + list(pieces[1:])


async def test_text_streams_one_character_per_chunk() -> None:
    pieces = await chunks(model("你好，world"))
    assert [piece.text for piece in pieces if piece.text] == list("你好，world")


async def test_a_tool_call_streams_its_name_first_and_its_arguments_in_several_pieces() -> None:
    pieces = [c for piece in await chunks(model(Turn(calls=[CALL]))) for c in piece.tool_call_chunks]
    assert pieces[0]["name"] == "look"
    assert pieces[0]["args"] == ""
    assert len(pieces) > 3
    assert all(piece["name"] is None and piece["id"] is None for piece in pieces[1:])


async def test_the_pieces_of_a_tool_call_add_up_to_its_arguments() -> None:
    whole = merged(await chunks(model(Turn("先查一下", calls=[CALL, ("other", {})]))))
    assert [(call["name"], call["args"]) for call in whole.tool_calls] == [CALL, ("other", {})]
    assert whole.text == "先查一下"


async def test_the_last_chunk_ends_the_message_with_usage_and_finish_reason() -> None:
    last = (await chunks(model("好")))[-1]
    assert last.chunk_position == "last"
    assert last.response_metadata["finish_reason"] == "stop"
    assert last.usage_metadata is not None
    assert last.usage_metadata["output_tokens"] > 0


async def test_a_turn_with_calls_finishes_with_tool_calls() -> None:
    assert (await chunks(model(Turn(calls=[CALL]))))[-1].response_metadata["finish_reason"] == "tool_calls"


async def test_a_cut_stream_has_no_finish_reason() -> None:
    assert "finish_reason" not in merged(await chunks(model(Turn("半截", finish_reason="")))).response_metadata


@pytest.mark.parametrize(
    "turn",
    [
        Turn("好的", calls=[CALL], reasoning="想一想"),
        Turn(chunks=[{"text": "我来查"}, {"tc": [0, "c1", "look", '{"q":"x"}']}, {"text": "，请稍等"}]),
        Turn(""),
    ],
)
async def test_a_call_without_streaming_gives_what_the_stream_adds_up_to(turn: Turn) -> None:
    streamed = merged(await chunks(model(turn)))
    invoked = await model(turn).ainvoke(ASK)
    assert type(invoked) is AIMessage
    for name in ("content", "tool_calls", "usage_metadata", "response_metadata", "additional_kwargs"):
        assert getattr(invoked, name) == getattr(streamed, name)
    assert model(turn).invoke(ASK).content == streamed.content


async def test_reasoning_comes_before_the_text_and_is_no_part_of_it() -> None:
    pieces = await chunks(model(Turn("答", reasoning="想")))
    assert pieces[0].additional_kwargs == {"reasoning_content": "想"}
    assert merged(pieces).text == "答"


async def test_call_ids_are_the_same_when_a_step_is_executed_again() -> None:
    first, again = merged(await chunks(model(Turn(calls=[CALL])))), merged(await chunks(model(Turn(calls=[CALL]))))
    assert first.tool_calls[0]["id"] == again.tool_calls[0]["id"]


async def test_call_ids_differ_between_turns_that_ask_the_same() -> None:
    first = await model(Turn(calls=[CALL])).ainvoke(ASK)
    later = [*ASK, first, ToolMessage("ok", tool_call_id=first.tool_calls[0]["id"] or ""), *ASK]
    second = await model(Turn(calls=[CALL])).ainvoke(later)
    assert first.tool_calls[0]["id"] != second.tool_calls[0]["id"]


async def test_raw_chunks_are_streamed_as_written() -> None:
    raw = [{"tc": [0, "c1", "look", '{"q":']}, [{"text": "a"}, {"text": "b"}], {"tc": [0, None, None, '"汤"}']}]
    pieces = await chunks(model(Turn(chunks=raw)))
    assert [piece.text for piece in pieces] == ["", "ab", "", ""]
    assert merged(pieces).tool_calls[0]["args"] == {"q": "汤"}
    assert merged(pieces).tool_calls[0]["id"] == "c1"


async def test_an_error_comes_after_the_chunks_before_it() -> None:
    stream = model(Turn("半截回答", error="503", error_after=2)).astream(ASK)
    assert [(await anext(stream)).text for _ in range(2)] == ["半", "截"]
    with pytest.raises(ScriptedModelError, match="503"):
        await anext(stream)


async def test_an_exception_of_the_turn_is_raised_as_it_is() -> None:
    with pytest.raises(TimeoutError):
        await model(Turn("x", error=TimeoutError())).ainvoke(ASK)


async def test_a_script_plays_one_turn_per_model_call_and_starts_again_with_the_next_question() -> None:
    played = model({"calls": [("look", {})]}, "完")
    first = await played.ainvoke(ASK)
    turn = [*ASK, first, ToolMessage("ok", tool_call_id=first.tool_calls[0]["id"] or "")]
    second = await played.ainvoke(turn)
    third = await played.ainvoke([*turn, second, HumanMessage("再来")])
    assert second.text == "完"
    assert third.tool_calls[0]["name"] == "look"


def test_an_empty_script_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        script()


async def test_the_policy_sees_the_bound_tools() -> None:
    seen: list[ToolSpec] = []

    @tool
    def look(dish: str) -> str:
        """Look a dish up."""
        return dish

    def policy(_: Sequence[BaseMessage], tools: Sequence[ToolSpec]) -> Turn:
        seen.extend(tools)
        return Turn("ok")

    await ScriptedChatModel(policy=policy).bind_tools([look]).ainvoke(ASK)
    assert (seen[0].name, seen[0].description) == ("look", "Look a dish up.")
    assert seen[0].parameters["properties"]["dish"]["type"] == "string"
