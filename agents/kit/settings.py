"""Settings of one agent process, read from the environment. One place for every name, default and unit."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class AgentSettings(BaseSettings):
    """Environment variables of the same name in capitals (`MODEL`, `PUBLIC_BASE_URL`, ...)."""

    model_config = SettingsConfigDict(extra="ignore", populate_by_name=True)

    host: str = "127.0.0.1"
    port: int | None = Field(default=None, ge=0, le=65535)
    """None: the port of the agent's spec."""
    public_base_url: str | None = None
    """Where others reach this agent, for its card; by default http://HOST:PORT."""

    model: str = "offline"
    """`offline`, `provider:name` (with `MODEL_BASE_URL`), or `package.module:factory`."""
    model_base_url: str | None = None
    model_api_key: str | None = Field(default=None, repr=False)
    offline_delay_ms: float = Field(default=0, ge=0)

    data_dir: Path | None = None
    """Directory for the agent's database of campus data; None keeps it in memory."""
    database: str = "memory"
    """`memory`, `sqlite:PATH` or `postgresql://USER:PASSWORD@HOST/DB`: tasks, keys and open questions."""
    key_seconds: float = Field(default=86_400, gt=0)
    """How long a repeated Idempotency-Key gives the task of the first request."""
    interrupted_seconds: float = Field(default=86_400, gt=0)
    """How long a question to the user may be answered; its task fails then."""
    lease_seconds: float = Field(default=30, gt=0)
    """PostgreSQL: how long a silent replica may still be at work; its tasks fail then."""
    drain_seconds: float = Field(default=10, ge=0)
    """How long running tasks may go on after SIGTERM."""

    max_body_bytes: int = Field(default=1_048_576, gt=0)
    max_message_chars: int = Field(default=8_000, gt=0)
    turn_seconds: float = Field(default=120, gt=0)
    """How long one answer may take before the task fails."""

    def base_url(self, port: int) -> str:
        """The address on the agent card, without a slash at the end."""
        return (self.public_base_url or f"http://{self.host}:{port}").rstrip("/")
