// What the components of our catalogue have in common.
import { A2uiLitElement } from "@a2ui/lit/v0_9";
import { CommonSchemas } from "@a2ui/web_core/v0_9";
import { z } from "zod";

export abstract class CampusElement extends A2uiLitElement<any> {
  /** Resolved properties, undefined until the surface has data. */
  protected get props(): any {
    return (this as any).controller?.props;
  }
}

/** A property that is bound to an array of the data. */
export const Rows = z.union([z.array(z.any()), CommonSchemas.DataBinding]);

export function rowsOf<T>(value: unknown): T[] {
  return Array.isArray(value) ? value : [];
}

/** Between 0 and 1; undefined when the data does not say. */
export function share(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? Math.max(0, Math.min(value, 1)) : undefined;
}
