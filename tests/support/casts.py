"""Ready scripts: who plays whom. A cast maps the asking agent to a play; the usual one is a whole team round.

A host turn is recognised by what it has in hand, never by the wording of a prompt: a question of the test (it begins
with `ASK`) is planned, anything else - results, failures - is concluded.
"""

from collections.abc import Mapping

from tests.support.model_reply import Reply, Use, act, say, use
from tests.support.model_request import Request
from tests.support.model_server import Play

ASK = "请问"
"""How the questions of the scenarios begin; the program says it nowhere."""

NARRATION = "我来安排两位专家。"
WRAP_UP = "结论：两边都说得通。"
FINDINGS: Mapping[str, str] = {"researcher": "查到三份资料。", "writer": "初稿写好了。"}


def cast(host: Play, **experts: Play) -> Play:
    """The play of every team's host and of these experts; a request of anybody else is a fault of the test."""

    def play(request: Request) -> Reply:
        play_of_one = experts.get(request.asker)
        if play_of_one is None and request.is_host:
            play_of_one = host
        assert play_of_one is not None, f"nobody plays {request.asker!r}"
        return play_of_one(request)

    return play


def always(*texts: str) -> Play:
    """The same words, whatever is asked."""
    return lambda request: say(*texts)


def sheet(member: str) -> str:
    """The host's own task sheet for a member; it does not repeat the question."""
    return f"任务单（{member}）：按分工完成"


def dispatches(members: Mapping[str, str]) -> tuple[Use, ...]:
    """One `ask_agent` for each member: id → message."""
    return tuple(use("ask_agent", agent_id=member, message=message) for member, message in members.items())


def is_question(request: Request) -> bool:
    """Whether the last thing the host was told is a question of the test and not what came back."""
    return ASK in request.last and not any(finding in request.last for finding in FINDINGS.values())


def planner(*members: str, narration: str = NARRATION, wrap_up: str = WRAP_UP) -> Play:
    """A host that plans one wave of these members for each question and concludes everything else."""
    plan = act(narration, *dispatches({member: sheet(member) for member in members}))
    return lambda request: plan if is_question(request) else say(wrap_up)


def round_of(findings: Mapping[str, str] = FINDINGS, narration: str = NARRATION, wrap_up: str = WRAP_UP) -> Play:
    """The two-member round: plan, two members, one wake-up."""
    experts = {member: always(text) for member, text in findings.items()}
    return cast(planner(*findings, narration=narration, wrap_up=wrap_up), **experts)
