"""/cancel [member]: close this place's open jobs, all or one member's, in one transaction.

What an earlier session of the place still does belongs to it; without a member its turn is stopped too, for /stop
speaks of the current session only.
"""

from bridge.commands.context import Context
from bridge.commands.earlier import earlier_sessions
from store.jobs import Job


async def cancel(context: Context) -> str:
    member = context.argument.removeprefix("@").strip() or None
    earlier = await earlier_sessions(context)
    jobs: list[Job] = []
    for session_id in (*earlier, context.session.id):
        jobs += await context.tools.host.cancel_jobs(context.tx, session_id, member)
    stopped = [] if member else [each for each in earlier if await _stop(context, each)]
    return "\n".join(_told(context, member, jobs, stopped=bool(stopped)))


async def _stop(context: Context, session_id: str) -> bool:
    return (await context.tools.host.stop(context.tx, session_id)).stopped


def _told(context: Context, member: str | None, jobs: list[Job], *, stopped: bool) -> list[str]:
    lines = [context.say("cancel.earlier")] if stopped else []
    if jobs:
        names = list(dict.fromkeys(job.member_name for job in jobs))
        lines.append(context.say("cancel.done", count=len(jobs), names=context.tools.notices.join(names)))
    nothing = context.say("cancel.nothing_of", member=member) if member else context.say("cancel.nothing")
    return lines or [nothing]
