"""Logs: a constant sentence with fields, one JSON object a line, or readable on a terminal."""

import logging
import os
import sys
from collections.abc import Mapping
from typing import Any, Final, TextIO

import structlog
from structlog.typing import Processor

from bridge.secrecy import Redactor

VARIABLE: Final = "TEAMBRIDGE_LOG"
"""The environment variable that names the least level: debug, info (default), warning or error."""

_LEVELS: Final = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def level_of(environment: Mapping[str, str]) -> int:
    """The level that the environment asks for; an unknown name is info."""
    return _LEVELS.get(environment.get(VARIABLE, "").strip().lower(), logging.INFO)


def configure_logging(
    redactor: Redactor, *, stream: TextIO = sys.stderr, environment: Mapping[str, str] = os.environ
) -> None:
    """Send the program's logs, and warnings of the libraries it uses, to `stream`. May be called again."""
    level = level_of(environment)
    renderer = _renderer(stream)
    structlog.configure(
        processors=[*_common(redactor), renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=stream),
        cache_logger_on_first_use=False,
    )
    _adopt_libraries(redactor, renderer, stream, max(level, logging.WARNING))


def _common(redactor: Redactor) -> list[Processor]:
    """Secrets go last, so that tracebacks are cleaned too."""
    return [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        redactor,
    ]


def _renderer(stream: TextIO) -> Processor:
    if stream.isatty():
        return structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    return structlog.processors.JSONRenderer(ensure_ascii=False)


def _adopt_libraries(redactor: Redactor, renderer: Processor, stream: TextIO, level: int) -> None:
    """Libraries log through `logging`; some put whole URLs there, so their lines pass the redactor as well."""
    handler = logging.StreamHandler(stream)
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[structlog.stdlib.add_logger_name, *_common(redactor)],
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, redactor, renderer],
    )
    handler.setFormatter(formatter)
    logging.basicConfig(handlers=[handler], level=level, force=True)
    logging.captureWarnings(capture=True)


def bind(**fields: Any) -> None:
    """Fields that every line of the current task carries from here on."""
    structlog.contextvars.bind_contextvars(**fields)
