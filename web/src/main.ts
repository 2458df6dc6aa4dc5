// The page: one thread, its transcript, a composer. Wires agent, session and view; holds no protocol knowledge.
import "./strict";
import { randomUUID } from "@ag-ui/client";
import { render } from "lit";
import { ChatAgent } from "./agent";
import { Cards, showTextLiterally } from "./cards";
import { focusQuestion, followTranscript, returnToEnd } from "./follow";
import { choose, current } from "./i18n";
import { Questions } from "./interrupts";
import { Session } from "./session";
import { Store } from "./store";
import "./style.css";
import { page, type Actions } from "./view";

const root = document.getElementById("app")!;
showTextLiterally(root);

const store = new Store();
const questions = new Questions();
const agent = new ChatAgent(threadInAddress());
const session = new Session(agent, store, questions, { changed: draw, idle: () => void refreshAgents() });
const cards = new Cards(({ name, surfaceId, sourceComponentId, context, timestamp }) =>
  void session.act({ name, surfaceId, sourceComponentId, context, timestamp }));

function threadInAddress(): string {
  const given = decodeURIComponent(location.hash.slice(1));
  if (given) return given;
  const fresh = randomUUID();
  history.replaceState(null, "", `#${fresh}`);
  return fresh;
}

let frame = 0;
function draw(): void {
  if (frame) return;
  frame = requestAnimationFrame(() => {
    frame = 0;
    watchExpiry();
    render(page({ messages: agent.messages as any[], store, questions, cards }, actions), root);
    followTranscript(root);
    const unanswered = questions.open.filter((one) => one.answer === undefined).map((one) => one.id);
    focusQuestion(root, unanswered, questions.open.length > 0);
  });
}

let expiry = 0;
function watchExpiry(): void {
  clearTimeout(expiry);
  const ahead = questions.expireNow();
  // Longer than 24 days does not fit into a browser's timer.
  if (ahead !== undefined && ahead < 2 ** 31) expiry = window.setTimeout(draw, ahead + 1);
}

async function refreshAgents(): Promise<void> {
  try {
    store.agents = (await (await fetch("/agents")).json()).agents;
  } catch {
    store.agents = [];
  }
  draw();
}

const actions: Actions = {
  ask: (question) => {
    returnToEnd();
    void session.ask(question);
  },
  stop: () => void session.stop(),
  retry: () => session.retry(),
  regenerate: () => void session.regenerate(),
  startEdit: (id, text) => {
    store.editing = { id, text };
    draw();
  },
  endEdit: () => {
    store.editing = undefined;
    draw();
  },
  edit: (id, text) => void session.edit(id, text),
  answer: (id, answer) => {
    returnToEnd();
    void session.answer(id, answer);
  },
  reopen: (id) => {
    questions.reopen(id);
    draw();
  },
  newThread: () => {
    location.hash = randomUUID();
  },
  switchLanguage: () => {
    choose(current() === "zh" ? "en" : "zh");
    draw();
  },
};

window.addEventListener("hashchange", () => location.reload());
choose(current());
draw();
void refreshAgents();
void session.connect();
