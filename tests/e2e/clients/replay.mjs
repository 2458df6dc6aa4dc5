// Feeds a recorded SSE body to a real AG-UI client and prints what it then holds, as JSON.
// usage: node replay.mjs agui-client-1|agui-client-0 < body.sse
const [, , name] = process.argv;
const { HttpAgent } = await import(name);
const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const warnings = [];
console.warn = (...parts) => warnings.push(parts.map(String).join(" ").slice(0, 300));
console.error = () => {};
const fetch = async () => new Response(Buffer.concat(chunks), { headers: { "content-type": "text/event-stream" } });
const agent = new HttpAgent({ url: "http://recorded/agui", threadId: process.env.THREAD ?? "t", fetch });
const question = process.env.QUESTION;
if (question) agent.addMessage(JSON.parse(question));
let error = null;
let outcome = null;
const seen = [];
try {
  await agent.runAgent({}, {
    onEvent: ({ event }) => void seen.push(event.type),
    onRunFinishedEvent: (finished) => void (outcome = finished.outcome ?? finished.event?.outcome?.type ?? "success"),
    onRunErrorEvent: ({ event }) => void (error = { message: event.message, code: event.code }),
  });
} catch (thrown) {
  error = { thrown: String(thrown.message ?? thrown).slice(0, 500) };
}
process.stdout.write(JSON.stringify({ messages: agent.messages, outcome, error, warnings, events: seen }));
