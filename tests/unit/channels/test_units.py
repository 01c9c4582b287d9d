"""Lengths as platforms count them, and what people see as one character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.units import Ruler, Unit, is_joint, measure

UNITS: list[Unit] = ["characters", "utf16", "bytes"]


@pytest.mark.parametrize(
    ("text", "characters", "utf16", "octets"),
    [("abc", 3, 3, 3), ("é", 1, 1, 2), ("研究", 2, 2, 6), ("👍", 1, 2, 4), ("👍🏽", 2, 4, 8), ("\ud800", 1, 1, 3)],
)
def test_lengths(text: str, characters: int, utf16: int, octets: int) -> None:
    assert [measure(text, unit) for unit in UNITS] == [characters, utf16, octets]


@given(st.text(st.characters()), st.sampled_from(UNITS), st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_a_ruler_agrees_with_measuring(text: str, unit: Unit, start: int, end: int, budget: int) -> None:
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    ruler = Ruler(text, unit)
    assert ruler.between(start, end) == measure(text[start:end], unit)
    reach = ruler.reach(start, budget)
    assert measure(text[start:reach], unit) <= budget
    assert reach == len(text) or measure(text[start : reach + 1], unit) > budget


@pytest.mark.parametrize(
    "cluster",
    ["é", "👍🏽", "👩‍🔬", "👨‍👩‍👧", "🇩🇪", "❤️", "1️⃣", "각", "นี้", "क्", "\r\n", "\ud83d\udc4d", "🏴\U000e0067\U000e007f"],
)
def test_what_people_see_as_one_character_is_not_torn(cluster: str) -> None:
    text = f"a{cluster}b"
    assert not is_joint(text, 1)
    assert all(is_joint(text, at) for at in range(2, 1 + len(cluster)))
    assert not is_joint(text, 1 + len(cluster))


def test_flags_are_counted_in_pairs() -> None:
    row = "🇩🇪🇫🇷🇨🇳"
    assert [at for at in range(1, 6) if not is_joint(row, at)] == [2, 4]


def test_ends_and_line_ends_are_no_joints() -> None:
    assert not is_joint("", 0)
    assert not is_joint("a", 0)
    assert not is_joint("a", 1)
    assert not is_joint("a\n\u0301", 2)
