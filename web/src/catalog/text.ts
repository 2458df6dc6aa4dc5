// Text: data as it is (no Markdown), nothing at all for a field that is empty, and colour for prices and ratings.
import { basicCatalog } from "@a2ui/lit/v0_9";
import { html, type TemplateResult } from "lit";
import { CampusElement } from "./element";

const TextApi = basicCatalog.components.get("Text")!;

/** Templates write "★ –", "¥–" and " → " around values that are not known; a person needs not read that. */
const UNKNOWN = /[★¥] ?–(?=\s|$)|^ → $/gu;

/** A character that leaves ink: no space, no control, no zero width. */
const INK = /[^\s\p{C}\p{Z}]/u;

/** Templates put this between the facts of a line; a line breaks there rather than inside of a fact. */
const BETWEEN = "\u2003";

function coloured(words: string): TemplateResult[] {
  return words.split(/(★)/u).map((part) => (part === "★" ? html`<i class="star">★</i>` : html`${part}`));
}

function facts(words: string): TemplateResult[] {
  if (!words.includes(BETWEEN)) return coloured(words);
  return words.split(BETWEEN).filter((fact) => INK.test(fact)).map((fact) => html`<span class="fact">${coloured(fact.trim())}</span> `);
}

export class CampusText extends CampusElement {
  protected api = TextApi as any;

  createRenderRoot() {
    return this;
  }

  render() {
    const variant = this.props?.variant ?? "body";
    const words = String(this.props?.text ?? "").replace(UNKNOWN, "").trim();
    this.className = `text ${variant}${words.startsWith("¥") ? " price" : ""}`;
    this.hidden = !INK.test(words);
    this.role = /^h[1-5]$/.test(variant) && !this.closest("button") ? "heading" : null;
    this.ariaLevel = this.role ? variant.slice(1) : null;
    return html`${facts(words)}`;
  }
}

export const Text = { ...TextApi, tagName: "campus-text" };
customElements.define(Text.tagName, CampusText);
