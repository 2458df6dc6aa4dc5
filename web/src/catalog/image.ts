// Image: fetched when it comes near the screen; a tile with the first letter when there is none or it cannot be fetched.
import { basicCatalog } from "@a2ui/lit/v0_9";
import { html, nothing } from "lit";
import { CampusElement } from "./element";

const ImageApi = basicCatalog.components.get("Image")!;
const SAFE = /^(https?:\/\/|data:image\/(png|jpeg|webp|gif);base64,)/;
/** Sizes that hold their place in a list; the others just leave out a picture that is missing. */
const TILES = new Set(["smallFeature", "avatar", "icon"]);

export class CampusImage extends CampusElement {
  protected api = ImageApi as any;
  private broken = "";

  createRenderRoot() {
    return this;
  }

  render() {
    const { url, description, variant = "mediumFeature" } = this.props ?? {};
    const shown = SAFE.test(url) && url !== this.broken;
    const letter = TILES.has(variant) ? ([...String(description ?? "").trim()][0] ?? "") : "";
    this.className = `picture ${variant}${shown ? "" : " tile"}`;
    this.hidden = !shown && letter === "";
    if (shown) return html`<img src=${url} alt="" loading="lazy" decoding="async" @error=${() => this.giveUp(url)} />`;
    return letter ? html`<span aria-hidden="true" style="--hue:${hue(letter)}">${letter.toUpperCase()}</span>` : nothing;
  }

  private giveUp(url: string): void {
    this.broken = url;
    this.requestUpdate();
  }
}

function hue(letter: string): number {
  return (letter.codePointAt(0)! * 47) % 360;
}

export const Image = { ...ImageApi, tagName: "campus-image" };
customElements.define(Image.tagName, CampusImage);
