"""The `Prefer` header (RFC 7240), of which only `wait` concerns us."""

from typing import Final

LONGEST_WAIT: Final = 120.0
"""Seconds a request may be held open."""


def wait(header: str) -> float | None:
    """The seconds of the first `wait`, capped; None if there is none or it is no whole number."""
    for preference in header.split(","):
        name, _, value = preference.partition(";")[0].partition("=")
        if name.strip().lower() == "wait":
            return _seconds(value.strip().strip('"'))
    return None


def _seconds(digits: str) -> float | None:
    if not (digits.isascii() and digits.isdigit()):
        return None
    return min(float(digits), LONGEST_WAIT)
