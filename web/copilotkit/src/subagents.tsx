// What belongs to a tool call: the sub-agents that work for it, and what a person answered to its questions.
import { settledCall } from "../../src/interrupts";
import type { SubagentLine } from "../../src/store";
import { useConversation } from "./conversation";
import { own, t } from "./i18n";
import { SettledLine } from "./interrupts";

interface ToolCallProps {
  name: string;
  toolCallId: string;
  args: unknown;
  result?: string;
}

export function ToolCall({ name, toolCallId, args, result }: ToolCallProps) {
  const { store, questions } = useConversation();
  const lines = store.lines(toolCallId);
  const settled = questions.settled.filter((line) => line.toolCallId === toolCallId);
  const told = settledCall({ id: toolCallId, function: { name, arguments: JSON.stringify(args) } }, result);
  if (settled.length === 0 && told !== undefined) settled.push(told);
  return (
    <>
      {lines.map((line) => <Subagent key={line.id} line={line} />)}
      {settled.map((line) => <SettledLine key={line.id} line={line} />)}
    </>
  );
}

function Subagent({ line }: { line: SubagentLine }) {
  const label = { running: t("running"), done: t("done"), failed: t("failed"), waiting: t("waiting"), stopped: own("stopped") }[line.status];
  return (
    <div className={`subagent ${line.status}`} data-testid="subagent" data-status={line.status} data-depth={line.depth}>
      <span className="mark" aria-hidden="true" />
      <b>{line.name}</b>
      <span>{label}</span>
      {line.note && line.status !== "done" && <small>{line.note}</small>}
    </div>
  );
}
