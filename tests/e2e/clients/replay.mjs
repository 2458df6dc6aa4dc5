// Plays recorded conversations to a real AG-UI client and prints what it holds after every step.
// usage: node replay.mjs agui-client-1|agui-client-0 < conversations.json > held.json
//   conversations: [{name, threadId, steps: [{path, messages, resume?, body}]}]; a path of /connect is a refresh by a
//   client of its own, every other step is a run of the one client; `messages` are added before it, `body` is SSE.
//   held: [[{messages, pending, state, outcome, error, warnings, events} per step] per conversation]
const [, , name] = process.argv;
const { HttpAgent, runHttpRequest, transformHttpEventStream } = await import(name);

let warnings = [];
console.warn = (...parts) => warnings.push(parts.map(String).join(" ").slice(0, 300));
console.error = () => {};

class Client extends HttpAgent {
  // The real client leaves the refresh to its user: this is the whole of it.
  connect(input) {
    return transformHttpEventStream(runHttpRequest(() => this.fetch(`${this.url}/connect`, this.requestInit(input))));
  }
}

function start(threadId, next) {
  const headers = { "content-type": "text/event-stream" };
  return new Client({ url: "http://recorded/agui", threadId, fetch: async () => new Response(next(), { headers }) });
}

async function play(client, step) {
  warnings = [];
  let outcome = null;
  let error = null;
  const events = [];
  const watch = {
    onEvent: ({ event }) => void events.push(event.type),
    onRunFinishedEvent: ({ event }) => void (outcome = event.outcome?.type ?? "success"),
    onRunErrorEvent: ({ event }) => void (error = { message: event.message, code: event.code }),
  };
  try {
    if (step.path.endsWith("/connect")) await client.connectAgent({}, watch);
    else await client.runAgent(step.resume ? { resume: step.resume } : {}, watch);
  } catch (thrown) {
    error ??= { thrown: String(thrown.message ?? thrown).slice(0, 500) };
  }
  const { messages, state, pendingInterrupts } = client;
  return structuredClone({ messages, pending: pendingInterrupts ?? [], state, outcome, error, warnings, events });
}

async function converse({ threadId, steps }) {
  let body = "";
  const next = () => new TextEncoder().encode(body);
  const client = start(threadId, next);
  const held = [];
  for (const step of steps) {
    body = step.body;
    const player = step.path.endsWith("/connect") ? start(threadId, next) : client;
    const known = new Set(player.messages.map((message) => message.id));
    for (const message of step.messages) if (!known.has(message.id)) player.addMessage(message);
    held.push(await play(player, step));
  }
  return held;
}

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const held = [];
for (const conversation of JSON.parse(Buffer.concat(chunks).toString())) held.push(await converse(conversation));
process.stdout.write(JSON.stringify(held));
