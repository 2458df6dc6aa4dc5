"""Refusals as RFC 9457 problem+json. Never echoes input, never shows an exception."""

from __future__ import annotations

import logging
import uuid
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from supervisor.errors import Problem

logger = logging.getLogger(__name__)


def install(app: FastAPI) -> None:
    """Render every refusal and every bug of `app` as a problem."""
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _bug)


async def _problem(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Problem)
    return render(error)


async def _http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "http_error")
    detail = "See /agui/capabilities and the README for what is served here."
    return render(Problem(error.status_code, code, detail, headers=dict(error.headers or {})))


async def _bug(_: Request, error: Exception) -> JSONResponse:
    correlation_id = uuid.uuid4().hex[:12]
    logger.error("request failed (%s)", correlation_id, exc_info=error)
    detail = "Something went wrong on our side. Try again."
    return render(Problem(500, "internal_error", detail, {"correlationId": correlation_id}))


def render(problem: Problem) -> JSONResponse:
    """The response of a refusal."""
    body: dict[str, Any] = {
        "type": f"urn:switchboard:problem:{problem.code}",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "code": problem.code,
        "detail": problem.detail,
        **problem.extra,
    }
    return JSONResponse(body, problem.status, problem.headers or None, media_type="application/problem+json")
