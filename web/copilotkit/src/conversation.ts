// What the chat shows beside messages: sub-agents at work, open questions, what went wrong. Listens to the agent.
import type { ResumeEntry } from "@ag-ui/client";
import { createContext, useContext, useSyncExternalStore } from "react";
import { Questions, type Answer } from "../../src/interrupts";
import { explain, problemOf, Store } from "../../src/store";
import type { ChatAgent } from "./agent";

/** What is needed of CopilotKit's core: it adds context and tools to a run. */
interface Core {
  runAgent(run: { agent: ChatAgent; resume?: ResumeEntry[]; forwardedProps?: Record<string, unknown> }): Promise<unknown>;
  connectAgent(run: { agent: ChatAgent }): Promise<unknown>;
}

export class Conversation {
  readonly store = new Store();
  readonly questions = new Questions();
  /** The last run was stopped by a person. */
  stopped = false;
  /** A question that the server refused; it goes back into the input. */
  refused = "";
  /** Answers on their way to the server, which has not started a run for them yet. */
  private answers: ResumeEntry[] | undefined;
  private version = 0;
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly agent: ChatAgent,
    private readonly core: Core,
  ) {
    agent.subscribe({
      onRunInitialized: () => this.begin(),
      onEvent: ({ event }) => this.hear(event),
      onRunFailed: ({ error }) => this.fail(error),
      onRunFinalized: () => this.end(),
    });
  }

  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  snapshot = () => this.version;

  changed = (): void => {
    this.version += 1;
    for (const listener of this.listeners) listener();
  };

  /** Notes the answer of one question; the last one sends them all. */
  answer(id: string, answer: Answer): void {
    const entries = this.questions.answer(id, answer) ? this.questions.entries() : undefined;
    this.changed();
    if (entries !== undefined) this.resume(entries);
  }

  reopen(id: string): void {
    this.questions.reopen(id);
    this.changed();
  }

  /** Does again what failed: sends what never arrived, looks for a run that went on without us, or asks once more. */
  retry(): void {
    const last = this.agent.messages.map((message) => message.role).lastIndexOf("user");
    const arrived = this.store.accepted;
    if (this.answers !== undefined) this.resume(this.answers);
    else if (arrived && this.store.complete && last >= 0) this.regenerate(last);
    else if (!arrived && last >= 0 && last === this.agent.messages.length - 1) void this.core.runAgent({ agent: this.agent });
    else void this.core.connectAgent({ agent: this.agent });
  }

  private resume(answers: ResumeEntry[]): void {
    this.answers = answers;
    void this.core.runAgent({ agent: this.agent, resume: answers });
  }

  private regenerate(last: number): void {
    this.agent.setMessages(this.agent.messages.slice(0, last + 1));
    void this.core.runAgent({ agent: this.agent, forwardedProps: { command: "regenerate" } });
  }

  private begin(): void {
    this.store.begin();
    this.stopped = false;
    this.changed();
  }

  private hear(event: any): void {
    this.store.apply(event);
    switch (event.type) {
      case "RUN_STARTED":
        if (this.answers !== undefined) this.questions.settle();
        this.answers = undefined;
        break;
      case "MESSAGES_SNAPSHOT":
        this.questions.keepCalls(event.messages);
        break;
      case "RUN_FINISHED":
        this.questions.show(event.outcome?.interrupts ?? []);
        if (this.questions.open.length === 0) this.questions.forgetLoose();
        break;
      case "RUN_ERROR":
        this.stopped = event.code === "cancelled";
        break;
    }
    this.changed();
  }

  private fail(error: unknown): void {
    if (this.store.complete) return;
    const problem = problemOf(error);
    const words = explain(error);
    if (problem?.interrupts !== undefined) this.questions.show(problem.interrupts, true);
    let told = false;
    if (problem !== undefined && problem.status >= 400 && problem.status < 500) {
      told = this.answers !== undefined && this.questions.refuse(problem, words);
      this.answers = undefined;
      this.takeBack();
    }
    this.store.error = told ? undefined : words;
    this.changed();
  }

  /** A question that the server will not have leaves the transcript and can be sent again. */
  private takeBack(): void {
    const last = this.agent.messages.at(-1);
    if (this.store.accepted || last?.role !== "user") return;
    this.agent.setMessages(this.agent.messages.slice(0, -1));
    this.refused = typeof last.content === "string" ? last.content : "";
  }

  private end(): void {
    if (this.store.accepted && !this.store.complete) this.store.error ??= explain(new TypeError("the stream broke"));
    this.store.end();
    this.changed();
  }
}

export const ConversationContext = createContext<Conversation | undefined>(undefined);

/** The conversation; the component is drawn again whenever it changes. */
export function useConversation(): Conversation {
  const conversation = useContext(ConversationContext)!;
  useSyncExternalStore(conversation.subscribe, conversation.snapshot);
  return conversation;
}
