// The agent that CopilotKit talks to: HttpAgent plus what the protocol leaves to us, `connect` and `cancel`.
import { HttpAgent, runHttpRequest, transformHttpEventStream, type RunAgentInput, type RunAgentParameters } from "@ag-ui/client";

export class ChatAgent extends HttpAgent {
  constructor(threadId: string) {
    super({ url: "/agui", threadId });
    this.subscribe({
      // A snapshot is the whole conversation. The client would keep local messages that it leaves out.
      onMessagesSnapshotEvent: ({ event }) => ({ messages: event.messages, stopPropagation: true }),
      // This client is older than the outcome `cancelled`, so the server says it as an error. CopilotKit need not hear of it.
      onRunErrorEvent: ({ event }) => (event.code === "cancelled" ? { stopPropagation: true } : undefined),
    });
  }

  /** Restores a thread: snapshot, then the run that is going on. CopilotChat calls it for a thread that it is given. */
  protected connect(input: RunAgentInput) {
    return transformHttpEventStream(runHttpRequest(() => this.fetch(`${this.url}/connect`, this.requestInit(input))));
  }

  connectAgent(...parameters: Parameters<HttpAgent["connectAgent"]>) {
    this.forgetInterrupts();
    return super.connectAgent(...parameters);
  }

  runAgent(...parameters: [RunAgentParameters?, ...unknown[]]) {
    this.forgetInterrupts();
    return super.runAgent(...(parameters as Parameters<HttpAgent["runAgent"]>));
  }

  /** Asks the server to stop the run; the stream then ends by itself. If it cannot be reached, at least stops reading. */
  async cancel(): Promise<void> {
    const body = JSON.stringify({ threadId: this.threadId, command: "cancel" });
    const headers = { ...this.headers, "content-type": "application/json" };
    const answer = await this.fetch(`${this.url}/command`, { method: "POST", headers, body }).catch(() => undefined);
    if (!answer?.ok) this.abortRun();
  }

  /** The server knows what is open and says so again; the client's own list outlives a run that failed. */
  private forgetInterrupts(): void {
    this.pendingInterrupts = [];
  }
}
