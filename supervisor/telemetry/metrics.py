"""Counters for operators, served at `/metrics` in the Prometheus text format. One registry per app, no global state."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from prometheus_client import CollectorRegistry, Counter, Histogram, Metric, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

CIRCUITS = ("closed", "open", "half_open")
_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180)


class Watched(Protocol):
    """What is shown of an agent."""

    @property
    def name(self) -> str: ...
    @property
    def healthy(self) -> bool: ...
    @property
    def circuit(self) -> str: ...
    @property
    def in_flight(self) -> int: ...


class Metrics:
    """`cards_rendered_total{card_type}`, `cards_fallback_total{card_type,reason}`, `runs_ended_total{status}`,
    `agent_call_seconds{agent,outcome}` (histogram), and by agent: `agent_healthy`, `agent_calls_in_flight`,
    `agent_circuit{state}` (1 for the present state).
    """

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._rendered = Counter(
            "cards_rendered", "Cards shown as the type that the agent named.", ["card_type"], registry=self._registry
        )
        self._fallback = Counter(
            "cards_fallback",
            "Cards shown as a message instead, and why.",
            ["card_type", "reason"],
            registry=self._registry,
        )
        self._calls = Histogram(
            "agent_call_seconds",
            "Calls to agents and how they ended.",
            ["agent", "outcome"],
            registry=self._registry,
            buckets=_SECONDS,
        )
        self._runs = Counter("runs_ended", "Runs by how they ended.", ["status"], registry=self._registry)

    def rendered(self, card_type: str) -> None:
        """A card was rendered."""
        self._rendered.labels(card_type).inc()

    def fell_back(self, card_type: str, reason: str) -> None:
        """A card was shown as a message."""
        self._fallback.labels(card_type, reason).inc()

    def run_ended(self, status: str) -> None:
        """A run came to its end, or to rest."""
        self._runs.labels(status).inc()

    def agent_called(self, agent: str, outcome: str, seconds: float) -> None:
        """A call to an agent ended: `ok`, or with its error code."""
        self._calls.labels(agent, _bounded(outcome)).observe(seconds)

    def watch(self, agents: Callable[[], Sequence[Watched]]) -> None:
        """Show the state of `agents` from now on."""
        self._registry.register(_Agents(agents))

    def text(self) -> bytes:
        """The page."""
        return generate_latest(self._registry)


def _bounded(outcome: str) -> str:
    """The code, without numbers that an agent may choose freely: each would be a series of its own for ever."""
    kind, _, number = outcome.partition("_")
    free = (kind == "rpc" and not re.fullmatch(r"-32[0-7]\d\d", number)) or (
        kind == "http" and not re.fullmatch(r"[3-5]\d\d", number)
    )
    return f"{kind}_other" if free else outcome


class _Agents(Collector):
    """Reads the agents when somebody looks."""

    def __init__(self, agents: Callable[[], Sequence[Watched]]) -> None:
        self._agents = agents

    def collect(self) -> Iterator[Metric]:
        healthy = GaugeMetricFamily("agent_healthy", "1 if the agent answers.", labels=["agent"])
        in_flight = GaugeMetricFamily("agent_calls_in_flight", "Calls under way.", labels=["agent"])
        circuit = GaugeMetricFamily("agent_circuit", "1 for the state of the circuit.", labels=["agent", "state"])
        for agent in self._agents():
            healthy.add_metric([agent.name], agent.healthy)
            in_flight.add_metric([agent.name], agent.in_flight)
            for state in CIRCUITS:
                circuit.add_metric([agent.name, state], state == agent.circuit)
        yield from (healthy, in_flight, circuit)
