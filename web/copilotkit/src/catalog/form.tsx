// Form: inputs that the data describes. The browser checks them and says in the user's language what is missing.
import type { FormEvent } from "react";
import { rowsOf, type Drawn } from "./component";

interface Choice {
  value: string;
  label?: string;
}

interface Field {
  name: string;
  label: string;
  kind: string;
  required?: boolean;
  placeholder?: string;
  help?: string;
  options?: Choice[];
  min?: number | string;
  max?: number | string;
  step?: number;
}

type Value = string | number | boolean | string[];

interface InputProps {
  field: Field;
  value: Value | undefined;
  put: (value: Value | undefined) => void;
}

const INPUTS: Record<string, string> = { number: "number", date: "date", time: "time", datetime: "datetime-local" };
/** Fewer options than this are all shown at once. */
const CHIPS = 8;

export function Form({ props }: Drawn) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    props.action?.();
  };
  const put = (name: string, value: Value | undefined) => {
    const { [name]: _, ...rest } = props.values ?? {};
    props.setValues(value === undefined || value === "" ? rest : { ...rest, [name]: value });
  };
  return (
    <form className="a2-form" data-testid="form" onSubmit={submit}>
      {rowsOf<Field>(props.fields).map((field) => (
        <Input key={field.name} field={field} value={props.values?.[field.name]} put={(value) => put(field.name, value)} />
      ))}
      <button type="submit">{props.label || "✓"}</button>
    </form>
  );
}

function Input(given: InputProps) {
  const { field, value, put } = given;
  const many = field.kind === "choices";
  if (many || (field.kind === "choice" && rowsOf(field.options).length < CHIPS)) return <Chips {...given} many={many} />;
  if (field.kind === "toggle") {
    return (
      <label className="toggle">
        <input type="checkbox" name={field.name} required={field.required} checked={value === true} onChange={(event) => put(event.target.checked)} />
        <span className={must(field)}>{field.label}</span>
      </label>
    );
  }
  return (
    <label className="field">
      <span className={`name ${must(field)}`}>{field.label}</span>
      {field.kind === "choice" ? <Select {...given} /> : <Written {...given} />}
      {field.help && <small className="help">{field.help}</small>}
    </label>
  );
}

function Written({ field, value, put }: InputProps) {
  const shared = { name: field.name, maxLength: 4000, placeholder: field.placeholder, required: field.required, value: String(value ?? "") };
  if (field.kind === "longtext") return <textarea rows={3} {...shared} onChange={(event) => put(event.target.value)} />;
  const number = field.kind === "number";
  return (
    <input type={INPUTS[field.kind] ?? "text"} autoComplete="off" {...shared} min={field.min} max={field.max} step={field.step ?? (number ? "any" : undefined)}
      onChange={(event) => put(number && event.target.value !== "" ? event.target.valueAsNumber : event.target.value)} />
  );
}

function Select({ field, value, put }: InputProps) {
  return (
    <select name={field.name} required={field.required} value={String(value ?? "")} onChange={(event) => put(event.target.value)}>
      <option value="" />
      {rowsOf<Choice>(field.options).map((one) => <option key={one.value} value={one.value}>{one.label || one.value}</option>)}
    </select>
  );
}

function Chips({ field, value, put, many }: InputProps & { many: boolean }) {
  const options = rowsOf<Choice>(field.options);
  const chosen = rowsOf<string>(many ? value : [value]);
  const pick = (one: string, on: boolean) => {
    if (!many) return put(one);
    const rest = options.map((option) => option.value).filter((other) => (other === one ? on : chosen.includes(other)));
    put(rest.length > 0 ? rest : undefined);
  };
  return (
    <fieldset>
      <legend className={`name ${must(field)}`}>{field.label}</legend>
      <div className="chips">
        {options.map((one) => (
          <label key={one.value} className="chip">
            <input type={many ? "checkbox" : "radio"} name={field.name} value={one.value} required={field.required && chosen.length === 0}
              checked={chosen.includes(one.value)} onChange={(event) => pick(one.value, event.target.checked)} />
            {one.label || one.value}
          </label>
        ))}
      </div>
      {field.help && <small className="help">{field.help}</small>}
    </fieldset>
  );
}

const must = (field: Field): string => (field.required ? "must" : "");
