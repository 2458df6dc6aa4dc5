"""Reads an agent card, 1.0 or 0.3, into what a call needs. Pure.

Takes the path of the card's URLs, never their host.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Set
from typing import Any
from urllib.parse import urlsplit

from contracts.extensions import ANNOUNCED, CARDS, IDEMPOTENCY, LEGACY_MARKER
from supervisor.dispatch.codecs.base import Version
from supervisor.dispatch.discovery.port import Endpoint, Interface
from supervisor.dispatch.port import AgentInfo, AgentSkill
from supervisor.dispatch.reply import as_dict, as_list

_MAX_TEXT = 2000
_MAX_ITEMS = 50


class CardRefused(ValueError):
    """The agent cannot be called by this card. `code` is that of `Unavailable`, the text is for operators."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code = code


def read_card(
    name: str,
    base: str,
    card: dict[str, Any],
    raw: bytes,
    catalogue: Set[str] | None,
    *,
    legacy: bool,
    version: str | None = None,
) -> Endpoint:
    """The endpoint of agent `name` at `base`. Raises CardRefused.

    `catalogue` holds the known card types, None if they are not known; `version` is that of the catalogue. `legacy`
    forces the old envelope.
    """
    extensions = {uri: ext for ext in _dicts(_capabilities(card).get("extensions")) if (uri := _text(ext.get("uri")))}
    legacy = legacy or LEGACY_MARKER in extensions
    interfaces = _legacy_interface(base, card) if legacy else _interfaces(base, card)
    declared = as_dict(as_dict(extensions.get(CARDS)).get("params"))
    card_types = _texts(declared.get("cardTypes"))
    built_for = _text(declared.get("catalogueVersion")) or None
    streaming = _capabilities(card).get("streaming") is True and not legacy
    agent = AgentInfo(
        name=name,
        description=_text(card.get("description")),
        skills=tuple(_skills(card)),
        url=base,
        card_types=card_types,
        catalogue_version=built_for,
        streaming=streaming,
        findings=tuple(_findings(card_types, catalogue, built_for, version)),
    )
    return Endpoint(
        agent=agent,
        interfaces=interfaces,
        streaming=streaming,
        idempotent=IDEMPOTENCY in extensions,
        extensions=tuple(uri for uri in ANNOUNCED if uri in extensions),
        revision=hashlib.blake2b(raw, digest_size=16).hexdigest(),
    )


def _findings(
    card_types: tuple[str, ...], catalogue: Set[str] | None, built_for: str | None, version: str | None
) -> Iterator[str]:
    if None not in (built_for, version) and built_for != version:
        yield f"is built for version {built_for} of the card catalogue, which is at {version}; some cards may not fit"
    for name in card_types:
        if catalogue is not None and name not in catalogue:
            yield f"card type {name!r} is not in the catalogue; its cards become message cards"


def without_card(name: str, base: str) -> Endpoint:
    """A legacy agent that serves no card."""
    agent = AgentInfo(name=name, description="", skills=(), url=base, findings=("serves no agent card",))
    return Endpoint(agent=agent, interfaces=(Interface("legacy", base + "/a2a"),))


def _interfaces(base: str, card: dict[str, Any]) -> tuple[Interface, ...]:
    """The JSON-RPC interfaces, 1.0 first, one per version."""
    found: dict[Version, Interface] = {}
    refused: str | None = None
    for version, url, tenant in _declared(card):
        try:
            found.setdefault(version, Interface(version, _at(base, url), tenant))
        except CardRefused as error:
            refused = str(error)
    if not found:
        if refused:
            raise CardRefused("address_not_allowed", refused)
        raise CardRefused("bad_response", "the agent card declares no JSON-RPC interface of A2A 1.0 or 0.3")
    return tuple(found[version] for version in ("1.0", "0.3") if version in found)


def _declared(card: dict[str, Any]) -> Iterator[tuple[Version, str, str | None]]:
    """(version, url, tenant) of every JSON-RPC interface that the card names, in its order."""
    for item in _dicts(card.get("supportedInterfaces")):
        version, url = _version(item.get("protocolVersion"), "1.0"), _text(item.get("url"))
        if version and url and _text(item.get("protocolBinding")).upper() == "JSONRPC":
            yield version, url, _text(item.get("tenant")) or None
    version = _version(card.get("protocolVersion"), "0.3")
    if version is None:
        return
    if _text(card.get("url")) and (_text(card.get("preferredTransport")) or "JSONRPC").upper() == "JSONRPC":
        yield version, _text(card.get("url")), None
    for item in _dicts(card.get("additionalInterfaces")):
        if _text(item.get("url")) and _text(item.get("transport")).upper() == "JSONRPC":
            yield version, _text(item.get("url")), None


def _legacy_interface(base: str, card: dict[str, Any]) -> tuple[Interface, ...]:
    url = next((url for _, url, _ in _declared(card)), "")
    return (Interface("legacy", _at(base, url) if url else base + "/a2a"),)


def _version(raw: Any, default: Version) -> Version | None:
    match _text(raw).partition(".")[0]:
        case "":
            return default
        case "1":
            return "1.0"
        case "0":
            return "0.3"
        case _:
            return None


def _at(base: str, advertised: str) -> str:
    """The advertised path at the origin of `base`.

    An agent behind a proxy that takes a prefix away knows neither its host nor the prefix, which is put back. A scheme
    or credentials that we would not call are refused all the same.
    """
    try:
        parts = urlsplit(advertised)
    except ValueError:
        raise CardRefused("address_not_allowed", "the agent card names something that is not a URL") from None
    if parts.scheme not in ("", "http", "https") or "@" in parts.netloc or "\\" in advertised:
        raise CardRefused("address_not_allowed", "the agent card names an address that is not plain http or https")
    here = urlsplit(base)
    path, prefix = f"/{parts.path.lstrip('/')}", here.path.rstrip("/")
    elsewhere = parts.netloc not in ("", here.netloc)
    if elsewhere and prefix and not f"{path}/".startswith(f"{prefix}/"):
        path = prefix + path
    return f"{here.scheme}://{here.netloc}{path}"


def _skills(card: dict[str, Any]) -> Iterator[AgentSkill]:
    for skill in _dicts(card.get("skills"))[:_MAX_ITEMS]:
        identity = _text(skill.get("id")) or _text(skill.get("name"))
        if identity:
            yield AgentSkill(
                id=identity,
                name=_text(skill.get("name")) or identity,
                description=_text(skill.get("description")),
                tags=_texts(skill.get("tags")),
                examples=_texts(skill.get("examples")),
            )


def _capabilities(card: dict[str, Any]) -> dict[str, Any]:
    return as_dict(card.get("capabilities"))


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in map(as_dict, as_list(value)) if item]


def _text(value: Any) -> str:
    return value.strip()[:_MAX_TEXT] if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(filter(None, map(_text, as_list(value)[:_MAX_ITEMS])))
