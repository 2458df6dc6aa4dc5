"""Callers of `/a2a` that send anything at all: every answer is one of the protocol, and the next question is served."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.fakes.a2a_caller import METHODS, A2ACaller, state
from tests.fakes.a2a_stub import Reply
from tests.interaction.test_a2a_tasks import SPICY, opened

VALUES: list[Any] = [
    None, True, -1, 1.5, 10**30, "", "x", "菜🌶️", "\u0000", "a2a:x", "TASK_STATE_WORKING", [], {}, [1, "a"],
    [{"text": "hi"}], [{"text": 7}], [{"data": {"userAction": {"name": 1}}}], [{"url": "file:///etc/passwd"}],
    [{"kind": "file", "file": {"bytes": "AA", "mimeType": 3}}], {"via": ["x"] * 100}, "x" * 5000, "ROLE_USER", "user",
]  # fmt: skip
KEYS = ["id", "taskId", "contextId", "messageId", "role", "parts", "metadata", "configuration", "historyLength",
        "pageSize", "pageToken", "status", "message", "returnImmediately", "blocking", "extensions"]  # fmt: skip


def anything(dice: random.Random, depth: int = 0) -> Any:
    """A JSON value in which the keys of the protocol turn up in odd places."""
    if depth == 3 or dice.random() < 0.4:
        return dice.choice(VALUES)
    return {key: anything(dice, depth + 1) for key in dice.sample(KEYS, dice.randint(0, 6))}


def nearly(dice: random.Random) -> Any:
    """A good message with some fields replaced."""
    message = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": SPICY}], "contextId": "c", "metadata": {}}
    for key in dice.sample([*message, "taskId", "extensions"], dice.randint(0, 2)):
        message[key] = dice.choice(VALUES)
    return {"message": message, "configuration": dice.choice([{}, None, {"returnImmediately": True}, anything(dice)])}


@pytest.mark.requirement("SB-NEST-13")
@pytest.mark.parametrize("seed", range(4))
async def test_whatever_is_sent_is_answered_in_the_protocol(seed: int) -> None:
    dice = random.Random(seed)
    async with opened(always=Reply("好")) as (house, _):
        for _ in range(120):
            method = dice.choice([name for names in METHODS.values() for name in names])
            params = anything(dice) if dice.random() < 0.5 else nearly(dice)
            body = {"jsonrpc": "2.0", "id": dice.choice([1, "a", None]), "method": method, "params": params}
            headers = dice.choice([{"A2A_Version": "1.0"}, {}, {"Idempotency_Key": "k", "A2A_Version": "1.0"}])
            response = await house.post("/a2a", body, **headers)
            assert response.status_code in (200, 409), (body, response.text)
            if "event-stream" not in response.headers["content-type"]:
                found = response.json()
                assert found["id"] == body["id"]
                assert ("result" in found) != ("error" in found)
                assert "Traceback" not in response.text
        assert state(await A2ACaller(house).send(SPICY, contextId="fresh")) == "completed"
