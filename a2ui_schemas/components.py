"""The A2UI catalogue of our surfaces: the basic components and two of our own, declared once and exported as JSON.

`python -m a2ui_schemas export` writes `catalog.json`, which front ends and other services read.
"""

from __future__ import annotations

from typing import Any, Literal

from a2ui.core import Catalog
from a2ui.core.basic_catalog.v0_9 import BASIC_COMPONENTS, Theme, create_basic_catalog_functions
from a2ui.core.basic_catalog.v0_9.components import CatalogComponentCommon
from a2ui.core.catalog.components import ModelComponentApi
from a2ui.core.schema.common_types import DataBinding
from a2ui.core.schema.v0_9.common_types import Action, DynamicNumber, DynamicString
from pydantic import Field

CATALOG_ID = "https://switchboard.example/a2ui/catalogs/campus/v1/catalog.json"


class HeatmapComponent(CatalogComponentCommon):
    """A grid of coloured cells. `cells` is bound to an array of `{label, value 0..1, detail?}`."""

    component: Literal["Heatmap"] = "Heatmap"
    cells: DataBinding = Field(...)
    rows: DynamicNumber | None = None
    cols: DynamicNumber | None = None
    legend: DynamicString | None = None


class RouteMapComponent(CatalogComponentCommon):
    """A line of stops. `stops` is bound to an array of `{name, detail?}`."""

    component: Literal["RouteMap"] = "RouteMap"
    stops: DataBinding = Field(...)
    mode: Literal["walk", "shuttle", "bike"] | None = None
    action: Action | None = None


def build_catalog() -> Any:
    """The catalogue as an object of A2UI's SDK."""
    own = [ModelComponentApi(HeatmapComponent), ModelComponentApi(RouteMapComponent)]
    return Catalog(
        catalog_id=CATALOG_ID,
        protocol_version="0.9",
        components=[*BASIC_COMPONENTS, *own],
        functions=create_basic_catalog_functions(),
        theme_model=Theme,
    )
