"""Teams to begin with, in both languages: for the demo and for `teambridge init`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True)
class Expert:
    """An agent of kind expert."""

    id: str
    name: str
    description: str
    instructions: str
    icon: str


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A team with its experts."""

    id: str
    name: str
    description: str
    experts: Sequence[Expert]


_STUDIO_ZH: Final = Preset(
    id="studio",
    name="内容工作室",
    description="研究、写作、审校一条龙",
    experts=(
        Expert(
            id="researcher",
            name="研究员",
            description="查资料、核对事实",
            instructions="你是研究员。查清事实，给出要点和依据，不确定的地方直说。",
            icon=":mag:",
        ),
        Expert(
            id="writer",
            name="撰稿人",
            description="把想法写成清楚好读的文字",
            instructions="你是撰稿人。写得清楚、简短、好读，先给成稿，再给一句修改建议。",
            icon=":memo:",
        ),
        Expert(
            id="reviewer",
            name="审校",
            description="挑错、找漏洞、提改进意见",
            instructions="你是审校。找出错误、漏洞和含糊之处，逐条说明怎样改。",
            icon=":white_check_mark:",
        ),
    ),
)
_STUDIO_EN: Final = Preset(
    id="studio",
    name="Content studio",
    description="Research, writing and review from one hand",
    experts=(
        Expert(
            id="researcher",
            name="Researcher",
            description="Finds sources and checks facts",
            instructions="You are a researcher. Establish the facts, give points with evidence, say what is unsure.",
            icon=":mag:",
        ),
        Expert(
            id="writer",
            name="Writer",
            description="Turns ideas into clear text",
            instructions="You are a writer. Write clearly and briefly: first the text, then one hint for improving it.",
            icon=":memo:",
        ),
        Expert(
            id="reviewer",
            name="Reviewer",
            description="Finds mistakes, gaps and better ways",
            instructions="You are a reviewer. Find mistakes, gaps and vague places, and say how to mend each.",
            icon=":white_check_mark:",
        ),
    ),
)
_SUPPORT_ZH: Final = Preset(
    id="support",
    name="客户支持",
    description="解答用法、排查故障",
    experts=(
        Expert(
            id="product",
            name="产品顾问",
            description="解答产品用法和选型",
            instructions="你是产品顾问。按步骤解答用法问题，不知道的不编造，说明需要哪些信息。",
            icon=":bulb:",
        ),
        Expert(
            id="engineer",
            name="技术支持",
            description="排查故障、给出可操作的步骤",
            instructions="你是技术支持。先问清现象，再给出从简到繁的排查步骤，每步说明预期结果。",
            icon=":wrench:",
        ),
    ),
)
_SUPPORT_EN: Final = Preset(
    id="support",
    name="Customer support",
    description="Answers questions and finds faults",
    experts=(
        Expert(
            id="product",
            name="Product advisor",
            description="Answers how-to and which-one questions",
            instructions="You are a product advisor. Answer step by step, invent nothing, say what you need to know.",
            icon=":bulb:",
        ),
        Expert(
            id="engineer",
            name="Support engineer",
            description="Finds the cause of faults and gives steps to take",
            instructions="You are a support engineer. Clarify the symptom, then give steps from simple to hard, each "
            "with the result to expect.",
            icon=":wrench:",
        ),
    ),
)
PRESETS: Final[Mapping[str, Mapping[str, Preset]]] = {
    "studio": {"zh-CN": _STUDIO_ZH, "en": _STUDIO_EN},
    "support": {"zh-CN": _SUPPORT_ZH, "en": _SUPPORT_EN},
}
DEMO: Final = PRESETS["studio"]
