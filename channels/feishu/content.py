"""What a message holds: its words, and its files. Pure; what cannot be read is named.

Source: im-v1, message_content.md. `content` is JSON inside a text, one shape for each type of message.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from channels.feishu.raw import fields, inner_json, items, text
from channels.feishu.wording import Wording
from channels.types import Attachment


@dataclass(frozen=True, kw_only=True)
class Content:
    """Words with placeholders of mentions still in them, and what came along."""

    text: str = ""
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Source:
    """One message as it came: which, of what type, and its content."""

    message_id: str
    kind: str
    content: Mapping[str, Any]


def read_content(message_id: str, kind: str, content: object, wording: Wording) -> Content:
    """The words and files of a message of any type."""
    source = Source(message_id=message_id, kind=kind, content=inner_json(content))
    reader = _READERS.get(kind)
    read = reader(source, wording) if reader is not None else _unreadable(source, wording)
    return read if read.text.strip() or read.attachments else _unreadable(source, wording)


def reference(kind: str, message_id: str, key: str) -> str:
    """How an attachment names a file of the platform: `image` or `file`, the message, the file."""
    return f"{kind}:{message_id}:{key}"


def _unreadable(source: Source, wording: Wording) -> Content:
    return Content(text=wording.unreadable.format(type=source.kind or "?"))


def _text(source: Source, _: Wording) -> Content:
    return Content(text=text(source.content.get("text")))


def _image(source: Source, _: Wording) -> Content:
    return Content(attachments=tuple(_files(source, source.content, "image_key", "image", "image")))


def _file(source: Source, _: Wording) -> Content:
    return Content(attachments=tuple(_files(source, source.content, "file_key", "file", "file")))


def _audio(source: Source, _: Wording) -> Content:
    return Content(attachments=tuple(_files(source, source.content, "file_key", "file", "voice.opus", "audio/ogg")))


def _media(source: Source, _: Wording) -> Content:
    return Content(attachments=tuple(_files(source, source.content, "file_key", "file", "video.mp4", "video/mp4")))


def _files(
    source: Source, node: Mapping[str, Any], key: str, kind: str, name: str, mime: str = ""
) -> Iterator[Attachment]:
    file_key = text(node.get(key))
    if file_key:
        shown = text(node.get("file_name")) or name
        yield Attachment(name=shown, ref=reference(kind, source.message_id, file_key), mime=mime)


def _post(source: Source, _: Wording) -> Content:
    """Three shapes are seen: bare, under a language, and under `post`."""
    post = _bare(fields(source.content.get("post")) or source.content)
    lines = [text(post.get("title"))]
    lines += ["".join(_word(node) for node in items(paragraph)) for paragraph in items(post.get("content"))]
    nodes = [fields(node) for paragraph in items(post.get("content")) for node in items(paragraph)]
    files = [file for node in nodes for file in _files_of_node(source, node)]
    return Content(text="\n".join(line for line in lines if line.strip()), attachments=tuple(files))


def _bare(post: Mapping[str, Any]) -> Mapping[str, Any]:
    if "content" in post or "title" in post:
        return post
    return next((value for value in post.values() if isinstance(value, Mapping)), post)


def _files_of_node(source: Source, node: Mapping[str, Any]) -> Iterator[Attachment]:
    if node.get("tag") == "img":
        yield from _files(source, node, "image_key", "image", "image")
    elif node.get("tag") == "media":
        yield from _files(source, node, "file_key", "file", "video.mp4", "video/mp4")


def _word(value: object) -> str:
    """A node of rich text as Markdown; a mention as its placeholder."""
    node = fields(value)
    words = text(node.get("text"))
    match node.get("tag"):
        case "a":
            href = text(node.get("href"))
            return f"[{words}]({href})" if href and href != words else words or href
        case "at":
            who = text(node.get("user_id"))
            return who if who.startswith("@_") else f"@{text(node.get('user_name')) or who}"
        case "emotion":
            return f":{text(node.get('emoji_type'))}:"
        case "hr":
            return "---"
        case "code_block":
            return f"```{text(node.get('language')).lower()}\n{words.rstrip()}\n```"
    return words


def _card(source: Source, wording: Wording) -> Content:
    """A card is told in a form that keeps little more than its words."""
    words = [line for line in _words_below(source.content) if line.strip()]
    return Content(text="\n".join([wording.card, *words]))


def _words_below(value: object) -> Iterator[str]:
    for key, child in fields(value).items():
        if key in ("title", "text", "content", "subtitle") and isinstance(child, str):
            yield text(child)
        elif isinstance(child, dict | list):
            yield from _words_below(child)
    for child in items(value):
        yield from _words_below(child)


def _system(source: Source, wording: Wording) -> Content:
    template = text(source.content.get("template"))
    for key, value in source.content.items():
        names = ", ".join(text(each) for each in items(value)) if isinstance(value, list) else text(value)
        template = template.replace(f"{{{key}}}", names)
    return Content(text=wording.system.format(text=template))


def _todo(source: Source, wording: Wording) -> Content:
    summary = Source(message_id="", kind="post", content=fields(source.content.get("summary")))
    return Content(text=wording.task.format(name=_post(summary, wording).text))


def _vote(source: Source, wording: Wording) -> Content:
    options = [f"- {text(each)}" for each in items(source.content.get("options"))]
    return Content(text="\n".join([wording.vote.format(name=text(source.content.get("topic"))), *options]))


def _location(source: Source, wording: Wording) -> Content:
    where = source.content
    name = f"{text(where.get('name'))} {text(where.get('latitude'))}, {text(where.get('longitude'))}".strip()
    return Content(text=wording.location.format(name=name))


def _named(sentence: str, key: str) -> "_Reader":
    """A thing that is told by one of its fields."""

    def read(source: Source, wording: Wording) -> Content:
        value = text(source.content.get(key))
        return Content(text=str(getattr(wording, sentence)).format(name=value, id=value))

    return read


_Reader = Callable[[Source, Wording], Content]
_READERS: Final[dict[str, _Reader]] = {
    "text": _text,
    "post": _post,
    "image": _image,
    "file": _file,
    "audio": _audio,
    "media": _media,
    "interactive": _card,
    "sticker": _named("sticker", "file_key"),
    "folder": _named("folder", "file_name"),
    "merge_forward": _named("forwarded", ""),
    "share_chat": _named("shared_chat", "chat_id"),
    "share_user": _named("shared_person", "user_id"),
    "hongbao": _named("red_packet", "text"),
    "location": _location,
    "calendar": _named("event", "summary"),
    "share_calendar_event": _named("event", "summary"),
    "general_calendar": _named("event", "summary"),
    "vote": _vote,
    "todo": _todo,
    "video_chat": _named("call", "topic"),
    "system": _system,
}
