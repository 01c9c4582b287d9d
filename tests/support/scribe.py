"""An expert that makes files: it plays its steps one after the other, whatever died between them."""

from collections.abc import Callable

from tests.support.model_reply import Reply, act, say, use
from tests.support.model_request import Request
from tests.support.model_server import Play
from tests.support.settings import expert

REPORT = "# 报告\n\n第一章。\n"
MORE = "第二章。\n"
WHOLE = (REPORT + MORE).encode()
DONE = "写好了，见附件。"
NAME = "报告.md"
STAND_IN = f"[文件 {NAME}, {len(WHOLE)} B]"

TOOLS = ("file_read", "file_write", "file_list")
SCRIBES = (expert("researcher", "研究员", tools=list(TOOLS)), expert("writer", "写手"), expert("critic", "评审"))
"""The usual experts; one of them may write files."""

WRITES = act(use("file_write", path=f"out/{NAME}", text=REPORT))
SENDS = act(use("file_write", path=f"out/{NAME}", text=MORE, mode="append"))
GIVES = act(use("send_file", path=f"out/{NAME}"))


def steps_done(request: Request) -> int:
    """How many responses with calls stand behind the last user message."""
    count = 0
    for said in request.messages:
        count = 0 if said.role == "user" else count + bool(said.calls)
    return count


def in_steps(*steps: Reply | Callable[[Request], Reply]) -> Play:
    """One answer after the other in each turn."""

    def play(request: Request) -> Reply:
        step = steps[min(steps_done(request), len(steps) - 1)]
        return step(request) if callable(step) else step

    return play


def writes_a_report(last: str = DONE) -> Play:
    """A file in two pieces, sent, and a last word."""
    return in_steps(WRITES, SENDS, GIVES, say(last) if last else Reply())
