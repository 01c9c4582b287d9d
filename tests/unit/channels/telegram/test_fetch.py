"""Files that people sent: bounded, and never at the price of the token."""

import pytest

from channels.errors import ChannelError
from channels.types import Attachment
from tests.unit.channels.telegram.conftest import Line

FILE = Attachment(name="a.pdf", ref="F1", size=0)


async def read(line: Line, file: Attachment = FILE, limit: int = 1000) -> bytes:
    return b"".join([piece async for piece in line.channel.fetch(file, limit)])


@pytest.fixture(autouse=True)
async def started(line: Line) -> None:
    await line.start()
    line.api.files["F1"] = b"x" * 1000


async def test_a_file_comes_in_pieces(line: Line) -> None:
    """Issue 3, 6."""
    assert await read(line) == b"x" * 1000


@pytest.mark.parametrize(("size", "limit"), [(0, 999), (1000, 999)])
async def test_a_file_that_is_too_large_is_refused_as_soon_as_it_is_known(line: Line, size: int, limit: int) -> None:
    """X7: capped while streaming, whatever size was told."""
    with pytest.raises(ChannelError, match="999"):
        await read(line, Attachment(name="a.pdf", ref="F1", size=size), limit)


@pytest.mark.parametrize("path", ["/etc/passwd", "../secret", "http://evil.example/x", ""])
async def test_a_path_that_leads_elsewhere_is_refused(line: Line, path: str) -> None:
    """X7: an absolute path would be read from the disk of this machine by the library."""
    line.api.paths["F1"] = path
    with pytest.raises(ChannelError):
        await read(line)


@pytest.mark.parametrize("ref", ["unknown", "F1"])
async def test_no_error_tells_the_token(line: Line, ref: str) -> None:
    """X5: the address of a file holds it."""
    line.api.paths["F1"] = "documents/gone"
    with pytest.raises(ChannelError) as caught:
        await read(line, Attachment(name="a.pdf", ref=ref))
    assert line.api.token not in str(caught.value)
