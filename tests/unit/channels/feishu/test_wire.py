"""Frames of the long connection."""

import pytest

from channels.feishu.parts import KEPT, MOST, Parts
from channels.feishu.wire import DATA, BadFrame, Frame, decode, encode

PING = Frame(service=33554678, headers=(("type", "ping"),))


def test_numbers_that_are_zero_stand_on_the_wire() -> None:
    """proto2: a frame without its required numbers could not be answered by the official client."""
    assert encode(PING).startswith(b"\x08\x00\x10\x00\x18")
    assert decode(encode(PING)) == PING


@pytest.mark.parametrize(
    "data", [b"\x08", b"\x42\x7f", b"\x08" + b"\xff" * 11, b"\x0b", b"\x09\x00", b"\x2a\x02\x0a\x05"]
)
def test_bytes_that_are_no_frame_are_refused(data: bytes) -> None:
    """R3."""
    with pytest.raises(BadFrame):
        decode(data)


def test_what_is_no_utf8_is_echoed_as_it_came() -> None:
    raw = b"\x08\x00\x10\x00\x18\x00\x20\x01\x2a\x06\x0a\x01k\x12\x01\xff"
    assert encode(decode(raw)) == raw


def _part(seq: int, total: int, payload: bytes, key: str = "m1") -> Frame:
    return Frame(method=DATA, headers=(("message_id", key), ("sum", str(total)), ("seq", str(seq))), payload=payload)


def test_parts_are_joined_in_whatever_order_they_come() -> None:
    parts = Parts()
    assert parts.add(_part(2, 3, b"c"), 0) is None
    assert parts.add(_part(0, 3, b"a"), 0) is None
    assert parts.add(_part(0, 3, b"a"), 0) is None
    assert parts.add(_part(1, 3, b""), 0) == b"ac"


def test_a_repeated_part_does_not_make_the_event_again() -> None:
    """R2."""
    parts = Parts()
    parts.add(_part(0, 2, b"a"), 0)
    assert parts.add(_part(1, 2, b"b"), 0) == b"ab"
    assert parts.add(_part(1, 2, b"b"), 0) is None


def test_parts_of_a_lost_event_are_forgotten() -> None:
    """R6."""
    parts = Parts()
    parts.add(_part(0, 2, b"old"), 0)
    assert parts.add(_part(1, 2, b"b"), KEPT + 1) is None
    for index in range(2 * MOST):
        parts.add(_part(0, 2, b"x", f"m{index}"), KEPT + 2)
    assert len(parts) <= MOST + 1


@pytest.mark.parametrize(("seq", "total"), [(5, 2), (0, MOST + 1)])
def test_absurd_parts_are_left_alone(seq: int, total: int) -> None:
    assert Parts().add(_part(seq, total, b"x"), 0) is None


def test_a_frame_without_counters_is_whole() -> None:
    assert Parts().add(Frame(method=DATA, payload=b"{}"), 0) == b"{}"
