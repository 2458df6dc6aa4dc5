"""The requirement ids of the official A2A 1.0 kit: which bind an agent of ours, and why the others do not.

Sentences are ours, ids and levels the kit's. `BOUND` is part of tests/requirements.py, so each of its ids has a test.
"""

from __future__ import annotations

BOUND = """
CORE-SEND-001 | a2a-tck | SendMessage is answered with a task or with a message, and with nothing else.
CORE-SEND-002 | a2a-tck | A task that has ended takes no more messages.
CORE-SEND-003 | a2a-tck | A part of a media type that the agent does not read is an error of its own.
CORE-STREAM-001 | a2a-tck | A streaming call is answered with a stream of events.
CORE-STREAM-002 | a2a-tck | A stream that brings a message brings that alone and ends.
CORE-STREAM-003 | a2a-tck | A stream of a task begins with the task and ends with its terminal state.
CORE-GET-001 | a2a-tck | GetTask tells a task as it is now, with what it has produced.
CORE-GET-002 | a2a-tck | GetTask of an id that does not exist says that there is no such task.
CORE-LIST-001 | a2a-tck | A list of tasks holds those of the caller alone.
CORE-LIST-002 | a2a-tck | A long list comes in pages, and each names the next.
CORE-LIST-003 | a2a-tck | A list of tasks begins with the one that changed last.
CORE-LIST-004 | a2a-tck | The last page of a list says so with an empty token.
CORE-LIST-005 | a2a-tck | A list holds no artifacts unless they were asked for.
CORE-CANCEL-001 | a2a-tck | CancelTask tells the task as it is after that.
CORE-CANCEL-002 | a2a-tck | A task that has ended cannot be cancelled.
CORE-CANCEL-003 | a2a-tck | CancelTask of an id that does not exist says that there is no such task.
CORE-EXECUTION-MODE-001 | a2a-tck | A blocking call is answered once its task has ended or waits for somebody.
CORE-EXECUTION-MODE-002 | a2a-tck | A call that must not block is answered while its task is at work.
CORE-ERR-001 | a2a-tck | An error says in words what is wrong.
CORE-ERR-002 | a2a-tck | What a request may not hold is refused before anything is done.
CORE-CAP-001 | a2a-tck | An agent that does not push says so to every call about pushing.
CORE-CAP-002 | a2a-tck | An agent that does not stream says so to every call for a stream.
CORE-CAP-003 | a2a-tck | An agent without an extended card says so.
CORE-CAP-004 | a2a-tck | Whoever knows none of our extensions is served, for none is required.
CORE-MULTI-001 | a2a-tck | A message without a context starts one.
CORE-MULTI-001a | a2a-tck | A context that the agent has started is told, with a task and with a message.
CORE-MULTI-002 | a2a-tck | The context that a client names is kept.
CORE-MULTI-002a | a2a-tck | A context is never answered with another one, however odd its id is.
CORE-MULTI-003 | a2a-tck | Every new task has an id that no other has.
CORE-MULTI-004 | a2a-tck | A message to a task that does not exist is refused.
CORE-MULTI-005 | a2a-tck | A message that names a task alone belongs to the context of that task.
CORE-MULTI-006 | a2a-tck | A message that names a task and another context than that of the task is refused.
CORE-HIST-001 | a2a-tck | Who asks for a history of length zero gets none.
CORE-HIST-002 | a2a-tck | A history is never longer than asked for.
CORE-HIST-003 | a2a-tck | An answer to a message holds no history if none was wanted.
CORE-HIST-004 | a2a-tck | A task remembers what was said.
CORE-HIST-005 | a2a-tck | A history is in the order in which things were said.
CORE-HIST-006 | a2a-tck | A history holds messages as they were sent.
DM-TASK-001 | a2a-tck | A task has an id and a status.
DM-TASK-002 | a2a-tck | A task is in one of the states of the protocol.
DM-MSG-001 | a2a-tck | A message has an id, a role and parts.
DM-MSG-002 | a2a-tck | A message is from a user or from an agent.
DM-PART-001 | a2a-tck | A part is one of text, bytes, link and data.
DM-ART-001 | a2a-tck | An artifact has an id and parts.
DM-STATUS-001 | a2a-tck | A status has a state.
DM-SERIAL-001 | a2a-tck | Fields are spelt in camel case on the wire.
DM-SERIAL-002 | a2a-tck | Values of enumerations are spelt by name, in capitals.
DM-SERIAL-003 | a2a-tck | Times are ISO 8601 in UTC.
DM-SERIAL-004 | a2a-tck | A message that lacks what it must have is refused.
DM-SERIAL-005 | a2a-tck | Fields that we do not know are ignored.
STREAM-ORDER-001 | a2a-tck | Events come in the order in which they happened.
STREAM-ORDER-002 | a2a-tck | Every open stream of a task gets what happens to it.
STREAM-ORDER-003 | a2a-tck | Streams of one task tell the same events in the same order.
STREAM-ORDER-004 | a2a-tck | A stream that is closed takes no other with it.
STREAM-SUB-001 | a2a-tck | A subscription begins with the task as it is.
STREAM-SUB-002 | a2a-tck | A subscription ends when its task does.
STREAM-SUB-003 | a2a-tck | A task that has ended cannot be subscribed to.
STREAM-SUB-004 | a2a-tck | A subscription to an id that does not exist says that there is no such task.
CARD-DISC-001 | a2a-tck | The card is where clients look for it.
CARD-PROTO-001 | a2a-tck | The card names the protocols that the agent speaks.
CARD-PROTO-002 | a2a-tck | Every interface on the card has an address, a binding and a version.
CARD-STRUCT-001 | a2a-tck | The card has every field that a card must have.
CARD-CACHE-001 | a2a-tck | The card says how long it may be kept.
CARD-CACHE-002 | a2a-tck | The card has a tag by which it is asked for again.
CARD-CACHE-003 | a2a-tck | The card says when it changed last.
AUTH-INTASK-001 | a2a-tck | Whoever must sign in first is told by a task.
AUTH-INTASK-002 | a2a-tck | A task that waits for a sign-in is in the state for that.
AUTH-INTASK-003 | a2a-tck | A task that waits for a sign-in says what is wanted.
AUTH-INTASK-006 | a2a-tck | A task that waits for a sign-in takes messages meanwhile.
AUTH-SCOPE-002 | a2a-tck | A caller reads, cancels and continues the tasks of its own alone.
AUTH-SCOPE-003 | a2a-tck | The task of somebody else looks like one that does not exist.
VER-CLIENT-001 | a2a-tck | Our client says the version with every call of 1.0.
VER-CLIENT-002 | a2a-tck | The last number of a version changes nothing, in calls and on cards.
VER-SERVER-001 | a2a-tck | A request is read and answered in the version that it is made in.
VER-SERVER-002 | a2a-tck | A version that the agent does not speak is an error of its own.
VER-SERVER-003 | a2a-tck | A request that says no version is one of 0.3.
BIND-FIELD-001 | a2a-tck | The card names each binding that is served, and no other.
JSONRPC-FMT-001 | a2a-tck | Every answer is a JSON-RPC 2.0 response with the id of its request.
JSONRPC-FMT-002 | a2a-tck | Answers are JSON by their content type.
JSONRPC-SVC-001 | a2a-tck | Methods have the names of the protocol, in the case of the protocol.
JSONRPC-SVC-002 | a2a-tck | Version and extensions are read from HTTP headers.
JSONRPC-ERR-001 | a2a-tck | An error has a number, words and a list of details.
JSONRPC-ERR-002 | a2a-tck | Errors of the protocol have the numbers that are kept for them.
JSONRPC-ERR-003 | a2a-tck | An error of the protocol names its reason and the domain of the protocol.
JSONRPC-SSE-001 | a2a-tck | A stream is server-sent events, each a JSON-RPC response.
JSONRPC-SSE-002 | a2a-tck | Every kind of error has its own number.
"""

NOT_BOUND = """
GRPC- | Our agents have no gRPC binding.
HTTP_JSON- | Our agents have no REST binding.
BIND-EQUIV- | There is one binding, so there is nothing to compare it with.
PUSH- | Our agents do not push; CORE-CAP-001 binds them instead.
CARD-SIGN- | Cards are not signed.
CARD-EXT- | There is no extended card; CORE-CAP-003 binds our agents instead.
AUTH-TLS- | Encryption is the deployment's.
AUTH-SERVER- | Whom an agent lets in is decided in front of the kit's server, certificates by the HTTP client.
AUTH-SCOPE-001 | Whom an agent lets in is decided in front of the kit's server; what a user then sees is AUTH-SCOPE-002.
AUTH-INTASK-004 | How credentials arrive is a matter of each agent; the kit's server carries none.
AUTH-INTASK-005 | A stream ends with the question, and a subscription goes on from there.
"""

MUSTS = """
CORE-SEND-001 CORE-SEND-002 CORE-SEND-003 CORE-STREAM-001 CORE-STREAM-002 CORE-STREAM-003 CORE-GET-001 CORE-GET-002
CORE-LIST-001 CORE-LIST-002 CORE-LIST-003 CORE-LIST-004 CORE-LIST-005 CORE-CANCEL-001 CORE-CANCEL-002
CORE-CANCEL-003 CORE-EXECUTION-MODE-001 CORE-EXECUTION-MODE-002 CORE-ERR-001 CORE-ERR-002 CORE-CAP-001 CORE-CAP-002
CORE-CAP-003 CORE-CAP-004 CORE-MULTI-001a CORE-MULTI-002a CORE-MULTI-003 CORE-MULTI-004 CORE-MULTI-005
CORE-MULTI-006 CORE-HIST-002 DM-TASK-001 DM-TASK-002 DM-MSG-001 DM-MSG-002 DM-PART-001 DM-ART-001 DM-STATUS-001
DM-SERIAL-001 DM-SERIAL-002 DM-SERIAL-003 DM-SERIAL-004 STREAM-ORDER-001 STREAM-ORDER-002 STREAM-ORDER-003
STREAM-ORDER-004 STREAM-SUB-001 STREAM-SUB-002 STREAM-SUB-003 STREAM-SUB-004 PUSH-CREATE-001 PUSH-CREATE-002
PUSH-GET-001 PUSH-GET-002 PUSH-LIST-001 PUSH-DEL-001 PUSH-DEL-002 PUSH-DELIVER-001 PUSH-DELIVER-002 PUSH-DELIVER-003
CARD-DISC-001 CARD-PROTO-001 CARD-PROTO-002 CARD-STRUCT-001 CARD-EXT-001 CARD-EXT-002 CARD-SIGN-001 CARD-SIGN-002
CARD-SIGN-003 CARD-SIGN-004 AUTH-TLS-001 AUTH-SERVER-002 AUTH-INTASK-001 AUTH-INTASK-002 AUTH-INTASK-003
AUTH-INTASK-004 AUTH-SCOPE-001 AUTH-SCOPE-002 AUTH-SCOPE-003 VER-CLIENT-001 VER-SERVER-001 VER-SERVER-002
VER-SERVER-003 VER-CLIENT-002 BIND-EQUIV-001 BIND-EQUIV-002 BIND-EQUIV-003 BIND-EQUIV-004 BIND-FIELD-001
JSONRPC-FMT-001 JSONRPC-FMT-002 JSONRPC-SVC-001 JSONRPC-SVC-002 JSONRPC-ERR-001 JSONRPC-ERR-002 JSONRPC-ERR-003
JSONRPC-SSE-001 JSONRPC-SSE-002 GRPC-SVC-001 GRPC-SVC-002 GRPC-SVC-003 GRPC-META-001 GRPC-ERR-001 GRPC-ERR-002
GRPC-ERR-003 HTTP_JSON-URL-001 HTTP_JSON-URL-002 HTTP_JSON-SVC-001 HTTP_JSON-SVC-002 HTTP_JSON-QP-001
HTTP_JSON-ERR-001 HTTP_JSON-ERR-002 HTTP_JSON-STATUS-001 HTTP_JSON-SSE-001
"""
"""What the kit (1.0-dev, May 2026) demands of an agent that offers everything."""
