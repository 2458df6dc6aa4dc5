// Keeps the end of the transcript in sight while the reader is there; cards grow after they are drawn, so size is watched.
let watched: HTMLElement | null = null;
let atEnd = true;

export function followTranscript(root: HTMLElement): void {
  const log = root.querySelector<HTMLElement>(".transcript");
  if (log === null || log === watched) return;
  watched = log;
  const toEnd = () => {
    if (atEnd) log.scrollTop = log.scrollHeight;
  };
  log.addEventListener("scroll", () => {
    atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  });
  new ResizeObserver(toEnd).observe(log.firstElementChild!);
  toEnd();
}
