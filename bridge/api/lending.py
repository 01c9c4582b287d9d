"""Channels that lead to somebody else's expert: they run as long as it is lent to their owners."""

from functools import partial

from bridge.api.call import Call
from bridge.storedchannels import NOT_LENT, is_lent
from store.channels import channels_bound_to
from store.database import Transaction


async def settle_borrowers(call: Call, agent_id: str) -> None:
    """After a change of who may use the expert: stop the channels that lost it, run those that have it again."""
    board = call.parts.plugboard
    async with board.changing():
        for channel_id, lent in (await call.read(partial(_bound, agent_id=agent_id))).items():
            entry = board.lineup.find(channel_id)
            if entry is None or lent != board.is_broken_off(channel_id):
                continue
            await (board.plug(entry) if lent else board.break_off(entry, NOT_LENT))


async def _bound(tx: Transaction, agent_id: str) -> dict[str, bool]:
    """The channels that lead to the expert, and whether their owners may use it."""
    return {row.id: await is_lent(tx, row) for row in await channels_bound_to(tx, agent_id)}
