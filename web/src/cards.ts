// Paints A2UI surfaces. Every activity message has a processor of its own and carries the cumulative operations.
import { Context } from "@a2ui/lit/v0_9";
import { MessageProcessor } from "@a2ui/web_core/v0_9";
import { ContextProvider } from "@lit/context";
import { html, type TemplateResult } from "lit";
import { campusCatalog } from "./catalog";
import { t } from "./i18n";

export interface UserAction {
  name: string;
  surfaceId: string;
  sourceComponentId: string;
  context: Record<string, unknown>;
  timestamp: string;
}

interface Painted {
  processor: MessageProcessor<any>;
  seen: string;
  error?: string;
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c]!);

/** Card data is shown as it is: the renderer would otherwise read Markdown in a dish's name. */
export function showTextLiterally(root: HTMLElement): void {
  const plain = async (text: string) => `<p style="white-space:pre-wrap">${escapeHtml(text)}</p>`;
  new ContextProvider(root, { context: Context.markdown as any, initialValue: plain as any });
}

/** The renderer leaves out a component that it does not know, and waits for ever for a root: both look like nothing. */
function refuseUnknown(operations: any[]): void {
  const components = operations.flatMap((operation) => operation.updateComponents?.components ?? []);
  const unknown = components.find(({ component }) => !campusCatalog.components.has(component));
  if (unknown) throw new Error(`unknown component ${unknown.component}`);
  if (!components.some(({ id }) => id === "root")) throw new Error("no root component");
}

export class Cards {
  private painted = new Map<string, Painted>();

  constructor(private readonly onAction: (action: UserAction) => void) {}

  clear(): void {
    this.painted.clear();
  }

  view(message: any): TemplateResult {
    const content = message.content ?? {};
    const type = content.card_type ?? message.activityType;
    if (message.activityType !== "a2ui-surface" || !Array.isArray(content.a2ui_operations)) {
      return this.unreadable(type, content.bubble_text);
    }
    const card = this.paint(message.id, content.a2ui_operations);
    const surfaces = [...card.processor.model.surfacesMap.values()];
    if (card.error !== undefined || surfaces.length === 0) return this.unreadable(type, content.bubble_text);
    return html`<div class="card" data-testid="card" data-card-type=${type}>
      ${surfaces.map((surface: any) => html`<a2ui-surface data-surface-id=${surface.id} .surface=${surface}></a2ui-surface>`)}
    </div>`;
  }

  private paint(id: string, operations: any[]): Painted {
    let card = this.painted.get(id);
    // The operations are cumulative: a surface that they do not create belongs to an answer that was replaced.
    const created = new Set(operations.map((operation) => operation.createSurface?.surfaceId));
    const stale = card !== undefined && [...card.processor.model.surfacesMap.keys()].some((surface) => !created.has(surface));
    if (card === undefined || stale) {
      card = { processor: new MessageProcessor([campusCatalog], (action: any) => this.onAction(action)), seen: "" };
      this.painted.set(id, card);
    }
    const seen = JSON.stringify(operations);
    if (seen === card.seen) return card;
    card.seen = seen;
    card.error = undefined;
    try {
      refuseUnknown(operations);
      const known = (operation: any) => card.processor.model.getSurface(operation.createSurface?.surfaceId) !== undefined;
      card.processor.processMessages(operations.filter((o) => o.createSurface === undefined || !known(o)));
    } catch (error) {
      card.error = String(error);
      console.warn("[cards]", card.error);
    }
    return card;
  }

  private unreadable(type: string, bubble: string | undefined): TemplateResult {
    return html`<div class="card unreadable" data-testid="card" data-card-type=${type}>
      ${bubble ?? t("unknownCard")} <small>(${type})</small>
    </div>`;
  }
}
