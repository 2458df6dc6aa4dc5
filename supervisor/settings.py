"""Settings of the supervisor, read from the environment. One place for every name, default and unit."""

from __future__ import annotations

import hashlib
import ipaddress
import socket
import uuid
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Environment variables of the same name in capitals (`MODEL`, `AGENTS`, ...)."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", populate_by_name=True)

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)

    model: str = "offline"
    """`offline`, `provider:name` (with `MODEL_BASE_URL`), or `package.module:factory`."""
    model_base_url: str | None = None
    model_api_key: str | None = Field(default=None, repr=False)
    models: str = ""
    """`name=spec,name=spec`: chat models that a thread may choose by name (`forwardedProps.model`) beside `model`."""
    extensions: str | None = None
    """`package.module:factory` that returns `supervisor.extensions.Extensions`: a host's tools, commands, state."""
    interrupt_ttl_seconds: float | None = Field(default=None, gt=0)
    """How long a question to the user may be answered; after that it can only be cancelled. Unset: for ever."""
    offline_delay_ms: float = Field(default=0, ge=0)

    agents: str = ""
    """`name=url,name=url`: the domain agents of static discovery."""
    agent_token: str | None = Field(default=None, repr=False)
    """Bearer token sent to every agent; none is sent when unset."""
    agent_timeout: float = Field(default=30, gt=0)
    """Seconds that one call to an agent may take in all."""
    agent_first_byte_seconds: float = Field(default=15, gt=0)
    """How long a streamed answer may take to begin."""
    agent_idle_seconds: float = Field(default=20, gt=0)
    """How long a streamed answer may pause before its task is asked for instead."""
    agent_max_in_flight: int = Field(default=64, gt=0)
    """Calls to one agent at a time; further ones wait within their time."""
    agent_circuit_failures: int = Field(default=5, gt=0)
    """Failures in a row after which an agent is not asked for `agent_circuit_seconds`."""
    agent_circuit_seconds: float = Field(default=10, gt=0)
    turn_seconds: float = Field(default=180, gt=0)
    """How long the agents of one run may take, all rounds together."""
    legacy_agents: str = ""
    """`name,name`: agents that take only the envelope of before A2A 1.0 and 0.3; they may lack an agent card."""
    serve_a2a: bool = True
    """Whether other supervisors and A2A clients may ask this one at `/a2a`."""
    public_url: str | None = None
    """Address that the agent card names; unset: the one at which the card is asked for."""
    supervisor_id: str | None = Field(default=None, min_length=1, max_length=200)
    """Name by which supervisors that ask each other notice a circle. Unset: one per database, random without."""
    nesting_limit: int = Field(default=4, ge=1)
    """Supervisors through which a question may come to this one."""
    discovery_interval: float = Field(default=10, gt=0)
    """Seconds between two looks at the agents' cards."""
    catalogue_dir: Path | None = None
    """Folder of the card catalogue; unset: the installed `a2ui_schemas`."""

    database: str = "sqlite:var/switchboard.db"
    """`memory`, or `sqlite:PATH` for checkpoints, journal, runs and receipts."""

    auth: Literal["none"] = "none"
    allow_remote_without_auth: bool = False
    """With `AUTH=none` the server binds to loopback only, unless a network in front of it keeps strangers out."""
    cors_origins: str = ""
    """`https://host,http://localhost:5173`: pages of other origins that may call this server."""
    copilotkit_dist: Path | None = None
    """A built `web/copilotkit`, served at `/copilotkit`. Unset: `web/copilotkit/dist` beside this package, if built."""
    max_body_bytes: int = Field(default=1_048_576, gt=0)
    max_message_chars: int = Field(default=32_000, gt=0)

    legacy_raw: bool = False
    """Serve `/agui/raw`: the stock CopilotKit bridge, for old clients that read RAW events."""
    subagent_events: Literal["both", "standard", "custom"] = "both"
    flush_window_ms: float = Field(default=10, ge=0)
    heartbeat_seconds: float = Field(default=15, gt=0)
    drain_seconds: float = Field(default=10, ge=0)
    recursion_limit: int = Field(default=50, gt=0)
    tune_gc: bool = False
    """Take what start-up allocated out of the collector's sight. `switchboard serve` does."""

    @model_validator(mode="after")
    def _loopback_without_auth(self) -> Self:
        if self.auth == "none" and not self.allow_remote_without_auth and not _is_loopback(self.host):
            raise ValueError(
                f"AUTH=none serves one trusted user and binds to loopback only, but HOST is {self.host}. "
                "Set HOST=127.0.0.1, or ALLOW_REMOTE_WITHOUT_AUTH=true if the network itself keeps strangers out."
            )
        return self

    @model_validator(mode="after")
    def _copilotkit_is_built(self) -> Self:
        folder = self.copilotkit_dist
        if folder is not None and not (folder / "index.html").is_file():
            raise ValueError(f"COPILOTKIT_DIST is {folder}, which holds no index.html: run `make web-copilotkit`.")
        return self

    def origins(self) -> list[str]:
        """Origins that may call from a browser. Raises ValueError for what is none: a path, or `*`."""
        found = [origin.strip().rstrip("/") for origin in self.cors_origins.split(",") if origin.strip()]
        for origin in found:
            scheme, _, host = origin.partition("://")
            if scheme not in ("http", "https") or not host or set(host) & set("/*?#@"):
                raise ValueError(f"CORS_ORIGINS has {origin!r}: write `scheme://host` or `scheme://host:port`.")
        return found

    def chosen_models(self) -> dict[str, str]:
        """Models by name. Raises ValueError for an entry that is not `name=spec`."""
        found: dict[str, str] = {}
        for entry in filter(None, (part.strip() for part in self.models.split(","))):
            name, _, spec = entry.partition("=")
            if not name.strip() or not spec.strip():
                raise ValueError(f"MODELS has {entry!r}: write `name=spec`, with a spec as in MODEL.")
            found[name.strip()] = spec.strip()
        return found

    def own_id(self) -> str:
        """`SUPERVISOR_ID`, or a name that another supervisor does not have and that a restart keeps."""
        path = self.sqlite_path()
        place = f"{socket.gethostname()}:{path.resolve()}" if path is not None else uuid.uuid4().hex
        return self.supervisor_id or f"switchboard-{hashlib.sha256(place.encode()).hexdigest()[:16]}"

    def sqlite_path(self) -> Path | None:
        """The database file, None for `memory`. Raises ValueError for anything else."""
        if self.database == "memory":
            return None
        scheme, _, path = self.database.partition(":")
        if scheme != "sqlite" or not path:
            raise ValueError(f"DATABASE is {self.database!r}: write `memory` or `sqlite:PATH`.")
        return Path(path)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
