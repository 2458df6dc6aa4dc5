// Any JSON as rows a person can read. Always text: what an agent sends never becomes markup.
import { html, nothing, type TemplateResult } from "lit";

export function details(value: unknown): TemplateResult | typeof nothing {
  if (value === undefined || value === null || value === "") return nothing;
  if (isFlat(value)) return html`<p class="prose">${String(value)}</p>`;
  const rows = Array.isArray(value) ? value.map((item, index) => [index + 1, item]) : Object.entries(value);
  return html`<dl class="details">${rows.map(([name, item]) => html`<dt>${name}</dt><dd>${inWords(item)}</dd>`)}</dl>`;
}

const isFlat = (value: unknown): boolean => typeof value !== "object" || value === null;

/** One line for what is flat, indented lines for what is nested. */
function inWords(value: any, depth = 0): string {
  if (value === null || value === undefined) return "–";
  if (isFlat(value)) return String(value);
  const parts = Array.isArray(value)
    ? value.map((item) => inWords(item, depth + 1))
    : Object.entries(value).map(([name, item]) => `${name}: ${inWords(item, depth + 1)}`);
  const oneLine = Object.values(value).every(isFlat) && (depth > 0 || Array.isArray(value));
  if (oneLine) return parts.join(", ");
  return depth === 0 ? parts.join("\n") : `\n${parts.join("\n")}`.replaceAll("\n", "\n  ");
}
