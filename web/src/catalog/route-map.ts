// RouteMap: the stops in order with their times, how one gets from one to the next, and a map to scale when places are known.
import { CommonSchemas } from "@a2ui/web_core/v0_9";
import { css, html, nothing, svg, type TemplateResult } from "lit";
import { z } from "zod";
import { CampusElement, Rows, rowsOf } from "./element";
import { draw, labels, legs, type Drawing, type Leg, type Stop } from "./geometry";

const RouteMapApi = {
  name: "RouteMap",
  schema: z.object({
    stops: Rows,
    mode: z.enum(["walk", "shuttle", "bike"]).optional(),
    action: CommonSchemas.Action.optional(),
  }),
} as const;

const SIGNS: Record<string, string> = { walk: "🚶", shuttle: "🚌", bike: "🚲", car: "🚗" };
const COLOURS = 4;
/** More names than this would lie upon each other. */
const MAX_NAMES = 12;
/** More stops than this scroll in a box of their own. */
const MANY = 24;

export class RouteMap extends CampusElement {
  static styles = css`
    :host { display: block; width: 100%; min-width: 0; container-type: inline-size; --line-0: light-dark(#1f7a6d, #4fb8a6); --line-1: light-dark(#b8560f, #f0954a);
      --line-2: light-dark(#5a4fb0, #a59cf0); --line-3: light-dark(#a83263, #ee86ae); --line-walk: light-dark(#6b7570, #98a19d); }
    .map { display: block; width: 100%; height: auto; border-radius: 10px; background: light-dark(#eef3ee, #181d1f); margin: 6px 0 12px; }
    @container (min-width: 560px) { .route { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 20px; align-items: start; } }
    .map text { font-size: 14px; fill: var(--a2ui-color-on-surface); paint-order: stroke; stroke: light-dark(#eef3ee, #181d1f); stroke-width: 4px; stroke-linejoin: round; }
    .map .small { font-size: 12px; fill: var(--a2ui-text-caption-color); }
    .grid { stroke: light-dark(#dde6de, #22292b); stroke-width: 1; }
    .way { fill: none; stroke-width: 4; stroke-linecap: round; stroke-linejoin: round; }
    .walk { stroke-dasharray: 1 8; }
    .stop { fill: var(--a2ui-color-surface); stroke-width: 3; }
    ol.long { max-height: min(72dvh, 600px); overflow-y: auto; }
    ol { list-style: none; margin: 0; padding: 0; }
    li { display: grid; grid-template-columns: auto 22px minmax(0, 1fr); column-gap: 10px; }
    .time { font-size: 13px; line-height: 22px; color: var(--a2ui-text-caption-color); font-variant-numeric: tabular-nums; text-align: end; width: var(--times); overflow-wrap: anywhere; }
    .track { display: flex; flex-direction: column; align-items: center; }
    .track svg { display: block; flex: none; }
    .track i { flex: 1; width: 4px; min-height: 8px; margin: -1px 0; }
    .track i.walk { width: 0; border-left: 4px dotted; border-color: var(--line-walk); background: none !important; margin: 1px 0; }
    .words { padding-bottom: 12px; min-width: 0; overflow-wrap: anywhere; }
    li:last-child .words { padding-bottom: 0; }
    .name { font-size: 14.5px; line-height: 22px; }
    .end { font-weight: 600; }
    .detail, .leg { font-size: 12.5px; line-height: 1.4; color: var(--a2ui-text-caption-color); }
    .leg { margin-top: 4px; }
  `;
  protected api = RouteMapApi as any;

  render() {
    const props = this.props;
    if (!props) return nothing;
    const stops = rowsOf<Stop>(props.stops);
    if (stops.length === 0) return nothing;
    const ways = legs(stops.map((stop) => ({ ...stop, next_mode: stop.next_mode || props.mode })));
    const drawing = draw(stops);
    const times = stops.some((stop) => stop.time) ? Math.min(Math.max(...stops.map((stop) => stop.time?.length ?? 0)), 9) : 0;
    return html`<div class=${drawing ? "route" : ""}>
      ${drawing ? map(drawing, stops, ways) : nothing}
      <ol class=${stops.length > MANY ? "long" : ""} data-testid="routemap" style="--times:${times * 0.62}em">
        ${stops.map((stop, index) => row(stop, ways[index], ways[index - 1], index === 0 || index === stops.length - 1))}
      </ol>
    </div>`;
  }
}

function colour(leg: Leg | undefined): string {
  return leg === undefined || leg.line < 0 ? "var(--line-walk)" : `var(--line-${leg.line % COLOURS})`;
}

function row(stop: Stop, next: Leg | undefined, before: Leg | undefined, end: boolean): TemplateResult {
  const ring = colour(next?.mode === "walk" || next === undefined ? before ?? next : next);
  return html`<li>
    <span class="time">${stop.time}</span>
    <span class="track" aria-hidden="true">
      ${svg`<svg width="22" height="22" viewBox="0 0 22 22"><g style="stroke:${ring}">
        ${before && before.mode !== "walk" ? svg`<line x1="11" y1="0" x2="11" y2="8" stroke-width="4" style="stroke:${colour(before)}"/>` : nothing}
        ${next && next.mode !== "walk" ? svg`<line x1="11" y1="14" x2="11" y2="22" stroke-width="4" style="stroke:${colour(next)}"/>` : nothing}
        <circle cx="11" cy="11" r=${end || stop.transfer ? 7 : 5} stroke-width=${end || stop.transfer ? 4 : 3} style="fill:var(--a2ui-color-surface)"/>
        ${stop.transfer ? svg`<circle cx="11" cy="11" r="2" stroke="none" style="fill:${ring}"/>` : nothing}
      </g></svg>`}
      ${next ? html`<i class=${next.mode} style="background:${colour(next)}"></i>` : nothing}
    </span>
    <div class="words">
      <div class="name ${end || stop.transfer ? "end" : ""}">${stop.name}</div>
      ${stop.detail ? html`<div class="detail">${stop.detail}</div>` : nothing}
      ${next && stop.next_label ? html`<div class="leg">${SIGNS[next.mode] ?? ""} ${stop.next_label}</div>` : nothing}
    </div>
  </li>`;
}

function map(drawing: Drawing, stops: Stop[], ways: Leg[]): TemplateResult {
  const { width, height, points, scale } = drawing;
  const names = labels(drawing, stops.map((stop, n) => (named(n, stops) ? stop.name : undefined)));
  const lines = [...Array(Math.floor(width / 40)).keys()].map((n) => svg`<line class="grid" x1=${n * 40 + 20} y1="0" x2=${n * 40 + 20} y2=${height}/>`);
  const across = [...Array(Math.floor(height / 40) + 1).keys()].map((n) => svg`<line class="grid" x1="0" y1=${n * 40 + 20} x2=${width} y2=${n * 40 + 20}/>`);
  const measure = scale.metres >= 1000 ? `${scale.metres / 1000} km` : `${scale.metres} m`;
  return html`<svg class="map" data-testid="route-drawing" viewBox="0 0 ${width} ${height}" role="img" aria-label=${stops.map((stop) => stop.name).join(" → ")}>
    ${lines}${across}
    ${ways.map((leg, n) => svg`<line class="way ${leg.mode}" style="stroke:${colour(leg)}" x1=${points[n]!.x} y1=${points[n]!.y} x2=${points[n + 1]!.x} y2=${points[n + 1]!.y}/>`)}
    ${points.map((point, n) => svg`<circle class="stop" style="stroke:${colour(ways[n] ?? ways[n - 1])}" cx=${point.x} cy=${point.y} r=${isEnd(n, stops) ? 7 : 4.5}/>`)}
    ${names.map(({ x, y, anchor, words }) => svg`<text x=${x} y=${y} text-anchor=${anchor}>${words}</text>`)}
    ${svg`<path d="M${width - 14} ${height - 10}v-5M${width - 14} ${height - 10}h${-scale.length}v-5" style="fill:none;stroke:var(--a2ui-text-caption-color);stroke-width:1.5"/>
      <text class="small" x=${width - 14} y=${height - 18} text-anchor="end">${measure}</text>`}
  </svg>`;
}

function isEnd(index: number, stops: Stop[]): boolean {
  return index === 0 || index === stops.length - 1 || stops[index]!.transfer === true;
}

function named(index: number, stops: Stop[]): boolean {
  return stops.length <= MAX_NAMES || isEnd(index, stops);
}

export const RouteMapComponent = { ...RouteMapApi, tagName: "campus-routemap" };
customElements.define(RouteMapComponent.tagName, RouteMap);
