"""The data directory: the store, the workspaces and the key of the secrets, for nobody but us."""

from pathlib import Path


def make_data_dir(path: Path) -> None:
    """Make the directory (0700) if it is missing; one that is there stays as its owner made it. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=0o700, exist_ok=True)
