"""A team's own folder: the persona, the rules, and the manifest, which is the roster's only home."""

import json
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

from host.errors import DamagedManifest, Unknown

T = TypeVar("T")

_TEMPLATE: Final = Path(__file__).parent / "template"
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_BEGIN: Final = "<!-- guidelines: begin -->"
_END: Final = "<!-- guidelines: end -->"
_MANIFEST: Final = ".teambridge/manifest.json"
_MANY_FILES: Final = 1000


class Rosters:
    """What stands in `workspaces/<team id>/`. Read anew only when a file has changed: a look costs one stat.

    Methods raise Unknown for an id that could not be a folder's name.
    """

    def __init__(self, workspaces: Path, locale: str = "zh-CN") -> None:
        self._workspaces = workspaces
        self._template = _TEMPLATE / locale
        self._read: dict[Path, tuple[tuple[int, ...], object]] = {}

    def seed(self, team_id: str, members: Sequence[str]) -> None:
        """Make what is missing of the team's folder; what is there, damaged or not, stays."""
        self._seed(team_id, "SOUL.md", self._from_template("SOUL.md"))
        self._seed(team_id, "AGENTS.md", self._from_template("AGENTS.md"))
        self._seed(team_id, _MANIFEST, _manifest_text(members))

    def members(self, team_id: str) -> tuple[str, ...]:
        """The ids on the roster, in its order. Raises DamagedManifest."""
        path = self._path(team_id, _MANIFEST)
        try:
            return self._cached(path, _parse_manifest)
        except FileNotFoundError:
            raise DamagedManifest(str(path), "the file is missing") from None
        except OSError as fault:
            raise DamagedManifest(str(path), fault.strerror or "cannot be read") from fault
        except ValueError as fault:
            raise DamagedManifest(str(path), str(fault)) from None

    def write(self, team_id: str, members: Sequence[str]) -> None:
        """The next roster, complete or not at all."""
        _replace(self._path(team_id, _MANIFEST), _manifest_text(members))

    def persona(self, team_id: str) -> str:
        """The host's persona: SOUL.md."""
        return self._text(team_id, "SOUL.md").strip()

    def rules(self, team_id: str) -> str:
        """The rules of coordination: AGENTS.md without its guidelines."""
        before, _, after = _split(self._text(team_id, "AGENTS.md"))
        return f"{before.strip()}\n\n{after.strip()}".strip()

    def guidelines(self, team_id: str) -> str:
        """The part of AGENTS.md that the team's owner wrote."""
        return _split(self._text(team_id, "AGENTS.md"))[1].strip()

    def set_guidelines(self, team_id: str, guidelines: str) -> None:
        """Put `guidelines` in the place of the present ones; the rest of AGENTS.md stays as it is."""
        if guidelines.strip() == self.guidelines(team_id):
            return
        before, _, after = _split(self._text(team_id, "AGENTS.md"))
        inside = guidelines.replace(_BEGIN, "").replace(_END, "").strip()
        section = "\n".join(part for part in (_BEGIN, inside, _END) if part)
        _replace(self._path(team_id, "AGENTS.md"), f"{before.rstrip()}\n\n{section}\n{after.lstrip()}".lstrip())

    def _path(self, team_id: str, name: str) -> Path:
        if not _ID.fullmatch(team_id):
            raise Unknown(team_id)
        return self._workspaces / team_id / name

    def _from_template(self, name: str) -> str:
        return (self._template / name).read_text(encoding="utf-8")

    def _seed(self, team_id: str, name: str, text: str) -> None:
        path = self._path(team_id, name)
        if not path.exists():
            _replace(path, text)

    def _text(self, team_id: str, name: str) -> str:
        try:
            return self._cached(self._path(team_id, name), _decoded)
        except FileNotFoundError:
            return ""

    def _cached(self, path: Path, parse: Callable[[bytes], T]) -> T:
        """The parsed file; an older parse is used while the file is the same one. Raises OSError, ValueError."""
        stat = path.stat()
        version = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        known = self._read.get(path)
        if known is not None and known[0] == version:
            return known[1]  # type: ignore[return-value]  # what `parse` made of this very file
        parsed = parse(path.read_bytes())
        if len(self._read) >= _MANY_FILES:
            self._read.clear()
        self._read[path] = (version, parsed)
        return parsed


def _manifest_text(members: Sequence[str]) -> str:
    return json.dumps({"kind": "team", "members": list(members)}, ensure_ascii=False, indent=2) + "\n"


def _parse_manifest(raw: bytes) -> tuple[str, ...]:
    """Raises ValueError with what is wrong."""
    try:
        manifest = json.loads(raw)
    except ValueError:
        raise ValueError("not valid JSON") from None
    if not isinstance(manifest, dict) or manifest.get("kind") != "team":
        raise ValueError('"kind" is not "team"')
    members = manifest.get("members")
    if not isinstance(members, list) or not all(isinstance(each, str) and each.strip() for each in members):
        raise ValueError('"members" is not a list of ids')
    if len(set(members)) < len(members):
        raise ValueError('"members" names an id twice')
    return tuple(members)


def _decoded(raw: bytes) -> str:
    return raw.decode(errors="replace")


def _split(rules: str) -> tuple[str, str, str]:
    """AGENTS.md before, between and after the markers; without both markers everything is before."""
    before, begin, rest = rules.partition(_BEGIN)
    inside, end, after = rest.partition(_END)
    return (before, inside, after) if begin and end else (rules, "", "")


def _replace(path: Path, text: str) -> None:
    """Write a file so that a crash leaves the old one or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.new")
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
