"""Sessions that /new left behind at work: they go on publishing here, so people here may ask about them."""

from bridge.commands.context import Context
from store.jobs import sessions_at_work


async def earlier_sessions(context: Context) -> list[str]:
    """Other sessions of this place, of the same principal, in which something is under way; oldest first."""
    keys = [context.place.session_key(is_team=is_team) for is_team in (True, False)]
    found = await sessions_at_work(context.tx, principal=context.place.principal, session_keys=keys)
    return [session_id for session_id in found if session_id != context.session.id]
