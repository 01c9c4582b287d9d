"""Which events can be kept."""

from dataclasses import replace
from typing import Any

import pytest

from channels.keeping import is_keepable
from channels.slack.me import Me
from channels.slack.parse import Skip, parse
from channels.types import Attachment, Chat, InboundEvent, Sender

EVENT = InboundEvent(
    event_key="e1", chat=Chat(id="c1", type="private"), sender=Sender(id="u1"), text="\x00 is repaired"
)


def test_an_event_with_its_ids_can_be_kept() -> None:
    """R1: words are repaired elsewhere, and nobody's message is refused for them."""
    assert is_keepable(EVENT)
    assert is_keepable(replace(EVENT, sender=Sender(id="")))


@pytest.mark.parametrize(
    "changes",
    [
        {"event_key": ""},
        {"chat": Chat(id="", type="group")},
        {"event_key": "e\ud800"},
        {"chat": Chat(id="c\x00", type="group")},
        {"message_id": "\x00"},
        {"attachments": (Attachment(name="a", ref="\udfff"),)},
    ],
    ids=str,
)
def test_an_event_that_no_database_takes_or_nobody_knows_again_cannot(changes: dict[str, Any]) -> None:
    """R4: it would come again and again, or pass for the copy of another."""
    assert not is_keepable(replace(EVENT, **changes))


def test_two_slack_events_without_an_id_are_not_copies_of_one_another() -> None:
    """R2, R4: found by generated payloads; both are passed over, and neither hides the other."""
    event = {"type": "message", "channel": "D1", "channel_type": "im", "user": "U1", "ts": "1.0", "text": "hi"}
    payload = {"type": "event_callback", "event_id": "", "event": event}
    assert parse("events_api", payload, Me(user_id="UBOT", bot_id="BBOT")) == Skip(reason="unusable_ids")
