from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import httpx
import pytest

from supervisor.dispatch.port import AgentInfo, Progress, UserContext
from supervisor.dispatch.tokens.port import TokenRefused
from tests.fakes.a2a_stub import IDEMPOTENCY, Reply
from tests.unit.dispatch.world import World

REFUSED = httpx.ConnectError("refused")
RESET = httpx.ReadError("reset")


@pytest.mark.parametrize("status", [300, 307, 400, 404, 413, 500])
@pytest.mark.parametrize("streaming", [False, True])
async def test_an_http_error_is_a_code_and_is_not_repeated(status: int, streaming: bool) -> None:
    async with World() as world:
        canteen = world.agent(streaming=streaming)
        canteen.replies.append(Reply(http=status, raw=b"Traceback: secret=hunter2", content_type="text/plain"))
        outcome = await world.ask()
    assert (outcome.ok, outcome.status, outcome.error) == (False, "failed", f"http_{status}")
    assert len(canteen.sends) == 1
    assert "hunter2" not in repr(outcome)


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_token_is_unauthorized(status: int) -> None:
    async with World() as world:
        outcome = await world.reply(Reply(http=status))
    assert outcome.error == "unauthorized"


async def test_a_version_error_is_understood_in_an_http_error_too() -> None:
    body = json.dumps({"error": {"code": -32601, "message": "x"}}).encode()
    async with World() as world:
        canteen = world.agent(streaming=False)
        canteen.replies += [Reply(http=404, raw=body), Reply("好")]
        outcome = await world.ask()
    assert (outcome.ok, [r.method for r in canteen.sends]) == (True, ["SendMessage", "message/send"])


@pytest.mark.parametrize(
    "reply",
    [
        Reply(raw=b"<html>hello</html>", content_type="text/html"),
        Reply(raw=b'{"result": {"task": {"id"'),
        Reply(raw=b""),
        Reply(raw=b"[]"),
        Reply(raw=b'"ok"'),
        Reply(raw=b"{}"),
        Reply(raw=b'{"result": null}'),
        Reply(raw=b'{"result": {"message": {"parts": [{"text": "\xff"}]}}}'),
        Reply(raw=b'{"result": {"message": {"parts": [{"text": "\\ud83d"}]}}}'),
        Reply(raw=b'{"result": {"message": {"parts": []}}}', content_type="text/plain"),
        Reply(raw=b'{"result": NaN}'),
        Reply(raw=b"", content_type="text/event-stream"),
        Reply(raw=b"x", headers={"content-encoding": "gzip"}),
        Reply(http=204),
        Reply(""),
    ],
)
async def test_what_is_not_an_answer_is_a_bad_response(reply: Reply) -> None:
    async with World() as world:
        canteen = world.agent(streaming=False, extensions=())
        canteen.replies.append(reply)
        outcome = await world.ask()
    assert (outcome.ok, outcome.status, outcome.error) == (False, "failed", "bad_response")
    assert len(canteen.sends) == 1


async def test_data_nested_without_end_is_a_bad_response() -> None:
    deep = '{"x":' * 900 + "1" + "}" * 900
    body = '{"result":{"task":{"id":"t","status":{"state":"completed"},"metadata":' + deep + "}}}"
    async with World() as world:
        outcome = await world.reply(Reply(raw=body.encode()), streaming=False)
    assert outcome.error == "bad_response"


@pytest.mark.parametrize(
    ("error", "code"), [({"code": -32603, "message": "secret=hunter2"}, "rpc_-32603"), ("boom", "rpc_-32603")]
)
async def test_a_json_rpc_error_is_a_code_without_its_text(error: Any, code: str) -> None:
    async with World() as world:
        canteen = world.agent(streaming=False)
        canteen.replies.append(Reply(raw=json.dumps({"error": error}).encode()))
        outcome = await world.ask()
    assert (outcome.error, outcome.content, len(canteen.sends)) == (code, "", 1)
    assert "hunter2" not in repr(outcome)


async def test_a_failed_task_brings_the_agents_own_words() -> None:
    async with World() as world:
        outcome = await world.reply(Reply("系统维护", state="failed"))
    assert (outcome.ok, outcome.error, outcome.content) == (False, "a2a_state_failed", "系统维护")


@pytest.mark.parametrize("announced", [True, False])
async def test_a_reply_beyond_the_cap_is_too_large(announced: bool) -> None:
    body = b'{"result": {"message": {"parts": [{"text": "' + b"x" * 5000 + b'"}]}}}'
    headers = {"content-length": str(len(body))} if announced else {}
    async with World(max_response_bytes=4096) as world:
        outcome = await world.reply(Reply(raw=body, headers=headers), streaming=False)
    assert outcome.error == "too_large"


async def test_an_unknown_agent_is_a_result() -> None:
    async with World() as world:
        world.agent()
        outcome = await world.ask(agent="weather")
    assert (outcome.agent, outcome.ok, outcome.error) == ("weather", False, "unknown_agent")


async def test_a_refused_connection_is_tried_again_whatever_the_agent_declares() -> None:
    async with World() as world:
        canteen = world.agent(streaming=False, extensions=())
        canteen.replies += [Reply(fail=REFUSED), Reply(fail=REFUSED), Reply("好")]
        outcome = await world.ask()
    assert outcome.ok
    assert world.pauses == [0.1, 0.2]


async def test_a_dead_agent_is_unreachable_after_the_last_retry() -> None:
    async with World(retries=2) as world:
        canteen = world.agent()
        canteen.always = Reply(fail=REFUSED)
        outcome = await world.ask()
    assert (outcome.status, outcome.error, len(canteen.sends)) == ("failed", "unreachable", 3)


@pytest.mark.parametrize("trouble", [Reply(fail=RESET), Reply(http=502), Reply(http=503), Reply(http=504)])
@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.requirement("A2A-11")
async def test_a2a_11_a_transport_retry_repeats_key_and_message_id(trouble: Reply, streaming: bool) -> None:
    async with World() as world:
        order = world.agent("order", streaming=streaming)
        order.replies += [trouble, Reply("单号 1"), Reply("单号 2")]
        first = await world.ask("下单", "order", key="thread/task-1")
        second = await world.ask("下单", "order", key="thread/task-2")
    assert (first.content, second.content) == ("单号 1", "单号 2")
    one, again, other = order.sends
    assert one.headers["idempotency-key"] == again.headers["idempotency-key"] == "thread/task-1"
    assert one.message["messageId"] == again.message["messageId"]
    assert other.headers["idempotency-key"] == "thread/task-2"
    assert other.message["messageId"] != one.message["messageId"]
    assert "下单" not in one.message["messageId"]


@pytest.mark.parametrize(("trouble", "code"), [(Reply(fail=RESET), "unreachable"), (Reply(http=503), "http_503")])
async def test_a_lost_reply_is_not_repeated_for_an_agent_that_cannot_tell_repeats(trouble: Reply, code: str) -> None:
    async with World() as world:
        canteen = world.agent(extensions=())
        canteen.replies += [trouble, Reply("doppelt")]
        outcome = await world.ask()
    assert (outcome.error, len(canteen.sends)) == (code, 1)


@pytest.mark.requirement("A2A-10")
async def test_a2a_10_one_failing_leg_does_not_lose_the_others() -> None:
    async with World() as world:
        world.agent("canteen").replies.append(Reply(http=500))
        world.agent("transport").replies.append(Reply("系统维护", state="failed"))
        world.agent("weather").replies.append(Reply("晴"))
        names = ("canteen", "transport", "weather")
        legs = await asyncio.gather(*(world.ask(agent=name, key=name) for name in names))
    assert [(leg.agent, leg.ok, leg.error) for leg in legs] == [
        ("canteen", False, "http_500"),
        ("transport", False, "a2a_state_failed"),
        ("weather", True, None),
    ]
    assert legs[2].content == "晴"


@pytest.mark.requirement("A2A-ISSUE-09")
async def test_an_agent_that_answers_too_late_is_a_timeout() -> None:
    async with World(total_timeout=0.2) as world:
        canteen = world.agent(streaming=False)
        canteen.replies.append(Reply(gate=asyncio.Event()))
        async with asyncio.timeout(5):
            outcome = await world.ask()
    assert (outcome.ok, outcome.status, outcome.error) == (False, "timed_out", "timeout")
    assert len(canteen.sends) == 1


async def test_failures_in_a_row_open_the_circuit_and_a_probe_closes_it() -> None:
    async with World(retries=0, breaker_failures=2, breaker_seconds=10) as world:
        canteen = world.agent()
        canteen.replies += [Reply(http=500), Reply(fail=REFUSED), Reply("好"), Reply("又好")]
        errors = [(await world.ask(key=str(n))).error for n in range(3)]
        assert errors == ["http_500", "unreachable", "circuit_open"]
        assert len(canteen.sends) == 2
        world.now += 10
        assert [(await world.ask(key=str(n))).ok for n in range(3, 5)] == [True, True]


async def test_an_agent_that_says_no_does_not_open_the_circuit() -> None:
    async with World(breaker_failures=1) as world:
        canteen = world.agent()
        canteen.replies += [Reply(http=404), Reply(error=-32602), Reply("x", state="failed"), Reply("好")]
        outcomes = [await world.ask(key=str(n)) for n in range(4)]
    assert [outcome.error for outcome in outcomes] == ["http_404", "rpc_-32602", "a2a_state_failed", None]


async def test_the_circuit_of_one_agent_leaves_the_others_alone() -> None:
    async with World(retries=0, breaker_failures=1) as world:
        world.agent("canteen").always = Reply(http=500)
        world.agent("transport").always = Reply("8:10 发车")
        await world.ask(agent="canteen")
        assert (await world.ask(agent="canteen")).error == "circuit_open"
        assert (await world.ask(agent="transport")).ok


class NoTokenForYou:
    def __init__(self, error: Exception | None) -> None:
        self.error = error

    async def bearer(self, agent: AgentInfo, user: UserContext) -> str | None:
        if self.error:
            raise self.error
        return None


@pytest.mark.parametrize("error", [TokenRefused(), RuntimeError("secret=hunter2"), TimeoutError()])
@pytest.mark.requirement("A2A-ISSUE-20")
async def test_without_a_token_nothing_is_sent(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    async with World(tokens=NoTokenForYou(error)) as world:
        canteen = world.agent()
        outcome = await world.ask()
    assert (outcome.ok, outcome.error, canteen.requests) == (False, "unauthorized", [])
    assert "hunter2" not in caplog.text


async def test_a_call_that_was_never_sent_says_nothing_about_the_agents_health() -> None:
    tokens = NoTokenForYou(None)
    async with World(tokens=tokens, breaker_failures=2, breaker_seconds=10) as world:
        canteen = world.agent()
        canteen.always = Reply(http=500)
        await world.ask(key="1")
        await world.ask(key="2")
        world.now += 10
        tokens.error = TokenRefused()
        assert (await world.ask(key="3")).error == "unauthorized"
        tokens.error = None
        outcomes = [(await world.ask(key=key)).error for key in "45"]
    assert outcomes == ["http_500", "circuit_open"]


async def test_an_unforeseen_error_is_a_result_and_its_text_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: Progress) -> None:
        raise RuntimeError("secret=hunter2")

    caplog.set_level(logging.DEBUG)
    async with World() as world:
        world.tell = broken
        outcome = await world.reply(Reply("好"))
    assert (outcome.ok, outcome.error) == (False, "bad_response")
    assert "RuntimeError" in caplog.text
    assert "hunter2" not in caplog.text


@pytest.mark.requirement("SB-A2A-08")
@pytest.mark.parametrize(
    ("status", "extensions", "after", "sends", "pauses"),
    [
        (503, (IDEMPOTENCY,), "3", 2, [3.0]),
        (503, (), "3", 1, []),
        (429, (), "2", 2, [2.0]),
        (429, (), "", 2, [0.1]),
        (429, (), "Wed, 21 Oct 2026 07:28:00 GMT", 2, [0.1]),
        (503, (IDEMPOTENCY,), "60", 1, []),
    ],
)
async def test_an_agent_that_asks_for_time_gets_it_up_to_a_limit(
    status: int, extensions: tuple[str, ...], after: str, sends: int, pauses: list[float]
) -> None:
    async with World() as world:
        canteen = world.agent(extensions=extensions)
        headers = {"retry-after": after} if after else {}
        canteen.replies += [Reply(http=status, headers=headers), Reply("好")]
        outcome = await world.ask()
    assert (outcome.error, len(canteen.sends)) == (None if sends == 2 else f"http_{status}", sends)
    assert world.pauses == pauses
