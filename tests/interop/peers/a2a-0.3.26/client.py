"""What a client on a2a-sdk 0.3.26 gets from our agents, printed as JSON. `client.py CANTEEN SLOW_AGENT`."""

from __future__ import annotations

import asyncio
import json
import sys
import uuid
from collections.abc import Awaitable, Sequence
from typing import Any

import httpx
from a2a.client import A2ACardResolver, Client, ClientConfig, ClientFactory
from a2a.client.errors import A2AClientJSONRPCError
from a2a.types import AgentCard, DataPart, Message, Part, Role, Task, TaskIdParams, TaskQueryParams, TextPart


def asked(text: str, more: Sequence[Part] = (), **fields: Any) -> Message:
    parts = [Part(root=TextPart(text=text)), *more]
    return Message(message_id=uuid.uuid4().hex, role=Role.user, parts=parts, **fields)


def told(task: Task) -> dict[str, Any]:
    words = "".join(part.root.text for artifact in task.artifacts or [] for part in artifact.parts)
    metadata = task.metadata or {}
    card = metadata.get("card_template_id")
    known = {"id": task.id, "context": task.context_id, "state": task.status.state.value}
    dishes = [item.get("name") for item in metadata.get("card_data_model", {}).get("items", [])]
    return known | {"text": words, "card": card, "dishes": dishes}


async def send(client: Client, text: str, **fields: Any) -> Task:
    ((task, _),) = [event async for event in client.send_message(asked(text, **fields))]
    return task


async def stream(client: Client, text: str) -> dict[str, Any]:
    kinds: list[str] = []
    states: list[str] = []
    pieces: list[str] = []
    async for task, update in client.send_message(asked(text)):
        kinds.append("task" if update is None else update.kind.replace("-", "_"))
        if kinds[-1] == "status_update":
            states.append(update.status.state.value)
        elif kinds[-1] == "artifact_update":
            pieces += [part.root.text for part in update.artifact.parts]
        assert task.id
    return {"kinds": kinds, "states": states, "text": "".join(pieces)}


async def book(client: Client) -> dict[str, Any]:
    """A meal is booked: the agent asks for the time, then for approval."""
    task = await send(client, "订二食堂的午餐，3个人")
    ids = {"task_id": task.id, "context_id": task.context_id}
    states, asks = [], []
    for answer in ({"value": "12:30"}, {"approved": True}):
        states.append(task.status.state.value)
        words, payload = task.status.message.parts
        asks.append({"words": words.root.text, "payload": payload.root.data})
        if "value" in answer:
            options = asks[-1]["payload"]["options"]
            answer = {"value": next(option["value"] for option in options if answer["value"] in option["label"])}
        task = await send(client, "answered", more=[Part(root=DataPart(data=answer))], **ids)
    return {"states": states, "asks": asks, "end": told(task), "same": task.id == ids["task_id"]}


async def fault(call: Awaitable[Any]) -> int | None:
    try:
        await call
    except A2AClientJSONRPCError as error:
        return error.error.code
    return None


async def cancel(card: AgentCard, http: httpx.AsyncClient) -> dict[str, Any]:
    """A task is cancelled while one connection streams it and another one has subscribed to it."""
    client = ClientFactory(ClientConfig(httpx_client=http)).create(card)
    events = client.send_message(asked("where is the bus?"))
    task, _ = await anext(events)
    watched = client.resubscribe(TaskIdParams(id=task.id))
    snapshot, _ = await anext(watched)
    gone = await client.cancel_task(TaskIdParams(id=task.id))
    rest = [task.status.state.value async for task, _ in events]
    seen = [task.status.state.value async for task, _ in watched]
    same = snapshot.id == task.id
    return {"state": gone.status.state.value, "streamed": rest[-1], "subscribed": seen[-1], "snapshot": same}


async def everything(canteen: str, slow: str) -> dict[str, Any]:
    async with httpx.AsyncClient(timeout=20) as http:
        card = await A2ACardResolver(http, canteen).get_agent_card()
        client = ClientFactory(ClientConfig(httpx_client=http, streaming=False)).create(card)
        context = uuid.uuid4().hex
        first = await send(client, "推荐几道辣的菜", context_id=context)
        second = await send(client, "有哪些食堂？", context_id=context)
        unknown, terminal = "no-such-task", {"task_id": first.id, "context_id": context}
        return {
            "card": {"name": card.name, "skills": len(card.skills), "streaming": card.capabilities.streaming},
            "sent": told(first),
            "got": told(await client.get_task(TaskQueryParams(id=first.id))),
            "follow_up": told(second),
            "streamed": await stream(ClientFactory(ClientConfig(httpx_client=http)).create(card), "推荐几道辣的菜"),
            "booked": await book(client),
            "refused": told(await send(client, " ")),
            "cancelled": await cancel(await A2ACardResolver(http, slow).get_agent_card(), http),
            "faults": {
                "get": await fault(client.get_task(TaskQueryParams(id=unknown))),
                "cancel": await fault(client.cancel_task(TaskIdParams(id=unknown))),
                "cancel-finished": await fault(client.cancel_task(TaskIdParams(id=first.id))),
                "message-to-finished": await fault(send(client, "more", **terminal)),
                "message-to-unknown": await fault(send(client, "more", task_id=unknown)),
                "message-to-other-context": await fault(send(client, "more", task_id=first.id, context_id="other")),
            },
        }


print(json.dumps(asyncio.run(everything(*sys.argv[1:])), ensure_ascii=False))
