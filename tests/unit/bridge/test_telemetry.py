"""Log lines: JSON for machines, readable for people, never with a secret."""

import io
import json
import logging
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from bridge.secrecy import HIDDEN, Redactor
from bridge.telemetry import bind, configure_logging, level_of

SECRET = "sk-abcdefghijklmnop"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    """Logging is the process's: give it back as it was."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(capture=False)
    structlog.contextvars.clear_contextvars()
    structlog.reset_defaults()


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def configured(stream: io.StringIO | None = None, **environment: str) -> io.StringIO:
    stream = stream or io.StringIO()
    configure_logging(Redactor(["known-value"]), stream=stream, environment=environment)
    return stream


def test_a_line_is_a_constant_sentence_with_fields() -> None:
    stream = configured()
    structlog.get_logger("x").info("A turn ended", session="s1", seconds=1.5, name="研究员", nothing=None)
    (line,) = lines(stream)
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "A turn ended",
        "level": "info",
        "session": "s1",
        "seconds": 1.5,
        "name": "研究员",
        "nothing": None,
    }
    assert "研究员" in stream.getvalue()


def test_secrets_are_hidden_in_fields_and_tracebacks() -> None:
    """X5."""
    stream = configured()
    log = structlog.get_logger("x")
    log.warning("Something", token="abc", url=f"https://h/?k={SECRET}", nested={"a": ["known-value"]})
    try:
        raise ValueError(f"bad key {SECRET}")
    except ValueError:
        log.exception("It failed")
    fields, traceback = lines(stream)
    assert (fields["token"], fields["url"], fields["nested"]) == (HIDDEN, f"https://h/?k={HIDDEN}", {"a": [HIDDEN]})
    assert f"ValueError: bad key {HIDDEN}" in traceback["exception"]
    assert SECRET not in stream.getvalue()


def test_libraries_log_warnings_in_the_same_shape() -> None:
    """X5: an HTTP client that logs its URLs must not give a bot token away."""
    stream = configured()
    logging.getLogger("httpx").info("HTTP Request: GET https://h/bot%s", SECRET)
    logging.getLogger("asyncio").warning("Slow callback to %s", SECRET)
    (line,) = lines(stream)
    assert (line["event"], line["level"], line["logger"]) == (f"Slow callback to {HIDDEN}", "warning", "asyncio")


def test_warnings_are_log_lines() -> None:
    stream = configured()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("old thing", stacklevel=1)
    assert "old thing" in lines(stream)[0]["event"]


def test_a_terminal_gets_readable_lines() -> None:
    stream = configured(Terminal())
    structlog.get_logger("x").info("A turn ended", session="s1", token="abc")
    try:
        raise ValueError(f"bad key {SECRET}")
    except ValueError:
        structlog.get_logger("x").exception("It failed")
    text = stream.getvalue()
    assert not text.startswith("{")
    assert "A turn ended" in text
    assert "s1" in text
    assert f"ValueError: bad key {HIDDEN}" in text
    assert SECRET not in text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("debug", ["debug", "info", "error"]),
        ("", ["info", "error"]),
        ("nonsense", ["info", "error"]),
        (" ERROR ", ["error"]),
    ],
)
def test_the_level_comes_from_the_environment(value: str, shown: list[str]) -> None:
    stream = configured(TEAMBRIDGE_LOG=value)
    log = structlog.get_logger("x")
    for level in ("debug", "info", "error"):
        getattr(log, level)("Something happened")
    assert [line["level"] for line in lines(stream)] == shown


def test_without_the_variable_the_level_is_info() -> None:
    assert level_of({}) == logging.INFO


def test_bound_fields_stand_on_every_line() -> None:
    stream = configured()
    bind(lane="room:1")
    structlog.get_logger("x").info("One")
    structlog.get_logger("y").info("Two")
    assert [line["lane"] for line in lines(stream)] == ["room:1", "room:1"]
