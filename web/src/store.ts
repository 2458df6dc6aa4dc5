// What the page shows beside messages: who is working, what went wrong. Fed by AG-UI events, holds no DOM.
import { forCode, t } from "./i18n";

export interface SubagentLine {
  id: string;
  name: string;
  toolCallId: string;
  /** The agent that asks this one; its lines belong to the same tool call and stand below it. */
  parent?: SubagentLine;
  depth: number;
  status: "running" | "done" | "failed" | "waiting" | "stopped";
  note: string;
}

/** A refusal of the server (problem+json), as far as the page uses it. */
export interface Problem {
  status: number;
  code?: string;
  detail?: string;
  reason?: string;
  interruptId?: string;
  interrupts?: any[];
}

export class Store {
  running = false;
  reconnecting = false;
  error: string | undefined;
  subagents = new Map<string, SubagentLine>();
  agents: any[] = [];
  /** What stands in the composer; a question that was refused comes back to it. */
  draft = "";
  /** The last question while it is being rewritten. */
  editing: { id: string; text: string } | undefined;
  /** Whether the server took the last exchange on; what it never saw may be sent again as it is. */
  accepted = false;
  /** The last question has not reached the server as far as the page knows; all that can be done is to send it again. */
  unsent = false;
  private terminal = false;

  /** Whether the last run ended with a terminal event; a stream may end without one. */
  get complete(): boolean {
    return this.terminal;
  }

  begin(): void {
    this.running = true;
    this.error = undefined;
    this.editing = undefined;
    this.unsent = false;
    this.listen();
  }

  /** Before every request of an exchange: nothing was heard yet. */
  listen(): void {
    this.terminal = false;
    this.accepted = false;
  }

  end(): void {
    this.running = false;
    this.reconnecting = false;
    for (const line of this.subagents.values()) if (line.status === "running") line.status = "failed";
  }

  apply(event: any): void {
    this.reconnecting = false;
    switch (event.type) {
      case "RUN_STARTED":
        this.accepted = true;
        break;
      case "MESSAGES_SNAPSHOT":
        this.keepCalls(event.messages);
        break;
      case "SUBAGENT_STARTED":
        this.begun(event);
        break;
      case "CUSTOM":
        if (event.name === "subagent-delta") this.note(event.value);
        break;
      case "SUBAGENT_FINISHED":
        this.finish(event.subagentRunId, event.outcome?.type === "suspended" ? "waiting" : "done", "");
        break;
      case "SUBAGENT_ERROR":
        this.finish(event.subagentRunId, "failed", event.message);
        break;
      case "RUN_FINISHED":
        this.terminal = true;
        this.stopWaiting(event.outcome?.interrupts ?? []);
        break;
      case "RUN_ERROR":
        this.fail(event);
        break;
    }
  }

  /** The agents that work for a tool call, each above those that it asks itself. */
  lines(toolCallId: string): SubagentLine[] {
    const all = [...this.subagents.values()].filter((line) => line.toolCallId === toolCallId);
    const below = (parent?: SubagentLine): SubagentLine[] =>
      all.filter((line) => line.parent === parent).flatMap((line) => [line, ...below(line)]);
    return below();
  }

  private begun(event: any): void {
    const parent = this.subagents.get(event.parentSubagentRunId);
    const held = this.subagents.get(event.subagentRunId);
    const line: SubagentLine = {
      id: event.subagentRunId,
      name: event.name,
      toolCallId: event.parentToolCallId ?? parent?.toolCallId ?? "",
      parent,
      depth: parent === undefined ? 0 : parent.depth + 1,
      status: "running",
      note: "",
    };
    // Those below an agent that goes on after a question keep it as their parent.
    if (held === undefined) this.subagents.set(line.id, line);
    else Object.assign(held, line);
  }

  private fail(event: any): void {
    // The run goes on when the server is back; to this page the stream has merely broken.
    if (event.code === "SHUTTING_DOWN") return;
    this.terminal = true;
    this.error = event.code === "cancelled" ? undefined : forCode(event.code, event.message ?? t("failedRun"));
  }

  /** Forgets the lines of tool calls that the conversation no longer holds. */
  private keepCalls(messages: any[]): void {
    const calls = new Set(messages.flatMap((message) => (message.toolCalls ?? []).map((call: any) => call.id)));
    for (const line of this.subagents.values()) if (!calls.has(line.toolCallId)) this.subagents.delete(line.id);
  }

  /** An agent whose question was cancelled is never heard of again. */
  private stopWaiting(interrupts: any[]): void {
    const asking = new Set(interrupts.map((interrupt) => interrupt.subagentRunId));
    for (const line of this.subagents.values()) if (line.status === "waiting" && !asking.has(root(line).id)) line.status = "stopped";
  }

  private note(value: { subagentId: string; kind: string; text: string }): void {
    const line = this.subagents.get(value.subagentId);
    if (line === undefined) return;
    line.note = value.kind === "status" ? value.text : (line.note + value.text).slice(-80);
  }

  private finish(id: string, status: SubagentLine["status"], note: string): void {
    const line = this.subagents.get(id);
    if (line !== undefined) Object.assign(line, { status, note });
  }
}

/** The agent that the supervisor asked, and through which a question from below comes. */
function root(line: SubagentLine): SubagentLine {
  return line.parent === undefined ? line : root(line.parent);
}

/** The refusal in an exception of the client; undefined when no server has spoken. */
export function problemOf(error: any): Problem | undefined {
  if (typeof error?.status !== "number") return undefined;
  try {
    // The client reads `application/json` only and leaves problem+json as text.
    const body = typeof error.payload === "string" ? JSON.parse(error.payload) : error.payload;
    return { ...body, status: error.status };
  } catch {
    return { status: error.status };
  }
}

/** A person's words for an exception of the client: a refusal, no network, anything else. */
export function explain(error: any): string {
  const problem = problemOf(error);
  if (problem !== undefined) return forCode(problem.code, problem.detail ?? t("failedRun"));
  return error instanceof TypeError || /fetch|network/i.test(String(error?.message)) ? t("network") : t("failedRun");
}
