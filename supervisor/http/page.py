"""The built chat pages: ours at `/`, the CopilotKit one at `/copilotkit`. Nothing from elsewhere loads into them."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

STATIC = Path(__file__).parent / "static"
COPILOTKIT = Path(__file__).parents[2] / "web/copilotkit/dist"

_HEADERS = {
    "content-security-policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: https:; font-src 'self' data:; "
        "frame-ancestors 'self'; base-uri 'none'; form-action 'self'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}


def install(app: FastAPI, copilotkit: Path | None = None) -> None:
    """Serve the pages; `copilotkit` is where that one was built, if not in the source tree. Without it: none."""
    _serve(app, "/", STATIC, "static", STATIC)
    built = copilotkit or COPILOTKIT
    if (built / "index.html").is_file():
        _serve(app, "/copilotkit", built, "assets", built / "assets")


def _serve(app: FastAPI, path: str, folder: Path, name: str, files: Path) -> None:
    @app.get(path, include_in_schema=False)
    async def index() -> Response:
        return FileResponse(folder / "index.html", headers=_HEADERS)

    mount = f"{path.rstrip('/')}/{name}"
    app.mount(mount, StaticFiles(directory=files, check_dir=False), name=mount)
