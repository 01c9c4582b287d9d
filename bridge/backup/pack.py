"""Writing a backup: the store first, then the files.

In this order the store never names a file that came too late for the backup; files may be a moment newer than it. That
is what a killed process leaves as well, so whatever goes on from a backup goes on as after a crash.
"""

import hashlib
import os
import stat
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from tempfile import SpooledTemporaryFile, TemporaryDirectory
from typing import IO, Final

from bridge import __version__
from bridge.backup.manifest import FORMAT, KEPT, NAME, STORE, Entry, Manifest
from store.snapshot import copy_file

_IN_MEMORY: Final = 8 * 1024 * 1024
_PIECE: Final = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Packed:
    """What was written; `skipped` are links and the like, which no backup holds."""

    files: int
    skipped: int


def pack(data_dir: Path, target: Path, *, store: Path | None) -> Packed:
    """Write the backup to the new file `target` (0600); it appears complete or not at all.

    `store` is the SQLite file, None where the store is on PostgreSQL. Raises StoreUnavailable, OSError.
    """
    with TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as scratch:
        draft = Path(scratch) / "draft"
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
            packed = _write(data_dir, opened, store, Path(scratch))
            opened.flush()
            os.fsync(opened.fileno())
        draft.rename(target)
    return packed


def _write(data_dir: Path, opened: IO[bytes], store: Path | None, scratch: Path) -> Packed:
    entries: dict[str, Entry] = {}
    skipped, revision = 0, ""
    with tarfile.open(fileobj=opened, mode="w:gz") as archive:
        if store is not None:
            revision = copy_file(store, scratch / STORE)
            entries[STORE] = _add(archive, scratch / STORE, STORE)
        for path in _files(data_dir):
            name = path.relative_to(data_dir).as_posix()
            with suppress(FileNotFoundError):  # it went while we were at work
                if _is_file(path):
                    entries[name] = _add(archive, path, name)
                else:
                    skipped += 1
        _add_manifest(archive, "postgresql" if store is None else "sqlite", revision, entries)
    return Packed(files=len(entries), skipped=skipped)


def _files(data_dir: Path) -> Iterator[Path]:
    for kept in (data_dir / name for name in KEPT):
        if kept.is_dir() and not kept.is_symlink():
            for folder, folders, names in os.walk(kept):
                links = [name for name in folders if (Path(folder) / name).is_symlink()]
                yield from (Path(folder) / name for name in sorted((*names, *links)))
        elif kept.exists():
            yield kept


def _is_file(path: Path) -> bool:
    return stat.S_ISREG(path.lstat().st_mode)


def _add(archive: tarfile.TarFile, path: Path, name: str) -> Entry:
    """The file as it is read now: one that grows or shrinks meanwhile must not spoil the archive."""
    digest, info = hashlib.sha256(), tarfile.TarInfo(name)
    with SpooledTemporaryFile(max_size=_IN_MEMORY) as spool:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as source:
            info.mtime = int(os.fstat(source.fileno()).st_mtime)
            while piece := source.read(_PIECE):
                digest.update(piece)
                spool.write(piece)
        info.size, info.mode = spool.tell(), 0o600
        spool.seek(0)
        archive.addfile(info, spool)
    return Entry(size=info.size, sha256=digest.hexdigest())


def _add_manifest(archive: tarfile.TarFile, store: str, revision: str, entries: dict[str, Entry]) -> None:
    manifest = Manifest(
        format=FORMAT,
        program=__version__,
        made_at=datetime.now(UTC),
        store="sqlite" if store == "sqlite" else "postgresql",
        revision=revision,
        files=entries,
    )
    raw = manifest.model_dump_json(indent=1).encode()
    info = tarfile.TarInfo(NAME)
    info.size, info.mode = len(raw), 0o600
    archive.addfile(info, BytesIO(raw))
