"""Payloads that are not as they should be: whatever a parser makes of them can be kept, and nobody stumbles."""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from typing import Any

from channels.errors import BadRequest
from channels.feishu import parse as feishu
from channels.feishu.me import Me as FeishuMe
from channels.feishu.wording import Wording
from channels.slack import parse as slack
from channels.slack.me import Me as SlackMe
from channels.telegram import parse as telegram
from channels.telegram.me import Me as TelegramMe
from channels.types import InboundEvent
from channels.webhook import receive as webhook
from tests.campaign.junk import recorded, spoilt

_TELEGRAM = TelegramMe(id=123456, username="sim_bot", name="SimBot")
_SLACK = SlackMe(user_id="UBOT", bot_id="BBOT", team_id="T111", name="studio")
_FEISHU = FeishuMe(app_id="cli_sim", open_id="ou_the_bot_itself", name="SimBot")
_COMMANDS = ("team", "status", "cancel", "stop", "pair")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_OF_SHAPE = (LookupError, TypeError, AttributeError, ValueError, ArithmeticError)
_known = cache(recorded)


def read_telegram(dice: random.Random) -> str:
    """An update that cannot be read raises; the line takes it for poison."""
    payload = spoilt(dice, dice.choice(_known("telegram")), _known("telegram"))
    try:
        made = telegram.parse(payload, _TELEGRAM)
    except Exception as fault:
        return _poison(fault)
    return _trouble(made) if isinstance(made, InboundEvent) else ""


def read_slack(dice: random.Random) -> str:
    source = dice.choice(_known("slack"))
    payload = spoilt(dice, source["payload"], [each["payload"] for each in _known("slack")])
    try:
        made = slack.parse(source["kind"], payload, _SLACK, _COMMANDS)
    except Exception as fault:
        return _poison(fault)
    return _trouble(made.event) if isinstance(made, slack.Heard) else ""


def read_feishu(dice: random.Random) -> str:
    """Never raises."""
    events = [each["event"] for each in _known("feishu")]
    made = feishu.parse(_object(spoilt(dice, dice.choice(events), events)), _FEISHU, Wording())
    return _trouble(made.event) if isinstance(made, feishu.Heard) else ""


def read_webhook(dice: random.Random) -> str:
    """Refuses with 400 or 422, nothing else."""
    bodies = [each["body"] for each in _known("webhook") if "body" in each]
    body = json.dumps(spoilt(dice, dice.choice(bodies), bodies)).encode()
    if dice.random() < 0.1:
        cut = dice.randrange(len(body) + 1)
        body = body[:cut] + dice.choice((b"", b"\xff", b"\x00", b"}" * 9, b"[" * 5000)) + body[cut:]
    try:
        return _trouble(webhook.parse("e1", body))
    except BadRequest:
        return ""


def _object(payload: Any) -> dict[str, Any]:
    return payload if isinstance(payload, dict) else {}


def _poison(fault: Exception) -> str:
    """What the callers expect: faults of shape. Anything else is a fault of ours."""
    return "" if isinstance(fault, _OF_SHAPE) else repr(fault)


def _trouble(event: InboundEvent) -> str:
    """Why the event could not be kept, or would be nobody's; "" if it is good."""
    if not event.event_key or not event.chat.id:
        return f"an event without its ids: {event}"
    for path, value in _texts(asdict(event)):
        if not isinstance(value, str):
            return f"{path} is {type(value).__name__}: {event}"
        if _UNSTORABLE.search(value):
            return f"{path} cannot be stored: {event}"
    return ""


_NUMBERS = ("size", "mentioned", "continues")


def _texts(node: Any, path: str = "event") -> Iterator[tuple[str, Any]]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key not in _NUMBERS:
                yield from _texts(value, f"{path}.{key}")
    elif isinstance(node, tuple | list):
        for index, value in enumerate(node):
            yield from _texts(value, f"{path}[{index}]")
    else:
        yield path, node
