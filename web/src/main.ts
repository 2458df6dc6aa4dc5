// The page: one thread, its transcript, a composer. Wires agent, store and view; holds no protocol knowledge.
import "./strict";
import { render } from "lit";
import { ChatAgent } from "./agent";
import { Cards, showTextLiterally, type UserAction } from "./cards";
import { choose, current, t } from "./i18n";
import { Store } from "./store";
import "./style.css";
import { followTranscript } from "./follow";
import { page, type Actions } from "./view";

const root = document.getElementById("app")!;
showTextLiterally(root);

const store = new Store();
const agent = new ChatAgent({ url: "/agui", threadId: threadInAddress() });
const cards = new Cards((action) => void act(action));
let lastQuestion = "";

function threadInAddress(): string {
  const given = decodeURIComponent(location.hash.slice(1));
  if (given) return given;
  const fresh = crypto.randomUUID();
  history.replaceState(null, "", `#${fresh}`);
  return fresh;
}

let frame = 0;
function draw(): void {
  if (frame) return;
  frame = requestAnimationFrame(() => {
    frame = 0;
    render(page(agent.messages as any[], store, cards, actions), root);
    followTranscript(root);
  });
}

/** Runs one exchange with the server and makes sure it ends in words, whatever happens to the connection. */
async function exchange(go: () => Promise<unknown>): Promise<void> {
  store.begin();
  draw();
  try {
    await go();
    if (!store.complete) await reconnect();
  } catch (error) {
    store.error ??= store.explain(error);
  } finally {
    store.end();
    draw();
    void refreshAgents();
  }
}

async function reconnect(): Promise<void> {
  store.error = t("truncated");
  draw();
  await agent.connectAgent({});
  store.error = store.complete ? undefined : t("network");
}

async function ask(question: string): Promise<void> {
  const text = question.trim();
  if (!text || store.running) return;
  lastQuestion = text;
  agent.addMessage({ id: crypto.randomUUID(), role: "user", content: text });
  await exchange(() => agent.runAgent({}));
}

async function act(action: UserAction): Promise<void> {
  if (store.running) return;
  const { name, surfaceId, sourceComponentId, context, timestamp } = action;
  const userAction = { name, surfaceId, sourceComponentId, context, timestamp };
  await exchange(() => agent.runAgent({ forwardedProps: { a2uiAction: { userAction } } }));
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
  ask: (question) => void ask(question),
  stop: () => void agent.cancel().then((stopped) => stopped || agent.abortRun()).catch(() => agent.abortRun()),
  retry: () => void (store.accepted ? ask(lastQuestion) : exchange(() => agent.runAgent({}))),
  newThread: () => {
    location.hash = crypto.randomUUID();
  },
  switchLanguage: () => {
    choose(current() === "zh" ? "en" : "zh");
    draw();
  },
};

agent.subscribe({
  onEvent: ({ event }) => {
    store.apply(event);
    draw();
  },
  onMessagesChanged: () => draw(),
});

window.addEventListener("hashchange", () => location.reload());
choose(current());
draw();
void refreshAgents();
void exchange(() => agent.connectAgent({}));
