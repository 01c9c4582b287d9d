"""What a model is asked for; the usage ledger counts by these names."""

from typing import Final

SCENES: Final = {
    "user": "chat",
    "task": "dispatch",
    "wake_up": "wake_up",
    "ask": "ask",
    "coop": "chat",
}
"""By the kind of the input that a turn works on."""

TITLE: Final = "title"
HANDOVER: Final = "agent_handover_summary"
COMPACTION: Final = "compaction"

ALL: Final = (*dict.fromkeys(SCENES.values()), TITLE, HANDOVER, COMPACTION)
"""Every scene; each has a label in both languages (`scene.<name>` in the catalogue)."""
