"""How a session looks in the terminal."""

import io
from typing import Any

import pytest
from rich.console import Console

from bridge.cli.screen import Growing, Screen, line_of
from bridge.notices import Notices


def _event(kind: str, text: str = "hi", turn: str | None = "t1", **data: Any) -> dict[str, Any]:
    speaker = {"id": "w", "name": "Writer", "role": "member", "icon": ""}
    return {"kind": kind, "text": text, "speaker": speaker, "turn_id": turn, "data": data}


def _delta(offset: int, text: str, turn: str = "t1") -> dict[str, Any]:
    return {"type": "delta", "turn_id": turn, "speaker": {"name": "Writer"}, "offset": offset, "text": text}


def _screen(*, terminal: bool) -> tuple[Screen, io.StringIO]:
    written = io.StringIO()
    console = Console(file=written, force_terminal=terminal, width=60, color_system=None)
    return Screen(console, Notices("en")), written


@pytest.mark.parametrize(
    ("event", "shown"),
    [
        (_event("host_message"), "Writer\nhi\n"),
        (_event("member_message"), "Writer\nhi\n"),
        (_event("wrapup"), "Writer\n[Host wrap-up] hi\n"),
        (_event("job_failed", "too slow"), "Writer could not finish: too slow"),
        (_event("job_dispatched", "Asked Writer"), "Asked Writer"),
        (_event("notice", "Note"), "Note"),
        (_event("turn_ended", "Sorry", status="failed"), "Sorry"),
    ],
)
def test_what_people_see(event: dict[str, Any], shown: str) -> None:
    """T35: who speaks stands there once."""
    line = line_of(event, Notices("en"))
    assert line is not None
    assert line.plain == shown


@pytest.mark.parametrize(
    "event",
    [_event("user_message"), _event("turn_started"), _event("tool"), _event("turn_ended", "", status="completed")],
)
def test_what_people_do_not_see(event: dict[str, Any]) -> None:
    assert line_of(event, Notices("en")) is None


def test_growing_text_follows_the_offsets() -> None:
    growing = Growing("Writer", 0)
    growing.write(0, "Hello wor")
    growing.write(9, "ld")
    assert growing.shown().plain == "Writer\nHello world\n"
    growing.write(6, "you")
    assert growing.shown().plain == "Writer\nHello you\n"
    growing.write(0, "Again")
    assert growing.shown().plain == "Writer\nAgain\n"


def test_who_joins_in_the_middle_sees_what_follows() -> None:
    growing = Growing("Writer", 100)
    growing.write(100, "tail")
    assert growing.shown().plain == "Writer\ntail\n"
    growing.write(0, "all of it")
    assert growing.shown().plain == "Writer\nall of it\n"


def test_a_pipe_gets_finished_messages_only() -> None:
    screen, written = _screen(terminal=False)
    screen.show(_delta(0, "h"))
    screen.show({"type": "ping"})
    assert written.getvalue() == ""
    screen.show({"type": "event", "event": _event("member_message")})
    assert written.getvalue() == "Writer\nhi\n\n"


def test_a_terminal_sees_text_grow_and_then_the_whole() -> None:
    screen, written = _screen(terminal=True)
    screen.show(_delta(0, "half of"))
    assert "half of" in written.getvalue()
    screen.show({"type": "event", "event": _event("member_message", "[all] of it")})
    assert written.getvalue().rstrip().endswith("Writer\r\n[all] of it".replace("\r", ""))
    screen.close()


def test_other_texts_go_on_growing() -> None:
    screen, written = _screen(terminal=True)
    screen.show(_delta(0, "one", "t1"))
    screen.show(_delta(0, "two", "t2"))
    screen.show({"type": "event", "event": _event("member_message", "done", "t1")})
    before = len(written.getvalue())
    screen.show(_delta(3, " more", "t2"))
    assert "two more" in written.getvalue()[before:]
    screen.close()
