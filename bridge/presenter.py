"""What a chat is shown of an event: pure, the same on every platform.

Labels are those that people see; a platform that can make a name bold or post under a member's name takes the
message's `label` away from the text and does so. For every message: display_text = label + text.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from bridge.notices import Notices
from channels.split import split as cut
from channels.types import Action, Limits, MessageKind, OutFile, Speaker
from channels.units import measure
from host.filenames import size_in_words
from store.base import Speaker as Voice
from store.events import Event

LONGEST_NAME: Final = 64
"""Characters of a name in a label."""

_NO_LIMITS: Final = Limits()


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What a channel wants to see: dispatch notices or not, how long a message may be, and buttons under notices (where
    the platform takes them away again when the job is done)."""

    notices: bool = True
    limits: Limits = _NO_LIMITS
    buttons: bool = False


@dataclass(frozen=True, kw_only=True)
class Shown:
    """One message to show; `part` of `parts` if the text had to be split."""

    kind: MessageKind
    speaker: Speaker
    text: str
    label: str = ""
    part: int = 1
    parts: int = 1
    actions: tuple[Action, ...] = ()
    file: OutFile | None = None

    @property
    def display_text(self) -> str:
        """The plain line, with its label."""
        return self.label + self.text


_Line = tuple[MessageKind, str]
"""A kind and a label."""


def present(event: Event, host: Voice, rules: Rules, notices: Notices) -> tuple[Shown, ...]:
    """The messages that the event becomes in a chat, in order; often none. `host` speaks for the session: the team's
    host, or the expert who is talked to alone."""
    line = _line(event, notices)
    if line is None or not _is_wanted(event, rules):
        return ()
    kind, label = line
    speaker = _speaker(event, host)
    shown: tuple[Shown, ...] = ()
    if event.text.strip():
        shown = split(event.text, kind=kind, speaker=speaker, label=label, limits=rules.limits)
        shown = (*shown[:-1], replace(shown[-1], actions=_buttons(event, rules, notices)))
    blank = Shown(kind=kind, speaker=speaker, text="", label=label)
    return (*shown, *_files(event, blank, len(shown), notices))


def _files(event: Event, blank: Shown, before: int, notices: Notices) -> Iterator[Shown]:
    """A message for each file that comes along; its text stands for it where a platform cannot show it.

    The part of a file is never the first: that one closes what grew while the speaker wrote.
    """
    for part, each in enumerate(event.data.get("files", ()), max(before, 1) + 1):
        file = OutFile(id=each["id"], name=each["name"], path="", mime=each["mime"], size=each["size"])
        text = notices.say("file.sent", name=file.name, size=size_in_words(file.size))
        yield replace(blank, text=text, part=part, file=file)


def _is_wanted(event: Event, rules: Rules) -> bool:
    """What waits for a person is shown whatever a channel wants, unless the chat has been told otherwise."""
    if "approval" in event.data:
        return "quiet" not in event.data
    return rules.notices or event.kind not in ("job_dispatched", "notice")


def _buttons(event: Event, rules: Rules, notices: Notices) -> tuple[Action, ...]:
    """Under a question its answers; under the notice of a job, where the platform takes it away again: take it back."""
    if "approval" in event.data:
        return _answers(event.data["approval"], notices)
    if event.kind != "job_dispatched" or not rules.buttons:
        return ()
    return (Action(label=notices.say("button.stop"), command=f"/cancel {event.data.get('agent_id', '')}"),)


def _answers(approval: Mapping[str, str], notices: Notices) -> tuple[Action, ...]:
    """What pressing them says is short: Telegram takes 64 bytes."""
    if approval["state"] != "open":
        return ()
    code = approval["id"]
    commands = {"allow_once": f"/approve {code}", "allow_session": f"/approve {code} session", "deny": f"/deny {code}"}
    return tuple(Action(label=notices.say(f"button.{name}"), command=said) for name, said in commands.items())


def split(text: str, *, kind: MessageKind, speaker: Speaker, label: str, limits: Limits) -> tuple[Shown, ...]:
    """The text as the messages it needs, each with the label and, if they are several, its ` (k/n)`.

    A text that the platform shows as a file stays one message.
    """
    if limits.whole_above is not None and measure(text, limits.unit) > limits.whole_above:
        limits = _NO_LIMITS
    whole = cut(text, limits, reserve=measure(label, limits.unit))
    if len(whole) == 1:
        return (Shown(kind=kind, speaker=speaker, text=whole[0], label=label),)
    pieces = cut(text, limits, reserve=measure(_numbered(label, 999, 999), limits.unit))
    count = len(pieces)
    return tuple(
        Shown(kind=kind, speaker=speaker, text=piece, label=_numbered(label, part, count), part=part, parts=count)
        for part, piece in enumerate(pieces, 1)
    )


def _numbered(label: str, part: int, parts: int) -> str:
    return f"{label.rstrip()} ({part}/{parts}) ".lstrip()


def _line(event: Event, notices: Notices) -> _Line | None:
    """A lone expert is the channel's bot itself, like a host: only a member at work is introduced."""
    match event.kind:
        case "host_message":
            return "host", ""
        case "member_message":
            return "member", notices.say("label.member", name=_short(event.speaker.name)) if event.job_id else ""
        case "wrapup":
            return "wrapup", notices.say("label.wrapup")
        case "job_dispatched" | "notice":
            return "notice", ""
        case "job_failed":
            return "failure", notices.say("job.failed", name=_short(event.speaker.name), reason="")
        case "turn_ended" if event.data.get("status") == "failed":
            return "failure", ""
        case _:
            return None


def _short(name: str) -> str:
    """A label must leave room for the text, whatever somebody calls an agent."""
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


_ROLES: Final[dict[str, Literal["host", "member"]]] = {"host": "host", "member": "member"}


def _speaker(event: Event, host: Voice) -> Speaker:
    """Who the chat sees: what the system says of a round, its host says."""
    voice = event.speaker if event.speaker.role in _ROLES else host
    return Speaker(id=voice.id, name=voice.name, role=_ROLES.get(voice.role, "host"), icon=voice.icon)
