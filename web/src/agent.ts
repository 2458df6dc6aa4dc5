// The AG-UI client of this page: HttpAgent plus what the protocol leaves to us, `connect` and `cancel`.
import { HttpAgent, runHttpRequest, transformHttpEventStream, type RunAgentInput } from "@ag-ui/client";

export class ChatAgent extends HttpAgent {
  /** Restores a thread: snapshot, then the run that is going on. */
  connect(input: RunAgentInput) {
    return transformHttpEventStream(runHttpRequest(() => this.fetch(`${this.url}/connect`, this.requestInit(input))));
  }

  /** Asks the server to stop the run; the stream then ends by itself. False when there was nothing to stop. */
  async cancel(): Promise<boolean> {
    const response = await fetch(`${this.url}/command`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ threadId: this.threadId, command: "cancel" }),
    });
    return response.ok && (await response.json()).status === "accepted";
  }
}
