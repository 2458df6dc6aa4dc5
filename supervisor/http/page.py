"""The built chat page: `index.html` at `/`, its script under `/static`. Nothing from elsewhere may load into it."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

STATIC = Path(__file__).parent / "static"

_HEADERS = {
    "content-security-policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: https:; font-src 'self' data:; "
        "frame-ancestors 'self'; base-uri 'none'; form-action 'self'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}


def install(app: FastAPI) -> None:
    """Serve the page."""

    @app.get("/", include_in_schema=False)
    async def index() -> Response:
        return FileResponse(STATIC / "index.html", headers=_HEADERS)

    app.mount("/static", StaticFiles(directory=STATIC, check_dir=False), name="static")
