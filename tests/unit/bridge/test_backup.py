"""Backups in themselves: what is in one, and what is refused before anything is touched."""

import os
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest

from bridge.backup.errors import BackupDamaged, NotRestorable
from bridge.backup.manifest import NAME, Manifest, read_manifest
from bridge.backup.pack import pack
from bridge.backup.restore import restore

Members = dict[str, tarfile.TarInfo | bytes]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data directory with a store that is being written to, files, and what belongs to one run only."""
    home = tmp_path / "data"
    for name, text in (
        ("secret.key", "key"),
        ("files/ab/abcd", "bytes"),
        ("workspaces/a/报告.md", "written"),
        ("server.json", "{}"),
        ("serve.lock", "1"),
        ("old-backup.tar.gz", "no"),
    ):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")
    with closing(sqlite3.connect(home / "teambridge.db")) as store:
        store.executescript(
            "PRAGMA journal_mode=WAL; CREATE TABLE alembic_version (version_num TEXT);"
            "INSERT INTO alembic_version VALUES ('0001'); CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1)"
        )
    return home


def put(members: Members, path: Path) -> Path:
    """An archive of these members."""
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            info = content if isinstance(content, tarfile.TarInfo) else tarfile.TarInfo(name)
            raw = content if isinstance(content, bytes) else b""
            info.size = len(raw)
            archive.addfile(info, BytesIO(raw))
    return path


def members_of(path: Path) -> Members:
    with tarfile.open(path) as archive:
        return {each.name: (archive.extractfile(each) or BytesIO()).read() for each in archive}


def packed(home: Path) -> Path:
    target = home.parent / "b.tar.gz"
    pack(home, target, store=home / "teambridge.db")
    return target


def put_back(backup: Path, folder: Path, *, is_sqlite: bool = True, force: bool = False) -> Path | None:
    folder.mkdir(exist_ok=True)
    return restore(backup, folder, is_sqlite=is_sqlite, force=force).aside


def test_everything_comes_back_and_only_for_us(home: Path, tmp_path: Path) -> None:
    """Content, odd names and rights; what belongs to one run is not in it."""
    backup, there = packed(home), tmp_path / "there"
    put_back(backup, there)
    names = {path.relative_to(there).as_posix() for path in there.rglob("*") if path.is_file()}
    assert names == {"teambridge.db", "secret.key", "files/ab/abcd", "workspaces/a/报告.md"}
    assert (there / "workspaces/a/报告.md").read_text(encoding="utf-8") == "written"
    assert backup.stat().st_mode & 0o777 == 0o600
    assert {path.stat().st_mode & 0o077 for path in there.rglob("*")} == {0}
    with closing(sqlite3.connect(there / "teambridge.db")) as store:
        assert store.execute("SELECT x FROM t").fetchall() == [(1,)]


def test_a_writer_neither_waits_nor_spoils_the_backup(home: Path, tmp_path: Path) -> None:
    """Online: what is not committed is not in it."""
    with closing(sqlite3.connect(home / "teambridge.db", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO t VALUES (2)")
        backup = packed(home)
        writer.execute("COMMIT")
    put_back(backup, tmp_path / "there")
    with closing(sqlite3.connect(tmp_path / "there" / "teambridge.db")) as store:
        assert store.execute("SELECT x FROM t").fetchall() == [(1,)]


def test_links_and_pipes_are_left_out(home: Path) -> None:
    """A workspace's link must not carry the machine's files away, nor a pipe hold the backup up."""
    (home / "workspaces/a/link").symlink_to("/etc/passwd")
    (home / "workspaces/a/folder").symlink_to("/etc")
    os.mkfifo(home / "workspaces/a/pipe")
    done = pack(home, home.parent / "b.tar.gz", store=home / "teambridge.db")
    assert (done.files, done.skipped) == (4, 3)


def test_nothing_is_left_of_a_backup_that_failed(home: Path) -> None:
    (home / "teambridge.db").write_bytes(b"no database")
    with pytest.raises(Exception, match="not a database"):
        packed(home)
    assert sorted(path.name for path in home.parent.iterdir()) == ["data"]


def _changed(members: Members) -> Members:
    return members | {"secret.key": b"yek"}


def _missing(members: Members) -> Members:
    return {name: content for name, content in members.items() if name != "secret.key"}


def _added(members: Members) -> Members:
    return {"files/x": b"x"} | members


def _without_manifest(members: Members) -> Members:
    return {name: content for name, content in members.items() if name != NAME}


def _later_format(members: Members) -> Members:
    raw = members[NAME]
    assert isinstance(raw, bytes)
    return members | {NAME: read_manifest(raw).model_copy(update={"format": 2}).model_dump_json().encode()}


def _climbing(members: Members) -> Members:
    return {"files/../../evil": b"x"} | members


def _absolute(members: Members) -> Members:
    return {"/tmp/evil": b"x"} | members


def _foreign(members: Members) -> Members:
    return {"serve.lock": b"x"} | members


def _linking(members: Members) -> Members:
    link = tarfile.TarInfo("files/link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc"
    before: Members = {"files/link": link, "files/link/x": b"x"}
    return before | members


@pytest.mark.parametrize(
    "spoil",
    [
        *(_changed, _missing, _added, _without_manifest, _later_format, _climbing, _absolute, _foreign, _linking),
    ],
)
def test_a_backup_that_is_not_what_it_was_changes_nothing(
    home: Path, tmp_path: Path, spoil: Callable[[Members], Members]
) -> None:
    """Checked before anything is touched, with --force too; nothing is written outside, nothing stays behind."""
    backup = put(spoil(members_of(packed(home))), tmp_path / "spoilt.tar.gz")
    before = sorted(home.rglob("*"))
    with pytest.raises(BackupDamaged):
        put_back(backup, home, force=True)
    assert sorted(home.rglob("*")) == before
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("kept", [0, 1, 100, -200])
def test_a_file_that_was_cut_off_or_is_none(home: Path, tmp_path: Path, kept: int) -> None:
    cut = tmp_path / "cut.tar.gz"
    cut.write_bytes(packed(home).read_bytes()[:kept])
    with pytest.raises(BackupDamaged):
        put_back(cut, tmp_path / "there")
    assert list((tmp_path / "there").iterdir()) == []


def test_what_is_there_is_never_overwritten(home: Path, tmp_path: Path) -> None:
    """--force puts it aside, and may do so again."""
    backup = packed(home)
    (home / "secret.key").write_text("newer", encoding="utf-8")
    with pytest.raises(NotRestorable, match="is not empty"):
        put_back(backup, home)
    aside = put_back(backup, home, force=True)
    assert aside is not None
    assert (home / "secret.key").read_text(encoding="utf-8") == "key"
    assert (aside / "secret.key").read_text(encoding="utf-8") == "newer"
    assert (aside / "server.json").exists()
    assert (home / "serve.lock").exists()
    assert put_back(put(members_of(backup), tmp_path / "again.tar.gz"), tmp_path / "there") is None


def test_a_backup_goes_where_its_store_is(home: Path, tmp_path: Path) -> None:
    """The store of PostgreSQL is not in a backup; a SQLite store is of no use there."""
    with pytest.raises(NotRestorable, match="PostgreSQL"):
        put_back(packed(home), tmp_path / "there", is_sqlite=False)
    rest = tmp_path / "rest.tar.gz"
    pack(home, rest, store=None)
    with pytest.raises(NotRestorable, match="pg_restore"):
        put_back(rest, tmp_path / "there")
    put_back(rest, tmp_path / "there", is_sqlite=False)
    assert (tmp_path / "there" / "secret.key").exists()


def test_a_newer_programs_store_is_not_restored(home: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(home / "teambridge.db")) as store:
        store.execute("UPDATE alembic_version SET version_num = '9999'")
        store.commit()
    with pytest.raises(NotRestorable, match="9999"):
        put_back(packed(home), tmp_path / "there")


def test_the_manifest_tells_what_it_is(home: Path) -> None:
    raw = members_of(packed(home))[NAME]
    assert isinstance(raw, bytes)
    manifest: Manifest = read_manifest(raw)
    assert (manifest.format, manifest.store, manifest.revision) == (1, "sqlite", "0001")
    assert manifest.files["files/ab/abcd"].size == 5
