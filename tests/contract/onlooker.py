"""Which cards of a world a user would not see as themselves, by the real gate and renderer and a front end played here.

Shares no line with the check that is tested by it.
"""

from __future__ import annotations

from dataclasses import replace

from a2ui_schemas import load_catalogue
from a2ui_schemas.gate import FALLBACK, check
from a2ui_schemas.loader import CatalogueError
from supervisor.cards import artifact
from supervisor.cards.render import CardRenderer
from tests.contract.mutations import BUBBLE, Json, World


def lost(world: World) -> set[str]:
    """The card types that some user would not see as themselves; all of them if the supervisor does not start."""
    try:
        catalogue = load_catalogue(world.catalogue)
        guarded = {card.type: card for card in catalogue.cards.values() if card.type in (world.target, FALLBACK)}
        check(replace(catalogue, cards=guarded))
    except CatalogueError as error:
        world.gate_errors = str(error).splitlines()
        return {name for _, name in world.data}
    renderer = CardRenderer(catalogue)
    missed = {"(text)"} if any("TEXT_MESSAGE_CONTENT" not in page["textEvents"] for page in world.pages) else set[str]()
    for (_, name), data in {**world.data, ("supervisor", FALLBACK): {"text": "…"}}.items():
        card = renderer.render(name, data, bubble_text=BUBBLE)
        event = artifact.surface_events("c1", artifact.build([artifact.Issued(card)]))[0]
        if card.fallback or not all(_paints(page, event) for page in world.pages):
            missed.add(name)
    return missed


def _paints(page: Json, event: Json) -> bool:
    """Whether a front end that is as its contract says shows the card of an event."""
    content = event["content"]
    create, update, _ = content["a2ui_operations"]
    heard = any(
        channel["event"] == event["type"]
        and channel.get("activityType", event["activityType"]) == event["activityType"]
        and channel["carries"] in content
        and content["card_type"] in channel.get("cardTypes", [content["card_type"]])
        for channel in page["channels"]
    )
    return (
        heard
        and {create["version"], update["version"]} == {page.get("a2uiVersion")}
        and create["createSurface"]["catalogId"] == page.get("catalogId")
        and {part["component"] for part in update["updateComponents"]["components"]} <= set(page.get("components", ()))
    )
