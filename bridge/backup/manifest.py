"""What a backup says about itself. It stands at the end of the archive: one that was cut off has none."""

from datetime import datetime
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from bridge.backup.errors import BackupDamaged

NAME: Final = "manifest.json"
FORMAT: Final = 1
STORE: Final = "teambridge.db"
KEPT: Final = ("files", "workspaces", "secret.key", "demo-hook.secret")
"""What of the data directory is kept beside the store: the rest is of one run only, or not ours."""


class Entry(BaseModel):
    """One file: its length in bytes and the SHA-256 of its content, in hexadecimal."""

    model_config = ConfigDict(frozen=True)

    size: int
    sha256: str


class Manifest(BaseModel):
    """`revision` is the schema's, "" where the store is on PostgreSQL and not in the archive."""

    model_config = ConfigDict(frozen=True)

    format: int
    program: str
    made_at: datetime
    store: Literal["sqlite", "postgresql"]
    revision: str
    files: dict[str, Entry]


def read_manifest(raw: bytes) -> Manifest:
    """Raises BackupDamaged if it cannot be read, or is of a later format."""
    try:
        manifest = Manifest.model_validate_json(raw)
    except ValidationError:
        raise BackupDamaged("its manifest cannot be read") from None
    if manifest.format > FORMAT:
        raise BackupDamaged(f"it was made by a newer teambridge ({manifest.program}); install that version")
    return manifest
