"""The A2UI v0.9 messages that paint one card. Pure; the gate and the supervisor's renderer share it."""

from __future__ import annotations

from typing import Any

from a2ui_schemas.loader import CardType

VERSION = "v0.9"


def operations(card: CardType, catalog_id: str, surface_id: str, data: dict[str, Any]) -> list[dict[str, Any]]:
    """createSurface, updateComponents, updateDataModel at `/`: the order every renderer needs."""
    return [
        {"version": VERSION, "createSurface": {"surfaceId": surface_id, "catalogId": catalog_id}},
        {"version": VERSION, "updateComponents": {"surfaceId": surface_id, "components": card.template}},
        {"version": VERSION, "updateDataModel": {"surfaceId": surface_id, "path": "/", "value": data}},
    ]
