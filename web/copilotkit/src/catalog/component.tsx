// What the components of our catalogue have in common.
import { basicCatalog, createReactComponent, type ReactComponentImplementation } from "@copilotkit/a2ui-renderer";
import { CommonSchemas } from "@a2ui/web_core/v0_9";
import type { CSSProperties, FC, ReactNode } from "react";
import { z, type ZodRawShape } from "zod";

export interface Drawn {
  /** Properties with their bindings resolved; a bound one has a setter beside it. */
  props: any;
  child: (id: string, path?: string) => ReactNode;
}

/** A component of our own. `properties` that may be bound must say so, or the component is handed `{path}` as it stands. */
export function component(name: string, properties: ZodRawShape, Draw: FC<Drawn>): ReactComponentImplementation {
  return drawn({ name, schema: z.object({ weight: z.number().optional(), ...properties }) }, Draw);
}

/** A basic component, drawn by us. */
export function redrawn(name: string, Draw: FC<Drawn>): ReactComponentImplementation {
  return drawn(basicCatalog.components.get(name)!, Draw);
}

function drawn({ name, schema }: Pick<ReactComponentImplementation, "name" | "schema">, Draw: FC<Drawn>): ReactComponentImplementation {
  return createReactComponent({ name, schema }, ({ props, buildChild }) => <Draw props={props} child={buildChild} />);
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

/** The part of a row or column that a component takes, and variables of the style sheet. */
export function style(props: any, more: Record<string, unknown> = {}): CSSProperties {
  return { ...(props.weight ? { flex: props.weight } : {}), ...more } as CSSProperties;
}
