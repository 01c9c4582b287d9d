"""Who is named in a text: placeholders become names, the bot's own one is taken out. Pure.

A placeholder is `@_user_1`; `@_user_10` is another one. `@_all` is nobody's mention: whoever rings everybody does not
speak to the bot.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from channels.feishu.me import Me
from channels.feishu.raw import fields, items, text, within

EVERYONE: Final = "@_all"
_SPACES: Final = re.compile(r"(?<=\S)[ \t]{2,}(?=\S)")


@dataclass(frozen=True, kw_only=True)
class Mention:
    """`key` is the placeholder in the text."""

    key: str
    open_id: str
    name: str


def read_mentions(value: object) -> tuple[Mention, ...]:
    """The mentions of an event. Some events carry the id itself where others have an object."""
    return tuple(
        Mention(
            key=text(fields(each).get("key")),
            open_id=text(within(each, "id").get("open_id")) or text(fields(each).get("id")),
            name=text(fields(each).get("name")),
        )
        for each in items(value)
        if text(fields(each).get("key"))
    )


def names_bot(mentions: Sequence[Mention], me: Me) -> bool:
    """Whether the bot itself is named, by its id."""
    return bool(me.open_id) and any(each.open_id == me.open_id for each in mentions)


def with_names(source: str, mentions: Sequence[Mention], me: Me, everyone: str) -> str:
    """The text as people read it, without the bot's own name."""
    known = {each.key: "" if each.open_id == me.open_id != "" else f"@{each.name or each.key}" for each in mentions}
    known.setdefault(EVERYONE, everyone)
    keys = sorted(known, key=len, reverse=True)
    pattern = "|".join(re.escape(key) + (r"(?!\d)" if key[-1].isdigit() else "") for key in keys)
    named = re.sub(pattern, lambda found: known[found[0]], source)
    return _SPACES.sub(" ", named).strip() if named != source else named.strip()
