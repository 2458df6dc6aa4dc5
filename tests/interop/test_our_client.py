"""Our client against servers that we did not write, each in a process and an environment of its own."""

from __future__ import annotations

import asyncio

import pytest

from supervisor.dispatch.port import Progress
from tests.interop.asking import Way, asking
from tests.interop.peers import script
from tests.interop.processes import Peer

pytestmark = pytest.mark.e2e

NEW, OLD = "a2a-1.3.0", "a2a-0.3.26"
SDK = (
    Way(NEW, "modern", "1.0"),
    Way(NEW, "modern-blocking", "1.0", streams=False),
    Way(NEW, "both", "1.0"),
    Way(NEW, "compat", "0.3"),
    Way(NEW, "compat-blocking", "0.3", streams=False),
    Way(OLD, "old", "0.3"),
    Way(OLD, "old-blocking", "0.3", streams=False),
)
LEGACY = Way("legacy", "", "legacy", streams=False)
# What the cards of agents behind proxies say; the last one's proxy takes the prefix of the path away as well.
ELSEWHERE = tuple(
    Way(NEW, name, "1.0") for name in ("at-localhost", "at-everywhere", "at-another-host", "behind-a-prefix")
)
LIARS = (
    Way(OLD, "says-new", "0.3", probe=("SendStreamingMessage",)),
    Way(NEW, "says-old", "1.0", probe=("message/stream",)),
    Way(NEW, "says-streaming", "1.0", streams=False, probe=("SendStreamingMessage",)),
    Way(OLD, "says-streaming-old", "0.3", streams=False, probe=("message/stream",)),
)
ANSWER = "".join(script.PIECES)
Peers = dict[str, Peer]


def ways(*chosen: Way) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("way", chosen, ids=[way.agent or way.peer for way in chosen])


EVERY = ways(*SDK, LEGACY, *ELSEWHERE, *LIARS)
STREAMING = ways(*(way for way in (*SDK, *ELSEWHERE, *LIARS) if way.streams))


@pytest.mark.requirement("SB-INTEROP-01", "SB-INTEROP-03")
@EVERY
async def test_an_answer_comes_with_its_card_in_the_version_that_the_agent_speaks(
    frozen_peers: Peers, way: Way
) -> None:
    async with asking(frozen_peers, way) as agent:
        answer = await agent.ask("dishes")
        methods = await agent.methods()
    assert (answer.status, answer.ok, answer.error, answer.content) == ("completed", True, None, ANSWER)
    assert (answer.card_type, answer.card_data) == ("dish_cards", script.CARD["card_data_model"])
    assert type(answer.card_data["items"][0]["spiciness"]) is int
    assert answer.data == (None if way is LEGACY else script.DATA)
    assert methods == [*way.probe, way.method]


@pytest.mark.requirement("SB-INTEROP-01")
@STREAMING
async def test_a_streamed_answer_is_shown_while_it_comes(frozen_peers: Peers, way: Way) -> None:
    async with asking(frozen_peers, way) as agent:
        answer = await agent.ask("dishes")
    assert agent.progress == [Progress("status", script.STATUS), *(Progress("text", text) for text in script.PIECES)]
    assert answer.content == ANSWER


@pytest.mark.requirement("SB-INTEROP-01")
@EVERY
async def test_a_stream_that_breaks_off_is_picked_up_and_nothing_is_asked_twice(frozen_peers: Peers, way: Way) -> None:
    async with asking(frozen_peers, way) as agent:
        answer = await agent.ask("cut")
        methods = await agent.methods()
    assert (answer.ok, answer.content, answer.card_type) == (True, ANSWER, "dish_cards")
    assert methods == [*way.probe, way.method]
    assert [step for step in agent.progress if step.kind == "text"] == []


@pytest.mark.requirement("SB-INTEROP-02")
@ways(*LIARS)
async def test_a_card_that_lies_is_found_out_once_and_remembered(frozen_peers: Peers, way: Way) -> None:
    async with asking(frozen_peers, way) as agent:
        answers = [await agent.ask("dishes") for _ in range(3)]
        methods = await agent.methods()
    assert [answer.content for answer in answers] == [ANSWER] * 3
    assert methods == [*way.probe, way.method, way.method, way.method]


@pytest.mark.requirement("SB-INTEROP-01")
@ways(*SDK, LEGACY, *LIARS)
async def test_only_a_1_0_call_says_its_version_and_a_probe_keeps_message_and_key(
    frozen_peers: Peers, way: Way
) -> None:
    async with asking(frozen_peers, way) as agent:
        await agent.ask("dishes")
        requests = (await agent.seen())["requests"]
    modern = [request for request in requests if "/" not in request["method"]]
    assert [request["version"] for request in requests] == [
        "1.0" if request in modern else None for request in requests
    ]
    ids = {request["message"].get("messageId") or request["message"]["message_id"] for request in requests}
    assert len(ids) == len({request["key"] for request in requests}) == 1


@pytest.mark.requirement("SB-INTEROP-01")
@EVERY
@pytest.mark.parametrize(
    ("question", "error", "said"),
    [("fail", "a2a_state_failed", script.FAILED), ("reject", "a2a_state_rejected", script.REJECTED)],
)
async def test_a_task_that_ends_badly_is_a_failure_in_the_agents_words(
    frozen_peers: Peers, way: Way, question: str, error: str, said: str
) -> None:
    async with asking(frozen_peers, way) as agent:
        answer = await agent.ask(question)
    assert (answer.ok, answer.status, answer.error, answer.content) == (False, "failed", error, said)


async def test_the_state_that_only_old_agents_have_is_a_failure(frozen_peers: Peers) -> None:
    async with asking(frozen_peers, LEGACY) as agent:
        answer = await agent.ask("error-state")
    assert (answer.status, answer.error, answer.content) == ("failed", "a2a_state_error", script.FAILED)


@pytest.mark.requirement("SB-INTEROP-01")
@EVERY
async def test_a_question_of_the_agent_is_answered_to_the_same_task(frozen_peers: Peers, way: Way) -> None:
    async with asking(frozen_peers, way) as agent:
        question = await agent.ask("ask")
        await agent.seen(until="settled")
        answer = await agent.ask("tue", task=question.task_id, data={"value": "tue"})
    assert (question.status, question.error) == ("suspended", "a2a_state_input_required")
    assert question.content == script.QUESTION
    assert question.data == (None if way is LEGACY else script.PAYLOAD)
    assert (answer.ok, answer.task_id) == (True, question.task_id)
    assert question.task_id
    assert answer.content == script.heard("tue", None if way is LEGACY else {"value": "tue"})


@pytest.mark.requirement("SB-INTEROP-01")
@EVERY
async def test_an_agent_that_wants_a_sign_in_suspends_and_goes_on_in_the_same_task(
    frozen_peers: Peers, way: Way
) -> None:
    async with asking(frozen_peers, way) as agent:
        question = await agent.ask("sign-in")
        await agent.seen(until="settled")
        answer = await agent.ask("unlocked", task=question.task_id)
    assert (question.status, question.error) == ("suspended", "a2a_state_auth_required")
    assert question.content == script.SIGN_IN
    assert (answer.ok, answer.task_id) == (True, question.task_id)


@pytest.mark.requirement("SB-INTEROP-01")
@EVERY
async def test_a_message_without_a_task_is_an_answer(frozen_peers: Peers, way: Way) -> None:
    async with asking(frozen_peers, way) as agent:
        answer = await agent.ask("message")
    assert (answer.ok, answer.content, answer.task_id) == (True, script.MESSAGE, None)


@pytest.mark.requirement("SB-INTEROP-01")
@EVERY
@pytest.mark.parametrize("question", ["error", "crash"])
async def test_an_error_of_the_protocol_is_a_code_without_the_agents_text(
    frozen_peers: Peers, way: Way, question: str
) -> None:
    if way is LEGACY and question == "crash":
        pytest.skip("this peer does not crash")
    async with asking(frozen_peers, way) as agent:
        answer = await agent.ask(question)
    assert (answer.ok, answer.status, answer.error) == (False, "failed", _code(way, question))
    assert "hunter2" not in repr(answer)


def _code(way: Way, question: str) -> str:
    """An agent on the old SDK that crashes in a stream breaks the connection without a word."""
    silent = way.peer == OLD and way.streams and question == "crash"
    return "unreachable" if silent else "rpc_-32602" if question == "error" else "rpc_-32603"


@pytest.mark.requirement("SB-INTEROP-01")
@EVERY
async def test_a_follow_up_is_a_new_task_in_the_same_conversation(frozen_peers: Peers, way: Way) -> None:
    async with asking(frozen_peers, way) as agent:
        first, second = await agent.ask("again"), await agent.ask("again")
    assert (first.content, second.content) == (script.numbered(1), script.numbered(2))
    assert first.task_id != second.task_id


# A blocking call of 0.3 tells no task id before its answer, and there is no list of tasks to look it up in.
TELLABLE = ways(*(way for way in (*SDK, *ELSEWHERE, *LIARS) if way.streams or way.speaks == "1.0"))
DEAF = ways(*(way for way in (*SDK, LEGACY, *LIARS) if not way.streams and way.speaks != "1.0"))


@pytest.mark.requirement("SB-INTEROP-01")
@TELLABLE
async def test_a_cancel_reaches_the_agent(frozen_peers: Peers, way: Way) -> None:
    async with asking(frozen_peers, way) as agent:
        leg = asyncio.create_task(agent.ask("hang"))
        if way.streams:
            await agent.said.wait()
        else:
            await agent.seen(until="message")
        leg.cancel()
        await asyncio.wait([leg])
        seen = await agent.seen(until="cancel")
    assert leg.cancelled()
    assert seen["cancelled"]


@pytest.mark.requirement("SB-INTEROP-01")
@DEAF
async def test_a_cancel_ends_the_wait_for_an_agent_that_cannot_be_told(frozen_peers: Peers, way: Way) -> None:
    async with asking(frozen_peers, way) as agent:
        leg = asyncio.create_task(agent.ask("hang"))
        await agent.seen(until="message")
        leg.cancel()
        await asyncio.wait([leg])
    assert leg.cancelled()
