// The basic components that our cards are made of. CopilotKit's own know neither weight nor dark, and frame every word.
import { Fragment, useState, type ReactNode } from "react";
import { redrawn, share, style, type Drawn } from "./component";

const JUSTIFY: Record<string, string> = {
  start: "flex-start", center: "center", end: "flex-end", spaceBetween: "space-between", spaceAround: "space-around", spaceEvenly: "space-evenly",
};
const ALIGN: Record<string, string> = { start: "flex-start", center: "center", end: "flex-end", stretch: "stretch" };

/** A column with more than that scrolls in a box of its own. */
const SCREENFUL = 24;

const box = (kind: "row" | "column") =>
  function Box({ props, child }: Drawn) {
    const laid = { justifyContent: JUSTIFY[props.justify], alignItems: ALIGN[props.align] };
    const long = props.children?.length > SCREENFUL ? "long" : "";
    return <div className={`a2-${kind} ${props.align ?? ""} ${long}`} style={style(props, laid)}>{children(props.children, child)}</div>;
  };

/** A list of ids, or of places in the data when a template is repeated. */
function children(list: unknown, child: Drawn["child"]): ReactNode {
  if (!Array.isArray(list)) return null;
  return list.map((one, index) => {
    const { id, basePath } = typeof one === "string" ? { id: one, basePath: undefined } : one;
    return <Fragment key={index}>{child(id, basePath)}</Fragment>;
  });
}

function Card({ props, child }: Drawn) {
  return <div className="a2-card">{props.child && child(props.child)}</div>;
}

function Button({ props, child }: Drawn) {
  return (
    <button type="button" className={`a2-button ${props.variant ?? ""}`} style={style(props)} onClick={props.action} disabled={props.isValid === false}>
      {props.child && child(props.child)}
    </button>
  );
}

/** Templates write "★ –", "¥–" and " → " around values that are not known; a person needs not read that. */
const UNKNOWN = /[★¥] ?–(?=\s|$)|^ → $/gu;

function Text({ props }: Drawn) {
  const words = String(props.text ?? "").replace(UNKNOWN, "").trim();
  if (words === "") return null;
  const variant = props.variant ?? "body";
  const heading = /^h[1-5]$/.test(variant) ? { role: "heading", "aria-level": Number(variant.slice(1)) } : {};
  return (
    <div className={`a2-text ${variant}${words.startsWith("¥") ? " price" : ""}`} style={style(props)} {...heading}>
      {words.split(/(★)/u).map((part, index) => (part === "★" ? <i key={index} className="star">★</i> : part))}
    </div>
  );
}

const SAFE = /^(https?:\/\/|data:image\/(png|jpeg|webp|gif);base64,)/;
/** Sizes that hold their place in a list; the others just leave out a picture that is missing. */
const TILES = new Set(["smallFeature", "avatar", "icon"]);

function Image({ props }: Drawn) {
  const { url, description, variant = "mediumFeature" } = props;
  const [broken, setBroken] = useState("");
  const shown = SAFE.test(url) && url !== broken;
  const letter = TILES.has(variant) ? ([...String(description ?? "").trim()][0] ?? "") : "";
  if (!shown && letter === "") return null;
  const hue = ((letter.codePointAt(0) ?? 0) * 47) % 360;
  return (
    <div className={`a2-picture ${variant}`}>
      {shown
        ? <img src={url} alt="" loading="lazy" decoding="async" onError={() => setBroken(url)} />
        : <span aria-hidden="true" style={style({}, { "--hue": hue })}>{letter.toUpperCase()}</span>}
    </div>
  );
}

function Divider({ props }: Drawn) {
  return <hr className={`a2-divider ${props.axis ?? ""}`} />;
}

export function Meter({ props }: Drawn) {
  const value = share(props.value);
  const label = String(props.label ?? "").trim();
  if (value === undefined && label === "") return null;
  return (
    <div className="a2-meter" style={style(props)}>
      {value !== undefined && <span className="bar" aria-hidden="true"><i style={style({}, { "--v": value })} /></span>}
      <span className="label">{label || `${Math.round((value ?? 0) * 100)}%`}</span>
    </div>
  );
}

export const basics = [
  redrawn("Card", Card),
  redrawn("Row", box("row")),
  redrawn("Column", box("column")),
  redrawn("Button", Button),
  redrawn("Text", Text),
  redrawn("Image", Image),
  redrawn("Divider", Divider),
];
