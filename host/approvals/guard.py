"""The guard before a tool that asks: whatever led to a call, it runs only if a person agreed (C12)."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from host.agent import Tool, ToolCall
from host.approvals.policy import ALLOWED
from host.approvals.trust import read_trust
from host.approvals.words import MODEL_READS, UNASKED
from host.deps import Deps
from host.errors import ToolFault
from store.approvals import approval_of_call
from store.database import Transaction
from store.turns import Turn


def guarded(deps: Deps, turn: Turn, tools: Sequence[Tool]) -> list[Tool]:
    """The tools, of which those that ask run only as far as people allow.

    A colleague that works inside somebody else's run cannot wait for a person: there such a tool is refused unless
    its session is trusted, or the tool was granted to a session that it works for.
    """
    return [_guarded(deps, turn, tool) if tool.asks else tool for tool in tools]


def asking(tools: Sequence[Tool]) -> frozenset[str]:
    """The names of those that ask."""
    return frozenset(tool.name for tool in tools if tool.asks)


def _guarded(deps: Deps, turn: Turn, tool: Tool) -> Tool:
    async def run(call: ToolCall) -> object:
        if reason := await deps.database.read(partial(_hindrance, turn, call)):
            raise ToolFault(reason)
        return await tool.run(call)

    return replace(tool, run=run)


async def _hindrance(turn: Turn, call: ToolCall, tx: Transaction) -> str:
    """Why the call may not run, in words for the model; "" if it may."""
    asked = await approval_of_call(tx, turn.id, call.id)
    if asked is not None:
        return "" if asked.state in ALLOWED else MODEL_READS.get(asked.state, UNASKED)
    trust = await read_trust(tx, turn.session_id)
    return "" if trust.covers(call.name) else UNASKED
