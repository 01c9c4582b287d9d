"""Cards that are made before they are shown, and change afterwards: one strictly rising sequence each."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.support.feishu.answers import Json, Refusal
from tests.support.feishu.rules import check_card, check_markdown

STREAMS_FOR = 600.0
OPS_A_SECOND = 10


@dataclass(kw_only=True)
class Card:
    """One card entity. `frames` are the texts that its growing element has shown."""

    id: str
    content: Json
    streaming_since: float | None
    message_id: str = ""
    sequence: int = 0
    operations: list[str] = field(default_factory=list)
    sequences: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    frames: list[str] = field(default_factory=list)
    uuids: dict[str, str] = field(default_factory=dict)
    has_timed_out: bool = False

    @property
    def is_streaming(self) -> bool:
        return self.streaming_since is not None


class Cards:
    """All cards of one app."""

    def __init__(self, now: Callable[[], float], images: set[str]) -> None:
        self._now = now
        self._images = images
        self.all: dict[str, Card] = {}
        self.refused: list[int] = []

    def create(self, body: Json) -> Json:
        if body.get("type") != "card_json":
            raise Refusal(10002, "type")
        content = self._checked(body.get("data", ""))
        card_id = f"73553727661341570{len(self.all):02d}"[:20]
        card = Card(id=card_id, content=content, streaming_since=self._streaming(content))
        self.all[card_id] = card
        return {"card_id": card_id}

    def change(self, card_id: str, what: str, body: Json) -> Json:
        """One operation: `what` is content:<element>, settings, card, or delete:<element>."""
        card = self.all.get(card_id)
        if card is None:
            raise Refusal(200740, "no card entity")
        self._close_in_time(card)
        if self._is_repeated(card, what, body):
            return {}
        self._number(card, body)
        self._pace(card)
        kind, _, element = what.partition(":")
        {"content": self._content, "settings": self._settings, "card": self._card, "delete": self._delete}[kind](
            card, element, body
        )
        card.operations.append(kind)
        return {}

    def convert(self, message_id: str) -> Json:
        for card in self.all.values():
            if card.message_id == message_id:
                return {"card_id": card.id}
        raise Refusal(200740, "no card entity")

    def _checked(self, source: str) -> Json:
        if len(json.dumps(source, ensure_ascii=False).encode()) > 30 * 1024:
            raise Refusal(200860, "card content exceeds the limit")
        try:
            content = check_card(source, self._images)
        except Refusal as refusal:
            raise Refusal(200220 if refusal.code == 230099 else refusal.code, refusal.message) from None
        if content.get("config", {}).get("update_multi") is not True:
            raise Refusal(300302, "update_multi")
        return content

    def _streaming(self, content: Json) -> float | None:
        return self._now() if content["config"].get("streaming_mode") else None

    def _close_in_time(self, card: Card) -> None:
        if card.streaming_since is not None and self._now() - card.streaming_since >= STREAMS_FOR:
            card.streaming_since, card.has_timed_out = None, True

    def _is_repeated(self, card: Card, what: str, body: Json) -> bool:
        uuid = body.get("uuid")
        if not uuid:
            return False
        if len(uuid) > 64:
            raise Refusal(10002, "uuid")
        said = json.dumps([what, {key: value for key, value in body.items() if key != "sequence"}], sort_keys=True)
        if uuid not in card.uuids:
            card.uuids[uuid] = said
            return False
        if card.uuids[uuid] != said:
            raise Refusal(200770, "uuid conflict")
        return True

    def _number(self, card: Card, body: Json) -> None:
        sequence = body.get("sequence")
        if not isinstance(sequence, int) or not card.sequence < sequence <= 2**31 - 1:
            self.refused.append(300317)
            raise Refusal(300317, "sequence is not increasing")
        card.sequence = sequence
        card.sequences.append(sequence)

    def _pace(self, card: Card) -> None:
        now = self._now()
        card.times.append(now)
        if sum(now - at < 1.0 for at in card.times) > OPS_A_SECOND:
            self.refused.append(99991400)
            raise Refusal(99991400, "request trigger frequency limit", status=429)

    def _content(self, card: Card, element: str, body: Json) -> None:
        if not card.is_streaming:
            raise Refusal(200850 if card.has_timed_out else 300309, "streaming mode is closed")
        text = body.get("content", "")
        if not 1 <= len(text) <= 100_000:
            raise Refusal(10002, "content")
        try:
            check_markdown(text, self._images)
        except Refusal as refusal:
            raise Refusal(200220, refusal.message) from None
        self._element(card, element)["content"] = text
        card.frames.append(text)

    def _settings(self, card: Card, _: str, body: Json) -> None:
        config = json.loads(body["settings"])["config"]
        if "streaming_mode" in config:
            card.streaming_since = self._now() if config["streaming_mode"] else None
            card.has_timed_out = False
        card.content["config"].update(config)

    def _card(self, card: Card, _: str, body: Json) -> None:
        content = self._checked(body["card"]["data"])
        if card.is_streaming and not content["config"].get("streaming_mode"):
            raise Refusal(300314, "close the streaming mode first")
        card.content = content

    def _delete(self, card: Card, element: str, _: Json) -> None:
        elements = card.content["body"]["elements"]
        elements.remove(self._element(card, element))

    def _element(self, card: Card, element: str) -> Any:
        for each in card.content["body"]["elements"]:
            if each.get("element_id") == element:
                return each
        raise Refusal(300313, f"no element {element}")
