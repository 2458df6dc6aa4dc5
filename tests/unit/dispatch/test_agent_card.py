from __future__ import annotations

from typing import Any

import pytest

from supervisor.dispatch.discovery.card import CARDS, IDEMPOTENCY, CardRefused, read_card
from supervisor.dispatch.discovery.port import Endpoint

BASE = "http://127.0.0.1:9900/a2a/domain-0"


def read(card: dict[str, Any], catalogue: set[str] | None = None, base: str = BASE) -> Endpoint:
    return read_card("canteen", base, card, b"raw", catalogue, legacy=False)


def interface(url: str = "https://elsewhere.test/x/a2a", version: str = "1.0", **more: Any) -> dict[str, Any]:
    return {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": version, **more}


@pytest.mark.requirement("A2A-ISSUE-13")
def test_the_host_is_ours_and_the_path_is_the_cards() -> None:
    endpoint = read({"supportedInterfaces": [interface("https://elsewhere.test/a2a/domain-0/a2a?x=1#y")]})
    assert endpoint.interfaces[0].url == "http://127.0.0.1:9900/a2a/domain-0/a2a"
    assert endpoint.agent.url == BASE


@pytest.mark.parametrize(
    ("advertised", "path"),
    [
        ("/a2a", "/a2a"),
        ("http://0.0.0.0:8000/a2a/domain-0/", "/a2a/domain-0/"),
        ("http://h//evil.test/x", "/a2a/domain-0/evil.test/x"),
    ],
)
def test_odd_urls_in_a_card_cannot_change_the_host(advertised: str, path: str) -> None:
    assert read({"supportedInterfaces": [interface(advertised)]}).interfaces[0].url == f"http://127.0.0.1:9900{path}"


@pytest.mark.requirement("A2A-ISSUE-13")
@pytest.mark.parametrize(
    ("advertised", "path"),
    [
        ("http://localhost:8101/rpc", "/a2a/domain-0/rpc"),
        ("http://localhost:8101/a2a/domain-01/rpc", "/a2a/domain-0/a2a/domain-01/rpc"),
        ("http://localhost:8101/a2a/domain-0/rpc", "/a2a/domain-0/rpc"),
        ("http://127.0.0.1:9900/rpc", "/rpc"),
    ],
)
def test_an_agent_that_knows_neither_its_host_nor_its_prefix_is_called_under_the_prefix(
    advertised: str, path: str
) -> None:
    assert read({"supportedInterfaces": [interface(advertised)]}).interfaces[0].url == f"http://127.0.0.1:9900{path}"


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://127.0.0.1:9900@evil.test/", "http://[::1", "a\\b"])
def test_auth_02_a_card_that_names_a_forbidden_address_is_refused(url: str) -> None:
    with pytest.raises(CardRefused) as refusal:
        read({"supportedInterfaces": [interface(url)]})
    assert refusal.value.code == "address_not_allowed"


@pytest.mark.requirement("A2A-ISSUE-15")
def test_1_0_is_preferred_whatever_the_order() -> None:
    card = {"supportedInterfaces": [interface("/old", "0.3"), interface("/new", "1.0")]}
    assert [(i.version, i.url.rpartition("/")[2]) for i in read(card).interfaces] == [("1.0", "new"), ("0.3", "old")]


def test_other_bindings_and_versions_are_passed_over() -> None:
    grpc = interface("/grpc") | {"protocolBinding": "GRPC"}
    card = {"supportedInterfaces": [grpc, interface("/v2", "2.0"), interface("/a2a", "1.0.1", tenant="t")]}
    endpoint = read(card)
    assert [(i.version, i.tenant) for i in endpoint.interfaces] == [("1.0", "t")]


@pytest.mark.parametrize(
    "card",
    [
        {"url": "http://x.test/a2a", "protocolVersion": "0.3.0"},
        {"url": "http://x.test/a2a", "preferredTransport": "jsonrpc"},
        {
            "url": "http://x.test/grpc",
            "preferredTransport": "GRPC",
            "additionalInterfaces": [{"url": "http://x.test/a2a", "transport": "JSONRPC"}],
        },
    ],
)
def test_a_card_of_0_3_is_read(card: dict[str, Any]) -> None:
    assert [(i.version, i.url) for i in read(card).interfaces] == [("0.3", f"{BASE}/a2a")]


@pytest.mark.parametrize(
    "card",
    [
        {},
        {"supportedInterfaces": []},
        {"supportedInterfaces": [interface("")]},
        {"supportedInterfaces": "x", "url": 5},
        {"url": "/", "protocolVersion": "3"},
    ],
)
def test_a_card_without_a_usable_interface_is_refused(card: dict[str, Any]) -> None:
    with pytest.raises(CardRefused) as refusal:
        read(card)
    assert refusal.value.code == "bad_response"


def test_skills_card_types_and_extensions_are_read() -> None:
    endpoint = read(
        {
            "supportedInterfaces": [interface()],
            "description": "菜品与档口",
            "capabilities": {
                "streaming": True,
                "extensions": [
                    {"uri": CARDS, "params": {"cardTypes": ["dish_cards", "hologram"]}},
                    {"uri": IDEMPOTENCY},
                    {"uri": "https://other.test/ext"},
                ],
            },
            "skills": [
                {"id": "dishes", "name": "菜品", "description": "d", "tags": ["辣", 1], "examples": ["hi"]},
                {},
                3,
            ],
        },
        catalogue={"dish_cards"},
    )
    agent = endpoint.agent
    assert (agent.name, agent.description, agent.streaming) == ("canteen", "菜品与档口", True)
    assert [(s.id, s.name, s.tags, s.examples) for s in agent.skills] == [("dishes", "菜品", ("辣",), ("hi",))]
    assert agent.card_types == ("dish_cards", "hologram")
    assert len(agent.findings) == 1
    assert "hologram" in agent.findings[0]
    assert (endpoint.idempotent, endpoint.extensions) == (True, (CARDS, IDEMPOTENCY))


def test_without_a_catalogue_no_card_type_is_found_wanting() -> None:
    extension = {"uri": CARDS, "params": {"cardTypes": ["hologram"]}}
    card = {"supportedInterfaces": [interface()], "capabilities": {"extensions": [extension]}}
    assert read(card).agent.findings == ()
    assert read(card, set()).agent.findings != ()


@pytest.mark.parametrize(("built_for", "count"), [("1", 0), ("2", 1), (None, 0), (2, 0)])
def test_an_agent_that_is_built_for_another_version_of_the_catalogue_is_called_and_told(
    built_for: Any, count: int
) -> None:
    extension = {"uri": CARDS, "params": {"cardTypes": ["dish_cards"], "catalogueVersion": built_for}}
    card = {"supportedInterfaces": [interface()], "capabilities": {"extensions": [extension]}}
    agent = read_card("canteen", BASE, card, b"raw", {"dish_cards"}, legacy=False, version="1").agent
    assert agent.healthy
    assert len(agent.findings) == count
    assert all("version 2 of the card catalogue, which is at 1" in finding for finding in agent.findings)


def test_wrong_types_in_a_card_are_read_as_missing() -> None:
    card = {"supportedInterfaces": [interface()], "capabilities": [], "skills": {}, "description": 7}
    endpoint = read(card)
    assert (endpoint.agent.description, endpoint.agent.skills, endpoint.streaming) == ("", (), False)
