"""A PostgreSQL of our own for a test session: the machine's binaries, on a socket in a temporary folder."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

INSTALLED = Path("/usr/lib/postgresql")
FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "listen_addresses=", "shared_buffers=32MB")


def binaries() -> Path | None:
    """The folder with `initdb` and `postgres`, or None if the machine has none."""
    newest = sorted(INSTALLED.glob("*/bin/initdb")) if INSTALLED.exists() else []
    found = newest[-1] if newest else Path(shutil.which("initdb") or "/nowhere/initdb")
    return found.parent if (found.parent / "postgres").exists() else None


@contextmanager
def running_postgres(programs: Path) -> Iterator[str]:
    """The URL of an empty server; it refuses to run as root, so root starts it as another user."""
    folder = Path(tempfile.mkdtemp(prefix="tb-pg-"))
    user = _unprivileged()
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)
    data = folder / "data"
    _run([programs / "initdb", "-D", data, "-A", "trust", "-U", "test", "-E", "UTF8", "--no-sync"], user)
    options = " ".join(f"-c {each}" for each in (*FAST, f"unix_socket_directories={folder}"))
    _run([programs / "pg_ctl", "-D", data, "-o", options, "-l", folder / "log", "-w", "start"], user)
    try:
        yield f"postgresql://test@/postgres?host={folder}"
    finally:
        _run([programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"], user)
        shutil.rmtree(folder, ignore_errors=True)


def _unprivileged() -> pwd.struct_passwd | None:
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    return None


def _run(command: list[object], user: pwd.struct_passwd | None) -> None:
    subprocess.run(
        [str(each) for each in command],
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        user=None if user is None else user.pw_uid,
        group=None if user is None else user.pw_gid,
        extra_groups=None if user is None else [],
        cwd="/",
    )
