"""Recorded payloads → what was heard, a sign, or why it is not for us."""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from channels.slack.me import Me
from channels.slack.parse import Heard, Sign, Skip, parse
from channels.types import InboundEvent

FOLDER = Path(__file__).parents[3] / "payloads" / "slack"
PAYLOADS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}
ME = Me(user_id="UBOT", bot_id="BBOT", team_id="T111", name="studio")
COMMANDS = ("team", "status", "cancel", "stop", "pair")


def _flat(event: InboundEvent) -> dict[str, Any]:
    return {
        **{name: getattr(event, name) for name in ("event_key", "message_id", "text", "thread", "kind", "target")},
        "mentioned": event.mentioned,
        "continues": event.continues,
        "chat": event.chat.id,
        "type": event.chat.type,
        "sender": event.sender.id,
        "attachments": [[one.name, one.ref, one.mime, one.size] for one in event.attachments],
    }


def _told(read: Heard | Sign | Skip) -> dict[str, Any]:
    if isinstance(read, Skip):
        return {"skip": read.reason}
    if isinstance(read, Sign):
        return {"sign": read.kind}
    flags = ("calls_in", "is_root", "by_agent_view", "response_url")
    return {name: getattr(read, name) for name in flags} | {"people": list(read.people), "event": _flat(read.event)}


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_recorded_payload_means(name: str) -> None:
    """R2, X6, contract 8: keys for deduplication, threads, mentions; own words, other bots, edits start nothing."""
    recorded = PAYLOADS[name]
    told = _told(parse(recorded["kind"], recorded["payload"], ME, COMMANDS))
    expected = recorded["expect"]
    event = expected.pop("event", {}) if isinstance(expected.get("event"), dict) else {}
    assert {key: told.get(key) for key in expected} == expected
    assert {key: told.get("event", {}).get(key) for key in event} == event
    assert ("event" in told) == bool(event)


def test_both_events_of_one_mention_are_the_same_message() -> None:
    """R2: two event ids, one (channel, ts): whichever comes first is the message."""
    pair = [PAYLOADS[name] for name in ("mention_at_the_top", "app_mention_of_the_same_post")]
    first, second = (parse(one["kind"], one["payload"], ME) for one in pair)
    assert isinstance(first, Heard)
    assert isinstance(second, Heard)
    keys = [(heard.event.chat.id, heard.event.message_id) for heard in (first, second)]
    assert keys[0] == keys[1]
    assert first.event.event_key != second.event.event_key
    assert first.event.text == second.event.text
    assert first.event.thread == second.event.thread


def test_without_its_ids_nothing_is_taken_for_the_apps_own() -> None:
    """X6: an app whose bot id is unknown still knows its user."""
    me = Me(user_id="UBOT", bot_id="")
    assert not me.wrote({"user": "U1"})
    assert not me.wrote({"bot_id": ""})
    assert me.wrote({"user": "UBOT", "bot_id": "B1"})


@pytest.mark.parametrize("kind", ["events_api", "slash_commands", "interactive"])
@pytest.mark.parametrize("payload", [{}, {"type": "event_callback"}, {"type": "block_actions"}])
def test_a_misshapen_payload_is_an_ordinary_error_or_skipped(kind: str, payload: dict[str, Any]) -> None:
    """R4: whoever reads it catches that, and goes on."""
    with contextlib.suppress(LookupError, TypeError, AttributeError):
        assert isinstance(parse(kind, payload, ME), Skip)
