from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import httpx
import pytest

from supervisor.dispatch.port import AgentInfo, UserContext
from tests.fakes.a2a_stub import Reply
from tests.unit.dispatch.world import World

DOWN = Reply(fail=httpx.ConnectError("refused"))


async def test_agents_are_known_after_start_and_sorted_by_name() -> None:
    async with World() as world:
        world.agent("transport", skills=[{"id": "shuttle", "name": "校车", "tags": ["bus"]}])
        world.agent("canteen", streaming=False, card_types=("dish_cards",))
        await world.discovery.start()
        canteen, transport = world.dispatcher.agents()
    assert (canteen.name, canteen.healthy, canteen.error) == ("canteen", True, None)
    assert (canteen.card_types, canteen.streaming) == (("dish_cards",), False)
    assert (transport.name, transport.skills[0].name) == ("transport", "校车")
    assert canteen.url == "http://agents.test/canteen"


@pytest.mark.requirement("SB-A2A-10")
async def test_a_card_is_found_where_it_was_before_0_3() -> None:
    async with World() as world:
        canteen = world.agent(versions=("0.3",))
        canteen.card_path = ".well-known/agent.json"
        canteen.replies.append(Reply("好"))
        await world.discovery.start()
        assert world.dispatcher.agents()[0].healthy
        assert (await world.ask()).ok


async def test_an_unknown_card_type_is_a_finding_and_the_agent_is_admitted() -> None:
    async with World(catalogue={"dish_cards"}) as world:
        world.agent(card_types=("dish_cards", "hologram"))
        await world.discovery.refresh()
        info = world.dispatcher.agents()[0]
    assert info.healthy
    assert [("hologram" in finding) for finding in info.findings] == [True]


async def test_a_dead_agent_is_listed_with_the_reason_and_the_start_goes_on() -> None:
    async with World() as world:
        world.agent("canteen").card_reply = DOWN
        world.agent("transport")
        await world.discovery.start()
        canteen, transport = world.dispatcher.agents()
    assert (canteen.healthy, canteen.error) == (False, "cannot be reached")
    assert transport.healthy


@pytest.mark.parametrize(
    ("reply", "words", "code"),
    [
        (Reply(http=500), "answered 500 instead of its agent card", "unreachable"),
        (Reply(http=307, headers={"location": "http://evil.test/"}), "answered 307", "unreachable"),
        (Reply(raw=b"<html>"), "not JSON", "bad_response"),
        (Reply(raw=b"[]"), "not a JSON object", "bad_response"),
        (Reply(raw=b"{}"), "no JSON-RPC interface", "bad_response"),
        (Reply(raw=b" " * 300_000), "too large", "bad_response"),
        (Reply(raw=json.dumps({"url": "file:///etc/passwd"}).encode()), "not plain http", "address_not_allowed"),
    ],
)
async def test_an_unusable_card_is_told_in_words_and_calls_fail_with_a_code(
    reply: Reply, words: str, code: str
) -> None:
    async with World() as world:
        canteen = world.agent()
        canteen.card_reply = reply
        await world.discovery.refresh()
        info = world.dispatcher.agents()[0]
        outcome = await world.ask()
    assert not info.healthy
    assert words in (info.error or "")
    assert (outcome.ok, outcome.error, canteen.requests) == (False, code, [])


async def test_a_card_that_does_not_come_is_given_up() -> None:
    async with World(card_timeout=0.02) as world:
        world.agent().card_reply = Reply(gate=asyncio.Event())
        async with asyncio.timeout(5):
            await world.discovery.start()
        assert world.dispatcher.agents()[0].error == "did not answer in time"


async def test_the_version_changes_only_with_what_is_seen() -> None:
    async with World() as world:
        canteen = world.agent()
        canteen.card_reply = DOWN
        versions = [world.dispatcher.version]

        async def look() -> None:
            await world.discovery.refresh()
            versions.append(world.dispatcher.version)
            world.now += 1

        await look()
        await look()
        canteen.card_reply = None
        await look()
        await look()
        canteen.card = {**canteen.card, "description": "new"}
        await look()
    unseen, down, still_down, up, still_up, changed = versions
    assert unseen < down == still_down < up == still_up < changed


async def test_an_unchanged_card_is_asked_for_with_its_etag() -> None:
    async with World() as world:
        canteen = world.agent()
        await world.discovery.refresh()
        world.now += 1
        await world.discovery.refresh()
        assert world.dispatcher.agents()[0].healthy
    first, second = canteen.card_requests
    assert "if-none-match" not in first
    assert second["if-none-match"]


async def test_an_agent_that_dies_keeps_its_place_and_comes_back_by_its_etag() -> None:
    async with World() as world:
        canteen = world.agent()
        await world.discovery.refresh()
        for reply, healthy in ((DOWN, False), (None, True)):
            world.now += 1
            canteen.card_reply = reply
            await world.discovery.refresh()
            assert world.dispatcher.agents()[0].healthy is healthy
            canteen.replies.append(Reply("好"))
            assert (await world.ask()).ok


async def test_an_agent_whose_card_breaks_is_unhealthy_but_still_called() -> None:
    async with World() as world:
        canteen = world.agent()
        await world.discovery.refresh()
        world.now += 1
        canteen.card_reply = Reply(raw=b"<html>")
        await world.discovery.refresh()
        assert not world.dispatcher.agents()[0].healthy
        canteen.replies.append(Reply("好"))
        assert (await world.ask()).ok


async def test_auth_02_an_agent_whose_card_turns_to_a_forbidden_address_is_no_longer_called() -> None:
    async with World() as world:
        canteen = world.agent()
        await world.discovery.refresh()
        world.now += 1
        canteen.card_reply = Reply(raw=json.dumps({"url": "file:///etc/passwd"}).encode())
        await world.discovery.refresh()
        assert (await world.ask()).error == "address_not_allowed"
    assert canteen.requests == []


async def test_disc_03_an_agent_that_starts_later_is_found_by_the_call_itself() -> None:
    async with World() as world:
        canteen = world.agent()
        canteen.card_reply = DOWN
        await world.discovery.start()
        assert (await world.ask()).error == "unreachable"
        canteen.card_reply = None
        canteen.replies.append(Reply("好"))
        world.now += 1
        assert (await world.ask()).ok
        assert world.dispatcher.agents()[0].healthy


async def test_an_agent_whose_card_gets_lost_right_after_our_start_is_looked_for_again() -> None:
    async with World() as world:
        canteen = world.agent()
        canteen.card_reply, canteen.always = DOWN, Reply("好")

        def time_passes(seconds: float) -> None:
            world.now += seconds
            canteen.card_reply = None

        world.passed = time_passes
        await world.discovery.start()
        assert (await world.ask()).ok
    assert (world.pauses, len(canteen.card_requests)) == ([0.5], 2)


async def test_calls_to_an_agent_that_was_never_seen_share_one_look() -> None:
    async with asyncio.timeout(5), World() as world:
        canteen, gate = world.agent(), asyncio.Event()
        canteen.card_reply = Reply(gate=gate, raw=json.dumps(canteen.card).encode())
        canteen.always = Reply("好")
        legs = [asyncio.create_task(world.ask(key=str(n))) for n in range(5)]
        await canteen.cards_asked(1)
        gate.set()
        assert all(leg.ok for leg in await asyncio.gather(*legs))
    assert len(canteen.card_requests) == 1


async def test_the_background_finds_an_agent_that_starts_later_and_sees_one_die() -> None:
    async with (
        asyncio.timeout(10),
        World(clock=time.monotonic, unhealthy_interval=0.01, discovery_interval=0.01) as world,
    ):
        canteen = world.agent()
        canteen.card_reply = DOWN
        await world.discovery.start()
        for reply, healthy in ((None, True), (DOWN, False)):
            canteen.card_reply = reply
            # The look after the next one begins when the next one has been taken in.
            await canteen.cards_asked(len(canteen.card_requests) + 2)
            assert world.dispatcher.agents()[0].healthy is healthy


async def test_a_failed_call_makes_discovery_look_again_soon() -> None:
    rarely: dict[str, Any] = {"discovery_interval": 3600.0, "unhealthy_interval": 3600.0}
    async with asyncio.timeout(10), World(clock=time.monotonic, recheck_gap=0.01, retries=0, **rarely) as world:
        canteen = world.agent()
        await world.discovery.start()
        canteen.replies += [DOWN, DOWN]
        canteen.card_reply = DOWN
        assert (await world.ask()).error == "unreachable"
        await canteen.cards_asked(2)
        assert (await world.ask()).error == "unreachable"
        await canteen.cards_asked(3)
        assert not world.dispatcher.agents()[0].healthy


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "http://u:hunter2@host/", "http://169.254.169.254/latest", "http://2130706433/", "x"],
)
async def test_auth_02_an_agent_at_a_forbidden_address_is_listed_and_never_connected(url: str) -> None:
    asked: list[httpx.Request] = []
    transport = httpx.MockTransport(lambda request: asked.append(request) or httpx.Response(500))
    async with World(agents={"canteen": url}, transport=transport) as world:
        await world.discovery.start()
        outcome = await world.ask()
        info = world.dispatcher.agents()[0]
    assert (outcome.ok, outcome.error, asked) == (False, "address_not_allowed", [])
    assert "not allowed" in (info.error or "")
    assert "hunter2" not in repr(info)


async def test_auth_01_the_token_goes_to_the_registered_host_only() -> None:
    class Token:
        async def bearer(self, agent: AgentInfo, user: UserContext) -> str:
            return "delegated"

    async with World(tokens=Token()) as world:
        canteen = world.agent(streaming=False)
        other = world.agent("other")
        for interface in canteen.card["supportedInterfaces"]:
            interface["url"] = interface["url"].replace("agents.test", "evil.test:1234")
        canteen.replies += [Reply("好"), Reply(http=307, headers={"location": f"{other.url}/a2a"})]
        assert (await world.ask(key="a")).ok
        assert (await world.ask(key="b")).error == "http_307"
    assert [request.headers["authorization"] for request in canteen.sends] == ["Bearer delegated"] * 2
    assert {request.headers["host"] for request in canteen.sends} == {"agents.test"}
    assert other.requests == []
