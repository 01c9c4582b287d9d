"""What the offline demo model does: pure functions from the scene it is shown to words and dispatches."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from host.models.demo_lines import CHINESE, ENGLISH, Lines

TOPIC_LIMIT = 60
LEAD_LIMIT = 48
HELPERS = 2
"""How many members the demo host asks."""


@dataclass(frozen=True, kw_only=True)
class Member:
    """A member that can take work."""

    id: str
    name: str
    description: str


@dataclass(frozen=True, kw_only=True)
class Result:
    """What came back from a member: its answer, or the reason why there is none."""

    name: str
    done: bool
    text: str


@dataclass(frozen=True, kw_only=True)
class Ask:
    """A task sheet for a member."""

    agent_id: str
    message: str


@dataclass(frozen=True, kw_only=True)
class Act:
    """One answer of the model: words, and whom it asks."""

    text: str = ""
    asks: tuple[Ask, ...] = ()


def welcome(question: str, members: Sequence[Member]) -> Act:
    """The host answers small talk itself."""
    lines = lines_for(question)
    named = (lines.member.format(name=each.name, description=each.description or each.id) for each in members)
    return Act(text=lines.greeting.format(members=lines.comma.join(named)))


def plan(question: str, members: Sequence[Member]) -> Act:
    """The host hands a request to the members who fit best."""
    lines, topic = lines_for(question), topic_of(question)
    chosen = choose(question, members)
    if not chosen:
        return Act(text=lines.nobody.format(topic=topic))
    asks = (
        Ask(agent_id=each.id, message=lines.sheet.format(topic=topic, part=each.description or each.name))
        for each in chosen
    )
    return Act(text=lines.narration.format(topic=topic, names=_names(lines, chosen)), asks=tuple(asks))


def conclude(question: str, results: Sequence[Result]) -> Act:
    """The host's last words of a round, from what the members said."""
    lines = lines_for(question or "".join(each.text for each in results))
    leads = "".join(_lead(lines, each) for each in results).strip()
    advice = lines.advice if all(each.done for each in results) else lines.advice_after_failure
    return Act(text=lines.wrap_up.format(topic=topic_of(question), leads=leads, advice=advice))


def give_up(question: str, reason: str) -> Act:
    """A dispatch was refused."""
    return Act(text=lines_for(question).refused.format(reason=reason))


def answer(sheet: str, expertise: str) -> Act:
    """An expert's answer to a task sheet or a question; `expertise` is what is known of it."""
    lines = lines_for(sheet)
    return Act(text=lines.answers[kind_of(_part(lines, sheet) or expertise)].format(topic=topic_of(sheet)))


def greet(text: str) -> Act:
    """An expert that is talked to alone answers small talk."""
    return Act(text=lines_for(text).expert_greeting)


def lines_for(text: str) -> Lines:
    """The language of the question: Chinese as soon as one of its characters appears."""
    return CHINESE if re.search(r"[\u3400-\u9fff]", text) else ENGLISH


def is_small_talk(text: str) -> bool:
    """Nothing but greetings, thanks and the like."""
    return _SMALL_TALK.fullmatch(text.strip()) is not None


def topic_of(text: str) -> str:
    """What a question or task sheet is about, in a few words."""
    quoted = re.match(r"\w+[：:]\s*(?:「(.*?)」|“(.*?)”)", text)
    if quoted:
        return quoted[1] or quoted[2]
    first = next((line.strip() for line in text.splitlines() if line.strip()), "…")
    plain = _MENTION.sub("", _SENDER.sub("", first))
    plain = re.sub(r"[「」“”]", "", _PLEASE.sub("", plain.strip())).strip(" ，,。.！!？?；;：:")
    return _short(plain or first, TOPIC_LIMIT)


def kind_of(text: str) -> str:
    """research, write, review or other: whichever is named first."""
    found = [(match.start(), kind) for kind, pattern in _KINDS.items() if (match := pattern.search(text))]
    return min(found)[1] if found else "other"


def choose(question: str, members: Sequence[Member]) -> list[Member]:
    """The best fitting members: mentioned ones first, then those whose field the question names."""
    return sorted(members, key=lambda member: -_fit(question, member))[:HELPERS]


def _fit(question: str, member: Member) -> int:
    mentioned = f"@{member.name}" in question or f"@{member.id}" in question
    kind = kind_of(f"{member.description} {member.name} {member.id}")
    return 2 * mentioned + (kind in _KINDS and _KINDS[kind].search(question) is not None)


def _names(lines: Lines, chosen: Sequence[Member]) -> str:
    names = [each.name for each in chosen]
    return names[0] if len(names) == 1 else lines.both.format(first=names[0], second=names[1])


def _lead(lines: Lines, result: Result) -> str:
    if not result.done:
        return lines.failed.format(name=result.name, reason=_short(result.text, LEAD_LIMIT))
    plain = re.sub(r"[*_`#>]", "", result.text).strip()
    first = re.split(r"(?<=[。！？])|(?<=[.!?])\s|\n", plain, maxsplit=1)[0]
    return lines.lead.format(name=result.name, text=_short(first.strip("。.！!：: "), LEAD_LIMIT))


def _part(lines: Lines, sheet: str) -> str:
    """The line of our own task sheets that says which part is asked for."""
    label = re.escape(lines.sheet.splitlines()[1].partition("{")[0].strip())
    found = re.search(f"^{label}(.*)$", sheet, re.MULTILINE)
    return found[1] if found else ""


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


_SENDER = re.compile(r"^[^\s：:「“]{1,24}[：:](?!//)\s*(?=\S)")
_MENTION = re.compile(r"@\S+\s*")
_PLEASE = re.compile(
    r"^(?:(?:请|麻烦|帮我|帮忙|帮|给我|我想|我要|想|能不能|可以|can you|could you|please|help me|i want to|to)\s*)+",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"(?:(?:你好|您好|嗨|哈喽|大家好|早上好|早安|早|上午好|中午好|下午好|晚上好|晚安|在吗|有人吗|谢谢|多谢|感谢|辛苦了?|再见|拜拜|好的|收到"
    r"|你是谁|你们是谁|你们?(?:能|会|可以)(?:做|干)(?:什么|啥|哪些)|怎么用|大家|各位|主持人|你们?|啊|呀|哦|吧|了"
    r"|hi|hello|hey|good (?:morning|afternoon|evening|night)|thanks?|thank you|bye|ok(?:ay)?|who are you"
    r"|what can you do|how does this work|help|there|everyone|all|team|so much|a lot|very much)[\s，,。.!！~～?？…]*)+",
    re.IGNORECASE,
)
_KINDS = {
    "research": re.compile(
        r"(?<!检)查|研究|资料|事实|调研|分析|数据|为什么|比较|research|fact|find out|analy[sz]|compare|why|data",
        re.IGNORECASE,
    ),
    "write": re.compile(
        r"撰|写|文案|稿|文章|邮件|标题|writ|draft|copy|e-?mail|post|article|letter|announce", re.IGNORECASE
    ),
    "review": re.compile(
        r"审|校|检查|挑错|漏洞|修改|改进|风险|review|proof|check|critic|risk|improve|mistake", re.IGNORECASE
    ),
}
