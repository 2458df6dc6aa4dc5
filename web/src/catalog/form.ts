// Form: inputs that the data describes. The browser checks them and says in the user's language what is missing.
import { CommonSchemas } from "@a2ui/web_core/v0_9";
import { css, html, nothing, type TemplateResult } from "lit";
import { live } from "lit/directives/live.js";
import { z } from "zod";
import { CampusElement, Rows, rowsOf } from "./element";

const FormApi = {
  name: "Form",
  schema: z.object({
    fields: Rows,
    values: z.union([z.record(z.any()), CommonSchemas.DataBinding]),
    label: CommonSchemas.DynamicString,
    action: CommonSchemas.Action,
  }),
} as const;

interface Field {
  name: string;
  label: string;
  kind: string;
  required?: boolean;
  placeholder?: string;
  help?: string;
  options?: { value: string; label?: string }[];
  min?: number | string;
  max?: number | string;
  step?: number;
}

type Value = string | number | boolean | string[];

const INPUTS: Record<string, string> = { text: "text", number: "number", date: "date", time: "time", datetime: "datetime-local" };
/** Fewer options than this are all shown at once. */
const CHIPS = 8;

export class Form extends CampusElement {
  static styles = css`
    :host { display: block; width: 100%; min-width: 0; }
    form { display: flex; flex-direction: column; gap: 14px; margin: 8px 0 2px; overflow-wrap: anywhere; }
    form * { min-width: 0; }
    label.field, fieldset { display: block; border: 0; padding: 0; margin: 0; }
    .name { display: block; padding: 0; font-size: 13px; color: var(--a2ui-text-caption-color); margin-bottom: 4px; }
    .must::after { content: " *"; color: light-dark(#a3312b, #f0918b); }
    input:not([type="checkbox"], [type="radio"]), textarea, select { width: 100%; box-sizing: border-box; font: inherit; font-size: 15px; color: inherit;
      background: light-dark(#f6f5f1, #14171a); border: 1px solid var(--a2ui-color-border); border-radius: 10px; padding: 8px 11px; }
    textarea { resize: vertical; min-height: 64px; }
    .chips { display: flex; flex-wrap: wrap; gap: 6px; }
    .chip { position: relative; display: flex; align-items: center; border: 1px solid var(--a2ui-color-border); border-radius: 10px; padding: 6px 12px; cursor: pointer; font-size: 14px; }
    .chip input { position: absolute; inset: 0; opacity: 0; margin: 0; cursor: pointer; }
    .chip:has(:checked) { border-color: var(--a2ui-color-primary); background: color-mix(in srgb, var(--a2ui-color-primary) 14%, transparent); }
    .chip:has(:focus-visible), .toggle:has(:focus-visible) { outline: 2px solid var(--a2ui-color-primary); outline-offset: 2px; }
    .toggle { display: flex; gap: 10px; align-items: center; font-size: 14.5px; cursor: pointer; }
    .toggle input { flex: none; width: 18px; height: 18px; margin: 0; accent-color: var(--a2ui-color-primary); }
    .help { display: block; font-size: 12.5px; color: var(--a2ui-text-caption-color); margin-top: 4px; }
    button { align-self: flex-start; max-width: 100%; font: inherit; font-weight: 600; cursor: pointer; border: 0; border-radius: 10px; padding: 9px 18px;
      background: var(--a2ui-color-primary); color: light-dark(#fff, #0d1f1b); }
    button:hover { filter: brightness(1.08); }
    :focus-visible { outline: 2px solid var(--a2ui-color-primary); outline-offset: 2px; }
  `;
  protected api = FormApi as any;

  render() {
    const props = this.props;
    if (!props) return nothing;
    return html`<form data-testid="form" @submit=${this.submit}>
      ${rowsOf<Field>(props.fields).map((field) => this.field(field, props.values?.[field.name]))}
      <button type="submit">${props.label || "✓"}</button>
    </form>`;
  }

  private submit(event: Event): void {
    event.preventDefault();
    this.props.action?.();
  }

  private put(name: string, value: Value | undefined): void {
    const { [name]: _, ...rest } = this.props.values ?? {};
    this.props.setValues(value === undefined || value === "" ? rest : { ...rest, [name]: value });
  }

  private field(field: Field, value: Value | undefined): TemplateResult {
    switch (field.kind) {
      case "toggle":
        return html`<label class="toggle"><input type="checkbox" name=${field.name} ?required=${field.required} .checked=${live(value === true)}
          @change=${(e: Event) => this.put(field.name, (e.target as HTMLInputElement).checked)} />
          <span class=${field.required ? "must" : ""}>${field.label}</span></label>`;
      case "choice":
        return rowsOf(field.options).length < CHIPS ? this.chips(field, value, false) : this.select(field, value);
      case "choices":
        return this.chips(field, value, true);
      default:
        return html`<label class="field">${title(field)}${this.input(field, value)}${help(field)}</label>`;
    }
  }

  private input(field: Field, value: Value | undefined): TemplateResult {
    const typed = (e: Event) => {
      const input = e.target as HTMLInputElement;
      this.put(field.name, field.kind === "number" && input.value !== "" ? input.valueAsNumber : input.value);
    };
    if (field.kind === "longtext") {
      return html`<textarea rows="3" name=${field.name} maxlength="4000" placeholder=${field.placeholder ?? ""} ?required=${field.required}
        .value=${live(String(value ?? ""))} @input=${typed}></textarea>`;
    }
    return html`<input type=${INPUTS[field.kind] ?? "text"} name=${field.name} maxlength="4000" placeholder=${field.placeholder ?? ""} ?required=${field.required}
      min=${field.min ?? nothing} max=${field.max ?? nothing} step=${field.step ?? (field.kind === "number" ? "any" : nothing)} autocomplete="off"
      .value=${live(String(value ?? ""))} @change=${typed} @input=${field.kind === "text" ? typed : nothing} />`;
  }

  private select(field: Field, value: Value | undefined): TemplateResult {
    return html`<label class="field">${title(field)}<select name=${field.name} ?required=${field.required}
      @change=${(e: Event) => this.put(field.name, (e.target as HTMLSelectElement).value)}>
      <option value="" ?selected=${!value}></option>
      ${rowsOf<{ value: string; label?: string }>(field.options).map((one) => html`<option value=${one.value} ?selected=${one.value === value}>${one.label || one.value}</option>`)}
    </select>${help(field)}</label>`;
  }

  private chips(field: Field, value: Value | undefined, many: boolean): TemplateResult {
    const options = rowsOf<{ value: string; label?: string }>(field.options);
    const chosen = rowsOf<string>(many ? value : [value]);
    const pick = (one: string, on: boolean) => {
      if (!many) return this.put(field.name, one);
      const rest = options.map((option) => option.value).filter((other) => (other === one ? on : chosen.includes(other)));
      return this.put(field.name, rest.length > 0 ? rest : undefined);
    };
    return html`<fieldset><legend class="name ${field.required ? "must" : ""}">${field.label}</legend><div class="chips">
      ${options.map((one) => html`<label class="chip"><input type=${many ? "checkbox" : "radio"} name=${field.name} value=${one.value}
        ?required=${field.required && chosen.length === 0} .checked=${live(chosen.includes(one.value))}
        @change=${(e: Event) => pick(one.value, (e.target as HTMLInputElement).checked)} />${one.label || one.value}</label>`)}
    </div>${help(field)}</fieldset>`;
  }
}

function title(field: Field): TemplateResult {
  return html`<span class="name ${field.required ? "must" : ""}">${field.label}</span>`;
}

function help(field: Field): TemplateResult | typeof nothing {
  return field.help ? html`<small class="help">${field.help}</small>` : nothing;
}

export const FormComponent = { ...FormApi, tagName: "campus-form" };
customElements.define(FormComponent.tagName, Form);
