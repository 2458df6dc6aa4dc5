// RouteMap: the stops in order with their times, how one gets from one to the next, and a map to scale when places are known.
import { draw, labels, legs, type Drawing, type Leg, type Stop } from "../../../src/catalog/geometry";
import { rowsOf, style, type Drawn } from "./component";

const SIGNS: Record<string, string> = { walk: "🚶", shuttle: "🚌", bike: "🚲", car: "🚗" };
const COLOURS = 4;
/** More names than this would lie upon each other. */
const MAX_NAMES = 12;

export function RouteMap({ props }: Drawn) {
  const stops = rowsOf<Stop>(props.stops);
  if (stops.length === 0) return null;
  const ways = legs(stops.map((stop) => ({ ...stop, next_mode: stop.next_mode || props.mode })));
  const drawing = draw(stops);
  const times = Math.min(Math.max(...stops.map((stop) => stop.time?.length ?? 0)), 9);
  return (
    <div className="a2-route">
      <div className={drawing ? "with-map" : ""}>
        {drawing && <Map drawing={drawing} stops={stops} ways={ways} />}
        <ol data-testid="routemap" style={style({}, { "--times": `${times * 0.62}em` })}>
          {stops.map((stop, index) => <Row key={index} stop={stop} next={ways[index]} before={ways[index - 1]} end={isEnd(index, stops)} />)}
        </ol>
      </div>
    </div>
  );
}

function Row({ stop, next, before, end }: { stop: Stop; next?: Leg; before?: Leg; end: boolean }) {
  const ring = colour(next === undefined || next.mode === "walk" ? (before ?? next) : next);
  return (
    <li>
      <span className="time">{stop.time}</span>
      <span className="track" aria-hidden="true">
        <svg width="22" height="22" viewBox="0 0 22 22">
          {before && before.mode !== "walk" && <line x1="11" y1="0" x2="11" y2="8" strokeWidth="5" style={{ stroke: colour(before) }} />}
          {next && next.mode !== "walk" && <line x1="11" y1="14" x2="11" y2="22" strokeWidth="5" style={{ stroke: colour(next) }} />}
          <circle cx="11" cy="11" r={end ? 7 : 5} strokeWidth={end ? 4 : 3} style={{ stroke: ring, fill: "var(--surface)" }} />
          {stop.transfer && <circle cx="11" cy="11" r="2" style={{ fill: ring }} />}
        </svg>
        {next && <i className={next.mode} style={{ background: colour(next) }} />}
      </span>
      <div className="words">
        <div className={end ? "name end" : "name"}>{stop.name}</div>
        {stop.detail && <div className="detail">{stop.detail}</div>}
        {next && stop.next_label && <div className="detail">{SIGNS[next.mode]} {stop.next_label}</div>}
      </div>
    </li>
  );
}

function Map({ drawing, stops, ways }: { drawing: Drawing; stops: Stop[]; ways: Leg[] }) {
  const { width, height, points, scale } = drawing;
  const names = labels(drawing, stops.map((stop, n) => (stops.length <= MAX_NAMES || isEnd(n, stops) ? stop.name : undefined)));
  const measure = scale.metres >= 1000 ? `${scale.metres / 1000} km` : `${scale.metres} m`;
  return (
    <svg className="map" data-testid="route-drawing" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={stops.map((stop) => stop.name).join(" → ")}>
      {ways.map((leg, n) => {
        const [from, to] = [points[n]!, points[n + 1]!];
        return <line key={n} className={`way ${leg.mode}`} style={{ stroke: colour(leg) }} x1={from.x} y1={from.y} x2={to.x} y2={to.y} />;
      })}
      {points.map((point, n) => (
        <circle key={n} className="stop" style={{ stroke: colour(ways[n] ?? ways[n - 1]) }} cx={point.x} cy={point.y} r={isEnd(n, stops) ? 7 : 4.5} />
      ))}
      {names.map(({ x, y, anchor, words }, n) => <text key={n} x={x} y={y} textAnchor={anchor}>{words}</text>)}
      <path className="scale" d={`M${width - 14} ${height - 10}v-5M${width - 14} ${height - 10}h${-scale.length}v-5`} />
      <text className="small" x={width - 14} y={height - 18} textAnchor="end">{measure}</text>
    </svg>
  );
}

function colour(leg: Leg | undefined): string {
  return leg === undefined || leg.line < 0 ? "var(--line-walk)" : `var(--line-${leg.line % COLOURS})`;
}

function isEnd(index: number, stops: Stop[]): boolean {
  return index === 0 || index === stops.length - 1 || stops[index]!.transfer === true;
}
