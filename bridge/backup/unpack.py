"""Reading a backup: everything is unpacked and compared beside the old files before one of those is moved."""

import hashlib
import os
import shutil
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from gzip import BadGzipFile
from pathlib import Path, PurePosixPath
from typing import IO, Final

from bridge.backup.errors import BackupDamaged
from bridge.backup.manifest import KEPT, NAME, STORE, Entry, Manifest, read_manifest

STAGING: Final = ".restoring"
_PIECE: Final = 1024 * 1024
_DAMAGE: Final = (tarfile.TarError, BadGzipFile, EOFError, zlib.error, ValueError, FileExistsError, NotADirectoryError)


@contextmanager
def unpacked(backup: Path, data_dir: Path) -> Iterator[tuple[Manifest, Path]]:
    """The backup's files in a folder inside `data_dir`, each of them checked. The folder goes at the end.

    Raises BackupDamaged, OSError.
    """
    staging = data_dir / STAGING
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(mode=0o700)
    try:
        yield _extracted(backup, staging), staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def move_in(staging: Path, data_dir: Path) -> None:
    """Put every checked file in its place, the store last: without it nothing starts from half a restore."""
    for path in sorted(staging.iterdir(), key=lambda path: path.name == STORE):
        path.rename(data_dir / path.name)


def _extracted(backup: Path, staging: Path) -> Manifest:
    found: dict[str, Entry] = {}
    try:
        with tarfile.open(backup, mode="r:gz") as archive:
            for member in archive:
                content = _content(archive, member)
                if member.name == NAME:
                    return _compared(read_manifest(content.read()), found)
                found[member.name] = _place(content, staging, _safe(member.name))
    except _DAMAGE as fault:
        raise BackupDamaged(f"it is no backup, or it is damaged ({fault})") from fault
    raise BackupDamaged("it is not complete: it has no manifest")


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    content = archive.extractfile(member) if member.isreg() else None
    if content is None:
        raise BackupDamaged(f'"{member.name}" in it is no plain file')
    return content


def _safe(name: str) -> PurePosixPath:
    """A name that leads to where our files belong, and nowhere else."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or path.parts[:1] not in [(each,) for each in (*KEPT, STORE)]:
        raise BackupDamaged(f'"{name}" in it does not belong there')
    return path


def _place(content: IO[bytes], staging: Path, name: PurePosixPath) -> Entry:
    digest, path = hashlib.sha256(), staging / name
    for folder in reversed(name.parents):
        (staging / folder).mkdir(mode=0o700, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as placed:
        while piece := content.read(_PIECE):
            digest.update(piece)
            placed.write(piece)
        placed.flush()
        os.fsync(placed.fileno())
        return Entry(size=placed.tell(), sha256=digest.hexdigest())


def _compared(manifest: Manifest, found: dict[str, Entry]) -> Manifest:
    for name in sorted(manifest.files.keys() | found.keys()):
        if manifest.files.get(name) != found.get(name):
            raise BackupDamaged(f'"{name}" in it is not what it was when the backup was made')
    return manifest
