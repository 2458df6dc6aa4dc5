// The page: CopilotKit's chat over our agent, with what it does not draw by itself. One thread, named in the address.
import {
  CopilotChat,
  CopilotChatInput,
  CopilotChatMessageView,
  CopilotKitProvider,
  useConfigureSuggestions,
  useCopilotKit,
  type CopilotChatInputProps,
} from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { randomUUID } from "@ag-ui/client";
import { useEffect, useMemo, type KeyboardEvent, type ReactElement } from "react";
import { createRoot } from "react-dom/client";
import { z } from "zod";
import { ChatAgent } from "./agent";
import { cardRenderers } from "./cards";
import { campusCatalog } from "./catalog";
import { Conversation, ConversationContext, useConversation } from "./conversation";
import { choose, current, EXAMPLES, labels, own, t } from "./i18n";
import { OpenQuestions, SettledLine } from "./interrupts";
import "./style.css";
import { ToolCall } from "./subagents";

function threadInAddress(): string {
  const given = decodeURIComponent(location.hash.slice(1));
  if (given) return given;
  const fresh = randomUUID();
  history.replaceState(null, "", `#${fresh}`);
  return fresh;
}

const thread = threadInAddress();
const agent = new ChatAgent(thread);

// CopilotKit wants these to be the same objects at every drawing.
const AGENTS = { default: agent };
const A2UI = { catalog: campusCatalog, includeSchema: false };
const TOOL_CALLS = [{ name: "*", args: z.any(), render: ToolCall }];
const CARDS = cardRenderers(() => agent.isRunning || agent.pendingInterrupts.length > 0);
const MESSAGES = { children: Transcript };

function App() {
  return (
    <CopilotKitProvider agents__unsafe_dev_only={AGENTS} a2ui={A2UI} renderToolCalls={TOOL_CALLS} renderActivityMessages={CARDS} enableInspector={false}>
      <Chat />
    </CopilotKitProvider>
  );
}

function Chat() {
  const { copilotkit } = useCopilotKit();
  const conversation = useMemo(() => new Conversation(agent, copilotkit), [copilotkit]);
  const examples = EXAMPLES[current()].map((example) => ({ title: example, message: example }));
  useConfigureSuggestions({ suggestions: examples, available: "before-first-message" }, []);
  return (
    <ConversationContext.Provider value={conversation}>
      <Header />
      <main>
        <CopilotChat threadId={thread} labels={labels()} messageView={MESSAGES} input={Input as typeof CopilotChatInput} onStop={stop} />
      </main>
    </ConversationContext.Provider>
  );
}

const stop = () => void agent.cancel();

function Header() {
  const switchLanguage = () => {
    choose(current() === "zh" ? "en" : "zh");
    location.reload();
  };
  return (
    <header>
      <h1>{t("title")}</h1>
      <button className="quiet" onClick={switchLanguage}>{t("language")}</button>
      <button className="quiet" data-testid="new-thread" onClick={() => (location.hash = randomUUID())}>{t("newThread")}</button>
    </header>
  );
}

interface TranscriptProps {
  messageElements: ReactElement[];
  isRunning: boolean;
}

function Transcript({ messageElements, isRunning }: TranscriptProps) {
  return (
    <div className="transcript" role="log" aria-live="polite" aria-label={t("transcript")}>
      {messageElements.length === 0 && !isRunning && <p className="welcome">{t("welcome")}</p>}
      {messageElements}
      <AfterMessages />
      {isRunning && <CopilotChatMessageView.Cursor />}
    </div>
  );
}

function AfterMessages() {
  const conversation = useConversation();
  const { questions, store, stopped } = conversation;
  return (
    <>
      {questions.settled.filter((line) => line.toolCallId === undefined).map((line) => <SettledLine key={line.id} line={line} />)}
      <OpenQuestions />
      {stopped && <p className="hint" role="status" data-testid="stopped">{own("stopped")}</p>}
      {store.error && (
        <div className="error" role="alert" data-testid="error">
          <span>{store.error}</span>
          {!store.running && <button onClick={() => conversation.retry()}>{t("retry")}</button>}
        </div>
      )}
    </>
  );
}

/** CopilotKit's input, which would let a new question cut off a run or walk past an open question. */
function Input(props: CopilotChatInputProps) {
  const conversation = useConversation();
  const blocked = conversation.questions.open.length > 0;
  const { onChange } = props;
  useEffect(() => {
    if (!conversation.refused) return;
    onChange?.(conversation.refused);
    conversation.refused = "";
  });
  const keepEnter = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) event.preventDefault();
  };
  const area = blocked ? { disabled: true } : props.isRunning ? { onKeyDown: keepEnter } : undefined;
  return (
    <>
      {blocked && !props.isRunning && <p className="hint blocked" data-testid="blocked">{t("blocked")}</p>}
      <CopilotChatInput {...props} textArea={area} addMenuButton={NoButton} showDisclaimer={false} />
    </>
  );
}

/** There is nothing to attach here. */
const NoButton = () => null;

/** CopilotKit goes by a class, our own styles by the same wish of the user. */
function followScheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark", dark.matches);
  dark.addEventListener("change", follow);
  follow();
}

followScheme();
window.addEventListener("hashchange", () => location.reload());
choose(current());
createRoot(document.getElementById("app")!).render(<App />);
