"""What this project promises, one line per requirement: id | source | sentence. Tests claim ids with a marker.

    @pytest.mark.requirement("AGUI-LIFECYCLE-04", "SB-ERR-01")

`tests/contract/test_requirements.py` keeps both sides whole: no requirement without a test, no claim without a line.
AGUI-* are the rules of AG-UI 1.0 that bind a producer (pages of https://docs.ag-ui.com/spec/1.0), SB-* are our own
(design sections), a2a-tck are ids of the official A2A 1.0 kit; the rest are cases that were distilled from public bug
reports, by their own ids.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.interop.tck_ids import BOUND


class Requirement(NamedTuple):
    """One promise."""

    id: str
    source: str
    sentence: str


_AGUI = """
AGUI-LIFECYCLE-01 | events/lifecycle | A stream begins with RUN_STARTED.
AGUI-LIFECYCLE-02 | basic/versioning | RUN_STARTED declares the version that we speak, never an echo of the client's.
AGUI-LIFECYCLE-03 | basic/run-input | RUN_STARTED and RUN_FINISHED carry the thread and run id of the input.
AGUI-LIFECYCLE-04 | events/lifecycle | A run ends with exactly one terminal event, and nothing follows it.
AGUI-LIFECYCLE-05 | events/lifecycle | What a run opens it closes before it ends, failed runs too.
AGUI-LIFECYCLE-06 | events/lifecycle | A run that was stopped on purpose ends as cancelled, never as a success.
AGUI-LIFECYCLE-07 | events/lifecycle | A cancelled run carries no interrupts, and the next run is an ordinary one.
AGUI-LIFECYCLE-08 | events/lifecycle | An outcome is success, interrupt or cancelled, nothing else.
AGUI-LIFECYCLE-09 | events/lifecycle | Steps are opened once and closed, whoever opens them.
AGUI-USAGE-01 | events/lifecycle | Usage has a row per provider and model, totals that add up, and no invented zero.
AGUI-USAGE-02 | events/lifecycle | A run that resumes another reports its own calls only.
AGUI-USAGE-03 | events/lifecycle | The calls of agents inside a run are part of its usage.
AGUI-SHAPE-01 | basic/versioning | Every event has a shape of 1.0: no unknown field, no null for an optional one.
AGUI-VERSION-01 | basic/versioning | A client of a newer minor version is served.
AGUI-VERSION-02 | basic/versioning | A client without a version gets no shape that its release does not know.
AGUI-INPUT-01 | basic/run-input | Input that we do not know is ignored and does not fail the run.
AGUI-INPUT-02 | transports/http-sse | Input that is malformed is an HTTP error, and no stream opens.
AGUI-INPUT-03 | basic/run-input | Missing `tools`, `context`, `state` and `forwardedProps` are the same as empty ones.
AGUI-INPUT-05 | basic/run-input | What a client shows its user reaches the model of that run, not the conversation.
AGUI-INPUT-04 | basic/run-input | Pictures and files are accepted as content parts and fail no run.
AGUI-SSE-01 | transports/http-sse | A run answers 200 text/event-stream in LF frames, each with one JSON event.
AGUI-SSE-02 | transports/http-sse | No text can break a frame or look like one.
AGUI-SSE-03 | transports/http-sse | Silence is bridged with comments, which carry no event.
AGUI-TEXT-01 | patterns/streaming | Text is sent only while its message is open, and a message is opened once.
AGUI-TOOL-01 | events/tool-calls | Every call gets the pieces of its own arguments, and they join to what was called.
AGUI-TOOL-02 | events/tool-calls | Arguments are sent only while their call is open, and a call is opened once.
AGUI-TOOL-03 | events/tool-calls | A result is a message with an id of its own for a call of the thread, sent once.
AGUI-TOOL-04 | events/tool-calls | A call names the assistant message that carries it.
AGUI-TOOL-05 | events/tool-calls | A call of the client's tool is not answered by us, and its run ends as a success.
AGUI-TOOL-06 | events/tool-calls | `pendingToolCallIds` names exactly the calls that were left to the client.
AGUI-REASONING-01 | events/reasoning | Reasoning spans and messages are opened and closed in pairs, apart from the text.
AGUI-STATE-01 | events/state | A messages snapshot says everything the server holds, with the ids that were streamed.
AGUI-STATE-02 | events/state | State is told whole first; a change after that applies to what was told.
AGUI-ACTIVITY-01 | events/activity | An activity is an object under an id of its own and starts with a snapshot.
AGUI-SUBAGENT-01 | events/subagents | An invocation is announced before anything of it and ended before the run ends.
AGUI-SUBAGENT-02 | events/subagents | No two invocations of a run share an id.
AGUI-SUBAGENT-03 | events/subagents | A failed invocation does not end the run.
AGUI-SUBAGENT-04 | events/subagents | An agent that asks ends its invocation as suspended and goes on under the same id.
AGUI-PASS-01 | events/passthrough | Nothing is said as RAW, and no event carries a provider's own.
AGUI-PASS-02 | events/passthrough | What a custom event says of a sub-agent a standard event says as well.
AGUI-PASS-03 | events/passthrough | A custom event has a name and a value, which may be null.
AGUI-INTERRUPT-01 | patterns/interrupt-resume | A run that asks ends with an interrupt outcome, one question or more.
AGUI-INTERRUPT-02 | patterns/interrupt-resume | The questions of a run have ids of their own, and answers go by them.
AGUI-INTERRUPT-03 | patterns/interrupt-resume | A question without an answer is neither acted upon nor dropped.
AGUI-INTERRUPT-04 | patterns/interrupt-resume | `responseSchema` describes the answers that are taken and no others.
"""

_OURS = """
SB-STREAM-01 | design 5 | Parallel calls never mix, in whatever pieces a model streams them.
SB-STREAM-02 | design 5 | Text that comes with the finish reason is not lost.
SB-STREAM-03 | design 5 | Reasoning in both of the usual forms is streamed apart and never shown to the model as text.
SB-STREAM-04 | design 5 | An unknown tool or unfitting arguments are answered in words, and the run goes on.
SB-STREAM-05 | design 5 | A tool call id that a model uses again is made unique, in stream and history alike.
SB-STREAM-06 | design 5 | A run sends no state and no snapshot that nobody asked for, and no prompt.
SB-STREAM-07 | design 5 | The usage of a run is that of its own model calls.
SB-STREAM-08 | design 5 | A model that does not stream gives the same kinds of events.
SB-STREAM-09 | design 5 | A call without arguments has arguments that parse.
SB-STREAM-10 | design 5 | A message id that a provider uses again is made unique, in stream and history alike.
SB-STREAM-11 | design 5 | A tool may give anything: its result is a text, the same in stream and history.
SB-STREAM-12 | design 5 | A model that a tool asks is not heard as the answer.
SB-STREAM-13 | design 5 | An answer that says nothing leaves no empty bubble.
SB-STREAM-14 | design 5 | What somebody says is never taken for a call or an event.
SB-STREAM-15 | design 5 | Results and cards stand after a refresh in the order in which they came.
SB-STREAM-16 | design 5 | A message that only calls opens no empty bubble.
SB-STREAM-17 | design 5 | A run is announced before the model has said a word.
SB-ERR-01 | design 5 | A failure has a stable code and a text of ours, never that of an exception.
SB-ERR-02 | design 5 | A run that fails before its first word ends in one error, and the next turn works.
SB-ERR-03 | design 5 | A run that fails after an agent answered leaves a thread that goes on.
SB-ERR-04 | design 11 | A tool that fails gives the model and the client a text of ours.
SB-SUB-01 | design 5 | An invocation sends its events in one fixed order, before the result of its call.
SB-SUB-02 | design 5 | Either family of sub-agent events can be switched off.
SB-SUB-03 | design 5 | An agent inside a tool is told as a sub-agent, and its words are not the answer.
SB-CARD-01 | design 5 | A card follows the result of its call under an id that is made from that call.
SB-CARD-02 | design 8 | A card that cannot be shown as itself is shown as words, and the stream says why.
SB-CUSTOM-01 | design 5 | What a tool writes becomes a custom event, whatever its values are.
SB-CUSTOM-02 | design 5 | A ready event is passed on if a run may contain it, and no such event can break the run.
SB-STATE-01 | design 4 | Shared state is what the host names: told at the start, on change and on refresh.
SB-CLIENT-01 | design 4 | A tool of the client is offered, called and answered by the next request.
SB-CLIENT-02 | design 5 | A client of before 1.0 may bring tools too.
SB-CLIENT-03 | design 4 | Tools of ours that were called beside one of the client go on at once.
SB-CLIENT-04 | design 4 | A new message goes past a call of the client that still waits.
SB-CLIENT-05 | design 4 | A result that nobody waits for is not taken.
SB-CLIENT-06 | design 4 | A result that is sent again replays its run.
SB-CLIENT-07 | design 4 | A refresh says which calls of the client wait.
SB-CLIENT-08 | design 4 | A tool that cannot be offered is refused in words.
SB-CLIENT-10 | design 4 | A call that a second try makes under the old id waits for a result of its own.
SB-CLIENT-09 | design 9 | A question and a call of the client in one message are answered in one request.
SB-CARD-03 | design 8 | A client that says it cannot paint a card gets words, and the stream says so.
SB-ACTION-01 | design 8 | A click goes to the agent that owns the card, and no model is asked.
SB-ACTION-02 | design 8 | An update replaces the card where it stands, live and on refresh.
SB-ACTION-03 | design 8 | A click that is sent again replays its run.
SB-ACTION-04 | design 8 | A click that was forged is refused and reaches nobody.
SB-ACTION-05 | design 8 | A model cannot act in cards in the user's name.
SB-ACTION-06 | design 8 | An agent may ask back about a click.
SB-ACTION-07 | design 8 | A click that an agent cannot answer is answered in words.
SB-FRONT-01 | design 4 | Every refusal is a problem with a stable code that says what to do, before any event.
SB-FRONT-02 | design 11 | A thread of somebody else is answered as if there were none, at every address.
SB-FRONT-03 | design 4 | A second run on a busy thread is refused and loses nothing.
SB-FRONT-04 | design 4 | An unknown command is named as such.
SB-FRONT-05 | design 4 | A host may add commands.
SB-FRONT-06 | design 4 | A server that was told to stop takes no new run and is not ready.
SB-HIST-01 | design 4 | A client may send the whole conversation: only what is new is added.
SB-HIST-02 | design 4 | What a client says for others is not taken.
SB-HIST-03 | design 4 | An answer stays as it was given, whatever a client sends for it.
SB-HIST-04 | design 4 | Several new messages are asked together, in order.
SB-HIST-05 | design 4 | A new message never replaces one that has its id.
SB-HIST-06 | design 4 | A turn that failed keeps its question and can be followed by another.
SB-CANCEL-01 | design 4 | Stop ends the run, answers its open calls as cancelled and frees the thread.
SB-CANCEL-02 | design 4 | Text that was stopped half-way is not shown as a finished answer.
SB-CANCEL-05 | design 4 | A question that is stopped before it is stored stays in the thread, in its place.
SB-CANCEL-06 | design 4 | A stop or a failure undoes nothing that a tool did, and readers hold what the thread holds.
SB-CANCEL-03 | design 4 | A stop that comes too late or twice is rejected with a reason.
SB-IDEM-01 | design 4 | A message id runs once: sent again, it replays its run.
SB-IDEM-02 | design 4 | A message id that is being answered attaches to that run.
SB-IDEM-03 | design 10 | Receipts of messages survive a restart.
SB-IDEM-04 | design 4 | A message id belongs to its thread.
SB-CONNECT-01 | design 4 | Connecting to a thread that does not exist gives an empty conversation.
SB-CONNECT-02 | design 4 | Connecting while a run goes on gives the conversation up to its question, then the run.
SB-CONNECT-03 | design 4 | Connecting asks no model and no agent.
SB-CONNECT-04 | design 4 | A refresh shows the questions that are open, as they were asked.
SB-CONNECT-05 | design 4 | Who connects while an answer is worked on gets every result once, the client's own too.
SB-CONNECT-06 | design 4 | A run that ends while somebody connects is shown to its end.
SB-RUN-01 | design 3 | A run belongs to the server: a client that leaves does not stop it.
SB-RUN-02 | design 3 | A client that left before the first frame gets the answer later.
SB-RUN-03 | design 4 | A run that outlives its process is said to, to those who read it.
SB-JRN-08 | design 10 | Sequences begin at one, have no gaps, and go on in a new process.
SB-JRN-09 | design 10 | A record that could not be stored is not taken for one.
SB-NAMED-01 | design 5 | The named encoding says every event under a name, with the ids of the standard one.
SB-NAMED-02 | design 5 | Replays and refreshes have a named encoding too.
SB-KIT-01 | design 7 | A repeated key gives an agent's same task after a restart and on every replica.
SB-KIT-02 | design 7 | Requests with one key at once make one task.
SB-KIT-03 | design 7 | A key whose process died before its task existed is as good as new.
SB-KIT-04 | design 7 | A task that nobody works on any more fails, and one that waits still waits.
SB-KIT-05 | design 7 | Keys expire.
SB-KIT-06 | design 7 | Many writers at once never find an agent's database locked.
SB-KIT-07 | design 7 | A key with another message is refused as a conflict.
SB-KIT-10 | design 7 | A tool of an agent may ask the user several times, and acts after the last answer, in one task.
SB-KIT-11 | design 7 | An answer that does not fit is asked for again, with a word of why.
SB-KIT-12 | design 7 | A question of an agent survives restarts with all that was said before it.
SB-KIT-13 | design 7 | An answer that is sent again under its key is given once.
SB-KIT-14 | design 7 | A task that waits can be cancelled, and then does nothing any more.
SB-KIT-15 | design 7 | The canteen books a meal in conversation: asks for the time, then for approval, then books once.
SB-KIT-16 | design 7 | The transport agent asks which gate is meant where a question leaves it open.
SB-KIT-20 | design 7 | An agent tells its tool calls to callers that ask for it, and to nobody else.
SB-KIT-21 | design 7 | A task that is cancelled stops its graph and the tool that it waits for.
SB-KIT-22 | design 7 | An agent that goes takes no new messages and says when to come again.
SB-KIT-23 | design 7 | An agent that goes lets its tasks finish for a time, and ends the rest in words.
SB-KIT-30 | design 7 | An agent that is killed at any moment of a keyed request makes one task and acts at most once.
SB-KIT-31 | design 10 | An agent remembers a conversation over restarts and on every replica, and not for ever.
SB-RAW-01 | design 3 | With LEGACY_RAW a run can be told in RAW events, over the same thread and under the same rules.
SB-RAW-02 | design 3 | Without LEGACY_RAW there is no such address.
SB-JRN-01 | design 4 | A cursor continues a run exactly after the frame that it names.
SB-JRN-02 | design 10 | A cursor continues after a restart with the same bytes.
SB-JRN-03 | design 4 | A cursor never starts a run and never leaves the run of its frame.
SB-JRN-04 | design 4 | A cursor that names no frame is refused.
SB-JRN-05 | design 3 | Every reader of a run gets the same bytes.
SB-JRN-06 | design 10 | A frame is in the journal before a client can see it.
SB-JRN-07 | design 4 | The journal of a thread holds its runs one after the other, without gaps.
SB-UNI-01 | design 5 | Any text comes back as it was, from the user, the model and the agents.
SB-UNI-02 | design 5 | Half an emoji of a model becomes valid text, the same in stream and history.
SB-UNI-03 | design 4 | Text that is no valid Unicode is refused.
SB-UNI-04 | design 4 | Any id works in every address.
SB-DUR-01 | design 10 | What was answered before a restart is not answered again.
SB-DUR-02 | design 10 | An open question survives a restart and can be answered.
SB-DUR-03 | design 10 | Receipts of answers survive a restart.
SB-DUR-04 | design 10 | That a process leaves a run is not part of the run's record.
SB-DUR-05 | design 10 | The next process goes on with a run in the same record, to one end.
SB-DUR-06 | design 10 | An agent that was being asked is asked again under the same key, and is not told to stop.
SB-DUR-07 | design 10 | An agent that has answered is not asked again.
SB-DUR-08 | design 10 | A model is not asked again for what it had said to the end.
SB-DUR-09 | design 10 | Messages and cursors of before the restart lead to the run as it went on.
SB-DUR-10 | design 10 | Connecting while a run is being recovered gives every message once.
SB-DUR-11 | design 10 | Half a sentence is closed and taken back before it is said anew.
SB-DUR-12 | design 10 | A resumed run is recovered with its answer.
SB-DUR-13 | design 10 | A run that was stopped stays stopped.
SB-DUR-14 | design 10 | A question that was asked while others still worked is asked after the recovery.
SB-DUR-15 | design 10 | A process that is killed loses no frame that a client has seen, and no run.
SB-DUR-20 | design 10 | Whichever write was a process's last, its runs come to one end and agents act once.
SB-DUR-21 | design 10 | What a dead process announced half keeps its id; what is made anew has one of its own.
SB-DUR-22 | design 10 | Whatever a user did when the process died happens once, in its place; a stop holds.
SB-KILL-01 | design 10 | A run whose process is killed ends once, as a stream that clients accept.
SB-KILL-02 | design 10 | The record of a run goes on behind the last frame that a client had read.
SB-KILL-03 | design 10 | However often a process dies, an agent does once what it is asked.
SB-KILL-04 | design 10 | A conversation whose process was killed is that of a run which nobody disturbed.
SB-KILL-05 | design 10 | Both real clients, cut off by a kill, hold afterwards what a refresh gives.
SB-HITL-01 | design 9 | Questions of parallel calls surface together.
SB-HITL-02 | design 9 | There are six questions with typed answers, and an answer of another shape is refused.
SB-HITL-03 | design 9 | A question that is declined gives the tool an answer that is no yes.
SB-HITL-04 | design 7 | A question of an agent goes to the user, and the answer to the same task of that agent.
SB-HITL-05 | design 7 | An agent may ask several times in one call.
SB-HITL-06 | design 6 | Answers for several agents reach the agent that asked.
SB-HITL-07 | design 6 | What was done before a question is not done again after it.
SB-HITL-08 | design 9 | A question of foreign code is passed on as it is.
SB-HITL-09 | design 9 | A tool may ask several times, and each answer reaches its question.
SB-HITL-10 | design 9 | An agent inside a tool may ask the user.
SB-HITL-11 | design 9 | A question whose time is over can only be declined.
SB-HITL-12 | design 7 | An agent that wants the user to sign in asks for an unlocking.
SB-RESUME-01 | design 9 | A resumed run does not announce the call again that it resumes.
SB-RESUME-02 | design 9 | An answer that is sent twice at once has one effect.
SB-RESUME-03 | design 4 | A new message under an open question is refused with that question.
SB-RESUME-04 | design 9 | A refused answer leaves the question open and names what is.
SB-RESUME-05 | design 9 | An answer that is sent again replays its run and never answers the next question.
SB-RESUME-06 | design 9 | An answer to no question is refused.
SB-RESUME-07 | design 4 | Answers that leave a question open are refused.
SB-RESUME-08 | design 9 | Two answers to one question in one request are refused.
SB-RESUME-09 | design 4 | Answers come before a new message of the same request.
SB-RESUME-10 | design 9 | A tool message is no answer.
SB-RESUME-11 | design 9 | A client may use the run id of the interrupted run again.
SB-RESUME-12 | design 9 | Of two different answers at once one counts.
SB-RESUME-13 | design 9 | An answer that is being dealt with attaches to that run.
SB-RESUME-14 | design 5 | The usage of a resumed run begins at nothing.
SB-RESUME-15 | design 6 | Who asks is told again after an answer.
SB-RESUME-16 | design 4 | Stop does nothing to a question that waits.
SB-RESUME-17 | design 4 | An entry of another shape is bad input.
SB-RESUME-18 | design 10 | An answer after a restart reaches the same task of the agent.
SB-EDIT-01 | design 4 | An edit replaces the last question and all that followed.
SB-EDIT-02 | design 4 | An edit that is sent again replays its run.
SB-EDIT-03 | design 4 | Only the last question can be edited.
SB-EDIT-04 | design 4 | An edit under an open question withdraws it.
SB-EDIT-05 | design 4 | The same id with other words is an edit only where it says so.
SB-EDIT-06 | design 4 | A run that rewrites the past begins with the conversation as it is then.
SB-REGEN-01 | design 4 | A second try gives a new answer in place of the old one.
SB-REGEN-02 | design 4 | A second try under an open question withdraws it.
SB-REGEN-03 | design 4 | A second try answers the question of a run that failed.
SB-REGEN-04 | design 4 | A second try needs a question and a thread that is free.
SB-MODEL-01 | design 4 | A model is chosen by name in the first run of a thread only.
SB-ATTACH-01 | design 4 | A question may hold pictures and files, which a refresh gives back.
SB-ATTACH-02 | design 4 | A content part that is none is refused in words.
SB-ATTACH-03 | design 4 | An edit may take a picture away.
SB-BLANK-01 | design 8 | Whatever an agent sends, no surface is blank and nothing in it runs.
SB-CONTRACT-01 | design 8 | A card type that the catalogue lacks is a failed check that names it.
SB-CONTRACT-02 | design 8 | Every miss between agent, catalogue and front end is found, each in one line.
SB-CONTRACT-03 | design 8 | Holes that a front end admits are told with the reason and hide no other.
SB-CONTRACT-04 | design 8 | A type that the running catalogue lacks is words on every channel, with the reason.
SB-CONTRACT-05 | design 8 | No change of catalogue, agents or front ends loses a card unnoticed.
SB-CONTRACT-06 | design 8 | The check reads running agents and a running supervisor as well as files.
SB-CONTRACT-07 | design 8 | The check installs and runs without the supervisor.
SB-CONTRACT-08 | design 8 | A new card type starts sound: gate, check and its own tests pass at once.
SB-CONTRACT-09 | design 8 | The contracts of agents and pages say what is built.
SB-GOLD-01 | design 13 | Every kind of event has a recorded conversation that the app still gives.
SB-GOLD-02 | design 13 | A validator that we did not write finds nothing wrong with any recorded stream.
SB-GOLD-03 | design 13 | A refresh holds every message that finished runs have streamed, under the same ids.
SB-GOLD-04 | design 13 | Both real clients take every recorded stream without an error or a warning.
SB-GOLD-05 | design 13 | Both real clients hold, after the runs, what a refresh gives: messages, cards, questions.
SB-ANY-01 | design 10 | In any order of users, networks and crashes: no event, question or effect is lost or doubled.
SB-CHAOS-01 | design 7 | While networks fail and processes die, every turn ends once, in words, and is on record.
SB-CHAOS-02 | design 7 | While networks fail and processes die, every key is executed once.
SB-CHAOS-03 | design 7 | While networks fail and processes die, no leg's failure changes another leg's outcome.
SB-LOAD-01 | design 14 | Many streams at once never mix.
SB-GRAPH-06 | design 6 | An agent is asked once the checkpoint that its key hangs on is stored.
SB-GRAPH-08 | design 10 | Checkpoints that wait are committed together, in order, and fail alone.
SB-GRAPH-07 | design 10 | A run that is stopped in the middle of a write leaves no open transaction.
SB-GRAPH-01 | design 6 | A call that is repeated is answered from its first result, and the turn ends.
SB-GRAPH-02 | design 6 | A call without an answer is answered before a model sees it.
SB-GRAPH-03 | design 6 | An answer that broke off is an error and is not acted upon.
SB-GRAPH-04 | design 6 | Who asks reaches the model and the agents, and never the conversation.
SB-GRAPH-05 | design 6 | A turn with too many steps ends with a code.
SB-A2A-02 | design 7 | The circuit of an agent is visible, opens alone and closes after a good call.
SB-A2A-03 | design 7 | Calls to one agent at a time are limited, counted, and wait their turn.
SB-A2A-04 | design 7 | A turn has a budget of time for its agents, and ends in words when it is used up.
SB-A2A-05 | design 7 | The first agent's result is shown while others are at work.
SB-A2A-06 | design 7 | An agent that knows only the old envelope is named by a setting.
SB-INTEROP-01 | design 7 | Servers on both releases of a2a-sdk and the old envelope are asked and cancelled alike.
SB-INTEROP-02 | design 7 | A card that lies about version or streaming is found out once, and that is remembered.
SB-INTEROP-03 | design 7 | An agent is called where discovery has it, wherever its card says it is.
SB-INTEROP-04 | design 7 | Clients on both releases of a2a-sdk can do with our agents what the protocol offers.
SB-A2A-07 | design 7 | A stream that breaks off goes on where the agent has it still, and its text is told once.
SB-A2A-08 | design 7 | An agent that asks for time (Retry-After) gets it, up to a limit, and is asked again.
SB-A2A-09 | design 7 | An agent that restarts while it works is waited for, and its answer is picked up.
SB-A2A-10 | design 7 | An agent's card is found where the protocol has it now and where it had it before 0.3.
SB-A2A-01 | design 7 | A cancel reaches the remote task also before its id is known.
SB-A2A-ACTIVITY-01 | design 7 | Tools and agents that an agent tells of are in its lane, under ids unique in the run.
SB-A2A-ACTIVITY-02 | design 5 | What runs inside of an invocation ends before it, however the invocation ends.
SB-A2A-ACTIVITY-03 | design 10 | That holds also when the process dies in between and another one goes on.
SB-A2A-ACTIVITY-04 | design 7 | Activity that is malformed is ignored, and number and size of it are bounded.
SB-A2A-ACTIVITY-05 | design 7 | We announce to an agent the extensions of ours that its card declares, and no others.
SB-NEST-01 | design 7 | The supervisor is an A2A agent at `/a2a`, which another supervisor asks like any other.
SB-NEST-02 | design 5 | The outermost stream shows supervisors below and their agents as lanes inside lanes.
SB-NEST-03 | design 8 | A card of the innermost agent is one card on the outermost page.
SB-NEST-04 | design 7 | What fails below is a failed lane and a readable answer above.
SB-NEST-05 | design 8 | A click in a card from below reaches the agent that made it.
SB-NEST-06 | design 7 | A question that goes in a circle, or through too many supervisors, is refused readably.
SB-NEST-07 | design 9 | A question of the innermost agent reaches the outermost user, and the answer its task.
SB-NEST-08 | design 9 | A question that is declined, or a run that is stopped, ends the tasks below.
SB-NEST-09 | design 10 | A supervisor below may restart at work or over a question: nothing is asked twice.
SB-NEST-10 | design 7 | The agent card has the live agents' skills, both versions, our extensions and an ETag.
SB-NEST-11 | design 7 | The same Idempotency-Key and message give the same task; another message is 409.
SB-NEST-12 | design 11 | Tasks and contexts are a user's own: nobody else sees, answers or stops them.
SB-NEST-13 | design 7 | A2A 1.0 and 0.3 are spoken at one address, each by its own rules and errors.
"""

_CASES = """
A2A-01 | cases | Every shape of a reply is an answer: message, 0.3 task, 1.0 task, 1.0 message.
A2A-02 | cases | Both spellings of a task's state give one outcome, and an unknown one is an error.
A2A-03 | cases | An agent that answers at once with a working task is polled, within its time.
A2A-04 | cases | The answer to a question of an agent goes on with the same task under a key of its own.
A2A-07 | cases | A stop reaches the remote task, and a remote that does not end holds nobody.
A2A-10 | cases | One failing leg of several loses none of the others and leaks nothing.
A2A-11 | cases | A call keeps its key over retries and restarts; another turn has another key.
A2A-ISSUE-01 | a2a-python 1206 | A follow-up carries the task and its context; an agent infers what is missing.
A2A-ISSUE-02 | adk-python 4934 | Task, context and agent are kept while a task waits and dropped when it has ended.
A2A-ISSUE-03 | adk-python 3393 | A task that waits for input is a question to the user.
A2A-ISSUE-04 | adk-python 7245 | No model ever gets an empty result for an agent that asks.
A2A-ISSUE-05 | strands 3923 | A waiting task speaks with its status message, a completed one with its artifacts.
A2A-ISSUE-06 | agents-at-scale-ark 2942 | Progress is never part of the answer; chunks append where they say so.
A2A-ISSUE-07 | adcp-client 2015 | A field called status in an agent's data says nothing about its task.
A2A-ISSUE-08 | gemini-cli 22724 | A task that has ended gets no further message; the context goes on.
A2A-ISSUE-09 | beeai 1183 | Deadlines are ours, each for what it is about, never a library's default.
A2A-ISSUE-10 | A2A 928 | What was asked is on record before it is sent, so that a retry is recognised.
A2A-ISSUE-11 | a2a-python 832 | A stream that broke off is picked up by asking for the task.
A2A-ISSUE-12 | a2a-dotnet 344 | A stream that goes silent does not hold a turn.
A2A-ISSUE-13 | A2A 1599 | The address is discovery's; of the card's only the path counts.
A2A-ISSUE-14 | litellm 30795 | A card that lies about its version costs one request, once.
A2A-ISSUE-15 | a2a-js 601 | The codec is chosen by the interface's version.
A2A-ISSUE-16 | a2a-python 168 | Traces go on across the border to an agent.
A2A-ISSUE-19 | adk-python 4145 | A task always ends or waits, however its agent fails.
A2A-ISSUE-20 | rossoctl 174 | An agent never gets the user's own token, and without one of its own is not asked.
AGS-01 | cases | Two calls that are streamed one after the other keep their own arguments.
AGS-03 | cases | Name and arguments in one chunk still give TOOL_CALL_ARGS.
AGS-04 | cases | Text, a call, and more text of one model message stay one message.
AGS-05 | cases | A model that fails mid-sentence: the message is closed, one RUN_ERROR, nothing leaks.
AGS-10 | cases | The client's ids come back, and empty pieces are never sent.
AGS-11 | cases | A snapshot never comes between the pieces of a run and says the same ids.
AGS-12 | cases | A silent tool does not let an idle proxy cut the stream.
AGS-14 | cases | Activity and reasoning messages and unknown fields of a request are tolerated.
CARD-01 | cases | Every card type that an agent may send is painted, an unknown one is shown in words.
CARD-02 | cases | A refresh gives exactly the surfaces that were painted live.
CARD-04 | cases | Every surface names the catalogue whose components it uses.
CARD-06 | cases | Surface, components, data, in this order, and a new surface for every card.
CARD-08 | cases | Malformed and hostile card data never fail a run and never reach the page.
HIST-01 | cases | After a refresh a client may send only its new message.
HIST-02 | cases | Stop during a tool call, then go on.
HIST-04 | cases | A retry with the same message id has one effect.
HITL-01 | cases | A resumed run does not announce its call a second time.
HITL-02 | cases | Two parallel questions surface together and are answered by id in one request.
HITL-05 | cases | A double click on an approval has one effect.
HITL-06 | cases | A refresh after a restart shows the question again, and it can be answered.
HITL-07 | cases | A new message instead of an answer is refused, and nothing breaks.
HITL-12 | cases | An answer that comes with the whole conversation adds no message.
HITL-13 | cases | Six questions: a good answer resumes, a wrong one is refused and leaves the question.
JRN-01 | cases | Last-Event-ID continues exactly after the cursor.
JRN-04 | cases | A lost connection is not a stop.
SHUT-01 | cases | A signal with open streams: they end whole, the process ends well, the next one goes on.
UNI-01 | cases | Chinese and emoji survive any split into bytes.
UNI-02 | cases | Line separators and look-alikes of frames break nothing.
"""


def _table(text: str) -> tuple[Requirement, ...]:
    return tuple(Requirement(*(cell.strip() for cell in line.split("|"))) for line in text.strip().splitlines())


REQUIREMENTS = (*_table(_AGUI), *_table(_OURS), *_table(_CASES), *_table(BOUND))
