"""Recorded events of every type, as the documentation shows them, and what each of them means."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.feishu.me import Me
from channels.feishu.mentions import Mention, with_names
from channels.feishu.parse import Heard, Ignored, forwarded_text, parse, quoted_text
from channels.feishu.wording import Wording

PAYLOADS = Path(__file__).parents[3] / "payloads" / "feishu"
ME = Me(app_id="cli_sim", open_id="ou_the_bot_itself", name="SimBot")
WORDING = Wording()


def _shape(heard: Heard) -> dict[str, Any]:
    event = heard.event
    return {
        "text": event.text,
        "kind": event.kind,
        "target": event.target,
        "mentioned": event.mentioned,
        "thread": event.thread,
        "chat": event.chat.type,
        "chat_id": event.chat.id,
        "title": event.chat.title,
        "sender": event.sender.id,
        "key": event.event_key,
        "files": [each.ref for each in event.attachments],
        "names": [each.name for each in event.attachments],
        "parent": heard.parent,
        "bundle": heard.is_bundle,
        "pressed": heard.pressed,
        "chat_known": heard.is_chat_known,
    }


@pytest.mark.parametrize("name", sorted(path.stem for path in PAYLOADS.glob("*.json")))
def test_a_recorded_event_is_understood(name: str) -> None:
    recorded = json.loads((PAYLOADS / f"{name}.json").read_text(encoding="utf-8"))
    parsed = parse(recorded["event"], ME, WORDING)
    if isinstance(parsed, Ignored):
        assert {"ignored": parsed.reason} == recorded["expected"]
        return
    shape = _shape(parsed)
    usual = {"files": [], "pressed": False, "chat_known": True, "bundle": False, "kind": "message"}
    wanted = usual | recorded["expected"]
    assert {key: shape[key] for key in wanted} == wanted


def test_a_message_is_known_by_both_its_ids() -> None:
    """R2: the event's id for its redelivery, the message's id for the same message under another event."""
    recorded = json.loads((PAYLOADS / "text.json").read_text(encoding="utf-8"))["event"]
    parsed = parse(recorded, ME, WORDING)
    assert isinstance(parsed, Heard)
    assert (parsed.event.event_key, parsed.event.message_id) == ("5e3702a84e847582be8db7fb73283c02", "om_1")
    del recorded["header"]["event_id"]
    parsed = parse(recorded, ME, WORDING)
    assert isinstance(parsed, Heard)
    assert parsed.event.event_key == "om_1"


def test_the_bot_that_does_not_know_its_id_yet_says_so() -> None:
    """Peers 1.14: without it, nobody must be answered by guess."""
    recorded = json.loads((PAYLOADS / "text_in_group_with_mention.json").read_text(encoding="utf-8"))["event"]
    parsed = parse(recorded, Me(app_id="cli_sim"), WORDING)
    assert isinstance(parsed, Heard)
    assert parsed.needs_me
    assert not parsed.event.mentioned


def test_the_longest_placeholder_is_replaced_first() -> None:
    mentions = tuple(Mention(key=f"@_user_{n}", open_id=f"ou_{n}", name=f"<{n}>") for n in (1, 10, 11))
    assert with_names("@_user_10@_user_1 @_user_11", mentions, ME, "@all") == "@<10>@<1> @<11>"


_KEYS = (
    *("message", "sender", "sender_id", "open_id", "message_id", "chat_id", "content", "message_type", "mentions"),
    *("key", "id", "title", "text", "elements", "action", "value", "operator", "context", "command", "tag", "post"),
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=5),
    max_leaves=25,
)
_TYPES = (
    *("im.message.receive_v1", "im.message.recalled_v1", "im.chat.member.bot.added_v1", "card.action.trigger"),
    *("application.bot.menu_v6", "im.chat.access_event.bot_p2p_chat_entered_v1"),
)


@given(kind=st.sampled_from(_TYPES), event=st.dictionaries(st.sampled_from(_KEYS), _JSON, max_size=8))
def test_no_event_crashes(kind: str, event: dict[str, Any]) -> None:
    """R4: whatever is in it."""
    parsed = parse({"header": {"event_type": kind, "event_id": "e"}, "event": event}, ME, WORDING)
    assert isinstance(parsed, Heard | Ignored)


@given(kind=st.sampled_from(("text", "post", "interactive", "todo", "vote", "system", "merge_forward")), content=_JSON)
def test_no_content_crashes(kind: str, content: Any) -> None:
    """R4."""
    sender = {"sender_id": {"open_id": "ou_ann"}, "sender_type": "user"}
    told = {"message_id": "om_1", "chat_id": "oc_1", "message_type": kind, "content": json.dumps(content)}
    event = {"sender": sender, "message": told}
    parsed = parse({"header": {"event_type": "im.message.receive_v1"}, "event": event}, ME, WORDING)
    assert isinstance(parsed, Heard)
    assert parsed.event.text or parsed.event.attachments


def test_a_quoted_message_is_read_like_a_written_one() -> None:
    item = {
        "message_id": "om_1",
        "msg_type": "text",
        "body": {"content": '{"text":"@_user_1 hi"}'},
        "mentions": [{"key": "@_user_1", "id": "ou_tom", "id_type": "open_id", "name": "Tom"}],
    }
    assert quoted_text(item, WORDING) == "@Tom hi"
    file = {"msg_type": "file", "message_id": "om_2", "body": {"content": '{"file_key":"k","file_name":"a.pdf"}'}}
    assert quoted_text(file, WORDING) == "a.pdf"
    inside = [file | {"upper_message_id": "om_0"}, item | {"upper_message_id": "om_0"}, item]
    assert forwarded_text(inside, WORDING) == "> a.pdf\n> @Tom hi"
