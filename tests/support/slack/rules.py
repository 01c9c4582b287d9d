"""What Slack takes, and with which word it refuses."""

from typing import Any

from tests.support.slack.state import Json, Refused

_BLOCKS = ("markdown", "section", "actions", "context", "divider", "header", "task_card", "rich_text")
_STATUSES = ("pending", "in_progress", "complete", "error")
_RESERVED = ("slackbot", "everyone", "here", "channel")


def check_content(args: Json, *, takes_tables: bool, takes_cards: bool) -> None:
    """text, blocks or markdown_text of a post or an update."""
    blocks, text = args.get("blocks") or [], str(args.get("text") or "")
    if args.get("markdown_text") and (blocks or text):
        raise Refused("markdown_text_conflict")
    if not blocks and not text.strip() and not args.get("markdown_text"):
        raise Refused("no_text")
    if len(str(args.get("markdown_text") or "")) > 12_000:
        raise Refused("msg_too_long")
    if len(blocks) > 50:
        raise Refused("msg_blocks_too_many")
    for block in blocks:
        _check_block(block, takes_tables=takes_tables, takes_cards=takes_cards)
    if sum(len(block.get("text", "")) for block in blocks if block["type"] == "markdown") > 12_000:
        raise Refused("msg_blocks_too_long")
    if blocks and _size(blocks) + len(text) > 13_200:
        raise Refused("msg_blocks_too_long")


def check_metadata(metadata: Any) -> None:
    if not isinstance(metadata, dict) or set(metadata) != {"event_type", "event_payload"}:
        raise Refused("invalid_metadata_format")
    if any(not isinstance(value, str | int | bool) for value in metadata["event_payload"].values()):
        raise Refused("invalid_metadata_schema")


def check_name(username: str) -> None:
    if username.strip().lower() in _RESERVED:
        raise Refused("reserved_username")


def _check_block(block: Json, *, takes_tables: bool, takes_cards: bool) -> None:
    kind = block.get("type")
    if kind not in _BLOCKS:
        raise Refused("invalid_blocks", errors=[f"unsupported type: {kind}"])
    if kind == "markdown":
        _check_markdown(str(block.get("text", "")), takes_tables=takes_tables)
    if kind == "section" and not 0 < len(block["text"]["text"]) <= 3000:
        raise Refused("invalid_blocks", errors=["must be less than 3001 characters"])
    if kind == "task_card":
        good = takes_cards and block.get("task_id") and block.get("title") and block.get("status") in _STATUSES
        if not good:
            raise Refused("invalid_blocks", errors=["task_card"])
    if kind == "actions":
        _check_actions(block["elements"])


def _check_markdown(text: str, *, takes_tables: bool) -> None:
    if not text.strip():
        raise Refused("invalid_blocks", errors=["text is empty"])
    rows = [line for line in text.splitlines() if line.lstrip().startswith("|")]
    is_fenced = "```" in text
    if rows and not is_fenced and (not takes_tables or len(rows) > 102):
        raise Refused("invalid_blocks", errors=["table"])


def _check_actions(elements: list[Json]) -> None:
    if not 0 < len(elements) <= 25:
        raise Refused("invalid_blocks", errors=["actions"])
    for button in elements:
        if len(button["text"]["text"]) > 75 or len(button["value"]) > 2000 or not button.get("action_id"):
            raise Refused("invalid_blocks", errors=["button"])


def _size(node: Any) -> int:
    if isinstance(node, dict):
        return sum(
            len(child) if key == "text" and isinstance(child, str) else _size(child) for key, child in node.items()
        )
    return sum(_size(child) for child in node) if isinstance(node, list) else 0
