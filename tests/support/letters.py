"""Rounds in which experts want to send letters, which people must approve."""

from tests.support import postbox
from tests.support.casts import cast
from tests.support.model_reply import Reply, act, say, use
from tests.support.model_request import Request
from tests.support.model_server import Play

TOOLS = {"tools": ["post"]}
"""Keys of an expert that may send letters."""

LETTER = "寄信"
"""What makes an expert want to."""


def writes_letters(*to: str) -> Play:
    """An expert that wants to send a letter to each of these when it is told to, and says what came of it."""

    def play(request: Request) -> Reply:
        if request.answers_tools:
            return say("结果：" + "；".join(request.tool_answers))
        if LETTER in request.last:
            return act("我来寄。", *(use(postbox.NAME, to=each) for each in to))
        return say("在。")

    return play


def letters_of(member: str, *to: str) -> Play:
    """A team whose host gives this member the letters to send."""

    def host(request: Request) -> Reply:
        plan = act("好的。", use("ask_agent", agent_id=member, message=f"{LETTER}给他们"))
        return plan if LETTER in request.last and "结果" not in request.last else say("都办完了。")

    return cast(host, **{member: writes_letters(*to)})
