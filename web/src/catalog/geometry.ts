// From coordinates to places on a drawing, and which stops are travelled together. Pure.

export interface Stop {
  name: string;
  time?: string;
  detail?: string;
  lat?: number;
  lng?: number;
  transfer?: boolean;
  next_mode?: string;
  next_label?: string;
}

export interface Leg {
  mode: string;
  /** Which line of the drawing's colours; a walk has none. */
  line: number;
}

export interface Drawing {
  width: number;
  height: number;
  points: { x: number; y: number }[];
  /** A round distance in metres and its length in the drawing. */
  scale: { metres: number; length: number };
}

const METRES_PER_DEGREE = 111_320;
const WIDTH = 400;
const MARGIN = 36;

/** How one leaves every stop but the last. A vehicle that gets a name is a new line; one without stays on it. */
export function legs(stops: Stop[]): Leg[] {
  let line = -1;
  let riding = "";
  return stops.slice(0, -1).map((stop) => {
    const mode = stop.next_mode || "shuttle";
    if (mode === "walk") riding = "";
    else if (mode !== riding || stop.next_label || stop.transfer) {
      line += 1;
      riding = mode;
    }
    return { mode, line: mode === "walk" ? -1 : line };
  });
}

/** The stops on a map that keeps distances in proportion; undefined when a stop has no place, or all have the same. */
export function draw(stops: Stop[]): Drawing | undefined {
  const placed = stops.filter((stop) => Number.isFinite(stop.lat) && Number.isFinite(stop.lng)) as Required<Stop>[];
  if (placed.length < 2 || placed.length < stops.length) return undefined;
  const middle = placed.reduce((sum, stop) => sum + stop.lat, 0) / placed.length;
  const east = placed.map((stop) => stop.lng * METRES_PER_DEGREE * Math.cos((middle * Math.PI) / 180));
  const north = placed.map((stop) => stop.lat * METRES_PER_DEGREE);
  const [left, right, bottom, top] = [Math.min(...east), Math.max(...east), Math.min(...north), Math.max(...north)];
  const span = Math.max(right - left, top - bottom);
  if (!(span > 0)) return undefined;
  // Wide enough for names, never higher than wide.
  const ratio = Math.min(Math.max((top - bottom) / (right - left || 1), 0.35), 0.75);
  const height = Math.round((WIDTH - 2 * MARGIN) * ratio + 2 * MARGIN);
  const unit = Math.min((WIDTH - 2 * MARGIN) / (right - left || 1), (height - 2 * MARGIN) / (top - bottom || 1));
  const points = placed.map((_, index) => ({
    x: WIDTH / 2 + (east[index]! - (left + right) / 2) * unit,
    y: height / 2 - (north[index]! - (bottom + top) / 2) * unit,
  }));
  const metres = round((WIDTH / 5) / unit);
  return { width: WIDTH, height, points, scale: { metres, length: metres * unit } };
}

/** 1, 2 or 5 times a power of ten, not above `value`. */
function round(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([5, 2, 1].find((step) => step * power <= value) ?? 1) * power;
}
