// The A2UI catalogue of this page: the basic components, some of them drawn by us, and our own (a2ui_schemas/components.py).
import { basicCatalog, Catalog } from "@copilotkit/a2ui-renderer";
import { CommonSchemas } from "@a2ui/web_core/v0_9";
import { z } from "zod";
import { basics, Meter } from "./basic";
import { component, Rows } from "./component";
import { Form } from "./form";
import { Heatmap } from "./heatmap";
import { RouteMap } from "./route-map";
import "./style.css";

const CATALOG_ID = "https://switchboard.example/a2ui/catalogs/campus/v1/catalog.json";
const { Action, DataBinding, DynamicNumber, DynamicString } = CommonSchemas;

const ours = [
  component("Meter", { value: DynamicNumber, label: DynamicString }, Meter),
  component(
    "Heatmap",
    {
      cells: Rows,
      rows: DynamicNumber.optional(),
      cols: DynamicNumber.optional(),
      rowLabels: Rows.optional(),
      colLabels: Rows.optional(),
      legend: DynamicString.optional(),
    },
    Heatmap,
  ),
  component("RouteMap", { stops: Rows, mode: z.enum(["walk", "shuttle", "bike"]).optional(), action: Action.optional() }, RouteMap),
  component("Form", { fields: Rows, values: z.union([z.record(z.any()), DataBinding]), label: DynamicString, action: Action }, Form),
];

// Of two components with the same name the later one counts.
export const campusCatalog = new Catalog(
  CATALOG_ID,
  [...basicCatalog.components.values(), ...basics, ...ours],
  [...basicCatalog.functions.values()],
);
