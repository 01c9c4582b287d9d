"""What a check found: one line about one part of the configuration."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warning", "failed"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """`place` is the key path, `words` what is the case, and what to do if it is not well."""

    place: str
    status: Status
    words: str


def ok(place: str, words: str) -> Finding:
    return Finding(place=place, status="ok", words=words)


def warning(place: str, words: str) -> Finding:
    return Finding(place=place, status="warning", words=words)


def failed(place: str, words: str) -> Finding:
    return Finding(place=place, status="failed", words=words)
