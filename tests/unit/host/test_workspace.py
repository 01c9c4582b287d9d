"""Workspaces (X8, X3): nothing leads out, only regular files, quotas, writes that are whole or not at all."""

import asyncio
import os
import shutil
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from host import quota
from host.errors import WorkspaceFault
from host.workspace import Workspace, Workspaces


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "workspaces"


@pytest.fixture
def own(root: Path) -> Workspace:
    """The whole workspace of an agent."""
    return Workspaces(root).at("ada")


@pytest.fixture
def room(root: Path) -> Workspace:
    return Workspaces(root).at("ada/rooms/r1")


async def _text(workspace: Workspace, path: str) -> bytes:
    return (await workspace.read(path, limit=1_000_000)).data


async def _names(workspace: Workspace, path: str = "") -> list[str]:
    return [each.name for each in await workspace.entries(path)]


async def test_a_workspace_that_nobody_wrote_to_is_empty_and_not_made(root: Path, room: Workspace) -> None:
    """T5: looking makes no folder."""
    assert await room.entries() == []
    with pytest.raises(WorkspaceFault, match="no such file"):
        await room.read("a.txt", limit=10)
    assert not await asyncio.to_thread(root.exists)


async def test_what_is_written_is_read_again(root: Path, room: Workspace) -> None:
    """T18: the files lie in the agent's own folder, for nobody but us, and nothing half-written stays."""
    assert await room.write("notes/一.md", "一二三".encode()) == 9
    assert await _text(room, "./notes//一.md") == "一二三".encode()
    file = root / "ada/rooms/r1/notes/一.md"
    assert file.read_text() == "一二三"
    assert file.stat().st_mode & 0o777 == 0o600
    assert [(e.name, e.kind, e.size) for e in await room.entries("notes")] == [("一.md", "file", 9)]
    assert [(e.name, e.kind) for e in await room.entries()] == [("notes", "folder")]
    piece = await room.read("notes/一.md", offset=3, limit=3)
    assert (piece.data.decode(), piece.offset, piece.size) == ("二", 3, 9)


@pytest.mark.parametrize(
    "path",
    [
        *("..", "../ada2/x", "a/../../x", "/etc/passwd", "~/x", "a\\..\\x", "a\x00b", "a\nb", "a\u2028b", " "),
        *("x\u202egnp.exe", "\ud800", "n" * 256, "ü" * 128, "/".join("a" * 33), ".part-1", "..\\", "a/ /b"),
    ],
)
async def test_paths_that_are_no_paths(room: Workspace, path: str) -> None:
    """X8: refused before the disk is asked, for every way in."""
    for attempt in (room.read(path, limit=1), room.write(path, b""), room.entries(path)):
        with pytest.raises(WorkspaceFault):
            await attempt


@pytest.mark.parametrize("path", ["...", "..a", "CON", "nul.txt", "👩‍🔬.md", "a b.txt", "-rf", "%2e%2e", "..%2fx"])
async def test_odd_names_are_only_names(root: Path, room: Workspace, path: str) -> None:
    """X8: nothing is decoded, no name means a device."""
    await room.write(path, b"x")
    assert await _names(room) == [path]


async def test_a_name_is_the_same_however_it_is_composed(room: Workspace) -> None:
    """A model may spell é as one character or as two."""
    await room.write("cafe\u0301.md", b"x")
    assert await _text(room, "caf\u00e9.md") == b"x"


async def test_links_are_never_followed(root: Path, own: Workspace, tmp_path: Path) -> None:
    """X8: as the file, as a folder on the way, as the workspace itself; writing replaces a link, never its target."""
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("secret")
    await own.write("here.md", b"x")
    (root / "ada/file").symlink_to(secret / "key")
    (root / "ada/folder").symlink_to(secret)
    (root / "ada/dangling").symlink_to(secret / "new")
    for attempt in (own.read("file", limit=9), own.read("folder/key", limit=9), own.entries("folder")):
        with pytest.raises(WorkspaceFault, match="link"):
            await attempt
    with pytest.raises(WorkspaceFault, match="link"):
        await own.write("folder/new", b"mine")
    await own.write("file", b"mine")
    await own.write("dangling", b"mine")
    assert (secret / "key").read_text() == "secret"
    assert [each.name for each in secret.iterdir()] == ["key"]
    (root / "bob").symlink_to(secret)
    with pytest.raises(WorkspaceFault, match="link"):
        await Workspaces(root).at("bob").read("key", limit=9)


async def test_a_link_that_is_swapped_in_leads_nowhere(root: Path, own: Workspace, tmp_path: Path) -> None:
    """X8: a folder that turns into a link and back while it is read and written to."""
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "a.txt").write_text("secret")
    await own.write("folder/a.txt", b"mine")
    folder, aside = root / "ada/folder", root / "ada/aside"
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            folder.rename(aside)
            try:
                folder.symlink_to(secret)
                folder.unlink()
                aside.rename(folder)
            except OSError:  # a writer found nothing there and made a folder of its own
                shutil.rmtree(folder)
                aside.rename(folder)

    swapping = asyncio.create_task(asyncio.to_thread(swap))
    seen: set[bytes] = set()
    try:
        for number in range(300):
            try:
                seen.add(await _text(own, "folder/a.txt"))
                await own.write(f"folder/{number % 7}.txt", b"mine")
            except WorkspaceFault:
                pass
    finally:
        over.set()
        await swapping
    seen.add(await _text(own, "folder/a.txt"))  # with nobody in between it is read, however the race went
    assert seen == {b"mine"}
    assert [each.name for each in secret.iterdir()] == ["a.txt"]


async def test_only_regular_files(root: Path, own: Workspace) -> None:
    """X8: a pipe is neither waited for nor replaced; a folder is no file."""
    await own.write("folder/a.txt", b"x")
    os.mkfifo(root / "ada/pipe")
    async with asyncio.timeout(5):
        with pytest.raises(WorkspaceFault, match="no regular file"):
            await own.read("pipe", limit=1)
        with pytest.raises(WorkspaceFault, match="stays as it is"):
            await own.write("pipe", b"x")
    with pytest.raises(WorkspaceFault, match="folder"):
        await own.read("folder", limit=1)
    with pytest.raises(WorkspaceFault, match="stays as it is"):
        await own.write("folder", b"x")
    with pytest.raises(WorkspaceFault, match="no folder"):
        await own.write("folder/a.txt/b", b"x")
    with pytest.raises(WorkspaceFault, match="needs a name"):
        await own.write("", b"x")


async def test_shared_is_read_from_a_room_and_never_written(root: Path, own: Workspace, room: Workspace) -> None:
    """X3: what the agent's owner put there, and nothing else of the agent, is seen by everyone it works for."""
    assert await _names(room) == []
    await own.write("shared/tone.md", b"friendly")
    await own.write("private.md", b"x")
    assert await _names(room) == ["shared"]
    assert await _text(room, "shared/tone.md") == b"friendly"
    assert await _names(room, "shared") == ["tone.md"]
    with pytest.raises(WorkspaceFault, match="only be read"):
        await room.write("shared/tone.md", b"rude")
    with pytest.raises(WorkspaceFault):
        await room.read("private.md", limit=1)
    other = Workspaces(root).at("ada/rooms/r2")
    await room.write("mine.md", b"x")
    assert await _names(other) == ["shared"]


async def test_a_full_workspace_takes_nothing_more(
    own: Workspace, room: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Quota: bytes and files; rooms are counted apart; what is replaced makes room."""
    monkeypatch.setattr(quota, "QUOTA_BYTES", 10)
    monkeypatch.setattr(quota, "QUOTA_FILES", 2)
    await own.write("a", b"12345678")
    with pytest.raises(WorkspaceFault, match="is full"):
        await own.write("b", b"123")
    await own.write("a", b"1234567890")
    await room.write("a", b"1234567890")
    await own.write("a", b"")
    await own.write("b", b"")
    with pytest.raises(WorkspaceFault, match="is full"):
        await own.write("c", b"")
    assert await _names(own) == ["a", "b", "rooms"]


async def test_a_disk_that_is_nearly_full_is_left_to_the_store(own: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store lives on the same disk."""
    monkeypatch.setattr(quota, "SPARE_BYTES", 2**62)
    with pytest.raises(WorkspaceFault, match="nearly full"):
        await own.write("a", b"x")


def _keep(count: int) -> Callable[[int], Awaitable[int]]:
    async def keep(size: int) -> int:
        return count

    return keep


async def test_a_write_that_fails_leaves_the_old_content(root: Path, own: Workspace) -> None:
    """R1: all or nothing; what a dead process left is thrown away later."""
    await own.write("a", b"old")
    with pytest.raises(WorkspaceFault, match="shorter"):
        await own.write("a", b"new", behind=_keep(10))
    assert await _text(own, "a") == b"old"
    left = root / "ada/.part-left"
    left.write_bytes(b"half")
    assert await _names(own) == ["a"]
    os.utime(left, (0, 0))
    assert await own.write("a", b"new", behind=_keep(3)) == 6
    assert await _text(own, "a") == b"oldnew"
    assert [each.name for each in (root / "ada").iterdir()] == ["a"]


async def test_pieces_are_the_file_as_it_was(own: Workspace) -> None:
    """A file that is sent is the one that stood there, whatever is written meanwhile."""
    await own.write("a", b"o" * 600_000)
    taken = b""
    async for piece in own.pieces("a"):
        taken += piece
        await own.write("a", b"new")
    assert taken == b"o" * 600_000


async def test_files_of_the_program_are_copied_in(own: Workspace, tmp_path: Path) -> None:
    """An attachment in the workspace is the agent's own copy."""
    source = tmp_path / "on-the-shelf"
    source.write_bytes(b"bytes")
    assert await own.put("files/a.pdf", source) == 5
    await own.write("files/a.pdf", b"changed")
    assert source.read_bytes() == b"bytes"
