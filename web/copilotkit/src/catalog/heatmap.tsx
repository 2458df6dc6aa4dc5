// Heatmap: tiles that find their own place, or a table with axes when rows and columns have names.
import { rowsOf, share, style, type Drawn } from "./component";

interface Cell {
  label: string;
  value?: number;
  detail?: string;
}

const MAX_COLUMNS = 24;

export function Heatmap({ props }: Drawn) {
  const cells = rowsOf<Cell>(props.cells);
  const rows = rowsOf<string>(props.rowLabels);
  const columns = rowsOf<string>(props.colLabels);
  return (
    <div className="a2-heatmap">
      {rows.length > 0 && columns.length > 0 ? <Table cells={cells} rows={rows} columns={columns} /> : <Grid cells={cells} cols={props.cols} />}
      {props.legend && <div className="legend"><i className="scale" aria-hidden="true" /><span>{props.legend}</span></div>}
    </div>
  );
}

function Grid({ cells, cols }: { cells: Cell[]; cols: unknown }) {
  const columns = Math.max(1, Math.min(Number(cols) || 3, MAX_COLUMNS, cells.length));
  return (
    <div className="grid" role="list" data-testid="heatmap" style={style({}, { "--cols": columns })}>
      {cells.map((cell, index) => (
        <div key={index} role="listitem" {...paint(cell)}>
          <div className="label">{cell.label}</div>
          <div className="detail">{words(cell)}</div>
        </div>
      ))}
    </div>
  );
}

function Table({ cells, rows, columns }: { cells: Cell[]; rows: string[]; columns: string[] }) {
  return (
    <div className="scroll">
      <table data-testid="heatmap">
        <thead><tr><td />{columns.map((name, index) => <th key={index} scope="col">{name}</th>)}</tr></thead>
        <tbody>
          {rows.map((name, row) => (
            <tr key={row}>
              <th scope="row">{name}</th>
              {columns.map((_, column) => {
                const cell = cells[row * columns.length + column] ?? { label: "" };
                return <td key={column} title={cell.label} {...paint(cell)}>{words(cell)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function paint(cell: Cell) {
  const value = share(cell.value);
  return { className: value === undefined ? "cell unknown" : "cell", style: style({}, { "--v": value ?? 0 }) };
}

function words(cell: Cell): string {
  const value = share(cell.value);
  return cell.detail || (value === undefined ? "–" : `${Math.round(value * 100)}%`);
}
