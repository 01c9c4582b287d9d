"""What a message says: its words, who is mentioned in them, and its files. Pure.

Slack escapes three characters and writes everything that leads somewhere between angle brackets, so tokens are replaced
first and entities afterwards. People keep a placeholder until their names are known.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from channels.types import Attachment

LONGEST_QUOTE: Final = 1000
"""Characters of a shared message that go along."""

_TOKEN: Final = re.compile(r"<([^<>]+)>")
_PERSON: Final = re.compile("\ue000([A-Z0-9]+)\ue001")
_SPACES: Final = re.compile(r"(?<=\S)[ \t]{2,}(?=\S)")
_PRIVATE: Final = re.compile("[\ue000\ue001\x00\ud800-\udfff]")
_ENTITIES: Final = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))
_GONE: Final = frozenset({"tombstone", "hidden_by_limit"})


@dataclass(frozen=True, kw_only=True)
class Spoken:
    """`text` without the app's own mention, with placeholders for `people` (user ids)."""

    text: str
    mentioned: bool = False

    @property
    def people(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_PERSON.findall(self.text)))


def read_text(raw: str, user_id: str) -> Spoken:
    """What somebody wrote, and whether the app (its user is `user_id`) is mentioned."""
    clean = _PRIVATE.sub("", raw)
    named = re.compile(rf"<@{re.escape(user_id)}(?:\|[^<>]*)?>")
    bare = named.sub("", clean) if user_id else clean
    mentioned = bare != clean
    if mentioned:
        bare = _SPACES.sub(" ", bare).strip()
    return Spoken(text=_unescaped(_TOKEN.sub(_shown, bare)).strip(), mentioned=mentioned)


def name_people(text: str, names: Mapping[str, str]) -> str:
    """The text with names in the places of the people; whoever has none stays an id."""
    return _PERSON.sub(lambda found: f"@{names.get(found[1]) or found[1]}", text)


def words_of(message: Mapping[str, Any]) -> str:
    """The raw text of a message; what has blocks only gives their words."""
    text = str(message.get("text") or "")
    return text if text.strip() else "\n".join(_leaves(message.get("blocks"))).strip()


def quotes_of(message: Mapping[str, Any], user_id: str) -> str:
    """Messages that were shared along, as quoted lines."""
    return "".join(_quotes(message, user_id))


def files_of(message: Mapping[str, Any]) -> tuple[Attachment, ...]:
    """The files of a message. Their addresses need our token, so only the ids go along."""
    return tuple(_attachment(file) for file in message.get("files") or () if _is_there(file))


def _unescaped(text: str) -> str:
    for entity, char in _ENTITIES:
        text = text.replace(entity, char)
    return text


def _shown(found: re.Match[str]) -> str:
    """What a reader of Slack sees of a token."""
    target, _, label = found[1].partition("|")
    show = next((show for sign, show in _SIGNS.items() if target.startswith(sign)), _link)
    return show(target, label)


def _user(target: str, _: str) -> str:
    return f"\ue000{target[1:]}\ue001"


def _channel(target: str, label: str) -> str:
    return f"#{label or target[1:]}"


def _special(target: str, label: str) -> str:
    if label:
        return label if label.startswith("@") or "^" in target else f"@{label}"
    return f"@{target[1:].partition('^')[2].partition('^')[0] or target[1:]}"


def _link(target: str, label: str) -> str:
    address = target.removeprefix("mailto:")
    if not label or label in (target, address) or target in (f"http://{label}", f"https://{label}"):
        return address
    return f"{label} ({address})"


_SIGNS: Final[Mapping[str, Callable[[str, str], str]]] = {"@": _user, "#": _channel, "!": _special}


def _leaves(node: object) -> Iterator[str]:
    """Every text below a node, in order."""
    if isinstance(node, Mapping):
        if isinstance(node.get("text"), str):
            yield str(node["text"])
        else:
            for child in node.values():
                yield from _leaves(child)
    elif isinstance(node, list):
        for child in node:
            yield from _leaves(child)


def _quotes(message: Mapping[str, Any], user_id: str) -> Iterator[str]:
    for shared in message.get("attachments") or ():
        if not isinstance(shared, Mapping) or not (shared.get("is_share") or shared.get("is_msg_unfurl")):
            continue
        said = read_text(str(shared.get("text") or ""), user_id).text
        shown = said if len(said) <= LONGEST_QUOTE else f"{said[:LONGEST_QUOTE]}…"
        author = _PRIVATE.sub("", str(shared.get("author_name") or shared.get("author_subname") or ""))
        first, *rest = (f"{author}: {shown}" if author else shown).splitlines() or [""]
        yield "".join(f"> {line}\n" for line in (first, *rest) if line)


def _is_there(file: object) -> bool:
    return isinstance(file, Mapping) and bool(file.get("id")) and file.get("mode") not in _GONE


def _attachment(file: Mapping[str, Any]) -> Attachment:
    name = str(file.get("name") or file.get("title") or file["id"])
    size = file.get("size")
    return Attachment(
        name=_PRIVATE.sub("", name),
        ref=str(file["id"]),
        mime=_PRIVATE.sub("", str(file.get("mimetype") or "")),
        size=size if isinstance(size, int) else 0,
    )
