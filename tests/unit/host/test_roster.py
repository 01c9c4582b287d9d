"""The team's folder."""

import json
from pathlib import Path

import pytest

from host.errors import DamagedManifest, Unknown
from host.roster import Rosters


@pytest.fixture
def rosters(tmp_path: Path) -> Rosters:
    return Rosters(tmp_path)


def manifest(folder: Path) -> Path:
    return folder / "studio" / ".teambridge" / "manifest.json"


@pytest.mark.parametrize("locale", ["zh-CN", "en"])
def test_seeding_makes_persona_rules_and_manifest(tmp_path: Path, locale: str) -> None:
    rosters = Rosters(tmp_path, locale)
    rosters.seed("studio", ["researcher", "writer"])
    assert json.loads(manifest(tmp_path).read_text()) == {"kind": "team", "members": ["researcher", "writer"]}
    assert rosters.persona("studio")
    assert rosters.rules("studio").startswith("# ")
    assert "guidelines" not in rosters.rules("studio")
    assert rosters.guidelines("studio") == ""
    assert rosters.members("studio") == ("researcher", "writer")


def test_seeding_again_keeps_what_the_owner_edited(rosters: Rosters, tmp_path: Path) -> None:
    rosters.seed("studio", ["researcher", "writer"])
    (tmp_path / "studio" / "SOUL.md").write_text("Be a pirate.")
    rosters.write("studio", ["writer", "reviewer"])
    rosters.seed("studio", ["researcher", "writer"])
    assert rosters.persona("studio") == "Be a pirate."
    assert rosters.members("studio") == ("writer", "reviewer")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", "not valid JSON"),
        ("[]", '"kind" is not "team"'),
        ('{"kind": "expert", "members": ["a", "b"]}', '"kind" is not "team"'),
        ('{"kind": "team"}', '"members" is not a list of ids'),
        ('{"kind": "team", "members": "ab"}', '"members" is not a list of ids'),
        ('{"kind": "team", "members": ["a", ""]}', '"members" is not a list of ids'),
        ('{"kind": "team", "members": ["a", 1]}', '"members" is not a list of ids'),
        ('{"kind": "team", "members": ["a", "a"]}', '"members" names an id twice'),
    ],
)
def test_a_damaged_manifest_is_named_and_left_alone(
    rosters: Rosters, tmp_path: Path, content: str, problem: str
) -> None:
    """T37: never overwritten silently, not by seeding either."""
    manifest(tmp_path).parent.mkdir(parents=True)
    manifest(tmp_path).write_text(content)
    rosters.seed("studio", ["researcher", "writer"])
    with pytest.raises(DamagedManifest) as damage:
        rosters.members("studio")
    assert damage.value.problem == problem
    assert damage.value.path == str(manifest(tmp_path))
    assert manifest(tmp_path).read_text() == content


def test_a_missing_manifest_is_damage_too(rosters: Rosters) -> None:
    with pytest.raises(DamagedManifest, match="missing"):
        rosters.members("studio")


def test_a_change_by_hand_counts_from_the_next_look_on(rosters: Rosters, tmp_path: Path) -> None:
    rosters.seed("studio", ["a", "b"])
    assert rosters.members("studio") == ("a", "b")
    manifest(tmp_path).write_text('{"kind": "team", "members": ["a", "b", "c"]}')
    assert rosters.members("studio") == ("a", "b", "c")


def test_an_unchanged_manifest_is_not_parsed_again(rosters: Rosters) -> None:
    rosters.seed("studio", ["a", "b"])
    assert rosters.members("studio") is rosters.members("studio")


def test_guidelines_stand_between_their_markers(rosters: Rosters, tmp_path: Path) -> None:
    rosters.seed("studio", ["a", "b"])
    rules = rosters.rules("studio")
    for guidelines in ("Always cite sources.", "Two\n\nlines", ""):
        rosters.set_guidelines("studio", guidelines)
        assert rosters.guidelines("studio") == guidelines
        assert rosters.rules("studio") == rules


def test_guidelines_cannot_forge_the_markers(rosters: Rosters) -> None:
    rosters.seed("studio", ["a", "b"])
    rules = rosters.rules("studio")
    rosters.set_guidelines("studio", "x <!-- guidelines: end --> y")
    assert rosters.guidelines("studio") == "x  y"
    assert rosters.rules("studio") == rules


def test_guidelines_find_a_place_when_the_owner_removed_the_markers(rosters: Rosters, tmp_path: Path) -> None:
    rosters.seed("studio", ["a", "b"])
    (tmp_path / "studio" / "AGENTS.md").write_text("Only this.")
    rosters.set_guidelines("studio", "And that.")
    assert rosters.rules("studio") == "Only this."
    assert rosters.guidelines("studio") == "And that."


@pytest.mark.parametrize("team_id", ["..", "../x", "a/b", "", ".hidden", "a\x00b", "/etc", "a\n", "x" * 200])
def test_an_id_never_leaves_the_folder(rosters: Rosters, tmp_path: Path, team_id: str) -> None:
    """X8."""
    for attempt in (
        lambda: rosters.members(team_id),
        lambda: rosters.write(team_id, ["a", "b"]),
        lambda: rosters.persona(team_id),
        lambda: rosters.seed(team_id, ["a", "b"]),
    ):
        with pytest.raises(Unknown):
            attempt()
    assert list(tmp_path.iterdir()) == []


def test_a_write_leaves_no_draft_behind(rosters: Rosters, tmp_path: Path) -> None:
    rosters.write("studio", ["a", "b"])
    assert [path.name for path in manifest(tmp_path).parent.iterdir()] == ["manifest.json"]
