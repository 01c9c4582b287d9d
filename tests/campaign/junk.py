"""Recorded payloads with something wrong: a value of another kind, a key that is missing, a part of another payload."""

import copy
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "payloads"
_VALUES: Sequence[Any] = (
    *(None, True, False, 0, -1, 2**63, 10**30, 1.5, "", " ", "0", "/stop", "@sim_bot", "<@UBOT>"),
    *("\x00", "\ud800", "x" * 5000, "🙂" * 40, [], {}, [None], [[]], {"": ""}, [{}], {"type": "message"}),
)


def recorded(platform: str) -> list[Any]:
    """All recorded files of a platform, as they are."""
    files = sorted((FOLDER / platform).glob("*.json"))
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def spoilt(dice: random.Random, payload: Any, others: Sequence[Any]) -> Any:
    """The payload with up to four changes; without any, now and then."""
    changed = copy.deepcopy(payload)
    for _ in range(dice.randint(0, 4)):
        places = list(_places(changed))
        if not places:
            break
        holder, key = dice.choice(places)
        _spoil(dice, holder, key, others)
    return changed


def _spoil(dice: random.Random, holder: Any, key: Any, others: Sequence[Any]) -> None:
    what = dice.random()
    if what < 0.2:
        del holder[key]
    elif what < 0.4:
        there, other = dice.choice(list(_places(dice.choice(others))) or [({"": ""}, "")])
        holder[key] = copy.deepcopy(there[other])
    else:
        holder[key] = copy.deepcopy(dice.choice(_VALUES))


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    """(holder, key) of every value below."""
    keys = node.keys() if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
    for key in list(keys):
        yield node, key
        yield from _places(node[key])
