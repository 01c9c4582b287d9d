"""Putting a backup in its place: an empty data directory, or one whose files step aside."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from bridge.backup.errors import NotRestorable
from bridge.backup.manifest import Manifest
from bridge.backup.unpack import STAGING, move_in, unpacked
from store.upgrade import head

_ASIDE: Final = "before-restore-"
_STAYS: Final = (STAGING, "serve.lock")


@dataclass(frozen=True, kw_only=True)
class Restored:
    """What was done; `aside` is the folder with the files that were there before, None if there were none."""

    files: int
    made_at: datetime
    aside: Path | None


def restore(backup: Path, data_dir: Path, *, is_sqlite: bool, force: bool) -> Restored:
    """Fill `data_dir`, which nobody else may use meanwhile. With `force` what is there moves into a folder inside it.

    Raises BackupDamaged, NotRestorable, OSError; then nothing was changed (an OSError may leave files aside).
    """
    present = [path for path in data_dir.iterdir() if path.name not in _STAYS and not path.name.startswith(_ASIDE)]
    if present and not force:
        raise NotRestorable(f"{data_dir} is not empty: name another data_dir, or --force to put aside what is there")
    with unpacked(backup, data_dir) as (manifest, staging):
        _check_fit(backup, manifest, is_sqlite=is_sqlite)
        aside = _put_aside(present, data_dir)
        move_in(staging, data_dir)
    return Restored(files=len(manifest.files), made_at=manifest.made_at, aside=aside)


def _check_fit(backup: Path, manifest: Manifest, *, is_sqlite: bool) -> None:
    """The configuration decides where the store is; the backup must have been made with the same decision."""
    if manifest.store == "sqlite" and not is_sqlite:
        raise NotRestorable(f"{backup} holds a SQLite store, but store.url names PostgreSQL")
    if manifest.store == "postgresql" and is_sqlite:
        raise NotRestorable(f"{backup} holds no store: restore it with pg_restore, and name it in store.url")
    if manifest.revision > head():
        raise NotRestorable(
            f"{backup} was made by a newer teambridge (revision {manifest.revision}); install that version"
        )


def _put_aside(present: list[Path], data_dir: Path) -> Path | None:
    """Inside the directory, for it may be the mount point of a volume."""
    if not present:
        return None
    aside = data_dir / f"{_ASIDE}{datetime.now(UTC):%Y%m%d-%H%M%S}"
    aside.mkdir(mode=0o700)
    for path in present:
        path.rename(aside / path.name)
    return aside
