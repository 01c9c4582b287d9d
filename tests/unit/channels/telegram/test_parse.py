"""Recorded updates → events."""

import json
from pathlib import Path
from typing import Any

import pytest

from channels.telegram.me import Me
from channels.telegram.parse import Skip, parse
from channels.types import Attachment, InboundEvent

FOLDER = Path(__file__).parents[3] / "payloads" / "telegram"
ME = Me(id=123456, username="sim_bot", name="SimBot")


def read(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def event(name: str) -> InboundEvent:
    made = parse(read(name), ME)
    assert isinstance(made, InboundEvent), made
    return made


@pytest.mark.parametrize(
    ("name", "text", "mentioned"),
    [
        ("private", "hi", False),
        ("group_mention", "😀 hi", True),
        ("mention_in_other_letters", "hi", True),
        ("text_mention", "hi", True),
        ("two_mentions", "你好", True),
        ("mention_alone", "@sim_bot", True),
        ("mention_of_somebody_else", "@sim_bottle hi", False),
        ("command", "/new arg", True),
        ("bare_command", "/stop", False),
        ("forum_topic", "x", False),
        ("general_reply", "x", True),
        ("photo_album", "look", True),
        ("ephemeral", "/secret", True),
        ("rich", "hi", False),
        ("forward", "fwd", False),
        ("reply_quote", "> answer\nwhy?", True),
        ("external_reply", "> q\nsee this", False),
        ("reply_to_somebody", "> line one\n> line two\nwhat about this?", True),
        ("location", "📍 52.5, 13.4", False),
        ("start", "/help", False),
        ("start_with_code", "/pair ABCD2345", False),
        ("start_in_group_with_code", "/pair ABCD2345", True),
        ("press", "/stop", True),
        ("press_of_an_old_message", "/stop", True),
        ("unknown_field", "hi", False),
        ("unstorable_text", "ab\ufffdc", False),
    ],
)
def test_what_was_said_and_whether_to_the_bot(name: str, text: str, mentioned: bool) -> None:
    """Issue 3, 2: UTF-16 offsets, captions, replies; the bot's own name is taken out of what is read."""
    made = event(name)
    assert (made.text, made.mentioned, made.kind) == (text, mentioned, "message")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("edited", "not_asked_for"),
        ("channel_post", "not_asked_for"),
        ("business", "not_asked_for"),
        ("reaction", "not_asked_for"),
        ("stopped", "not_asked_for"),
        ("unknown_kind", "not_asked_for"),
        ("migrate_from", "service_message"),
        ("service_message", "service_message"),
        ("linked_channel", "channel_post"),
        ("other_bot_speaks", "bot"),
        ("other_bots_command", "for_another_bot"),
        ("callback", "unknown_button"),
        ("callback_inaccessible", "unknown_button"),
        ("blocked", "left"),
        ("promoted", "rights_changed"),
    ],
)
def test_what_is_not_for_the_bot(name: str, reason: str) -> None:
    """X6, issue 3, 1: edits, channel posts, service messages and other bots never start a turn."""
    assert parse(read(name), ME) == Skip(reason=reason)


@pytest.mark.parametrize(
    ("name", "thread"), [("dm_topic", "55"), ("forum_topic", "12"), ("general_reply", ""), ("press", "12")]
)
def test_a_topic_is_a_thread_and_a_row_of_replies_is_none(name: str, thread: str) -> None:
    """T34, issue 3, 1."""
    assert event(name).thread == thread


@pytest.mark.parametrize(
    ("name", "sender"),
    [
        ("private", ("42", "Ann")),
        ("anon_admin", ("-1001234567890", "SG")),
        ("speaks_as_channel", ("-1001", "C")),
        ("press", ("42", "Ann")),
    ],
)
def test_who_speaks(name: str, sender: tuple[str, str]) -> None:
    """X1: pseudo users that everybody shares are nobody; who speaks for a group or a channel is that chat."""
    made = event(name)
    assert (made.sender.id, made.sender.name) == sender


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("photo_album", Attachment(name="photo.jpg", ref="AgAC2", mime="image/jpeg", size=150000)),
        ("document", Attachment(name="a.pdf", ref="BQAC", mime="application/pdf", size=20971521)),
        ("voice", Attachment(name="voice.ogg", ref="AwAC", mime="audio/ogg", size=9000)),
        ("sticker", Attachment(name="sticker.webm", ref="CAAC", size=900)),
        ("video", Attachment(name="video.mp4", ref="BAAC", mime="video/mp4", size=5)),
        ("animation", Attachment(name="cat.mp4", ref="CgAC", mime="video/mp4", size=8)),
    ],
)
def test_files_come_along_by_their_reference(name: str, file: Attachment) -> None:
    """Issue 3, 6."""
    assert event(name).attachments == (file,)


def test_the_pieces_of_an_album_say_so() -> None:
    assert event("photo_album").album == "13500000000000000"


def test_keys_tell_bots_apart_and_a_hidden_message_has_no_number() -> None:
    """Issue 3, 1: the numbers of two bots' updates may be the same; all ephemeral messages have number 0."""
    assert event("private").event_key == "123456:1000"
    assert event("private").message_id == "7"
    assert event("ephemeral").message_id == ""


def test_changes_of_a_chat() -> None:
    """Issue 3, 1 and 5: a group gets a new number; the bot comes in, or may speak again."""
    moved = event("migrate")
    assert (moved.kind, moved.chat.id, moved.target) == ("moved", "-4511", "-1001234567890")
    assert [(event(name).kind, event(name).chat.id) for name in ("my_chat_member", "unblocked")] == [
        ("joined", "-4511"),
        ("joined", "42"),
    ]


@pytest.mark.parametrize("name", ["bad_sender_without_name", "bad_poll", "bad_message_is_a_list"])
def test_what_telegram_never_sends_is_refused_loudly(name: str) -> None:
    """R4: whoever receives it passes over it."""
    with pytest.raises((TypeError, AttributeError, ValueError)):
        parse(read(name), ME)


def test_every_recorded_update_is_read_or_refused() -> None:
    for path in FOLDER.glob("*.json"):
        if not path.name.startswith("bad_"):
            assert isinstance(parse(json.loads(path.read_text(encoding="utf-8")), ME), InboundEvent | Skip)


def test_a_file_that_is_described_in_a_strange_way_can_be_kept() -> None:
    """R4: found by generated payloads; a name of half a character, a type and a size that are none."""
    raw = read("document")
    raw["message"]["document"] |= {"file_name": "a\ud800.pdf", "mime_type": 7, "file_size": "many"}
    made = parse(raw, ME)
    assert isinstance(made, InboundEvent)
    assert [(each.name, each.mime, each.size) for each in made.attachments] == [("a\ufffd.pdf", "7", 0)]
