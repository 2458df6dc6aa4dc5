"""User messages between AG-UI content parts and LangChain content blocks, both ways: a refresh restores them."""

from __future__ import annotations

from typing import Any, cast

from langchain_core.messages import HumanMessage

from supervisor.graph.port import Content, UserMessage

Json = dict[str, Any]

_BLOCK = {"image": "image", "audio": "audio", "video": "video", "document": "file"}
_PART = {block: part for part, block in _BLOCK.items()}


def human(message: UserMessage) -> HumanMessage:
    """The message as the graph holds it."""
    content = message.content
    return HumanMessage(content if isinstance(content, str) else [_block(part) for part in content], id=message.id)


def said(message: HumanMessage) -> Content:
    """The message as the client sent it."""
    content: Any = message.content
    if isinstance(content, str):
        return content
    return [_part(block) for block in cast("list[Any]", content)]


def _block(part: Json) -> Json:
    if part["type"] == "text":
        return {"type": "text", "text": part["text"]}
    source = part["source"]
    block: Json = {"type": _BLOCK[part["type"]]}
    block["base64" if source["type"] == "data" else "url"] = source["value"]
    if "mimeType" in source:
        block["mime_type"] = source["mimeType"]
    if "metadata" in part:
        block["extras"] = {"metadata": part["metadata"]}
    return block


def _part(block: Any) -> Json:
    if isinstance(block, str):
        return {"type": "text", "text": block}
    if block["type"] == "text":
        return {"type": "text", "text": block["text"]}
    source: Json = (
        {"type": "data", "value": block["base64"]} if "base64" in block else {"type": "url", "value": block["url"]}
    )
    if "mime_type" in block:
        source["mimeType"] = block["mime_type"]
    part: Json = {"type": _PART[block["type"]], "source": source}
    return {**part, **block["extras"]} if "extras" in block else part
