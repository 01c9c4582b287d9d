"""Secrets at rest: encrypted with a key that stands in a file of its own (X5)."""

import json
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from cryptography.fernet import Fernet, InvalidToken

KEY_FILE: Final = "secret.key"


class Unreadable(Exception):
    """What was sealed cannot be opened with this key: the key file was lost or changed."""


class Vault:
    """Seals secrets with the key in `folder/secret.key` (0600), which is made when it is first needed."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / KEY_FILE
        self._fernet: Fernet | None = None

    def seal(self, named: Mapping[str, str]) -> str:
        """These secrets as one text. Raises OSError if the key cannot be read or made."""
        if not self._path.exists():
            _make_key(self._path)
        return self._key().encrypt(json.dumps(dict(named)).encode()).decode()

    def unseal(self, sealed: str) -> dict[str, str]:
        """What was sealed. Raises Unreadable."""
        try:
            opened = self._key().decrypt(sealed.encode()) if sealed else b"{}"
            return {str(name): str(value) for name, value in json.loads(opened).items()}
        except (InvalidToken, ValueError, OSError) as fault:
            raise Unreadable(f"{self._path.name} is not the key that the secrets were encrypted with") from fault

    def _key(self) -> Fernet:
        if self._fernet is None:
            self._fernet = Fernet(self._path.read_bytes().strip())
        return self._fernet


def _make_key(path: Path) -> None:
    """Appears complete or not at all; if another process was faster, its key stays."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    draft.touch(mode=0o600, exist_ok=False)
    draft.write_bytes(Fernet.generate_key() + b"\n")
    with suppress(FileExistsError):
        path.hardlink_to(draft)
    draft.unlink()
