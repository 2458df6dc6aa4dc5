// What the page shows beside messages: who is working, what went wrong. Fed by AG-UI events, holds no DOM.
import { forCode, t } from "./i18n";

export interface SubagentLine {
  id: string;
  name: string;
  toolCallId: string;
  status: "running" | "done" | "failed";
  note: string;
}

export class Store {
  running = false;
  error: string | undefined;
  subagents = new Map<string, SubagentLine>();
  agents: any[] = [];
  /** Whether the server took the last exchange on; what it never saw may be sent again as it is. */
  accepted = false;
  private terminal = false;

  /** Whether the last run ended with a terminal event; a stream may end without one. */
  get complete(): boolean {
    return this.terminal;
  }

  begin(): void {
    this.running = true;
    this.error = undefined;
    this.terminal = false;
    this.accepted = false;
  }

  end(): void {
    this.running = false;
    for (const line of this.subagents.values()) if (line.status === "running") line.status = "failed";
  }

  clear(): void {
    this.subagents.clear();
    this.error = undefined;
  }

  apply(event: any): void {
    switch (event.type) {
      case "RUN_STARTED":
        this.accepted = true;
        break;
      case "SUBAGENT_STARTED":
        this.subagents.set(event.subagentRunId, {
          id: event.subagentRunId,
          name: event.name,
          toolCallId: event.parentToolCallId ?? "",
          status: "running",
          note: "",
        });
        break;
      case "CUSTOM":
        if (event.name === "subagent-delta") this.note(event.value);
        break;
      case "SUBAGENT_FINISHED":
        this.finish(event.subagentRunId, "done", "");
        break;
      case "SUBAGENT_ERROR":
        this.finish(event.subagentRunId, "failed", event.message);
        break;
      case "RUN_FINISHED":
        this.terminal = true;
        break;
      case "RUN_ERROR":
        this.terminal = true;
        this.error = event.code === "cancelled" ? undefined : forCode(event.code, event.message ?? t("failedRun"));
        break;
    }
  }

  /** A person's words for an exception of the client: a refusal (problem+json), no network, anything else. */
  explain(error: any): string {
    const problem = error?.payload ?? {};
    if (typeof error?.status === "number") return forCode(problem.code, problem.detail ?? t("failedRun"));
    return error instanceof TypeError || /fetch|network/i.test(String(error?.message)) ? t("network") : t("failedRun");
  }

  private note(value: { subagentId: string; kind: string; text: string }): void {
    const line = this.subagents.get(value.subagentId);
    if (line === undefined) return;
    line.note = value.kind === "status" ? value.text : (line.note + value.text).slice(-80);
  }

  private finish(id: string, status: "done" | "failed", note: string): void {
    const line = this.subagents.get(id);
    if (line !== undefined) Object.assign(line, { status, note });
  }
}
