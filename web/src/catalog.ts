// The A2UI catalogue of this page: the basic components, some of them drawn by us, and our own (a2ui_schemas/components.py).
import { basicCatalog } from "@a2ui/lit/v0_9";
import { Catalog } from "@a2ui/web_core/v0_9";
import type { LitElement } from "lit";
import { Column } from "./catalog/column";
import { FormComponent } from "./catalog/form";
import { HeatmapComponent } from "./catalog/heatmap";
import { Image } from "./catalog/image";
import { MeterComponent } from "./catalog/meter";
import { RouteMapComponent } from "./catalog/route-map";
import { surfaceStyle } from "./catalog/style";
import { Text } from "./catalog/text";

export const CATALOG_ID = "https://switchboard.example/a2ui/catalogs/campus/v1/catalog.json";

const surface = customElements.get("a2ui-surface") as unknown as typeof LitElement;
surface.elementStyles.push(surfaceStyle);

const ours = [Column, Text, Image, MeterComponent, HeatmapComponent, RouteMapComponent, FormComponent];
const names = new Set(ours.map((component) => component.name));

export const campusCatalog = new Catalog<any>(
  CATALOG_ID,
  [...[...basicCatalog.components.values()].filter((component) => !names.has(component.name)), ...ours],
  [...basicCatalog.functions.values()],
);
