"""A chat model without a network: deterministic, stateless, streaming. A policy decides what it says.

The default of the demo (with the policies of the supervisor and of each agent) and the scripted model of the tests.
Not a language model: it understands only what its policy understands.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

ARGUMENT_PIECE = 12
"""Characters of a tool call's arguments in one chunk."""


class ScriptedModelError(RuntimeError):
    """What a turn whose `error` is a text raises; stands for a provider's failure."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One model turn: reasoning, then text, then tool calls. `chunks` replaces all three with a literal script.

    `calls` are (tool name, arguments); the model makes the ids. A literal chunk is `{"text": ...}`,
    `{"reasoning": ...}` or `{"tc": [index, id, name, args]}`, or a list of those in one chunk. With `error` (an
    exception, or a text for `ScriptedModelError`) the turn raises after `error_after` chunks. `finish_reason` is
    `tool_calls` or `stop` when None; "" leaves it out, as a stream that was cut does.
    """

    text: str = ""
    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()
    reasoning: str = ""
    chunks: Sequence[Any] | None = None
    error: Exception | str | None = None
    error_after: int = 0
    finish_reason: str | None = None


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A bound tool as the model sees it: `parameters` is its JSON Schema."""

    name: str
    description: str
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])


Policy = Callable[[Sequence[BaseMessage], Sequence[ToolSpec]], Turn]
"""Chooses the next turn from the whole conversation. Must be pure: a re-executed step has to give the same turn."""


def script(*turns: Turn | str | Mapping[str, Any]) -> Policy:
    """A policy that plays `turns` after every user message, one per model call; the last one repeats.

    A turn may be written as its text, or as a mapping with the fields of `Turn`.
    """
    played = [_turn(turn) for turn in turns]
    if not played:
        raise ValueError("A script needs at least one turn.")

    def decide(messages: Sequence[BaseMessage], _: Sequence[ToolSpec]) -> Turn:
        asked = max((i for i, m in enumerate(messages) if isinstance(m, HumanMessage)), default=-1)
        done = sum(1 for m in messages[asked + 1 :] if isinstance(m, AIMessage))
        return played[min(done, len(played) - 1)]

    return decide


class ScriptedChatModel(BaseChatModel):
    """Streams what `policy` decides, one character per chunk, tool arguments in pieces; waits `delay_ms` per chunk."""

    policy: Any
    delay_ms: float = 0.0

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": "offline"}

    def bind_tools(self, tools: Sequence[Any], *, tool_choice: Any = None, **kwargs: Any) -> Runnable[Any, Any]:
        """Tools reach the policy as `ToolSpec`s."""
        del tool_choice
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        delay = self.delay_ms / 1000
        for chunk in self._play(messages, kwargs):
            await asyncio.sleep(delay)
            yield ChatGenerationChunk(message=chunk)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return self._generate(messages, stop, None, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=_merged(list(self._play(messages, kwargs))))])

    def _play(self, messages: Sequence[BaseMessage], kwargs: Mapping[str, Any]) -> Iterator[AIMessageChunk]:
        tools = [
            ToolSpec(t["function"]["name"], t["function"].get("description", ""), t["function"].get("parameters", {}))
            for t in kwargs.get("tools") or ()
        ]
        turn = cast("Policy", self.policy)(messages, tools)
        if turn.error is None:
            return _chunks(turn, messages)
        return _broken(turn.error, islice(_chunks(turn, messages), turn.error_after))


def _turn(step: Turn | str | Mapping[str, Any]) -> Turn:
    if isinstance(step, Turn):
        return step
    return Turn(step) if isinstance(step, str) else Turn(**step)


def _broken(error: Exception | str, chunks: Iterator[AIMessageChunk]) -> Iterator[AIMessageChunk]:
    yield from chunks
    raise ScriptedModelError(error) if isinstance(error, str) else error


def _chunks(turn: Turn, messages: Sequence[BaseMessage]) -> Iterator[AIMessageChunk]:
    if turn.chunks is not None:
        calls = False
        for item in turn.chunks:
            parts = cast("list[dict[str, Any]]", item if isinstance(item, list) else [item])
            calls = calls or any("tc" in part for part in parts)
            yield _literal(parts)
    else:
        calls = bool(turn.calls)
        yield from _composed(turn, messages)
    given = sum(len(m.text) for m in messages)
    made = len(turn.text) + len(turn.reasoning) + 1
    metadata = {"model_name": "offline", "model_provider": "offline"}
    if turn.finish_reason != "":
        metadata["finish_reason"] = turn.finish_reason or ("tool_calls" if calls else "stop")
    yield AIMessageChunk(
        content="",
        response_metadata=metadata,
        usage_metadata={"input_tokens": given, "output_tokens": made, "total_tokens": given + made},
        chunk_position="last",
    )


def _composed(turn: Turn, messages: Sequence[BaseMessage]) -> Iterator[AIMessageChunk]:
    for character in turn.reasoning:
        yield AIMessageChunk(content="", additional_kwargs={"reasoning_content": character})
    for character in turn.text:
        # Measured: validated construction costs 6 us, `model_construct` 120 us (it fills every default in Python).
        yield AIMessageChunk(content=character)
    seed = _conversation_hash(messages) if turn.calls else ""
    for index, (name, arguments) in enumerate(turn.calls):
        yield _call_chunk(index, f"call_{seed}_{index}", name, "")
        raw = json.dumps(arguments, ensure_ascii=False)
        for start in range(0, len(raw), ARGUMENT_PIECE):
            yield _call_chunk(index, None, None, raw[start : start + ARGUMENT_PIECE])


def _call_chunk(index: int, call_id: str | None, name: str | None, args: str) -> AIMessageChunk:
    chunk = tool_call_chunk(name=name, args=args, id=call_id, index=index)
    return AIMessageChunk(content="", tool_call_chunks=[chunk])


def _literal(parts: list[dict[str, Any]]) -> AIMessageChunk:
    calls = [p["tc"] for p in parts if "tc" in p]
    reasoning = "".join(p["reasoning"] for p in parts if "reasoning" in p)
    return AIMessageChunk(
        content="".join(p["text"] for p in parts if "text" in p),
        additional_kwargs={"reasoning_content": reasoning} if reasoning else {},
        tool_call_chunks=[tool_call_chunk(index=tc[0], id=tc[1], name=tc[2], args=tc[3]) for tc in calls],
    )


def _merged(pieces: Sequence[AIMessageChunk]) -> AIMessage:
    whole = pieces[0] + list(pieces[1:]) if len(pieces) > 1 else pieces[0]
    return AIMessage(
        content=whole.content,
        additional_kwargs=whole.additional_kwargs,
        response_metadata=whole.response_metadata,
        tool_calls=whole.tool_calls,
        invalid_tool_calls=whole.invalid_tool_calls,
        usage_metadata=whole.usage_metadata,
    )


def _conversation_hash(messages: Sequence[BaseMessage]) -> str:
    """The same conversation gives the same call ids, so a re-executed turn repeats them; the next turn has others."""
    seen = repr([(m.type, m.id, m.text) for m in messages])
    return hashlib.sha256(seen.encode("utf-8", "replace")).hexdigest()[:12]
