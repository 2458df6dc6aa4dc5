"""What a client on a2a-sdk 1.3.0 gets from our agents, printed as JSON. `client.py CANTEEN SLOW_AGENT`."""

from __future__ import annotations

import asyncio
import json
import sys
import uuid
from collections.abc import Awaitable, Sequence
from typing import Any

import httpx
from a2a.client import A2ACardResolver, Client, ClientConfig, ClientFactory
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
    Task,
    TaskState,
)
from a2a.utils.errors import JSON_RPC_ERROR_CODE_MAP, A2AError
from google.protobuf.json_format import MessageToDict, ParseDict


def asked(text: str, more: Sequence[Part] = (), **fields: Any) -> SendMessageRequest:
    message = Message(message_id=uuid.uuid4().hex, role=Role.ROLE_USER, parts=[Part(text=text), *more], **fields)
    return SendMessageRequest(message=message)


def state_of(value: int) -> str:
    return TaskState.Name(value).removeprefix("TASK_STATE_").lower().replace("_", "-")


def told(task: Task) -> dict[str, Any]:
    words = "".join(part.text for artifact in task.artifacts for part in artifact.parts)
    metadata = MessageToDict(task.metadata)
    card = metadata.get("card_template_id")
    known = {"id": task.id, "context": task.context_id, "state": state_of(task.status.state)}
    dishes = [item.get("name") for item in metadata.get("card_data_model", {}).get("items", [])]
    return known | {"text": words, "card": card, "dishes": dishes}


async def send(client: Client, text: str, **fields: Any) -> Task:
    (answer,) = [event async for event in client.send_message(asked(text, **fields))]
    return answer.task


async def stream(client: Client, text: str) -> dict[str, Any]:
    kinds: list[str] = []
    states: list[str] = []
    pieces: list[str] = []
    async for event in client.send_message(asked(text)):
        kinds.append(event.WhichOneof("payload"))
        if event.HasField("status_update"):
            states.append(state_of(event.status_update.status.state))
        pieces += [part.text for part in event.artifact_update.artifact.parts]
    return {"kinds": kinds, "states": states, "text": "".join(pieces)}


async def book(client: Client) -> dict[str, Any]:
    """A meal is booked: the agent asks for the time, then for approval."""
    task = await send(client, "订二食堂的午餐，3个人")
    ids = {"task_id": task.id, "context_id": task.context_id}
    states, asks = [], []
    for answer in ({"value": "12:30"}, {"approved": True}):
        states.append(state_of(task.status.state))
        words, payload = task.status.message.parts
        asks.append({"words": words.text, "payload": MessageToDict(payload.data)})
        if "value" in answer:
            options = asks[-1]["payload"]["options"]
            answer = {"value": next(option["value"] for option in options if answer["value"] in option["label"])}
        data = Part()
        ParseDict(answer, data.data)
        task = await send(client, "answered", more=[data], **ids)
    return {"states": states, "asks": asks, "end": told(task), "same": task.id == ids["task_id"]}


async def fault(call: Awaitable[Any]) -> int | None:
    try:
        await call
    except A2AError as error:
        return JSON_RPC_ERROR_CODE_MAP[type(error)]
    return None


async def cancel(card: AgentCard, http: httpx.AsyncClient) -> dict[str, Any]:
    """A task is cancelled while one connection streams it and another one has subscribed to it."""
    client = ClientFactory(ClientConfig(httpx_client=http)).create(card)
    events = client.send_message(asked("where is the bus?"))
    first = await anext(events)
    watched = client.subscribe(SubscribeToTaskRequest(id=first.task.id))
    snapshot = await anext(watched)
    gone = await client.cancel_task(CancelTaskRequest(id=first.task.id))
    rest = [state_of(event.status_update.status.state) async for event in events if event.HasField("status_update")]
    seen = [state_of(event.status_update.status.state) async for event in watched if event.HasField("status_update")]
    same = snapshot.task.id == first.task.id
    return {"state": state_of(gone.status.state), "streamed": rest[-1], "subscribed": seen[-1], "snapshot": same}


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
            "got": told(await client.get_task(GetTaskRequest(id=first.id))),
            "follow_up": told(second),
            "listed": [task.id for task in (await client.list_tasks(ListTasksRequest(context_id=context))).tasks],
            "streamed": await stream(ClientFactory(ClientConfig(httpx_client=http)).create(card), "推荐几道辣的菜"),
            "booked": await book(client),
            "refused": told(await send(client, " ")),
            "cancelled": await cancel(await A2ACardResolver(http, slow).get_agent_card(), http),
            "faults": {
                "get": await fault(client.get_task(GetTaskRequest(id=unknown))),
                "cancel": await fault(client.cancel_task(CancelTaskRequest(id=unknown))),
                "cancel-finished": await fault(client.cancel_task(CancelTaskRequest(id=first.id))),
                "message-to-finished": await fault(send(client, "more", **terminal)),
                "message-to-unknown": await fault(send(client, "more", task_id=unknown)),
                "message-to-other-context": await fault(send(client, "more", task_id=first.id, context_id="other")),
            },
        }


print(json.dumps(asyncio.run(everything(*sys.argv[1:])), ensure_ascii=False))
