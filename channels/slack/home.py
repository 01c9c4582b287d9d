"""The App Home: who is in the team. Pure."""

from typing import Any, Final

from channels.slack.defuse import defuse, escape
from channels.slack.words import Home, HomeMember, Words

_MOST_MEMBERS: Final = 40
_MOST_TEXT: Final = 2900
_MOST_HEADER: Final = 150


def home_view(home: Home, words: Words) -> dict[str, Any]:
    """The view that everybody sees who opens the tab."""
    blocks: list[dict[str, Any]] = []
    if home.name:
        blocks.append({"type": "header", "text": {"type": "plain_text", "text": home.name[:_MOST_HEADER]}})
    if home.description:
        blocks.append(_section(home.description))
    if home.members:
        blocks += [{"type": "divider"}, _section(f"*{escape(words.home_members)}*", raw=True)]
        blocks += [_section(_line(member), raw=True) for member in home.members[:_MOST_MEMBERS]]
    blocks.append({"type": "context", "elements": [{"type": "mrkdwn", "text": escape(words.home_hint)}]})
    return {"type": "home", "blocks": blocks}


def _line(member: HomeMember) -> str:
    name = f"*{escape(defuse(member.name))}*"
    return f"{name} — {escape(defuse(member.description))}" if member.description else name


def _section(text: str, *, raw: bool = False) -> dict[str, Any]:
    shown = text if raw else escape(defuse(text))
    return {"type": "section", "text": {"type": "mrkdwn", "text": shown[:_MOST_TEXT]}}
