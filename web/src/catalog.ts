// The A2UI catalogue of this page: the basic components and our Heatmap and RouteMap (see a2ui_schemas/components.py).
import { A2uiLitElement, basicCatalog } from "@a2ui/lit/v0_9";
import { Catalog, CommonSchemas } from "@a2ui/web_core/v0_9";
import { css, html, LitElement, nothing } from "lit";
import { z } from "zod";

export const CATALOG_ID = "https://switchboard.example/a2ui/catalogs/campus/v1/catalog.json";

const Rows = z.union([z.array(z.any()), CommonSchemas.DataBinding]);

const HeatmapApi = {
  name: "Heatmap",
  schema: z.object({
    cells: Rows,
    rows: CommonSchemas.DynamicNumber.optional(),
    cols: CommonSchemas.DynamicNumber.optional(),
    legend: CommonSchemas.DynamicString.optional(),
  }),
} as const;

const RouteMapApi = {
  name: "RouteMap",
  schema: z.object({
    stops: Rows,
    mode: z.enum(["walk", "shuttle", "bike"]).optional(),
    action: CommonSchemas.Action.optional(),
  }),
} as const;

interface Cell {
  label: string;
  value: number;
  detail?: string;
}

abstract class CampusElement extends A2uiLitElement<any> {
  /** Resolved properties, undefined until the surface has data. */
  protected get props(): any {
    return (this as any).controller?.props;
  }
}

class Heatmap extends CampusElement {
  static styles = css`
    :host { display: block; width: 100%; }
    .grid { display: grid; gap: 6px; grid-template-columns: repeat(var(--cols), minmax(0, 1fr)); }
    .cell { border-radius: 8px; padding: 10px 8px; min-width: 0; color: #14231c; }
    .label { font-size: 13px; font-weight: 600; overflow-wrap: anywhere; line-height: 1.25; }
    .detail { font-size: 12px; margin-top: 2px; opacity: 0.85; }
    .legend { font-size: 12px; margin-top: 8px; opacity: 0.75; }
    @media (max-width: 420px) { .grid { grid-template-columns: repeat(min(var(--cols), 2), minmax(0, 1fr)); } }
  `;
  protected api = HeatmapApi as any;
  render() {
    const props = this.props;
    if (!props) return nothing;
    const cells = (Array.isArray(props.cells) ? props.cells : []) as Cell[];
    const columns = Math.max(1, Math.min(Number(props.cols) || 3, 24));
    return html`
      <div class="grid" role="list" data-testid="heatmap" style="--cols:${columns}">
        ${cells.map((cell) => {
          const value = Math.max(0, Math.min(Number(cell.value) || 0, 1));
          const hue = Math.round(140 - 140 * value);
          return html`<div class="cell" role="listitem" style="background:hsl(${hue} 62% 74%)">
            <div class="label">${cell.label}</div>
            <div class="detail">${cell.detail || `${Math.round(value * 100)}%`}</div>
          </div>`;
        })}
      </div>
      ${props.legend ? html`<div class="legend">${props.legend}</div>` : nothing}
    `;
  }
}

class RouteMap extends CampusElement {
  static styles = css`
    :host { display: block; width: 100%; overflow-x: auto; }
    ol { display: flex; list-style: none; margin: 0; padding: 6px 0; min-width: max-content; }
    li { position: relative; padding: 18px 14px 0; font-size: 13px; text-align: center; }
    li::before { content: ""; position: absolute; top: 7px; left: 0; right: 0; height: 3px; background: #1f7a6d; }
    li:first-child::before { left: 50%; }
    li:last-child::before { right: 50%; }
    li::after { content: ""; position: absolute; top: 2px; left: calc(50% - 6px); width: 8px; height: 8px;
      border-radius: 50%; background: #fff; border: 3px solid #1f7a6d; }
    small { display: block; opacity: 0.7; }
  `;
  protected api = RouteMapApi as any;
  render() {
    const props = this.props;
    if (!props) return nothing;
    const stops = (Array.isArray(props.stops) ? props.stops : []) as { name: string; detail?: string }[];
    return html`<ol data-testid="routemap">
      ${stops.map((stop) => html`<li>${stop.name}${stop.detail ? html`<small>${stop.detail}</small>` : nothing}</li>`)}
    </ol>`;
  }
}

// The renderer sets captions in italics, which Chinese type does not have. Components live in the surface's shadow root.
const surface = customElements.get("a2ui-surface") as unknown as typeof LitElement;
surface.elementStyles.push(css`em { font-style: normal; } h3, h4, h5, em { overflow-wrap: anywhere; }`);

customElements.define("campus-heatmap", Heatmap);
customElements.define("campus-routemap", RouteMap);

export const campusCatalog = new Catalog<any>(
  CATALOG_ID,
  [
    ...basicCatalog.components.values(),
    { ...HeatmapApi, tagName: "campus-heatmap" },
    { ...RouteMapApi, tagName: "campus-routemap" },
  ],
  [...basicCatalog.functions.values()],
);
