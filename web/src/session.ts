// One thread's conversation: asks, answers, edits, and comes back by itself when the connection is lost. Holds no DOM.
import { randomUUID } from "@ag-ui/client";
import type { ChatAgent } from "./agent";
import type { UserAction } from "./cards";
import type { Answer, Questions } from "./interrupts";
import { explain, problemOf, type Problem, type Store } from "./store";

/** Attempts to come back before a person is asked to, two minutes in all, and the longest pause between two. */
const ATTEMPTS = 15;
const LONGEST_PAUSE_MS = 10_000;
/** A connection that held that long was a good one: the next break counts anew. */
const STEADY_MS = 10_000;

/** One request and what follows from its fate. */
interface Turn {
  go(): Promise<unknown>;
  /** The server has taken it on. */
  accepted?(): void;
  /** The server has refused it for good: take local changes back. True when a person can see why. */
  refused?(problem: Problem, words: string): boolean;
  resumes?: boolean;
}

export interface Hooks {
  changed(): void;
  idle(): void;
}

export class Session {
  private again: Turn;
  private onAccepted: (() => void) | undefined;
  private stopped = false;
  private wake = () => {};
  private readonly connecting: Turn = { go: () => this.agent.connectAgent() };

  constructor(
    private readonly agent: ChatAgent,
    private readonly store: Store,
    private readonly questions: Questions,
    private readonly hooks: Hooks,
  ) {
    this.again = this.connecting;
    agent.subscribe({ onEvent: ({ event }) => this.hear(event), onMessagesChanged: () => hooks.changed() });
    window.addEventListener("offline", () => this.offline());
    window.addEventListener("online", () => this.online());
  }

  /** Nothing new can be asked: a run is going on, or it waits for answers. */
  get busy(): boolean {
    return this.store.running || this.questions.open.length > 0;
  }

  connect(): Promise<void> {
    return this.exchange(this.connecting);
  }

  async ask(question: string): Promise<void> {
    const text = question.trim();
    if (!text || this.busy) return;
    const before = [...this.agent.messages];
    if (this.store.draft.trim() === text) this.store.draft = "";
    this.agent.addMessage({ id: randomUUID(), role: "user", content: text });
    await this.exchange({
      go: () => this.agent.runAgent(),
      refused: (problem) => {
        this.agent.setMessages(before);
        this.store.draft ||= text;
        return (problem.interrupts ?? []).length > 0;
      },
    });
  }

  /** Asks the last question in other words; it and everything after it are replaced. */
  async edit(id: string, words: string): Promise<void> {
    const text = words.trim();
    const before = [...this.agent.messages];
    const index = before.findIndex((message) => message.id === id);
    if (!text || this.busy || index < 0) return;
    this.agent.setMessages(before.slice(0, index));
    this.agent.addMessage({ id: randomUUID(), role: "user", content: text });
    await this.exchange({
      go: () => this.agent.runAgent({ forwardedProps: { command: "edit-last", targetMessageId: id } }),
      refused: () => {
        this.agent.setMessages(before);
        this.store.editing = { id, text };
        return false;
      },
    });
  }

  async regenerate(): Promise<void> {
    if (!this.busy) await this.exchange(this.regenerating());
  }

  /** A button on a card. */
  async act(userAction: UserAction): Promise<void> {
    if (!this.busy) await this.exchange({ go: () => this.agent.runAgent({ forwardedProps: { a2uiAction: { userAction } } }) });
  }

  /** Notes the answer of one question; the last one sends them all. */
  async answer(id: string, answer: Answer): Promise<void> {
    if (this.store.running) return;
    const entries = this.questions.answer(id, answer) ? this.questions.entries() : undefined;
    this.hooks.changed();
    if (entries === undefined) return;
    await this.exchange({
      go: () => this.agent.runAgent({ resume: entries }),
      accepted: () => this.questions.settle(),
      refused: (problem, words) => problem.code !== "thread_busy" && this.questions.refuse(problem, words),
      resumes: true,
    });
  }

  retry(): void {
    void this.exchange(this.again);
  }

  /** Stops the run at the server, whose stream then ends; if it cannot be reached, at least stops waiting for it. */
  async stop(): Promise<void> {
    try {
      await this.agent.cancel();
    } catch {
      this.stopped = true;
      this.agent.abortRun();
      this.wake();
    }
  }

  /** The stream may hang without an error, or go on if the server is on this machine: the next event tells. */
  private offline(): void {
    this.store.reconnecting = this.store.running;
    this.hooks.changed();
  }

  /** A stream from before may be dead and not know it; to connect anew costs little. */
  private online(): void {
    this.wake();
    if (this.store.reconnecting && this.store.accepted) this.agent.abortRun();
    if (this.store.error !== undefined && this.again === this.connecting) this.retry();
  }

  private regenerating(): Turn {
    const before = [...this.agent.messages];
    const last = before.map((message) => message.role).lastIndexOf("user");
    return {
      go: () => {
        this.agent.setMessages(before.slice(0, last + 1));
        return this.agent.runAgent({ forwardedProps: { command: "regenerate" } });
      },
      refused: () => {
        this.agent.setMessages(before);
        return false;
      },
    };
  }

  /** Runs one exchange with the server and makes sure it ends in words, whatever happens to the connection. */
  private async exchange(turn: Turn): Promise<void> {
    if (this.store.running) return;
    this.again = turn;
    this.onAccepted = turn.accepted;
    this.stopped = false;
    this.store.begin();
    this.hooks.changed();
    let failure = await this.attempt(turn);
    this.onAccepted = undefined;
    const taken = this.store.accepted;
    if (taken && !this.store.complete) failure = await this.reconnect();
    if (taken) this.again = this.store.complete ? this.regenerating() : this.connecting;
    const code = failure && this.explain(turn, failure);
    this.store.unsent = failure !== undefined && this.again === turn && turn !== this.connecting;
    if (code === "thread_busy") await this.follow(undefined);
    else if (turn.resumes && this.store.error && this.again !== turn) await this.follow(this.store.error);
    this.store.end();
    this.hooks.changed();
    this.hooks.idle();
  }

  /** The failure of a request, undefined when it ended as it should or was stopped. */
  private async attempt(turn: Turn): Promise<unknown> {
    this.store.listen();
    try {
      await turn.go();
    } catch (error) {
      return this.stopped || this.store.complete ? undefined : error;
    }
    return this.stopped || this.store.complete ? undefined : new TypeError("network: the stream has ended too early");
  }

  private async reconnect(): Promise<unknown> {
    let failure: unknown;
    for (let attempts = 0; attempts < ATTEMPTS && !this.stopped; attempts++) {
      this.store.reconnecting = true;
      this.hooks.changed();
      await this.pause(attempts);
      const since = performance.now();
      if (!this.stopped) failure = await this.attempt(this.connecting);
      if (failure === undefined || refusedForGood(failure)) return failure;
      if (performance.now() - since > STEADY_MS) attempts = 0;
    }
    return this.stopped ? undefined : failure;
  }

  /** Grows, so that a server that comes back is not run over; ends early when the browser is back on line. */
  private pause(attempts: number): Promise<void> {
    const most = attempts === 0 ? 0 : Math.min(500 * 2 ** attempts, LONGEST_PAUSE_MS);
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, most * (0.5 + Math.random() / 2));
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Puts a failure into words, on the card it belongs to or below the conversation; the server's code for it. */
  private explain(turn: Turn, failure: unknown): string | undefined {
    const problem = problemOf(failure);
    const words = explain(failure);
    if (problem?.interrupts !== undefined) {
      this.agent.pendingInterrupts = problem.interrupts;
      this.questions.show(problem.interrupts, true);
    }
    let told = false;
    if (problem !== undefined && refusedForGood(failure)) {
      told = turn.refused?.(problem, words) ?? false;
      this.again = this.connecting;
    }
    if (!told) this.store.error = words;
    return problem?.code;
  }

  /** Sees what the thread is up to when only the server knows: another run, or which questions are still open. */
  private async follow(words: string | undefined): Promise<void> {
    const failure = await this.reconnect();
    this.store.error = failure === undefined ? words : explain(failure);
  }

  private hear(event: any): void {
    // The client's word for `abortRun`, which is ours; the run itself goes on.
    if (event.type === "RUN_ERROR" && event.code === "abort") return;
    this.store.apply(event);
    if (event.type === "RUN_STARTED") this.onAccepted?.();
    if (event.type === "MESSAGES_SNAPSHOT") this.questions.keepCalls(event.messages);
    if (event.type === "RUN_FINISHED") this.questions.show(event.outcome?.interrupts ?? []);
    if (event.type === "RUN_FINISHED" && this.questions.open.length === 0) this.questions.forgetLoose();
    this.hooks.changed();
  }
}

/** Whether the server has said no, as against being away for a while. */
function refusedForGood(failure: unknown): boolean {
  const status = problemOf(failure)?.status ?? 0;
  return status >= 400 && status < 500;
}
