"""How a session looks in the terminal: what is finished scrolls up, what is being written grows below it."""

import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from bridge.notices import Notices

Json = Mapping[str, Any]
_TAIL: Final = 6
"""Lines of a growing text that are shown; the whole text follows when it is finished."""
_FINISHES: Final = ("host_message", "member_message", "wrapup", "job_failed", "turn_ended")


class Screen:
    """Shows live frames. On a pipe only finished messages are written."""

    def __init__(self, console: Console, notices: Notices) -> None:
        self._console = console
        self._notices = notices
        self._growing: dict[str, Growing] = {}
        self._live: Live | None = None

    def show(self, frame: Json) -> None:
        """A frame of the live connection."""
        if frame["type"] == "delta":
            self._grow(frame)
        elif frame["type"] == "event":
            self._finish(frame["event"])

    def tell(self, key: str, **fields: object) -> None:
        """A sentence of the program itself."""
        self._console.print(Text(self._notices.say(key, **fields), style="dim"), soft_wrap=True)

    def close(self) -> None:
        """Leave the terminal as it was."""
        self._growing.clear()
        self._draw()

    def _grow(self, frame: Json) -> None:
        if self._console.is_terminal:
            growing = self._growing.setdefault(frame["turn_id"], Growing(frame["speaker"]["name"], frame["offset"]))
            growing.write(frame["offset"], frame["text"])
            self._draw()

    def _finish(self, event: Json) -> None:
        if event["kind"] in _FINISHES:
            self._growing.pop(event["turn_id"] or "", None)
        self._draw()
        line = line_of(event, self._notices)
        if line is not None:
            self._console.print(line, soft_wrap=True)

    def _draw(self) -> None:
        if not self._growing:
            if self._live is not None:
                self._live.stop()
            self._live = None
            return
        if self._live is None:
            self._live = Live(console=self._console, auto_refresh=False, transient=True, redirect_stdout=False)
            self._live.start()
        self._live.update(Group(*(growing.shown() for growing in self._growing.values())), refresh=True)


class Growing:
    """The text of one live turn, from `start` characters on: a joiner may come in the middle."""

    def __init__(self, name: str, start: int) -> None:
        self._name = name
        self._start = start
        self._text = ""

    def write(self, offset: int, text: str) -> None:
        """`text` stands at `offset`; whatever was there from that place on is replaced."""
        if offset < self._start:
            self._start, self._text = offset, ""
        self._text = self._text[: offset - self._start] + text

    def shown(self) -> Text:
        lines = self._text.strip().splitlines()[-_TAIL:]
        return _spoken(self._name, "\n".join(lines), style="dim")


def line_of(event: Json, notices: Notices) -> Text | None:
    """A finished event as people see it; None if there is nothing to see."""
    name, text = event["speaker"]["name"], event["text"]
    match event["kind"]:
        case "host_message" | "member_message":
            return _spoken(name, text)
        case "wrapup":
            return _spoken(name, notices.say("label.wrapup") + text)
        case "job_failed":
            return Text(harmless(notices.say("job.failed", name=name, reason=text)), style="red")
        case "job_dispatched" | "notice":
            return Text(harmless(text), style="dim")
        case "turn_ended" if event["data"].get("status") == "failed":
            return Text(harmless(text), style="red")
    return None


def _spoken(name: str, text: str, style: str = "") -> Text:
    return Text.assemble((f"{harmless(name)}\n", "bold cyan"), (f"{harmless(text)}\n", style))


def harmless(text: str) -> str:
    """`text` without what steers a terminal: a model's words only ever are words."""
    return "".join(each for each in text if each in "\n\t" or unicodedata.category(each) != "Cc")
