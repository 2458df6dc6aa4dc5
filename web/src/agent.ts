// The AG-UI client of this page: HttpAgent plus what the protocol leaves to us, `connect`, `cancel` and a watch on silence.
import { HttpAgent, runHttpRequest, transformHttpEventStream, type RunAgentInput, type RunAgentParameters } from "@ag-ui/client";

/** The server pings every 15 s. A stream that is silent for three pings is dead, though no one has told the browser. */
const SILENCE_MS = 45_000;

export class ChatAgent extends HttpAgent {
  constructor(threadId: string) {
    super({ url: "/agui", threadId, fetch: async (url, init) => noticeSilence(await fetch(url, init)) });
    // A snapshot is the whole conversation. The client would keep local messages that it leaves out.
    this.subscribe({ onMessagesSnapshotEvent: ({ event }) => ({ messages: event.messages, stopPropagation: true }) });
  }

  /** Restores a thread: snapshot, then the run that is going on. */
  connect(input: RunAgentInput) {
    return transformHttpEventStream(runHttpRequest(() => this.fetch(`${this.url}/connect`, this.requestInit(input))));
  }

  connectAgent(parameters: RunAgentParameters = {}) {
    // The server will say again what is open; until then the client would refuse to ask.
    this.pendingInterrupts = [];
    this.abortController = new AbortController();
    return super.connectAgent(parameters);
  }

  /** Asks the server to stop the run; the stream then ends by itself. Throws when the server cannot be reached. */
  async cancel(): Promise<void> {
    const response = await fetch(`${this.url}/command`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ threadId: this.threadId, command: "cancel" }),
    });
    if (!response.ok) throw new Error(`cancel: ${response.status}`);
  }
}

function noticeSilence(response: Response): Response {
  if (!response.ok || response.body === null) return response;
  let timer = 0;
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => rewind(controller),
    transform: (chunk, controller) => {
      rewind(controller);
      controller.enqueue(chunk);
    },
    flush: () => clearTimeout(timer),
  });
  function rewind(controller: TransformStreamDefaultController): void {
    clearTimeout(timer);
    timer = window.setTimeout(() => controller.error(new TypeError("network: the stream went silent")), SILENCE_MS);
  }
  return new Response(response.body.pipeThrough(watch), response);
}
