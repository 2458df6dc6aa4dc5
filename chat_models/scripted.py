"""A chat model without a network: deterministic, stateless, streaming. A policy decides what it says.

The default of the demo (with the policies of the supervisor and of each agent) and the scripted model of the tests.
Not a language model: it understands only what its policy understands.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

ARGUMENT_PIECE = 12
"""Characters of a tool call's arguments in one chunk."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One model turn: reasoning, then text, then tool calls. `chunks` replaces all three with a literal script.

    A literal chunk is `{"text": ...}`, `{"reasoning": ...}` or `{"tc": [index, id, name, args]}`, or a list of those in
    one chunk. With `error` the turn raises after `error_after` chunks.
    """

    text: str = ""
    calls: Sequence[tuple[str, dict[str, Any]]] = ()
    reasoning: str = ""
    chunks: Sequence[Any] | None = None
    error: Exception | None = None
    error_after: int = 0
    finish_reason: str | None = None


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A bound tool as the model sees it: `parameters` is its JSON Schema."""

    name: str
    description: str
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])


Policy = Callable[[Sequence[BaseMessage], Sequence[ToolSpec]], Turn]


def script(*turns: Turn | str) -> Policy:
    """A policy that plays `turns` after every user message, one per model call; the last one repeats."""

    def decide(messages: Sequence[BaseMessage], _: Sequence[ToolSpec]) -> Turn:
        asked = max((i for i, m in enumerate(messages) if isinstance(m, HumanMessage)), default=-1)
        done = sum(1 for m in messages[asked + 1 :] if m.type == "ai")
        turn = turns[min(done, len(turns) - 1)]
        return Turn(turn) if isinstance(turn, str) else turn

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
        turn = self._decide(messages, kwargs)
        delay = self.delay_ms / 1000
        for n, chunk in enumerate(_chunks(turn, messages)):
            if turn.error is not None and n >= turn.error_after:
                raise turn.error
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
        turn = self._decide(messages, kwargs)
        if turn.error is not None:
            raise turn.error
        pieces = list(_chunks(turn, messages))
        whole = pieces[0]
        for piece in pieces[1:]:
            whole = whole + piece
        return ChatResult(generations=[ChatGeneration(message=whole)])

    def _decide(self, messages: list[BaseMessage], kwargs: dict[str, Any]) -> Turn:
        tools = [
            ToolSpec(t["function"]["name"], t["function"].get("description", ""), t["function"].get("parameters", {}))
            for t in kwargs.get("tools") or ()
        ]
        return cast("Policy", self.policy)(messages, tools)


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
    reason = turn.finish_reason or ("tool_calls" if calls else "stop")
    yield AIMessageChunk(
        content="",
        response_metadata={"finish_reason": reason, "model_name": "offline", "model_provider": "offline"},
        usage_metadata={"input_tokens": given, "output_tokens": made, "total_tokens": given + made},
        chunk_position="last",
    )


def _composed(turn: Turn, messages: Sequence[BaseMessage]) -> Iterator[AIMessageChunk]:
    for character in turn.reasoning:
        yield AIMessageChunk(content="", additional_kwargs={"reasoning_content": character})
    for character in turn.text:
        yield AIMessageChunk(content=character)
    seed = _conversation_hash(messages) if turn.calls else ""
    for index, (name, arguments) in enumerate(turn.calls):
        call_id = f"call_{seed}_{index}"
        yield AIMessageChunk(
            content="", tool_call_chunks=[tool_call_chunk(name=name, args="", id=call_id, index=index)]
        )
        raw = json.dumps(arguments, ensure_ascii=False)
        for start in range(0, len(raw), ARGUMENT_PIECE):
            piece = tool_call_chunk(name=None, args=raw[start : start + ARGUMENT_PIECE], id=None, index=index)
            yield AIMessageChunk(content="", tool_call_chunks=[piece])


def _literal(parts: list[dict[str, Any]]) -> AIMessageChunk:
    calls = [p["tc"] for p in parts if "tc" in p]
    reasoning = "".join(p["reasoning"] for p in parts if "reasoning" in p)
    return AIMessageChunk(
        content="".join(p["text"] for p in parts if "text" in p),
        additional_kwargs={"reasoning_content": reasoning} if reasoning else {},
        tool_call_chunks=[tool_call_chunk(index=tc[0], id=tc[1], name=tc[2], args=tc[3]) for tc in calls],
    )


def _conversation_hash(messages: Sequence[BaseMessage]) -> str:
    """The same conversation gives the same call ids, so a re-executed turn repeats them; the next turn has others."""
    seen = repr([(m.type, m.id, m.text) for m in messages])
    return hashlib.sha256(seen.encode("utf-8", "replace")).hexdigest()[:12]
