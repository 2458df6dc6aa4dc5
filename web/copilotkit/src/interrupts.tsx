// One card for each open question, and the line that is left of it once it is answered.
import { useEffect, useState, type FormEvent, type ReactNode } from "react";
import { labels, titleOf, type Answer, type Draft, type Option, type Payload, type Question, type Settled } from "../../src/interrupts";
import { useConversation } from "./conversation";
import { Details } from "./details";
import { current, t } from "./i18n";

export function OpenQuestions() {
  const { questions, store, changed } = useConversation();
  const ahead = questions.expireNow();
  useEffect(() => {
    // Longer than 24 days does not fit into a browser's timer.
    if (ahead === undefined || ahead >= 2 ** 31) return;
    const timer = setTimeout(changed, ahead + 1);
    return () => clearTimeout(timer);
  }, [ahead, changed]);
  if (questions.open.length === 0) return null;
  return (
    <section className="questions" aria-label={t("question")}>
      {questions.open.map((question) => {
        const asker = question.interrupt.subagentRunId;
        return <Asked key={question.id} question={question} asker={asker && store.subagents.get(asker)?.name} />;
      })}
    </section>
  );
}

function Asked({ question, asker }: { question: Question; asker?: string }) {
  const conversation = useConversation();
  const { id, payload, answer } = question;
  if (answer !== undefined) {
    const change = conversation.store.running ? undefined : () => conversation.reopen(id);
    return <AnsweredLine id={id} title={titleOf(payload)} answer={answer} change={change} />;
  }
  const settle = (given: Answer) => conversation.answer(id, given);
  const resolve: Resolve = (answered, shown) => settle({ status: "resolved", payload: answered, shown });
  return <QuestionCard question={question} asker={asker} resolve={resolve} cancel={() => settle({ status: "cancelled", shown: "" })} />;
}

export function SettledLine({ line }: { line: Settled }) {
  return <AnsweredLine id={line.id} title={line.title} answer={line.answer} />;
}

function AnsweredLine({ id, title, answer, change }: { id: string; title: string; answer: Answer; change?: () => void }) {
  return (
    <div className="answered" data-testid="answered" data-id={id} data-status={answer.status}>
      <span>{title || t("question")}</span>{" "}
      <b>{answer.status === "cancelled" ? t("cancelledAnswer") : answer.shown || t("noneChosen")}</b>
      {change && <button type="button" className="quiet" onClick={change}>{t("change")}</button>}
    </div>
  );
}

/** Hands over the typed answer and the words that stay in the transcript. */
type Resolve = (answered: unknown, shown: string) => void;

interface CardProps {
  question: Question;
  asker?: string;
  resolve: Resolve;
  cancel: () => void;
}

function QuestionCard({ question, asker, resolve, cancel }: CardProps) {
  const { payload, draft, expired, refusal } = question;
  const heading = `question-${question.id}`;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!expired) submitted(payload, draft, resolve);
  };
  return (
    <form className="question" data-testid="question" data-type={payload.type} aria-labelledby={heading} onSubmit={submit}>
      {asker && <small className="asker">{asker}</small>}
      <h2 id={heading}>{titleOf(payload) || t("question")}</h2>
      {expired ? <p className="hint" data-testid="expired">{t("expired")}</p> : <Fields payload={payload} draft={draft} heading={heading} />}
      {!expired && <Deadline at={question.interrupt.expiresAt} />}
      {refusal && <p className="refusal" role="alert" data-testid="refusal">{refusal}</p>}
      <div className="buttons">
        {!expired && <Buttons payload={payload} draft={draft} resolve={resolve} />}
        <button type="button" className="quiet" data-testid="cancel" onClick={cancel}>{t("cancel")}</button>
      </div>
    </form>
  );
}

function Fields({ payload, draft, heading }: { payload: Payload; draft: Draft; heading: string }): ReactNode {
  switch (payload.type) {
    case "input":
      return <TextField draft={draft} heading={heading} placeholder={payload.placeholder} required />;
    case "select":
    case "multiSelect":
      return <Choices single={payload.type === "select"} options={payload.options} draft={draft} heading={heading} />;
    case "modal":
      return <>{payload.body && <p className="prose">{payload.body}</p>}<Explained actions={payload.actions} /></>;
    case "approval":
      return <><Details value={payload.details} /><label className="field"><span>{t("reason")}</span><TextField draft={draft} /></label></>;
    case "unlock":
      return <p className="key">{/^https?:\/\//i.test(payload.key) ? <Link to={payload.key} /> : <code>{payload.key}</code>}</p>;
    case "foreign":
      return (
        <>
          {payload.value !== payload.message && <Details value={payload.value} />}
          {payload.answerable ? <TextField draft={draft} heading={heading} required /> : <p className="hint">{t("unanswerable")}</p>}
        </>
      );
  }
}

function Buttons({ payload, draft, resolve }: { payload: Payload; draft: Draft; resolve: Resolve }): ReactNode {
  switch (payload.type) {
    case "modal":
      return payload.actions.map(({ value, label }, index) => (
        <Choice key={value} label={label} first={index === 0} go={() => resolve({ action: value }, label)} />
      ));
    case "approval": {
      const decide = (approved: boolean) => {
        const reason = draft.text.trim();
        const shown = approved ? t("approved") : t("rejected");
        resolve(reason ? { approved, reason } : { approved }, reason ? `${shown} (${reason})` : shown);
      };
      return <><Choice label={t("approve")} first go={() => decide(true)} /><Choice label={t("reject")} go={() => decide(false)} /></>;
    }
    case "foreign":
      return payload.answerable && <button className="primary">{t("answer")}</button>;
    default:
      return <button className="primary">{payload.type === "unlock" ? t("unlocked") : t("answer")}</button>;
  }
}

/** Turns what was typed or ticked into the typed answer of the payload. */
function submitted(payload: Payload, draft: Draft, resolve: Resolve): void {
  const words = draft.text.trim();
  switch (payload.type) {
    case "input":
    case "foreign":
      if (words) resolve({ value: words }, words);
      break;
    case "select":
      if (draft.choice) resolve({ value: draft.choice }, labels(payload.options, [draft.choice]));
      break;
    case "multiSelect": {
      const values = payload.options.map((option) => option.value).filter((value) => draft.choices.includes(value));
      resolve({ values }, labels(payload.options, values));
      break;
    }
    case "unlock":
      resolve({}, t("unlockedShort"));
  }
}

/** A button that answers by itself. It is no submit button: Enter in a text field must not press it. */
function Choice({ label, first = false, go }: { label: string; first?: boolean; go: () => void }) {
  return <button type="button" className={first ? "primary" : ""} onClick={go}>{label}</button>;
}

function TextField({ draft, heading, placeholder, required }: { draft: Draft; heading?: string; placeholder?: string; required?: boolean }) {
  const [text, setText] = useState(draft.text);
  const type = (words: string) => setText((draft.text = words));
  return (
    <input type="text" autoComplete="off" maxLength={8000} aria-labelledby={heading} placeholder={placeholder} required={required}
      value={text} onChange={(event) => type(event.target.value)} />
  );
}

function Choices({ single, options, draft, heading }: { single: boolean; options: Option[]; draft: Draft; heading: string }) {
  const [, setDrawn] = useState(0);
  const chosen = (value: string) => (single ? draft.choice === value : draft.choices.includes(value));
  const choose = (value: string, on: boolean) => {
    if (single) draft.choice = value;
    else draft.choices = draft.choices.filter((one) => one !== value).concat(on ? [value] : []);
    setDrawn((count) => count + 1);
  };
  return (
    <div className="options" role={single ? "radiogroup" : "group"} aria-labelledby={heading}>
      {options.map(({ value, label, description }) => (
        <label className="option" key={value}>
          <input type={single ? "radio" : "checkbox"} name={heading} value={value} required={single} checked={chosen(value)}
            onChange={(event) => choose(value, event.target.checked)} />
          <span>{label}{description && <small>{description}</small>}</span>
        </label>
      ))}
    </div>
  );
}

/** What the actions of a modal mean, where the server says more than their labels. */
function Explained({ actions }: { actions: Option[] }) {
  const rows = actions.filter((action) => action.description);
  return rows.length > 0 && <Details value={Object.fromEntries(rows.map((row) => [row.label, row.description]))} />;
}

function Link({ to }: { to: string }) {
  return <a href={to} target="_blank" rel="noopener noreferrer">{to}</a>;
}

function Deadline({ at }: { at?: string }) {
  if (at === undefined) return null;
  const time = new Date(at);
  const today = time.toDateString() === new Date().toDateString();
  return <p className="hint">{t("until")} {time.toLocaleString(current(), { dateStyle: today ? undefined : "medium", timeStyle: "short" })}</p>;
}
