"""What a message holds: its words, and its files. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from telegram import Audio, Document, Message, MessageEntity, Sticker, Video, VideoNote, Voice

from channels.telegram.utf16 import storable
from channels.types import Attachment

LONGEST_QUOTE: Final = 1000
"""Characters of a quoted message that go along."""

_STICKER: Final = {(False, False): "sticker.webp", (True, False): "sticker.tgs", (False, True): "sticker.webm"}
_File = Document | Voice | Audio | Video | VideoNote | Sticker


@dataclass(frozen=True, kw_only=True)
class Words:
    """Text or caption, with the entities that belong to it."""

    text: str
    entities: Sequence[MessageEntity] = ()


def words_of(message: Message) -> Words:
    """What somebody wrote; a rich message (Bot API 10.1) gives its bare text."""
    if message.text is not None:
        return Words(text=message.text, entities=message.entities)
    if message.caption is not None:
        return Words(text=message.caption, entities=message.caption_entities)
    return Words(text="\n".join(_texts(message.api_kwargs.get("rich_message"))) or _place(message))


def _texts(node: object) -> Iterator[str]:
    """Every `text` below a node, in order."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            if key == "text" and isinstance(value, str):
                yield value
            else:
                yield from _texts(value)
    elif isinstance(node, list | tuple):
        for child in node:
            yield from _texts(child)


def _place(message: Message) -> str:
    """Things that are said in a few words."""
    if message.location is not None:
        return f"📍 {message.location.latitude}, {message.location.longitude}"
    if message.contact is not None:
        return f"👤 {message.contact.first_name} {message.contact.phone_number}"
    return message.dice.emoji if message.dice is not None else ""


def files_of(message: Message) -> tuple[Attachment, ...]:
    """The files of a message: at most one, albums are several messages."""
    if message.photo:
        largest = message.photo[-1]
        return (_attachment(largest, "photo.jpg", "image/jpeg"),)
    for file, name in _candidates(message):
        if file is not None:
            return (_attachment(file, getattr(file, "file_name", None) or name, _mime(file)),)
    return ()


def _candidates(message: Message) -> Iterator[tuple[_File | None, str]]:
    """An animation is a document too, and is taken as it is."""
    yield message.document, "file"
    yield message.voice, "voice.ogg"
    yield message.audio, "audio.mp3"
    yield message.video, "video.mp4"
    yield message.video_note, "video.mp4"
    sticker = message.sticker
    yield sticker, _STICKER[(sticker.is_animated, sticker.is_video)] if sticker else ""


def _attachment(file: Any, name: str, mime: str) -> Attachment:
    """The library passes on whatever stands there."""
    size = file.file_size if isinstance(file.file_size, int) else 0
    return Attachment(name=storable(str(name)), ref=str(file.file_id), mime=storable(str(mime)), size=size)


def _mime(file: _File) -> str:
    return getattr(file, "mime_type", None) or ""


def quote_of(message: Message, bot_id: int) -> str:
    """What the message answers, if the bot cannot know it: words of others, or a passage that was picked out."""
    if message.quote is not None and message.quote.text:
        return _quoted(message.quote.text)
    target = message.reply_to_message
    if target is None or target.forum_topic_created is not None:
        return ""
    if target.from_user is not None and target.from_user.id == bot_id:
        return ""
    return _quoted(words_of(target).text)


def _quoted(text: str) -> str:
    shown = text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"
    return "".join(f"> {line}\n" for line in shown.splitlines())
