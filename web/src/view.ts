// Pure templates: messages and store in, HTML out.
import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Cards } from "./cards";
import { current, EXAMPLES, t } from "./i18n";
import type { Store, SubagentLine } from "./store";

export interface Actions {
  ask(question: string): void;
  stop(): void;
  retry(): void;
  newThread(): void;
  switchLanguage(): void;
}

export function page(messages: any[], store: Store, cards: Cards, actions: Actions): TemplateResult {
  const empty = messages.length === 0 && !store.running;
  return html`
    ${header(store, actions)}
    <main class="transcript" role="log" aria-live="polite" aria-label=${t("transcript")}>
      <div class="column">
        ${empty ? welcome(actions) : nothing}
        ${repeat(messages, (m) => m.id, (m) => message(m, store, cards))}
        ${store.running && waiting(messages, store) ? html`<div class="thinking" role="status">${t("thinking")}</div>` : nothing}
        ${store.error ? errorBox(store.error, actions, store.running) : nothing}
      </div>
    </main>
    ${composer(store, actions)}
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

function message(m: any, store: Store, cards: Cards): TemplateResult | typeof nothing {
  switch (m.role) {
    case "user":
      return html`<div class="bubble user" data-testid="message-user">${textOf(m.content)}</div>`;
    case "assistant":
      return html`
        ${m.content ? html`<div class="bubble assistant" data-testid="message-assistant">${m.content}</div>` : nothing}
        ${(m.toolCalls ?? []).map((call: any) => subagents(call.id, store))}
      `;
    case "reasoning":
      return html`<details class="reasoning"><summary>${t("thinking")}</summary>${textOf(m.content)}</details>`;
    case "activity":
      return cards.view(m);
    default:
      return nothing;
  }
}

function subagents(callId: string, store: Store): TemplateResult[] {
  return [...store.subagents.values()].filter((line) => line.toolCallId === callId).map(subagentLine);
}

function subagentLine(line: SubagentLine): TemplateResult {
  const label = { running: t("running"), done: t("done"), failed: t("failed") }[line.status];
  return html`<div class="subagent ${line.status}" data-testid="subagent" data-status=${line.status}>
    <span class="mark" aria-hidden="true"></span><b>${line.name}</b><span>${label}</span>
    ${line.note && line.status !== "done" ? html`<small>${line.note}</small>` : nothing}
  </div>`;
}

function errorBox(text: string, actions: Actions, running: boolean): TemplateResult {
  return html`<div class="error" role="alert" data-testid="error">
    <span>${text}</span>${running ? nothing : html`<button @click=${actions.retry}>${t("retry")}</button>`}
  </div>`;
}

function composer(store: Store, actions: Actions): TemplateResult {
  const submit = (form: HTMLFormElement) => {
    const box = form.querySelector("textarea")!;
    if (store.running || !box.value.trim()) return;
    const question = box.value;
    box.value = "";
    actions.ask(question);
  };
  const onKey = (event: KeyboardEvent) => {
    // While an input method composes, Enter picks a word.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit((event.target as HTMLElement).closest("form")!);
  };
  return html`<form class="composer" @submit=${(e: SubmitEvent) => (e.preventDefault(), submit(e.target as HTMLFormElement))}>
    <textarea data-testid="composer" rows="1" aria-label=${t("placeholder")} placeholder=${t("placeholder")} maxlength="8000" @keydown=${onKey}></textarea>
    ${store.running
      ? html`<button type="button" class="stop" data-testid="stop" @click=${actions.stop}>${t("stop")}</button>`
      : html`<button type="submit" data-testid="send">${t("send")}</button>`}
  </form>`;
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
