"""The shared card catalogue: one folder per card type, read by the supervisor, by agents and by contract checks.

A folder holds `card.json` (what the type is), `data.schema.json` (its `card_data_model`), `template.json` (A2UI v0.9
components bound to that data) and `example.json`. This package imports nothing of ours.
"""

from a2ui_schemas.loader import CardType, Catalogue, CatalogueError, load_catalogue

__all__ = ["CardType", "Catalogue", "CatalogueError", "load_catalogue"]
