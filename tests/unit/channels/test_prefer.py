"""`Prefer: wait=N` of RFC 7240."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.webhook.prefer import wait


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("wait=30", 30),
        ("WAIT=30", 30),
        (" wait = 30 ", 30),
        ('wait="30"', 30),
        ("respond-async, wait=10", 10),
        ("wait=10; strict, return=minimal", 10),
        ("wait=5, wait=50", 5),
        ("wait=0", 0),
        ("wait=120", 120),
        ("wait=121", 120),
        ("wait=" + "9" * 5000, 120),
    ],
)
def test_the_wish_to_wait_is_understood(header: str, seconds: float) -> None:
    assert wait(header) == seconds


@pytest.mark.parametrize(
    "header", ["", "wait", "wait=", "wait=-1", "wait=1.5", "wait=soon", "wait=٣", "waiting=3", "return=wait", ",;=,"]
)
def test_anything_else_is_ignored(header: str) -> None:
    assert wait(header) is None


@given(st.text())
def test_no_header_crashes_it(header: str) -> None:
    seconds = wait(header)
    assert seconds is None or 0 <= seconds <= 120
