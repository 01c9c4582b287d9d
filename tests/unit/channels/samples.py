"""A message and a person's question, as the tests of channels send them."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from channels.types import OutboundMessage, Speaker

MESSAGE = OutboundMessage(
    delivery_id="d1",
    channel_id="hook",
    chat_id="c1",
    thread="",
    session_id="s1",
    seq=12,
    kind="member",
    speaker=Speaker(id="researcher", name="研究员", role="member", icon=":mag:"),
    text="**找到了**",
    display_text="研究员：**找到了**",
    created_at=datetime(2026, 1, 1, 12, 0, 0, 250000, tzinfo=UTC),
    label="研究员：",
)


def message(**changes: Any) -> OutboundMessage:
    """The sample with other values."""
    return replace(MESSAGE, **changes)
