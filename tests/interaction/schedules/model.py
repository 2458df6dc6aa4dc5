"""The chat model of a schedule: says what the words of the question tell it to, and waits at gates in the middle."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.types import Command

from chat_models import ScriptedChatModel
from supervisor.extensions import Extensions
from tests.cases.case import assert_paired
from tests.interaction.schedules.gates import Gates
from tests.interaction.schedules.words import HOLD, place, policy

_playing: list[BaseChatModel] = []


class WordedModel(ScriptedChatModel):
    """`problems` holds what a strict provider would have refused."""

    gates: Any
    problems: list[str]

    async def _astream(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        talk = [m for m in messages if m.type != "system"]
        self._judge(talk)
        script, turn = place(talk)
        async for chunk in super()._astream(messages, *args, **kwargs):
            if _holds(chunk):
                await self.gates.wait(f"{script.tag}.{turn}.model")
            else:
                yield chunk

    def _judge(self, talk: Sequence[BaseMessage]) -> None:
        try:
            assert_paired(talk)
        except AssertionError as error:
            self.problems.append(str(error))


def _holds(chunk: ChatGenerationChunk) -> bool:
    return HOLD in (chunk.message.content, chunk.message.additional_kwargs.get("reasoning_content"))


def cast(gates: Gates) -> WordedModel:
    """The model that `playing` gives from now on."""
    model = WordedModel(policy=policy, gates=gates, problems=[])
    _playing[:] = [model]
    return model


def playing() -> BaseChatModel:
    """What the setting `MODEL` names."""
    return _playing[-1]


@tool
async def mark(text: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Write the shared state."""
    return Command(update={"plan": text, "messages": [ToolMessage("marked", tool_call_id=tool_call_id)]})


def extensions() -> Extensions:
    """The host: one tool that writes the one key of shared state."""
    return Extensions(tools=[mark], shared_state=("plan",))
