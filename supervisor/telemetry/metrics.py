"""Counters for operators, served at `/metrics` in the Prometheus text format. One registry per app, no global state."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST


class Metrics:
    """`cards_rendered_total{card_type}`, `cards_fallback_total{card_type,reason}`, `runs_ended_total{status}`."""

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

    def text(self) -> bytes:
        """The page."""
        return generate_latest(self._registry)
