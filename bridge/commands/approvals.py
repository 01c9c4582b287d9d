"""/approve [CODE] [session] and /deny [CODE]: a person decides about a tool call that waits (C12)."""

from bridge.answers import Answer, read_answer
from bridge.commands.context import Context
from host.approvals.deciding import Decided, outcome_words
from host.approvals.policy import Decider, may_decide
from store.approvals import Approval, find_approval, open_of_app
from store.sessions import find_session


async def approve(context: Context) -> str:
    return await _decide(context, read_answer("approve", context.argument))


async def deny(context: Context) -> str:
    return await _decide(context, read_answer("deny", context.argument))


async def _decide(context: Context, answer: Answer) -> str:
    """Without a code it is about the only thing that waits here."""
    if answer.code:
        return await _settle(context, await find_approval(context.tx, answer.code), answer)
    open_here = await _open_here(context)
    if len(open_here) > 1:
        codes = context.tools.notices.join([each.id for each in open_here])
        return context.say("approval.several", codes=codes)
    if not open_here:
        return context.say("approval.nothing")
    return await _settle(context, open_here[0], answer)


async def _settle(context: Context, approval: Approval | None, answer: Answer) -> str:
    """What is asked in another chat is nobody's business here, except an admin's."""
    room = None if approval is None else await find_session(context.tx, approval.room_id)
    if approval is None or room is None or room.app_id != context.place.rules.id:
        return context.say("approval.unknown", code=answer.code)
    by = f"person:{context.place.person.id}"
    if not may_decide(room.principal, Decider(principal=by, is_admin=context.is_admin)):
        return _refusal(context, approval, answer)
    is_answered = _stands_in_chat(context, approval) and _stands_in_thread(context, approval)
    host = context.tools.host
    return _outcome(context, await host.decide(context.tx, approval.id, answer.decision, by=by, quiet=is_answered))


def _refusal(context: Context, approval: Approval, answer: Answer) -> str:
    """In a group the session is the group's, so even whoever asked may not decide."""
    if not _stands_in_chat(context, approval):
        return context.say("approval.unknown", code=answer.code)
    return context.say("approval.not_yours" if context.is_private else "approval.not_yours_in_group")


def _outcome(context: Context, decided: Decided) -> str:
    outcome = outcome_words(context.say, decided.approval)
    return outcome if decided.is_new else context.say("approval.already", outcome=outcome)


async def _open_here(context: Context) -> list[Approval]:
    """What waits in this chat; in this thread, if something does."""
    known = await open_of_app(context.tx, context.place.rules.id)
    in_chat = [each for each in known if _stands_in_chat(context, each)]
    return [each for each in in_chat if _stands_in_thread(context, each)] or in_chat


def _stands_in_chat(context: Context, approval: Approval) -> bool:
    return approval.origin is not None and approval.origin.chat_id == context.place.chat.id


def _stands_in_thread(context: Context, approval: Approval) -> bool:
    return approval.origin is not None and approval.origin.thread == context.place.thread
