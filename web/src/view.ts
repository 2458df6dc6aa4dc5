// Pure templates: messages and store in, HTML out.
import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Cards } from "./cards";
import { composer, editor, type WriteActions } from "./composer";
import { current, EXAMPLES, t } from "./i18n";
import { questionCard, settledLine, type CardActions } from "./interrupt-cards";
import { settledCall, type Questions } from "./interrupts";
import type { Store, SubagentLine } from "./store";

export interface Actions extends WriteActions, CardActions {
  retry(): void;
  regenerate(): void;
  startEdit(id: string, text: string): void;
  newThread(): void;
  switchLanguage(): void;
}

export interface Model {
  messages: any[];
  store: Store;
  questions: Questions;
  cards: Cards;
}

export function page(model: Model, actions: Actions): TemplateResult {
  const { messages, store, questions } = model;
  const blocked = questions.open.length > 0;
  const last = messages.map((m) => m.role).lastIndexOf("user");
  const idle = !store.running && !blocked && !store.unsent;
  const loose = questions.settled.filter((line) => line.toolCallId === undefined);
  return html`
    ${header(store, actions)}
    <main class="transcript" role="log" aria-live="polite" aria-label=${t("transcript")}>
      <div class="column">
        ${messages.length === 0 && !store.running ? welcome(actions) : nothing}
        ${repeat(messages, (m) => m.id, (m, index) => message(m, idle && index === last, model, actions))}
        ${loose.map(settledLine)}
        ${blocked ? openQuestions(model, actions) : nothing}
        ${store.running ? progress(messages, store) : nothing}
        ${store.error ? errorBox(store.error, actions, store.running) : nothing}
        ${idle && last >= 0 && !store.editing ? again(actions) : nothing}
      </div>
    </main>
    ${composer(store, blocked, actions)}
  `;
}

function header(store: Store, actions: Actions): TemplateResult {
  return html`<header>
    <h1>${t("title")}</h1>
    <details class="agents">
      <summary aria-label=${t("agents")}>${store.agents.map((a) => html`<i class="dot ${a.healthy ? "ok" : "bad"}"></i>`)} ${t("agents")}</summary>
      <ul>
        ${store.agents.length === 0 ? html`<li>${t("noAgents")}</li>` : nothing}
        ${store.agents.map(
          (a) => html`<li data-testid="agent"><i class="dot ${a.healthy ? "ok" : "bad"}"></i><b>${a.name}</b>
            <small>${a.healthy ? a.description : a.error}</small></li>`,
        )}
      </ul>
    </details>
    <button class="quiet" @click=${actions.switchLanguage}>${t("language")}</button>
    <button class="quiet" data-testid="new-thread" @click=${actions.newThread}>${t("newThread")}</button>
  </header>`;
}

function welcome(actions: Actions): TemplateResult {
  return html`<section class="welcome">
    <p>${t("welcome")}</p>
    <div class="examples">
      ${EXAMPLES[current()].map((q) => html`<button data-testid="example" @click=${() => actions.ask(q)}>${q}</button>`)}
    </div>
  </section>`;
}

function message(m: any, editable: boolean, model: Model, actions: Actions): TemplateResult | typeof nothing {
  const { store, cards } = model;
  switch (m.role) {
    case "user":
      return store.editing?.id === m.id ? editor(store.editing!, actions) : question(m, editable, actions);
    case "assistant":
      return html`
        ${m.content ? html`<div class="bubble assistant" data-testid="message-assistant">${m.content}</div>` : nothing}
        ${(m.toolCalls ?? []).map((call: any) => [subagents(call.id, store), answersOf(call, model)])}
      `;
    case "reasoning":
      return html`<details class="reasoning"><summary>${t("thinking")}</summary>${textOf(m.content)}</details>`;
    case "activity":
      return cards.view(m);
    default:
      return nothing;
  }
}

function question(m: any, editable: boolean, actions: Actions): TemplateResult {
  const pencil = editable && typeof m.content === "string";
  return html`<div class="asked">
    ${pencil
      ? html`<button class="quiet pencil" data-testid="edit" title=${t("edit")} aria-label=${t("edit")}
          @click=${() => actions.startEdit(m.id, m.content)}>✎</button>`
      : nothing}
    <div class="bubble user" data-testid="message-user">${textOf(m.content)}</div>
  </div>`;
}

/** What was answered to the questions of a tool call: just now, or as the history tells it. */
function answersOf(call: any, { messages, questions }: Model): TemplateResult[] {
  const lines = questions.settled.filter((line) => line.toolCallId === call.id);
  if (lines.length > 0) return lines.map(settledLine);
  const result = messages.find((m) => m.role === "tool" && m.toolCallId === call.id);
  const told = result && settledCall(call, result.content);
  return told ? [settledLine(told)] : [];
}

function openQuestions({ questions, store }: Model, actions: Actions): TemplateResult {
  const asker = (id: string | undefined) => (id === undefined ? undefined : store.subagents.get(id)?.name);
  return html`<section class="questions" aria-label=${t("question")}>
    ${repeat(questions.open, (one) => one.id, (one) => questionCard(one, asker(one.interrupt.subagentRunId), store.running, actions))}
  </section>`;
}

function again(actions: Actions): TemplateResult {
  return html`<button class="quiet again" data-testid="regenerate" @click=${actions.regenerate}>↻ ${t("regenerate")}</button>`;
}

function subagents(callId: string, store: Store): TemplateResult[] {
  return store.lines(callId).map(subagentLine);
}

function subagentLine(line: SubagentLine): TemplateResult {
  const label = { running: t("running"), done: t("done"), failed: t("failed"), waiting: t("waiting"), stopped: t("stopped") }[line.status];
  return html`<div class="subagent ${line.status}" data-testid="subagent" data-status=${line.status} data-depth=${line.depth}>
    <span class="mark" aria-hidden="true"></span><b>${line.name}</b><span>${label}</span>
    ${line.note && line.status !== "done" ? html`<small>${line.note}</small>` : nothing}
  </div>`;
}

function errorBox(text: string, actions: Actions, running: boolean): TemplateResult {
  return html`<div class="error" role="alert" data-testid="error">
    <span>${text}</span>${running ? nothing : html`<button @click=${actions.retry}>${t("retry")}</button>`}
  </div>`;
}

function progress(messages: any[], store: Store): TemplateResult | typeof nothing {
  if (store.reconnecting) return html`<div class="thinking" role="status" data-testid="reconnecting">${t("reconnecting")}</div>`;
  return waiting(messages, store) ? html`<div class="thinking" role="status">${t("thinking")}</div>` : nothing;
}

/** True until something of the answer is on the screen. */
function waiting(messages: any[], store: Store): boolean {
  const last = messages.at(-1);
  if (last === undefined) return false;
  const working = [...store.subagents.values()].some((line) => line.status === "running");
  return !working && (last.role !== "assistant" || !last.content);
}

function textOf(content: any): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part) => part?.text ?? "").join("\n") : "";
}
