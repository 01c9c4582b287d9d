"""The shelf: each content once, whole or not at all."""

import asyncio
import gc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from host import quota
from host.errors import TooLarge
from host.pictures import kind_of
from host.shelf import Shelf

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20


async def pieces(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def files(folder: Path) -> list[Path]:
    return [each for each in folder.rglob("*") if each.is_file()]


async def test_the_same_content_stands_there_once(tmp_path: Path) -> None:
    """Issue 8 item 4: stored once by content hash, however it was cut on its way."""
    shelf = Shelf(tmp_path)
    one, two = await shelf.put(pieces(b"ab", b"c"), 10), await shelf.put(pieces(b"abc"), 10)
    assert one == two
    assert (one.size, one.digest[:8]) == (3, "ba7816bf")
    assert files(tmp_path) == [shelf.path(one.digest)]
    assert await shelf.read(one.digest) == b"abc"


async def test_a_file_of_nothing_is_a_file(tmp_path: Path) -> None:
    kept = await Shelf(tmp_path).put(pieces(), 10)
    assert (kept.size, await Shelf(tmp_path).read(kept.digest)) == (0, b"")


async def test_what_is_too_large_is_not_read_to_its_end_and_leaves_nothing(tmp_path: Path) -> None:
    """X7: sizes are capped while streaming."""
    read = []

    async def endless() -> AsyncIterator[bytes]:
        while True:
            read.append(1)
            yield b"x" * 4

    with pytest.raises(TooLarge):
        await Shelf(tmp_path).put(endless(), 10)
    assert len(read) == 3
    assert files(tmp_path) == []
    assert (await Shelf(tmp_path).put(pieces(b"x" * 10), 10)).size == 10


async def test_people_who_send_files_do_not_fill_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R1: a full disk stops the store, and with it everything; whatever is being sent stops before."""
    shelf = Shelf(tmp_path)
    kept = await shelf.put(pieces(b"there was room"), 100)

    async def while_it_fills() -> AsyncIterator[bytes]:
        yield b"one"
        monkeypatch.setattr(quota, "SPARE_BYTES", 2**62)
        yield b"two"

    with pytest.raises(OSError, match="nearly full"):
        await shelf.put(while_it_fills(), 100)
    assert files(tmp_path) == [shelf.path(kept.digest)]


async def test_a_source_that_breaks_leaves_nothing(tmp_path: Path) -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield b"half"
        raise ConnectionError

    with pytest.raises(ConnectionError):
        await Shelf(tmp_path).put(broken(), 10)
    assert files(tmp_path) == []


async def test_only_what_is_old_is_taken_down(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    kept = await shelf.put(pieces(b"abc"), 10)
    (tmp_path / "new" / "left-by-a-dead-process").write_bytes(b"ha")
    assert await shelf.older(3600) == []
    assert not await shelf.take_down(kept.digest, 3600)
    assert await shelf.older(-1) == [kept.digest]
    assert await shelf.take_down(kept.digest, -1)
    assert files(tmp_path) == []
    assert await shelf.read(kept.digest) is None


async def test_a_shelf_that_nobody_used_is_empty(tmp_path: Path) -> None:
    assert await Shelf(tmp_path / "none").older(-1) == []


async def test_pictures_are_known_by_their_bytes(tmp_path: Path) -> None:
    """Whatever the sender calls them: a wrong type makes a provider refuse the whole conversation."""
    assert (await Shelf(tmp_path).put(pieces(PNG[:5], PNG[5:]), 100)).picture == "image/png"
    assert (await Shelf(tmp_path).put(pieces(b"<html>"), 100)).picture == ""
    beginnings = (b"\xff\xd8\xff\xe0", b"GIF89a", b"RIFF\x00\x00\x00\x00WEBP", b"RIFF\x00\x00\x00\x00WAVE")
    assert [kind_of(each) for each in beginnings] == ["image/jpeg", "image/gif", "image/webp", ""]


@pytest.mark.parametrize("steps", range(12))
async def test_whoever_goes_away_at_any_step_leaves_nothing(tmp_path: Path, steps: int) -> None:
    """No file, and none that is open: a step that a thread has begun is waited for."""

    async def without_end() -> AsyncIterator[bytes]:
        for part in (b"one", b"two"):
            yield part
        await asyncio.Event().wait()

    putting = asyncio.create_task(Shelf(tmp_path).put(without_end(), 100))
    for _ in range(steps):
        await asyncio.sleep(0)
    putting.cancel()
    await asyncio.wait([putting])
    assert putting.cancelled()
    gc.collect()
    assert files(tmp_path / "new") == []
