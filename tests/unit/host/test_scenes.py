"""Every scene of the usage ledger has its label in both languages (S7)."""

import pytest

from bridge.notices import Notices
from host.scenes import ALL


@pytest.mark.parametrize("scene", ALL)
def test_a_scene_without_a_label_fails(scene: str) -> None:
    assert Notices("zh-CN").say(f"scene.{scene}") != Notices("en").say(f"scene.{scene}")


def test_the_hand_over_note_is_called_as_agreed() -> None:
    """S7: label 接手说明生成 / Hand-over note."""
    key = "scene.agent_handover_summary"
    assert (Notices("zh-CN").say(key), Notices("en").say(key)) == ("接手说明生成", "Hand-over note")
