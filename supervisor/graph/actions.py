"""A click in a card, as a step of the conversation: a call that no model made, answered by the agent behind the card.

The call is written into the checkpoint like a model's, so that history, cards, questions and recovery need nothing new.
No model is asked: the agent's own words close the turn.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain.tools import ToolRuntime, tool
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt.tool_node import ToolCallRequest

from supervisor.dispatch.port import Dispatcher
from supervisor.graph import results
from supervisor.graph.cards import Cards, find_surface
from supervisor.graph.context import RunContext
from supervisor.graph.legs import Legs, LegTasks
from supervisor.graph.middleware.chain import Guard, ModelHandler, ToolHandler
from supervisor.graph.offline import final_text
from supervisor.graph.port import SurfaceAction

CARD_ACTION = "card_action"
_MARK = "switchboard/card-action"

Answer = tuple[str, dict[str, Any] | None]


def action_message(action: SurfaceAction) -> AIMessage:
    """The call that stands for a click. Marked, so that no model can act in the user's name by making it up."""
    call = {"id": action.call_id, "name": CARD_ACTION, "args": arguments(action), "type": "tool_call"}
    return AIMessage("", id=action.message_id, tool_calls=[call], additional_kwargs={_MARK: True})


def arguments(action: SurfaceAction) -> dict[str, Any]:
    """The arguments of the call."""
    return {"surface_id": action.surface_id, "name": action.name, "context": action.context}


def card_action_tool(dispatcher: Dispatcher, tasks: LegTasks, cards: Cards) -> BaseTool:
    """The tool behind the call. It is not offered to models."""

    @tool(CARD_ACTION, response_format="content_and_artifact")
    async def card_action(
        surface_id: str, name: str, context: dict[str, Any], runtime: ToolRuntime[RunContext, Any]
    ) -> Answer:
        """Carry out what the user chose in a card."""
        surface = find_surface(runtime.state["messages"], surface_id, cards)
        if surface is None:
            return results.refusal("unknown_surface", "This card is not part of the conversation any more."), None
        if surface.agent not in {agent.name for agent in dispatcher.agents()}:
            return results.refusal("unknown_agent", "The agent of this card is gone.", agent=surface.agent), None
        chosen = {"name": name, "surfaceId": surface_id, "cardType": surface.card_type, "context": context}
        words = f"{name}: {json.dumps(context, ensure_ascii=False)}" if context else name
        (result,) = await Legs(tasks, runtime).ask([(surface.agent, words)], {"userAction": chosen})
        return results.single(result), cards.render([result], surface)

    return card_action


class CardActions(Guard):
    """Lets only real clicks through, and closes their turn without a model."""

    async def model(self, request: ModelRequest[Any], handler: ModelHandler) -> ModelResponse[Any]:
        step = _last_step(request.messages)
        if step and _MARK in step[0].additional_kwargs:
            question = next((m.text for m in reversed(request.messages) if isinstance(m, HumanMessage)), "")
            answers = [row for message in step[1:] for row in results.rows(message.text)]
            return ModelResponse(result=[AIMessage(final_text(question, answers), id=f"{step[0].id}-answer")])
        return await handler(request)

    async def tool(self, request: ToolCallRequest, handler: ToolHandler) -> Any:
        call = request.tool_call
        step = _last_step(request.state["messages"])
        if call["name"] == CARD_ACTION and not (step and _MARK in step[0].additional_kwargs):
            content = results.refusal("not_allowed", "Only the user acts in cards.")
            return ToolMessage(content, tool_call_id=call["id"] or "", name=CARD_ACTION, status="error")
        return await handler(request)


def _last_step(messages: Sequence[BaseMessage]) -> list[Any]:
    """The last assistant message with the results behind it; [] when something else follows or there is none."""
    for position in range(len(messages) - 1, -1, -1):
        message = messages[position]
        if isinstance(message, AIMessage):
            return list(messages[position:])
        if not isinstance(message, ToolMessage):
            return []
    return []
