"""The long connection's frames: two protobuf messages, read and written by hand.

    message Header { required string key = 1; required string value = 2; }
    message Frame  { required uint64 SeqID = 1; required uint64 LogID = 2; required int32 service = 3;
                     required int32 method = 4; repeated Header headers = 5; optional string payload_encoding = 6;
                     optional string payload_type = 7; optional bytes payload = 8; optional string LogIDNew = 9; }

Source: `pbbp2.proto` of the official SDKs. It is proto2: required numbers stand on the wire even when they are 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

CONTROL: Final = 0
DATA: Final = 1
"""Values of `Frame.method`."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_WIDTHS: Final = {_FIXED64: 8, _FIXED32: 4}
_LONGEST_VARINT: Final = 10
_UINT64: Final = 2**64 - 1


class BadFrame(ValueError):
    """The bytes are no frame."""


@dataclass(frozen=True, kw_only=True)
class Frame:
    """One message of the connection; `method` is CONTROL or DATA."""

    seq_id: int = 0
    log_id: int = 0
    service: int = 0
    method: int = CONTROL
    headers: tuple[tuple[str, str], ...] = ()
    payload_encoding: str = ""
    payload_type: str = ""
    payload: bytes = b""
    log_id_new: str = ""

    def header(self, key: str) -> str:
        """The first header of this name, "" if there is none."""
        return next((value for name, value in self.headers if name == key), "")

    def number(self, key: str, default: int) -> int:
        """A header that counts something."""
        value = self.header(key)
        return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else default


def encode(frame: Frame) -> bytes:
    """The bytes of a frame."""
    parts = [_number(1, frame.seq_id), _number(2, frame.log_id), _number(3, frame.service), _number(4, frame.method)]
    parts += [_bytes(5, _text(1, key) + _text(2, value)) for key, value in frame.headers]
    optional = ((6, frame.payload_encoding), (7, frame.payload_type))
    parts += [_text(number, value) for number, value in optional if value]
    parts += [_bytes(8, frame.payload)] if frame.payload else []
    parts += [_text(9, frame.log_id_new)] if frame.log_id_new else []
    return b"".join(parts)


def decode(data: bytes) -> Frame:
    """The frame in these bytes; fields that we do not know are skipped. Raises BadFrame."""
    numbers: dict[int, int] = {}
    texts: dict[int, bytes] = {}
    headers: list[tuple[str, str]] = []
    for field, value in _fields(data):
        if isinstance(value, int):
            numbers[field] = value
        elif field == 5:
            headers.append(_header(value))
        else:
            texts[field] = value
    return Frame(
        seq_id=numbers.get(1, 0),
        log_id=numbers.get(2, 0),
        service=_int32(numbers.get(3, 0)),
        method=_int32(numbers.get(4, 0)),
        headers=tuple(headers),
        payload_encoding=_decoded(texts.get(6, b"")),
        payload_type=_decoded(texts.get(7, b"")),
        payload=texts.get(8, b""),
        log_id_new=_decoded(texts.get(9, b"")),
    )


def _header(data: bytes) -> tuple[str, str]:
    parts = {field: value for field, value in _fields(data) if isinstance(value, bytes)}
    return _decoded(parts.get(1, b"")), _decoded(parts.get(2, b""))


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        field, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            number, at = _varint(data, at)
            yield field, number
        elif kind == _BYTES:
            length, at = _varint(data, at)
            yield field, _slice(data, at, length)
            at += length
        elif kind in _WIDTHS:
            at += len(_slice(data, at, _WIDTHS[kind]))
        else:
            raise BadFrame(f"a field has the unknown wire type {kind}")


def _slice(data: bytes, at: int, length: int) -> bytes:
    if at + length > len(data):
        raise BadFrame("a field ends beyond the frame")
    return data[at : at + length]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The number that begins here, and where the next field does."""
    value = 0
    for index, byte in enumerate(data[at : at + _LONGEST_VARINT]):
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value & _UINT64, at + index + 1
    raise BadFrame("a number has no end")


def _number(field: int, value: int) -> bytes:
    return _encoded(field << 3 | _VARINT) + _encoded(value & _UINT64)


def _bytes(field: int, value: bytes) -> bytes:
    return _encoded(field << 3 | _BYTES) + _encoded(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode("utf-8", "surrogateescape"))


def _encoded(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _int32(value: int) -> int:
    """Negative numbers come as 64 bits."""
    low = value & 0xFFFFFFFF
    return low - 2**32 if low >= 2**31 else low


def _decoded(value: bytes) -> str:
    """What is no UTF-8 survives being echoed."""
    return value.decode("utf-8", "surrogateescape")
