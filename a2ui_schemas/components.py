"""The A2UI catalogue of our surfaces: the basic components and four of our own, declared once and exported as JSON.

`python -m a2ui_schemas export` writes `catalog.json`, which front ends and other services read.
"""

from __future__ import annotations

from functools import cache
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
    """A grid of coloured cells. `cells` is bound to an array of `{label, value 0..1?, detail?}`, row by row.

    With `rowLabels` and `colLabels` (arrays of strings) it is a table with axes. A cell without a value is grey.
    """

    component: Literal["Heatmap"] = "Heatmap"
    cells: DataBinding = Field(...)
    rows: DynamicNumber | None = None
    cols: DynamicNumber | None = None
    rowLabels: DataBinding | None = None
    colLabels: DataBinding | None = None
    legend: DynamicString | None = None


class RouteMapComponent(CatalogComponentCommon):
    """Stops in order. `stops` is bound to `[{name, time?, detail?, lat?, lng?, transfer?, next_mode?, next_label?}]`.

    `next_mode` (walk, shuttle, bike, car) and `next_label` say how one gets to the stop after. When every stop has
    coordinates a map is drawn to scale as well.
    """

    component: Literal["RouteMap"] = "RouteMap"
    stops: DataBinding = Field(...)
    mode: Literal["walk", "shuttle", "bike"] | None = None
    action: Action | None = None


class MeterComponent(CatalogComponentCommon):
    """How full something is: a bar from green to red with words. Without a value only the words are shown."""

    component: Literal["Meter"] = "Meter"
    value: DynamicNumber = Field(...)
    label: DynamicString = Field(...)


class FormComponent(CatalogComponentCommon):
    """Inputs and one button. `fields` is bound to an array of `{name, label, kind, required?, options?, min?, max?}`.

    What is typed in goes, by field name, to the object that `values` is bound to. `action` is raised when all is there.
    """

    component: Literal["Form"] = "Form"
    fields: DataBinding = Field(...)
    values: DataBinding = Field(...)
    label: DynamicString = Field(...)
    action: Action = Field(...)


@cache
def build_catalog() -> Any:
    """The catalogue as an object of A2UI's SDK, which is slow to make and is not changed by use."""
    own = [ModelComponentApi(model) for model in (HeatmapComponent, RouteMapComponent, MeterComponent, FormComponent)]
    return Catalog(
        catalog_id=CATALOG_ID,
        protocol_version="0.9",
        components=[*BASIC_COMPONENTS, *own],
        functions=create_basic_catalog_functions(),
        theme_model=Theme,
    )
