// Any JSON as rows a person can read. Always text: what an agent sends never becomes markup.
import { Fragment } from "react";

export function Details({ value }: { value: unknown }) {
  if (value === undefined || value === null || value === "") return null;
  if (isFlat(value)) return <p className="prose">{String(value)}</p>;
  const rows = Array.isArray(value) ? value.map((item, index) => [index + 1, item] as const) : Object.entries(value as object);
  return (
    <dl className="details">
      {rows.map(([name, item]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{inWords(item) ?? <Details value={item} />}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

const isFlat = (value: unknown): boolean => typeof value !== "object" || value === null;

/** One line for what is flat or a list of flat things; undefined for what is nested. */
function inWords(value: any): string | undefined {
  if (value === null || value === undefined) return "–";
  if (isFlat(value)) return String(value);
  return Array.isArray(value) && value.every(isFlat) ? value.join(", ") : undefined;
}
