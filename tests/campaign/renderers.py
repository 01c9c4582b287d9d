"""Texts of models through presenter and renderers, judged by the rules of the simulated platforms."""

import json
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from bridge.presenter import Shown, split
from channels.feishu import render as feishu
from channels.feishu.limits import LIMITS as FEISHU
from channels.markdown import parse_blocks
from channels.slack import render as slack
from channels.slack.forms import Form, next_form
from channels.slack.limits import LIMITS as SLACK
from channels.split import cut
from channels.telegram import render as telegram
from channels.telegram.limits import LIMITS as TELEGRAM
from channels.telegram.rich import MOST_ENTITIES, Rich
from channels.telegram.utf16 import piece
from channels.types import Limits, OutboundMessage, Speaker
from channels.units import measure
from channels.webhook import render as webhook
from tests.campaign.texts import WORD, Sample, draw_junk, draw_text, lost_words
from tests.support.feishu.rules import check_card, check_post, check_weight, element_texts
from tests.support.slack.rules import check_content
from tests.support.slack.state import Refused
from tests.support.telegram.rules import check_text

_ANN = Speaker(id="researcher", name="研究员", role="member", icon=":mag:")
_AT = datetime(2026, 1, 1, tzinfo=UTC)
_JUNK = 0.2
"""How many of the texts are no Markdown at all."""


def show_telegram(dice: random.Random) -> str:
    sample = _draw(dice)
    pieces: list[Rich] = []
    for message in _messages(sample, TELEGRAM):
        if telegram.is_long(message):
            return _document(sample, telegram.document(message).content)
        pieces += telegram.render(message)
        for rich in (*telegram.plain(message), telegram.growing(message.label, message.text)):
            _take_telegram(rich)
    for rich in pieces:
        _take_telegram(rich)
    boxed = {word for rich in pieces for word in _in_code(rich)}
    return _verdict(sample, "\n".join(rich.text for rich in pieces), boxed)


def show_slack(dice: random.Random) -> str:
    sample = _draw(dice)
    texts: list[str] = []
    for message in _messages(sample, SLACK):
        if SLACK.whole_above is not None and measure(message.text, SLACK.unit) > SLACK.whole_above:
            return _document(sample, slack.document(message).content)
        if not any(map(partial(_takes_slack, message), (Form(), Form(style="fenced"), Form(style="plain")))):
            return f"refused in every form: {sample.text!r}"
        texts.append(slack.body(message, is_persona=False))
    return _verdict(sample, "\n".join(texts), _fenced(texts))


def show_feishu(dice: random.Random) -> str:
    sample = _draw(dice)
    texts: list[str] = []
    for message in _messages(sample, FEISHU):
        if feishu.is_file(message):
            return _document(sample, message.text.encode("utf-8", "replace"))
        for chunk in feishu.chunks(message):
            for form in feishu.forms_of(message, chunk):
                check_weight(json.dumps({"msg_type": form.kind, "content": form.content}).encode(), form.kind)
                if form.kind == "post":
                    check_post(form.content)
            card = check_card(json.dumps(feishu.card_of(message, chunk)), set())
            texts += [str(text) for text in element_texts(card)]
    return _verdict(sample, "\n".join(texts), _fenced(texts))


def show_webhook(dice: random.Random) -> str:
    sample = _draw(dice)
    texts = [json.loads(webhook.body(message))["text"] for message in _messages(sample, Limits())]
    return _verdict(sample, "\n".join(texts), _fenced(texts))


def cut_anywhere(dice: random.Random) -> str:
    """The splitter alone, with limits that hurt."""
    sample = _draw(dice)
    limits = Limits(text=dice.choice((64, 100, 250, 1000)), unit=dice.choice(("characters", "utf16", "bytes")))
    parts = cut(sample.text, limits)
    assert limits.text is not None
    if any(measure(part.text, limits.unit) > limits.text or not part.body.strip() for part in parts):
        return f"a part does not fit: {sample.text!r}"
    if _solid(part.body for part in parts) != _solid([sample.text]):
        return f"a part of the text is gone: {sample.text!r}"
    return ""


def _draw(dice: random.Random) -> Sample:
    if dice.random() < _JUNK:
        return Sample(text=draw_junk(dice), words=(), code=frozenset())
    return draw_text(dice)


def _messages(sample: Sample, limits: Limits) -> Iterator[OutboundMessage]:
    """What the publisher would put into the outbox."""
    if sample.text.strip():
        for shown in split(sample.text, kind="member", speaker=_ANN, label="研究员：", limits=limits):
            yield _message(shown)


def _message(shown: Shown) -> OutboundMessage:
    values = {"delivery_id": "d1", "channel_id": "c", "chat_id": "1", "thread": "", "session_id": "s", "seq": 1}
    base = OutboundMessage(
        **values,  # type: ignore[arg-type]
        kind=shown.kind,
        speaker=shown.speaker,
        text=shown.text,
        display_text=shown.display_text,
        created_at=_AT,
        label=shown.label,
    )
    return replace(base, part=shown.part, parts=shown.parts)


def _take_telegram(rich: Rich) -> None:
    """Raises Refusal, as the server would. A text of white space only is not sent at all."""
    if len(rich.entities) > MOST_ENTITIES:
        raise ValueError(f"{len(rich.entities)} entities")
    check_text(rich.text, [entity.to_dict() for entity in rich.wire()], empty_ok=True)


def _takes_slack(message: OutboundMessage, form: Form) -> bool:
    """A refusal of the content leads to the next form."""
    try:
        check_content(slack.content(message, form), takes_tables=True, takes_cards=True)
    except Refused as refusal:
        if next_form(form, refusal.error) is None:
            raise
        return False
    return True


def _in_code(rich: Rich) -> Iterator[str]:
    for entity in rich.entities:
        if entity.type == "pre":
            yield from WORD.findall(piece(rich.text, entity.offset, entity.length))


def _fenced(texts: Iterable[str]) -> set[str]:
    """The words that stand in a code block of their message."""
    found: set[str] = set()
    for text in texts:
        for top in parse_blocks(text):
            for block in top.walk():
                if block.kind in ("fence", "code"):
                    found.update(WORD.findall(text[block.start : block.end]))
    return found


def _document(sample: Sample, content: bytes) -> str:
    return _verdict(sample, content.decode(), sample.code)


def _verdict(sample: Sample, shown: str, boxed: Iterable[str]) -> str:
    if missing := lost_words(sample, shown):
        return f"lost {missing[:5]} of {sample.text!r}"
    if torn := sample.code - set(boxed):
        return f"code outside of a fence {sorted(torn)[:5]} of {sample.text!r}"
    return ""


def _solid(texts: Iterable[str]) -> str:
    return "".join("".join(text.split()) for text in texts)


RENDERERS: dict[str, Callable[[random.Random], str]] = {
    "show-telegram": show_telegram,
    "show-slack": show_slack,
    "show-feishu": show_feishu,
    "show-webhook": show_webhook,
    "cut": cut_anywhere,
}
