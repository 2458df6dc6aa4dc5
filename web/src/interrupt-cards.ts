// One card for each open question, and the line that is left of it once it is answered. Pure templates.
import { html, nothing, type TemplateResult } from "lit";
import { live } from "lit/directives/live.js";
import { details } from "./details";
import { current, t } from "./i18n";
import { labels, titleOf, type Answer, type Draft, type Option, type Payload, type Question, type Settled } from "./interrupts";

export interface CardActions {
  answer(id: string, answer: Answer): void;
  reopen(id: string): void;
}

/** What a card is drawn with: its question, whose it is, and how to hand its answer over. */
interface Card {
  question: Question;
  asker: string | undefined;
  resolve(payload: unknown, shown: string): void;
  cancel(): void;
}

/** `sent`: the answers are on their way and can no longer be changed. */
export function questionCard(question: Question, asker: string | undefined, sent: boolean, actions: CardActions): TemplateResult {
  const { id, payload, answer } = question;
  if (answer !== undefined) return answeredLine(id, titleOf(payload), answer, sent ? undefined : () => actions.reopen(id));
  const card: Card = {
    question,
    asker,
    resolve: (answered, shown) => actions.answer(id, { status: "resolved", payload: answered, shown }),
    cancel: () => actions.answer(id, { status: "cancelled", shown: "" }),
  };
  return frame(card, payload);
}

export function settledLine(line: Settled): TemplateResult {
  return answeredLine(line.id, line.title, line.answer, undefined);
}

function answeredLine(id: string, title: string, answer: Answer, change: (() => void) | undefined): TemplateResult {
  return html`<div class="answered" data-testid="answered" data-id=${id} data-status=${answer.status}>
    <span>${title || t("question")}</span> <b>${answer.status === "cancelled" ? t("cancelledAnswer") : answer.shown || t("noneChosen")}</b>
    ${change ? html`<button type="button" class="quiet" data-testid="change" @click=${change}>${t("change")}</button>` : nothing}
  </div>`;
}

function frame(card: Card, payload: Payload): TemplateResult {
  const { question } = card;
  const heading = `question-${question.id}`;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!question.expired) submitted(card, payload);
  };
  return html`<form class="question" data-testid="question" data-id=${question.id} data-type=${payload.type}
      aria-labelledby=${heading} @submit=${submit}>
    ${card.asker ? html`<small class="asker">${card.asker}</small>` : nothing}
    <h2 id=${heading}>${titleOf(payload) || t("question")}</h2>
    ${question.expired
      ? html`<p class="hint" data-testid="expired">${t("expired")}</p>`
      : html`${fields(card, payload, heading)} ${deadline(question)}`}
    ${question.refusal ? html`<p class="refusal" role="alert" data-testid="refusal">${question.refusal}</p>` : nothing}
    <div class="buttons">
      ${question.expired ? nothing : buttons(card, payload)}
      <button type="button" class="quiet" data-testid="cancel" @click=${card.cancel}>${t("cancel")}</button>
    </div>
  </form>`;
}

function fields(card: Card, payload: Payload, heading: string): TemplateResult | typeof nothing {
  const { draft } = card.question;
  switch (payload.type) {
    case "input":
      return textField(draft, heading, payload.placeholder ?? "", true);
    case "select":
      return choices("radio", payload.options, heading, card.question.id, (value) => draft.choice === value, (value) => {
        draft.choice = value;
      });
    case "multiSelect":
      return choices("checkbox", payload.options, heading, card.question.id, (value) => draft.choices.includes(value), (value, on) => {
        draft.choices = draft.choices.filter((one) => one !== value).concat(on ? [value] : []);
      });
    case "modal":
      return html`${payload.body ? html`<p class="prose">${payload.body}</p>` : nothing} ${explained(payload.actions)}`;
    case "approval":
      return html`${details(payload.details)}
        <label class="field"><span>${t("reason")}</span>${textField(draft, undefined, "", false)}</label>`;
    case "unlock":
      return html`<p class="key">${locked(payload.key)}</p>`;
    case "foreign":
      return html`${payload.value === payload.message ? nothing : details(payload.value)}
        ${payload.answerable ? textField(draft, heading, "", true) : html`<p class="hint">${t("unanswerable")}</p>`}`;
  }
}

function buttons(card: Card, payload: Payload): TemplateResult | typeof nothing {
  switch (payload.type) {
    case "modal":
      return html`${payload.actions.map(({ value, label }, index) => choice("action", label, index === 0, () => card.resolve({ action: value }, label)))}`;
    case "approval":
      return html`${choice("approve", t("approve"), true, () => decide(card, true))} ${choice("reject", t("reject"), false, () => decide(card, false))}`;
    case "foreign":
      return payload.answerable ? answerButton(t("answer")) : nothing;
    default:
      return answerButton(payload.type === "unlock" ? t("unlocked") : t("answer"));
  }
}

/** A button that answers by itself. It is no submit button: Enter in a text field must not press it. */
const choice = (name: string, label: string, first: boolean, go: () => void): TemplateResult =>
  html`<button type="button" class=${first ? "primary" : ""} data-testid=${name} @click=${go}>${label}</button>`;

const answerButton = (label: string): TemplateResult => html`<button class="primary" data-testid="answer">${label}</button>`;

function decide(card: Card, approved: boolean): void {
  const reason = card.question.draft.text.trim();
  const shown = approved ? t("approved") : t("rejected");
  card.resolve(reason ? { approved, reason } : { approved }, reason ? `${shown} (${reason})` : shown);
}

/** Turns what was typed or ticked into the typed answer of the payload. */
function submitted(card: Card, payload: Payload): void {
  const { draft } = card.question;
  const words = draft.text.trim();
  switch (payload.type) {
    case "input":
    case "foreign":
      if (words) card.resolve({ value: words }, words);
      break;
    case "select":
      if (draft.choice) card.resolve({ value: draft.choice }, labels(payload.options, [draft.choice]));
      break;
    case "multiSelect": {
      const values = payload.options.map((option) => option.value).filter((value) => draft.choices.includes(value));
      card.resolve({ values }, labels(payload.options, values));
      break;
    }
    case "unlock":
      card.resolve({}, t("unlockedShort"));
  }
}

function textField(draft: Draft, heading: string | undefined, placeholder: string, required: boolean): TemplateResult {
  return html`<input type="text" data-testid="text" autocomplete="off" maxlength="8000" placeholder=${placeholder} ?required=${required}
    aria-labelledby=${heading ?? nothing} .value=${live(draft.text)}
    @input=${(event: InputEvent) => (draft.text = (event.target as HTMLInputElement).value)} />`;
}

function choices(
  type: "radio" | "checkbox",
  options: Option[],
  heading: string,
  name: string,
  chosen: (value: string) => boolean,
  choose: (value: string, on: boolean) => void,
): TemplateResult {
  const role = type === "radio" ? "radiogroup" : "group";
  return html`<div class="options" role=${role} aria-labelledby=${heading}>
    ${options.map(
      ({ value, label, description }) => html`<label class="option">
        <input type=${type} name="choice-${name}" value=${value} ?required=${type === "radio"} .checked=${live(chosen(value))}
          @change=${(event: Event) => choose(value, (event.target as HTMLInputElement).checked)} />
        <span>${label}${description ? html`<small>${description}</small>` : nothing}</span>
      </label>`,
    )}
  </div>`;
}

/** What the actions of a modal mean, where the server says more than their labels. */
function explained(actions: Option[]): TemplateResult | typeof nothing {
  const rows = actions.filter((action) => action.description);
  if (rows.length === 0) return nothing;
  return html`<dl class="details">${rows.map((row) => html`<dt>${row.label}</dt><dd>${row.description}</dd>`)}</dl>`;
}

function locked(key: string): TemplateResult {
  return /^https?:\/\//i.test(key) ? html`<a href=${key} target="_blank" rel="noopener noreferrer">${key}</a>` : html`<code>${key}</code>`;
}

function deadline(question: Question): TemplateResult | typeof nothing {
  const at = question.interrupt.expiresAt;
  if (at === undefined) return nothing;
  const time = new Date(at);
  const today = time.toDateString() === new Date().toDateString();
  const shown = time.toLocaleString(current(), { dateStyle: today ? undefined : "medium", timeStyle: "short" });
  return html`<p class="hint">${t("until")} ${shown}</p>`;
}
