"""The compose file: valid by the compose specification's own schema, and every name in it is one that the code reads.

No engine is asked. The schema is the one that check-jsonschema ships; what no schema knows (settings, ports, paths,
health checks) is compared with the code.
"""

from __future__ import annotations

import importlib.resources
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from agents.kit.clock import campus_clock
from agents.kit.drain import STOP_SECONDS
from agents.kit.settings import AgentSettings
from supervisor.dispatch.settings import parse_agents
from supervisor.settings import Settings
from tests.e2e.dockerfile import instructions
from tests.e2e.processes import ROOT

pytestmark = pytest.mark.e2e

FILE = ROOT / "compose/docker-compose.yml"
AGENTS = ["canteen", "transport"]
SERVICES = [*AGENTS, "supervisor"]


def load() -> dict[str, Any]:
    """The file with its merges resolved."""
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


def service(name: str) -> dict[str, Any]:
    return load()["services"][name]


def environment(name: str) -> dict[str, str]:
    """What the container gets when the caller sets none of the variables that the file asks for."""
    return {key: re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", value) for key, value in service(name)["environment"].items()}


def schema() -> Draft202012Validator:
    folder = importlib.resources.files("check_jsonschema") / "builtin_schemas" / "vendor"
    document = json.loads((folder / "compose-spec.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(document)
    return Draft202012Validator(document)


def test_the_file_is_valid() -> None:
    assert [error.message for error in schema().iter_errors(load())] == []


@pytest.mark.parametrize(
    ("key", "value"),
    [("helthcheck", {}), ("ports", {"8000": 8000}), ("depends_on", {"canteen": {"condition": "ready"}}), ("build", 7)],
)
def test_the_schema_finds_a_mistake_in_a_service(key: str, value: object) -> None:
    document = load()
    document["services"]["supervisor"][key] = value
    assert not schema().is_valid(document)


def test_both_agents_get_what_they_share() -> None:
    assert sorted(load()["services"]) == sorted(SERVICES)
    canteen, transport = service("canteen"), service("transport")
    for part in ("restart", "healthcheck"):
        assert canteen[part] == transport[part]
    differing = {k for k in canteen["environment"] if canteen["environment"][k] != transport["environment"].get(k)}
    assert differing == {"PUBLIC_BASE_URL"}
    assert canteen["environment"].keys() == transport["environment"].keys()


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_built_from_its_dockerfile_with_the_repository_as_context(name: str) -> None:
    build = service(name)["build"]
    context = (FILE.parent / build["context"]).resolve()
    dockerfile = context / build["dockerfile"]
    assert context == ROOT
    assert dockerfile.is_file()
    ignored = (ROOT / ".dockerignore").read_text().split()
    for instruction, rest in instructions(dockerfile):
        if instruction == "COPY":
            for source in rest.split()[:-1]:
                assert (context / source).exists(), source
                assert not any(Path(source).match(pattern) for pattern in ignored), f"{source} is not in the context"


def test_every_setting_of_the_supervisor_exists_and_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    given = environment("supervisor")
    assert {key.lower() for key in given} <= set(Settings.model_fields)
    for key, value in given.items():
        monkeypatch.setenv(key, value)
    settings = Settings(_env_file=None)  # type: ignore[call-arg]
    assert (settings.host, settings.model) == ("0.0.0.0", "offline")
    assert settings.sqlite_path() == Path("/data/switchboard.db")
    monkeypatch.delenv("ALLOW_REMOTE_WITHOUT_AUTH")
    with pytest.raises(ValueError, match="AUTH=none"):
        Settings(_env_file=None)  # type: ignore[call-arg]


class Asked(dict[str, str]):
    """Remembers the names that were read."""

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self.names: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.names.add(key)
        return super().get(key, default)


@pytest.mark.parametrize("name", AGENTS)
def test_every_setting_of_an_agent_is_read_and_accepted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = environment(name)
    clock = Asked(given)
    assert str(campus_clock(clock)().tzinfo) == given["CAMPUS_TZ"]
    assert {key for key in given if key.lower() not in AgentSettings.model_fields} <= clock.names
    for key, value in given.items():
        monkeypatch.setenv(key, value)
    settings = AgentSettings()
    assert (settings.host, settings.model) == ("0.0.0.0", "offline")
    assert settings.base_url(8100) == f"http://{name}:{settings.port}"


def test_the_supervisor_finds_each_agent_where_it_listens_and_waits_for_it() -> None:
    found = parse_agents(environment("supervisor")["AGENTS"])
    assert found == {n: environment(n)["PUBLIC_BASE_URL"] for n in AGENTS}
    waits = service("supervisor")["depends_on"]
    assert waits == {name: {"condition": "service_healthy"} for name in AGENTS}


def test_ports_are_published_on_loopback_only() -> None:
    published = {name: service(name).get("ports", []) for name in SERVICES}
    assert [published[name] for name in AGENTS] == [[], []]
    assert published["supervisor"]
    for entry in published["supervisor"]:
        address, _, inside = entry.rpartition(":")
        assert address.startswith("127.0.0.1:"), entry
        assert inside == environment("supervisor")["PORT"]


def test_the_database_is_on_a_declared_volume() -> None:
    mounts = dict(entry.split(":") for entry in service("supervisor")["volumes"])
    assert set(mounts) <= set(load()["volumes"])
    path = Settings(database=environment("supervisor")["DATABASE"], _env_file=None).sqlite_path()  # type: ignore[call-arg]
    assert str(path and path.parent) in mounts.values()


def test_a_container_gets_more_time_to_end_than_the_supervisor_takes_to_drain() -> None:
    grace = float(service("supervisor")["stop_grace_period"].removesuffix("s"))
    assert grace > Settings(_env_file=None).drain_seconds + 1  # type: ignore[call-arg]


@pytest.mark.parametrize("name", AGENTS)
def test_what_an_agent_keeps_is_on_a_volume_of_its_own_and_it_gets_the_time_to_drain(name: str) -> None:
    (mount,) = service(name)["volumes"]
    volume, _, inside = mount.partition(":")
    assert volume in load()["volumes"]
    assert volume == name
    settings = AgentSettings(database=environment(name)["DATABASE"], data_dir=Path(environment(name)["DATA_DIR"]))
    assert settings.database.startswith(f"sqlite:{inside}/")
    assert str(settings.data_dir) == inside
    assert float(service(name)["stop_grace_period"].removesuffix("s")) > settings.drain_seconds + STOP_SECONDS


class Health(BaseHTTPRequestHandler):
    """Answers every request with the status of the server, and remembers the paths."""

    def do_GET(self) -> None:
        self.server.paths.append(self.path)  # type: ignore[attr-defined]
        self.send_response(self.server.status)  # type: ignore[attr-defined]
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def health(status: int) -> Iterator[HTTPServer]:
    server = HTTPServer(("127.0.0.1", 0), Health)
    server.status, server.paths = status, []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("name", SERVICES)
def test_a_health_check_asks_the_service_and_fails_when_it_is_not_well(name: str) -> None:
    kind, program, *arguments = service(name)["healthcheck"]["test"]
    assert (kind, program, arguments[0]) == ("CMD", "python", "-c")
    here = f"127.0.0.1:{environment(name)['PORT']}"
    assert here in arguments[1]
    codes = {}
    for status in (200, 503):
        with health(status) as server:
            code = arguments[1].replace(here, f"127.0.0.1:{server.server_port}")
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=30, check=False)
            codes[status] = done.returncode
            assert server.paths == ["/readyz" if name == "supervisor" else "/healthz"]  # type: ignore[attr-defined]
    assert codes == {200: 0, 503: 1}
