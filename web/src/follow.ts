// Keeps the end of the transcript in sight while the reader is there; cards grow after they are drawn, so size is watched.
// An open question is looked at from its top. Also moves the focus: to an open question, and back to the composer.
let watched: HTMLElement | null = null;
let atEnd = true;
let focused: string[] = [];

export function followTranscript(root: HTMLElement): void {
  const log = root.querySelector<HTMLElement>(".transcript");
  if (log === null || log === watched) return;
  watched = log;
  log.addEventListener("scroll", () => {
    atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  });
  new ResizeObserver(toEnd).observe(log.firstElementChild!);
  toEnd();
}

/** Looks at the end again, wherever the reader was. */
export function returnToEnd(): void {
  atEnd = true;
  toEnd();
}

function toEnd(): void {
  if (watched === null || !atEnd) return;
  const open = watched.querySelector<HTMLElement>("form.question");
  watched.scrollTop = Math.min(watched.scrollHeight, open === null ? Infinity : open.offsetTop - watched.offsetTop - 16);
}

/** When other questions are open than before: focuses the first, or the composer if none is left and nothing has the focus. */
export function focusQuestion(root: HTMLElement, open: string[], blocked: boolean): void {
  const now = blocked ? ["blocked", ...open] : [];
  if (now.join() === focused.join()) return;
  const lost = document.activeElement === document.body;
  const [first, before] = [open[0], focused[1]];
  focused = now;
  if (first !== undefined) {
    if (first === before && !lost) return;
    root.querySelector<HTMLElement>(`form.question[data-id="${CSS.escape(first)}"] :is(input, button)`)?.focus({ preventScroll: true });
    toEnd();
  } else if (!blocked && lost && matchMedia("(pointer: fine)").matches) {
    root.querySelector<HTMLElement>(".composer textarea")?.focus();
  }
}
