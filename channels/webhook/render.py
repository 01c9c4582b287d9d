"""An outgoing message → the contract's JSON; what came of a call → an outcome. Pure."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from channels.types import OutboundMessage, Outcome, Rejected, Retryable, Sent

LONGEST_PAUSE: Final = 12 * 3600.0
"""Seconds: a delivery is tried for 24 h, so a longer wish would be the same as losing it."""

_NUMBER: Final = re.compile(r"[0-9]+(\.[0-9]+)?")
_TRY_AGAIN: Final = frozenset({408, 425, 429})


def payload(message: OutboundMessage, files_url: str = "") -> dict[str, object]:
    """The message as it stands in a callback's body and in lists of messages; its file is fetched below `files_url`."""
    return {
        "delivery_id": message.delivery_id,
        "channel_id": message.channel_id,
        "chat": {"id": message.chat_id},
        "thread": message.thread or None,
        "session_id": message.session_id,
        "job_id": message.job_id,
        "seq": message.seq,
        "kind": message.kind,
        "speaker": {"id": message.speaker.id, "name": message.speaker.name, "role": message.speaker.role},
        "text": message.text,
        "display_text": message.display_text,
        "reply_to": message.reply_to or None,
        "created_at": _rfc3339(message.created_at),
        **_attachments(message, files_url),
    }


def body(message: OutboundMessage, files_url: str = "") -> bytes:
    """The payload in UTF-8; what UTF-8 cannot spell becomes a question mark."""
    told = payload(message, files_url)
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _attachments(message: OutboundMessage, files_url: str) -> dict[str, object]:
    """A list, as in what comes in; a message that is no file has none."""
    if (file := message.file) is None:
        return {}
    known = {"name": file.name, "size": file.size, "mime": file.mime, "url": f"{files_url}/{file.id}"}
    return {"attachments": [known]}


def outcome(status: int, headers: Mapping[str, str], now: datetime) -> Outcome:
    """What an answer of the callback means."""
    if 200 <= status < 300:
        return Sent()
    reason = f"the callback answered {status}"
    # Below 200 and from 600 on there is no such answer: the server talks rubbish now and may recover.
    if 300 <= status < 500 and status not in _TRY_AGAIN:
        return Rejected(reason=reason)
    return Retryable(reason=reason, retry_after=pause(headers.get("Retry-After", ""), now))


def pause(retry_after: str, now: datetime) -> float:
    """The seconds that a `Retry-After` header asks for (a number or an HTTP date); 0 for anything else."""
    seconds = _seconds(retry_after.strip(), now)
    return min(max(seconds, 0.0), LONGEST_PAUSE)


def _seconds(text: str, now: datetime) -> float:
    if _NUMBER.fullmatch(text):
        return float(text)
    try:
        date = parsedate_to_datetime(text)
        return (date.replace(tzinfo=date.tzinfo or UTC) - now).total_seconds()
    except (ValueError, TypeError, LookupError, OverflowError):  # the parser lets some of its own faults out
        return 0.0


def _rfc3339(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
