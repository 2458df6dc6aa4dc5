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

export interface Label {
  x: number;
  y: number;
  anchor: "start" | "middle" | "end";
  words: string;
}

type Box = [left: number, top: number, right: number, bottom: number];

const LETTER = 7.4;
const WIDE_LETTER = 14;
const LINE = 16;
const LONGEST = 22;

/** A name beside every point for which `names` has one: above, below, right or left, where the fewest things lie under it. */
export function labels({ width, height, points }: Drawing, names: (string | undefined)[]): Label[] {
  const way = points.slice(1).flatMap((to, n) => along(points[n]!, to));
  const taken: Box[] = points.map(({ x, y }) => [x - 7, y - 7, x + 7, y + 7]);
  return points.flatMap(({ x, y }, index) => {
    const letters = [...(names[index] ?? "")];
    if (letters.length === 0) return [];
    const words = letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : letters.join("");
    const long = [...words].reduce((sum, letter) => sum + (letter > "\u2e80" ? WIDE_LETTER : LETTER), 0);
    const inside = Math.min(Math.max(x, long / 2 + 4), width - long / 2 - 4);
    const options: [Label, Box][] = [
      [{ x: inside, y: y - 12, anchor: "middle", words }, [inside - long / 2, y - 12 - LINE, inside + long / 2, y - 10]],
      [{ x: inside, y: y + 22, anchor: "middle", words }, [inside - long / 2, y + 22 - LINE, inside + long / 2, y + 24]],
      [{ x: x + 12, y: y + 5, anchor: "start", words }, [x + 12, y + 5 - LINE, x + 12 + long, y + 7]],
      [{ x: x - 12, y: y + 5, anchor: "end", words }, [x - 12 - long, y + 5 - LINE, x - 12, y + 7]],
    ];
    const cost = ([, box]: [Label, Box]) =>
      taken.filter((other) => overlap(box, other)).length +
      way.filter(([x, y]) => x > box[0] && x < box[2] && y > box[1] && y < box[3]).length / 8 +
      (box[0] < 0 || box[2] > width || box[1] < 0 || box[3] > height ? 10 : 0);
    const [label, box] = options.reduce((best, option) => (cost(option) < cost(best) ? option : best));
    taken.push(box);
    return [label];
  });
}

/** Places on the straight way between two points, some units apart. */
function along(from: { x: number; y: number }, to: { x: number; y: number }): [number, number][] {
  const steps = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / 5);
  return Array.from({ length: steps }, (_, n) => [from.x + ((to.x - from.x) * n) / steps, from.y + ((to.y - from.y) * n) / steps]);
}

function overlap(a: Box, b: Box): boolean {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}

/** 1, 2 or 5 times a power of ten, not above `value`. */
function round(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([5, 2, 1].find((step) => step * power <= value) ?? 1) * power;
}
