// The questions a run waits for: what the server asked, what a person has typed and chosen so far. Holds no DOM.
import { isInterruptExpired, type Interrupt, type ResumeEntry } from "@ag-ui/client";
import type { Problem } from "./store";

export interface Option {
  value: string;
  label: string;
  description?: string;
}

/** What a card needs; `foreign` is any value that is none of the six known payloads. */
export type Payload =
  | { type: "input"; message: string; placeholder?: string }
  | { type: "select" | "multiSelect"; message: string; options: Option[] }
  | { type: "modal"; title: string; body: string; actions: Option[] }
  | { type: "approval"; message: string; details?: unknown }
  | { type: "unlock"; message: string; key: string }
  | { type: "foreign"; message: string; value?: unknown; answerable: boolean };

export interface Answer {
  status: "resolved" | "cancelled";
  payload?: unknown;
  /** The answer in a person's words, for the line that stays in the transcript. */
  shown: string;
}

/** What a person has typed or ticked and not sent yet. */
export interface Draft {
  text: string;
  choice: string;
  choices: string[];
}

export interface Question {
  id: string;
  interrupt: Interrupt;
  payload: Payload;
  draft: Draft;
  answer?: Answer;
  /** Why the server refused the last answer. */
  refusal?: string;
  expired: boolean;
}

export interface Settled {
  id: string;
  toolCallId?: string;
  title: string;
  answer: Answer;
}

export class Questions {
  open: Question[] = [];
  settled: Settled[] = [];
  private drafts = new Map<string, Draft>();

  /** Takes over what the server says is open; what was typed stays, and what was answered if it was not sent. */
  show(interrupts: Interrupt[], keepAnswers = false): void {
    const answers = new Map(this.open.map((question) => [question.id, keepAnswers ? question.answer : undefined]));
    const ids = new Set(interrupts.map((interrupt) => interrupt.id));
    this.settled = this.settled.filter((line) => !ids.has(line.id));
    this.open = interrupts.map((interrupt) => ({
      id: interrupt.id,
      payload: payloadOf(interrupt),
      draft: this.draft(interrupt.id),
      answer: answers.get(interrupt.id),
      interrupt,
      expired: isInterruptExpired(interrupt),
    }));
  }

  /** Notes an answer. True when it was the last one that was missing. */
  answer(id: string, answer: Answer): boolean {
    const question = this.open.find((one) => one.id === id);
    if (question === undefined || question.answer !== undefined) return false;
    if (answer.status === "resolved" && this.expire(question)) return false;
    question.answer = answer;
    question.refusal = undefined;
    return this.open.every((one) => one.answer !== undefined);
  }

  reopen(id: string): void {
    const question = this.open.find((one) => one.id === id);
    if (question !== undefined) question.answer = undefined;
  }

  /** The answers for `resume`; undefined when one of them has expired meanwhile, which opens its card again. */
  entries(): ResumeEntry[] | undefined {
    const late = this.open.filter((one) => one.answer?.status === "resolved" && this.expire(one));
    for (const question of late) question.answer = undefined;
    if (late.length > 0) return undefined;
    return this.open.map(({ id, answer }) => {
      const entry: ResumeEntry = { interruptId: id, status: answer!.status };
      return answer!.payload === undefined ? entry : { ...entry, payload: answer!.payload };
    });
  }

  /** The server has taken the answers: they become lines of the transcript. */
  settle(): void {
    for (const { id, interrupt, payload, answer } of this.open) {
      this.settled.push({ id, toolCallId: interrupt.toolCallId, title: titleOf(payload), answer: answer! });
    }
    this.open = [];
  }

  /** The run is over: a line that belongs to no tool call has no place any more. */
  forgetLoose(): void {
    this.settled = this.settled.filter((line) => line.toolCallId !== undefined);
  }

  /** Opens the refused card again, or all of them if the server does not say which. True when a card shows why. */
  refuse(problem: Problem, words: string): boolean {
    const refused = this.open.find((one) => one.id === problem.interruptId);
    for (const question of refused ? [refused] : this.open) question.answer = undefined;
    if (refused !== undefined && problem.reason === "expired") refused.expired = true;
    const shownAt = refused ?? this.open[0];
    if (shownAt !== undefined) shownAt.refusal = words;
    return shownAt !== undefined;
  }

  /** Forgets the lines of tool calls that the conversation no longer holds. */
  keepCalls(messages: any[]): void {
    const calls = new Set(messages.flatMap((message) => (message.toolCalls ?? []).map((call: any) => call.id)));
    this.settled = this.settled.filter((line) => line.toolCallId === undefined || calls.has(line.toolCallId));
  }

  /** Marks what has run out by now; milliseconds until the next one does, if any. */
  expireNow(): number | undefined {
    for (const question of this.open) this.expire(question);
    const ahead = this.open.filter((one) => !one.expired && one.interrupt.expiresAt !== undefined);
    if (ahead.length === 0) return undefined;
    return Math.max(0, Math.min(...ahead.map((one) => Date.parse(one.interrupt.expiresAt!) - Date.now())));
  }

  private expire(question: Question): boolean {
    question.expired ||= isInterruptExpired(question.interrupt);
    return question.expired;
  }

  private draft(id: string): Draft {
    const kept = this.drafts.get(id) ?? { text: "", choice: "", choices: [] };
    this.drafts.set(id, kept);
    return kept;
  }
}

export const titleOf = (payload: Payload): string => (payload.type === "modal" ? payload.title : payload.message);

/** Reads the payload of an interrupt. Whatever does not have the promised shape is a foreign one and stays readable. */
export function payloadOf(interrupt: Interrupt): Payload {
  const given = (interrupt.metadata ?? {}) as Record<string, any>;
  const message = text(given.message) || interrupt.message || "";
  switch (given.type) {
    case "input":
      return { type: "input", message, placeholder: text(given.placeholder) };
    case "select":
    case "multiSelect": {
      const options = optionsOf(given.options);
      if (options.length > 0) return { type: given.type, message, options };
      break;
    }
    case "modal": {
      const actions = optionsOf(given.actions);
      if (actions.length > 0) return { type: "modal", title: text(given.title) || message, body: text(given.body), actions };
      break;
    }
    case "approval":
      return { type: "approval", message, details: given.details };
    case "unlock":
      return { type: "unlock", message, key: text(given.key) };
  }
  const { type, message: _, ...rest } = given;
  const value = type === undefined && "value" in given ? given.value : Object.keys(rest).length > 0 ? rest : undefined;
  return { type: "foreign", message, value, answerable: takesText(interrupt.responseSchema) };
}

export function optionsOf(value: unknown): Option[] {
  const given = Array.isArray(value) ? value : [];
  return given.flatMap((item: any) => {
    if (typeof item === "string") return [{ value: item, label: item }];
    if (typeof item?.value !== "string") return [];
    return [{ value: item.value, label: text(item.label) || item.value, description: text(item.description) || undefined }];
  });
}

export const labels = (options: Option[], values: string[]): string =>
  values.map((value) => options.find((option) => option.value === value)?.label ?? value).join(", ");

/** The question and answer that a finished `ask_*` call of the history holds, if it is one. */
export function settledCall(call: any, result: unknown): Settled | undefined {
  if (!String(call.function?.name).startsWith("ask_")) return undefined;
  const [asked, outcome] = [parsed(call.function.arguments), parsed(result)];
  const title = text(asked?.message) || text(asked?.title);
  const line = { id: call.id, toolCallId: call.id, title };
  if (outcome?.status === "cancelled") return { ...line, answer: { status: "cancelled", shown: "" } };
  if (outcome?.status !== "answered") return undefined;
  const { value, values, action } = outcome.answer ?? {};
  const given = [values ?? value ?? action ?? []].flat().map(String);
  return { ...line, answer: { status: "resolved", shown: labels(optionsOf(asked?.options ?? asked?.actions), given) } };
}

/** Whether `{value: TEXT}` can satisfy the schema; without a schema nothing speaks against it. */
function takesText(schema: any): boolean {
  if (typeof schema !== "object" || schema === null) return true;
  const is = (given: unknown, wanted: string) => given === undefined || given === wanted || (Array.isArray(given) && given.includes(wanted));
  const value = schema.properties?.value;
  const declared = value === undefined ? schema.additionalProperties !== false : is(value.type, "string");
  return is(schema.type, "object") && declared && (schema.required ?? []).every((name: string) => name === "value");
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

function parsed(json: unknown): any {
  try {
    return JSON.parse(String(json));
  } catch {
    return undefined;
  }
}
