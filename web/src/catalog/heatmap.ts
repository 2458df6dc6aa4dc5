// Heatmap: tiles that find their own place, or a table with axes when rows and columns have names.
import { CommonSchemas } from "@a2ui/web_core/v0_9";
import { css, html, nothing, type TemplateResult } from "lit";
import { z } from "zod";
import { CampusElement, Rows, rowsOf, share } from "./element";

const HeatmapApi = {
  name: "Heatmap",
  schema: z.object({
    cells: Rows,
    rows: CommonSchemas.DynamicNumber.optional(),
    cols: CommonSchemas.DynamicNumber.optional(),
    rowLabels: Rows.optional(),
    colLabels: Rows.optional(),
    legend: CommonSchemas.DynamicString.optional(),
  }),
} as const;

interface Cell {
  label: string;
  value?: number;
  detail?: string;
}

const MAX_COLUMNS = 24;
/** More than this scroll in a box of their own. */
const MANY = 60;

export class Heatmap extends CampusElement {
  static styles = css`
    :host { display: block; width: 100%; min-width: 0; container-type: inline-size; }
    .long { max-height: min(72dvh, 600px); overflow-y: auto; }
    .grid { display: grid; gap: 6px; grid-template-columns: repeat(var(--cols), minmax(0, 1fr)); }
    .cell { border-radius: 8px; min-width: 0; padding: 9px 10px;
      background: light-dark(hsl(calc(140 - 140 * var(--v)) 60% 78%), hsl(calc(140 - 140 * var(--v)) 45% 29%));
      color: light-dark(#16231c, #f2f5f3); }
    .cell.unknown { background: light-dark(#efefea, #2a2f33); color: light-dark(#5c6561, #a3aca8); }
    .label { font-size: 13px; font-weight: 600; line-height: 1.25; overflow-wrap: anywhere; }
    .detail { font-size: 12.5px; margin-top: 2px; overflow-wrap: anywhere; }
    .scroll { overflow-x: auto; }
    table { border-collapse: separate; border-spacing: 3px; width: 100%; font-size: 12.5px; }
    th { font-weight: 500; color: var(--a2ui-text-caption-color); padding: 2px 4px 2px 0; text-align: start; min-width: 56px; max-width: 120px; overflow-wrap: anywhere; }
    thead th { text-align: center; padding: 2px; min-width: 0; }
    tbody th { position: sticky; left: 0; background: var(--a2ui-color-surface); }
    td.cell { border-radius: 6px; padding: 7px 2px; text-align: center; min-width: 36px; font-variant-numeric: tabular-nums; }
    .legend { display: flex; align-items: center; gap: 8px; font-size: 12.5px; margin-top: 10px; color: var(--a2ui-text-caption-color); }
    .scale { flex: none; width: 72px; height: 8px; border-radius: 4px; background: linear-gradient(to right in hsl,
      light-dark(hsl(140 60% 72%), hsl(140 45% 34%)), light-dark(hsl(0 60% 72%), hsl(0 45% 40%))); }
    .legend span { overflow-wrap: anywhere; min-width: 0; }
    @container (max-width: 380px) { .grid { grid-template-columns: repeat(min(var(--cols), 2), minmax(0, 1fr)); } }
  `;
  protected api = HeatmapApi as any;

  render() {
    const props = this.props;
    if (!props) return nothing;
    const cells = rowsOf<Cell>(props.cells);
    const named = rowsOf<string>(props.rowLabels);
    const columns = rowsOf<string>(props.colLabels);
    // Names that do not fit the cells would put a value into the wrong row: then every cell says its own name.
    const fits = cells.length > 0 && cells.length === named.length * columns.length;
    return html`
      ${fits ? table(cells, named, columns) : grid(cells, props.cols)}
      ${props.legend ? html`<div class="legend"><i class="scale" aria-hidden="true"></i><span>${props.legend}</span></div>` : nothing}
    `;
  }
}

function grid(cells: Cell[], cols: unknown): TemplateResult {
  const columns = Math.max(1, Math.min(Number(cols) || 3, MAX_COLUMNS, cells.length));
  return html`<div class="grid ${cells.length > MANY ? "long" : ""}" role="list" data-testid="heatmap" style="--cols:${columns}">
    ${cells.map((cell) => html`<div role="listitem" class=${paint(cell)} style=${heat(cell)}>
      <div class="label">${cell.label}</div>
      <div class="detail">${words(cell)}</div>
    </div>`)}
  </div>`;
}

function table(cells: Cell[], rows: string[], columns: string[]): TemplateResult {
  return html`<div class="scroll ${cells.length > MANY ? "long" : ""}"><table data-testid="heatmap">
    <thead><tr><td></td>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${rows.map((name, row) => html`<tr>
      <th scope="row">${name}</th>
      ${columns.map((_, column) => {
        const cell = cells[row * columns.length + column]!;
        return html`<td class=${paint(cell)} style=${heat(cell)} title=${cell.label}>${words(cell)}</td>`;
      })}
    </tr>`)}</tbody>
  </table></div>`;
}

function paint(cell: Cell): string {
  return share(cell.value) === undefined ? "cell unknown" : "cell";
}

function heat(cell: Cell): string {
  return `--v:${share(cell.value) ?? 0}`;
}

function words(cell: Cell): string {
  const value = share(cell.value);
  return cell.detail || (value === undefined ? "–" : `${Math.round(value * 100)}%`);
}

export const HeatmapComponent = { ...HeatmapApi, tagName: "campus-heatmap" };
customElements.define(HeatmapComponent.tagName, Heatmap);
