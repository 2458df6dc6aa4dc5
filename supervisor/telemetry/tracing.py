"""Spans of a turn: one per run, one per agent call, joined to the caller's trace. No content, no user data in them.

Without an exporter the spans go nowhere, but agents still receive a `traceparent` and can join the trace.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager

from opentelemetry import context, propagate, trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"


def configure() -> None:
    """Make a tracer provider, unless the host application has one; `OTEL_EXPORTER_OTLP_ENDPOINT` adds an exporter.

    Raises ValueError when an endpoint is set but the exporter's package is not installed.
    """
    if isinstance(trace.get_tracer_provider(), TracerProvider):
        return
    provider = TracerProvider(
        resource=Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME", "switchboard")})
    )
    if os.environ.get(ENDPOINT):
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # pyright: ignore[reportMissingImports]
                OTLPSpanExporter,
            )
        except ImportError:
            raise ValueError(f"{ENDPOINT} is set: install `opentelemetry-exporter-otlp-proto-http`.") from None
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


@contextmanager
def joined(headers: Mapping[str, str]) -> Generator[None]:
    """What starts inside belongs to the trace that the request's `traceparent` names."""
    token = context.attach(propagate.extract({k: v for k, v in headers.items() if k in ("traceparent", "tracestate")}))
    try:
        yield
    finally:
        context.detach(token)


@contextmanager
def run_span(thread_id: str, run_id: str) -> Generator[Span]:
    """The span of one run (GenAI semantic conventions: `invoke_agent`)."""
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "switchboard",
        "gen_ai.conversation.id": thread_id,
        "agui.run.id": run_id,
    }
    with _span("invoke_agent switchboard", SpanKind.SERVER, attributes) as span:
        yield span


@contextmanager
def agent_call_span(agent: str) -> Generator[Span]:
    """The span of one A2A call; the agent's own spans become its children."""
    attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent, "rpc.system": "jsonrpc"}
    with _span(f"invoke_agent {agent}", SpanKind.CLIENT, attributes) as span:
        yield span


def failed(span: Span, code: str) -> None:
    """Mark a span with one of our stable codes; exception texts stay out of traces."""
    span.set_status(Status(StatusCode.ERROR, code))
    span.set_attribute("error.type", code)


@contextmanager
def _span(name: str, kind: SpanKind, attributes: Mapping[str, str]) -> Generator[Span]:
    tracer = trace.get_tracer("switchboard")
    with tracer.start_as_current_span(
        name, kind=kind, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as span:
        yield span
