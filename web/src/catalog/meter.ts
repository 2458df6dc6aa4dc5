// Meter: how full something is, a bar from green to red with words.
import { CommonSchemas } from "@a2ui/web_core/v0_9";
import { css, html, nothing } from "lit";
import { z } from "zod";
import { CampusElement, share } from "./element";

const MeterApi = {
  name: "Meter",
  schema: z.object({ value: CommonSchemas.DynamicNumber, label: CommonSchemas.DynamicString }),
} as const;

export class Meter extends CampusElement {
  static styles = css`
    :host { display: flex; flex-direction: column; align-items: flex-end; gap: 3px; min-width: 0; font-size: 13px; }
    :host([hidden]) { display: none; }
    .bar { width: 64px; height: 6px; border-radius: 3px; background: var(--a2ui-color-border); overflow: hidden; }
    .bar i { display: block; height: 100%; min-width: 3px; border-radius: 3px; width: calc(100% * var(--v));
      background: light-dark(hsl(calc(140 - 140 * var(--v)) 62% 42%), hsl(calc(140 - 140 * var(--v)) 58% 52%)); }
    .label { overflow-wrap: anywhere; text-align: end; }
  `;
  protected api = MeterApi as any;

  render() {
    const value = share(this.props?.value);
    const label = String(this.props?.label ?? "").trim();
    this.hidden = value === undefined && label === "";
    return html`
      ${value === undefined ? nothing : html`<span class="bar" aria-hidden="true"><i style="--v:${value}"></i></span>`}
      <span class="label">${label || (value === undefined ? "" : `${Math.round(value * 100)}%`)}</span>
    `;
  }
}

export const MeterComponent = { ...MeterApi, tagName: "campus-meter" };
customElements.define(MeterComponent.tagName, Meter);
