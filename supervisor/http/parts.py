"""The content of a user message: a text, or AG-UI parts (text, image, audio, video, document), checked and trimmed."""

from __future__ import annotations

import base64
import binascii
from typing import Any, cast
from urllib.parse import urlsplit

from supervisor.errors import Problem
from supervisor.http.fields import invalid, scalar_text

Json = dict[str, Any]

MEDIA = ("image", "audio", "video", "document")


def content_of(content: Any, where: str, max_chars: int) -> str | list[Json]:
    """The content; parts that are all text become one text. Raises 422 invalid_input or unsupported_content, 413."""
    if isinstance(content, str):
        parts = [{"type": "text", "text": content}]
    elif isinstance(content, list):
        parts = [_part(item, f"{where}[{index}]") for index, item in enumerate(cast("list[Any]", content))]
    else:
        raise invalid(f"`{where}` must be a string or an array of content parts.")
    text = "\n".join(part["text"] for part in parts if part["type"] == "text")
    if len(text) > max_chars:
        raise Problem(413, "message_too_large", f"`{where}` may have {max_chars} characters.")
    scalar_text(text, where)
    if any(part["type"] != "text" for part in parts):
        return parts
    if not text.strip():
        raise invalid(f"`{where}` is empty.")
    return text


def _part(item: Any, where: str) -> Json:
    part = cast("Json", item) if isinstance(item, dict) else {}
    kind = part.get("type")
    if kind == "text" and isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    if kind not in MEDIA:
        raise Problem(422, "unsupported_content", f"`{where}.type` must be one of text, {', '.join(MEDIA)}.")
    kept: Json = {"type": kind, "source": _source(part.get("source"), f"{where}.source")}
    return {**kept, "metadata": part["metadata"]} if part.get("metadata") is not None else kept


def _source(given: Any, where: str) -> Json:
    source = cast("Json", given) if isinstance(given, dict) else {}
    kind, value, mime = source.get("type"), source.get("value"), source.get("mimeType")
    if mime is not None and not isinstance(mime, str):
        raise invalid(f"`{where}.mimeType` must be a string.")
    if kind == "data" and isinstance(value, str) and mime:
        if not _is_base64(value):
            raise invalid(f"`{where}.value` is not base64.")
    elif kind == "url" and isinstance(value, str):
        if urlsplit(value).scheme not in ("http", "https"):
            raise invalid(f"`{where}.value` must be an http or https URL.")
    else:
        detail = f'`{where}` must be {{"type": "data", value, mimeType}} or {{"type": "url", value, mimeType?}}.'
        raise Problem(422, "unsupported_content", detail)
    return {"type": kind, "value": scalar_text(value, where), **({"mimeType": mime} if mime else {})}


def _is_base64(value: str) -> bool:
    try:
        base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True
