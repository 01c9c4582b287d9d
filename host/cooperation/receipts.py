"""Receipts of tool calls: a call is known by its turn and its id, and has happened once, whoever repeats it (C5)."""

import hashlib
import json
from collections.abc import Awaitable, Callable
from typing import Any

from host.agent import ToolCall
from host.cooperation.arguments import Arguments
from host.errors import ToolFault
from store.database import Transaction
from store.inputs import add_receipt, find_receipt


async def once(
    tx: Transaction, turn_id: str, call: ToolCall, given: Arguments, work: Callable[[], Awaitable[dict[str, Any]]]
) -> dict[str, Any]:
    """What the call came to: done now, or found. Raises ToolFault if the same call came with other content.

    The turn's session must be locked, so that two repetitions meet here one after the other.
    """
    scope, digest = f"turn:{turn_id}", _digest(call, given)
    known = await find_receipt(tx, scope, call.id)
    if known is not None:
        if known.digest != digest:
            raise ToolFault(f"{call.name}: this call was made before with other arguments; nothing was changed")
        return known.result
    result = await work()
    await add_receipt(
        tx, scope=scope, key=call.id, digest=digest, input_id=str(result.get("input_id", "")), result=result
    )
    return result


def _digest(call: ToolCall, given: Arguments) -> str:
    content = json.dumps([call.name, given.model_dump(mode="json")], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(content.encode()).hexdigest()
