// Where a person writes: the composer, and the box in which the last question is rewritten. Pure templates.
import { html, nothing, type TemplateResult } from "lit";
import { live } from "lit/directives/live.js";
import { ref } from "lit/directives/ref.js";
import { t } from "./i18n";
import type { Store } from "./store";

export interface WriteActions {
  ask(question: string): void;
  stop(): void;
  edit(id: string, text: string): void;
  endEdit(): void;
}

export function composer(store: Store, blocked: boolean, actions: WriteActions): TemplateResult {
  const submit = () => {
    if (!store.running && !blocked) actions.ask(store.draft);
  };
  return html`<form class="composer" @submit=${(event: SubmitEvent) => (event.preventDefault(), submit())}>
    ${blocked && !store.running ? html`<p class="hint" id="composer-hint" data-testid="blocked">${t("blocked")}</p>` : nothing}
    <textarea data-testid="composer" rows="1" aria-label=${t("placeholder")} placeholder=${t("placeholder")} maxlength="8000"
      aria-describedby=${blocked && !store.running ? "composer-hint" : nothing} ?disabled=${blocked} .value=${live(store.draft)}
      @input=${(event: InputEvent) => (store.draft = valueOf(event))} @keydown=${onEnter(submit)}></textarea>
    ${store.running
      ? html`<button type="button" class="stop" data-testid="stop" @click=${actions.stop}>${t("stop")}</button>`
      : html`<button type="submit" class="primary" data-testid="send" ?disabled=${blocked}>${t("send")}</button>`}
  </form>`;
}

export function editor(editing: { id: string; text: string }, actions: WriteActions): TemplateResult {
  const submit = () => actions.edit(editing.id, editing.text);
  const onKey = (event: KeyboardEvent) => (event.key === "Escape" ? actions.endEdit() : onEnter(submit)(event));
  return html`<form class="editor" data-testid="editor" @submit=${(event: SubmitEvent) => (event.preventDefault(), submit())}>
    <textarea rows="1" aria-label=${t("edit")} maxlength="8000" required .value=${live(editing.text)} ${ref(focusOnce)}
      @input=${(event: InputEvent) => (editing.text = valueOf(event))} @keydown=${onKey}></textarea>
    <div class="buttons">
      <button type="submit" class="primary" data-testid="save">${t("save")}</button>
      <button type="button" class="quiet" data-testid="cancel-edit" @click=${actions.endEdit}>${t("cancel")}</button>
    </div>
  </form>`;
}

/** A stable function, so that it is called when the box appears and not at every drawing. */
function focusOnce(element: Element | undefined): void {
  const box = element as HTMLTextAreaElement | undefined;
  // It is called just before the box is part of the page.
  queueMicrotask(() => {
    box?.focus();
    box?.setSelectionRange(box.value.length, box.value.length);
  });
}

const valueOf = (event: Event): string => (event.target as HTMLTextAreaElement).value;

/** While an input method composes, Enter picks a word. */
const onEnter = (go: () => void) => (event: KeyboardEvent): void => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  go();
};
