// How a surface looks. The basic components draw into the surface's shadow root, so one sheet styles them all.
import { css } from "lit";

const seen = css`:is(.text, .picture, campus-meter):not([hidden]), campus-heatmap, campus-routemap, campus-form, input, textarea`;

export const surfaceStyle = css`
  :host { display: block; min-width: 0; --a2ui-button-margin: 0; --a2ui-button-padding: 6px 13px; --a2ui-button-border-radius: 10px; }
  [hidden] { display: none !important; }
  campus-column { display: flex; flex-direction: column; gap: 4px; width: 100%; }
  campus-column.long { max-height: min(72dvh, 600px); overflow-y: auto; }
  campus-column, a2ui-basic-row { min-width: 0; }
  a2ui-basic-row { gap: 12px; }
  /* Templates have no conditions: what holds nothing takes no room. */
  :is(campus-column, a2ui-basic-row):not(:has(${seen})) { display: none; }
  .text { display: block; min-width: 0; line-height: 1.35; overflow-wrap: anywhere; font-size: 14.5px; }
  .h3 { font-size: 17px; font-weight: 650; }
  .h4 { font-size: 15.5px; font-weight: 600; }
  campus-column > .h4:not(:first-child) { margin-top: 6px; }
  .h5 { font-size: 14.5px; font-weight: 600; }
  .caption { font-size: 13px; color: var(--a2ui-text-caption-color); }
  .body { white-space: pre-line; line-height: 1.5; }
  .text:has(> .fact) { word-spacing: 0.7em; }
  .fact { display: inline-block; max-width: 100%; word-spacing: normal; }
  .price { color: var(--a2ui-color-primary); font-variant-numeric: tabular-nums; }
  .star { font-style: normal; color: light-dark(#c98a00, #f2bb3b); }
  a2ui-divider > .a2ui-divider { margin: 8px 0; }
  /* The figures at the end of a row are as wide as their words, within limits; what is before them takes the rest. */
  a2ui-basic-row > campus-column[style*="flex-end"] { width: auto; flex: 0 1 auto !important; max-width: 44%; text-align: end; }
  .picture { flex: none; }
  .picture > * { display: grid; place-items: center; width: 56px; height: 56px; border-radius: 12px; object-fit: cover; }
  .picture > span { font-size: 21px; font-weight: 600; color: light-dark(hsl(var(--hue) 45% 27%), hsl(var(--hue) 45% 80%));
    background: light-dark(hsl(var(--hue) 45% 91%), hsl(var(--hue) 22% 24%)); }
  .picture.avatar > * { width: 40px; height: 40px; border-radius: 50%; font-size: 16px; }
  .picture.header > *, .picture.largeFeature > * { width: 100%; height: 170px; }
  .picture.mediumFeature > * { width: 100%; height: auto; max-height: 240px; }
  a2ui-basic-row > a2ui-basic-row { min-width: 0; max-width: 100%; }
  a2ui-basic-row:has(> a2ui-basic-row) { flex-wrap: wrap; gap: 0 8px; }
  a2ui-basic-row:has(> a2ui-basic-button) { flex-wrap: wrap; gap: 8px; padding: 6px 0 2px; }
  :host .a2ui-button { border-color: color-mix(in srgb, currentColor 22%, transparent); font: inherit; color: inherit; max-width: 100%; --_a2ui-text-color: inherit; }
  .a2ui-button .text { font-size: 14px; }
  :host .a2ui-button:hover:not(:disabled) { border-color: var(--a2ui-color-primary); background: var(--a2ui-color-surface); }
  :host .a2ui-button.primary:not(:disabled) { background: var(--a2ui-color-primary); color: light-dark(#fff, #0d1f1b); border: 1px solid transparent; }
  :host .a2ui-button.borderless { padding: 4px 0; }
  :host .a2ui-button.borderless:not(:has(> a2ui-basic-row)) { color: var(--a2ui-color-primary); }
  :host .a2ui-button.borderless:disabled { opacity: 1; cursor: default; }
  .a2ui-button:focus-visible { outline: 2px solid var(--a2ui-color-primary); outline-offset: 2px; }
  /* A whole row that can be tapped. */
  a2ui-basic-button:has(> .borderless > a2ui-basic-row) { display: block; margin: -4px -8px; }
  :host .a2ui-button.borderless:has(> a2ui-basic-row) { display: flex; align-items: center; gap: 8px; width: 100%; text-align: start; padding: 4px 8px;
    color: var(--a2ui-color-on-surface); }
  .a2ui-button.borderless > a2ui-basic-row { flex: 1; }
  .a2ui-button.borderless:has(> a2ui-basic-row):not(:disabled)::after { content: "›"; font-size: 20px; line-height: 1; color: var(--a2ui-text-caption-color); }
  :host .a2ui-button.borderless:has(> a2ui-basic-row):hover:not(:disabled) { background: color-mix(in srgb, var(--a2ui-color-primary) 8%, transparent); }
`;
