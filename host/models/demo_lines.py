"""What the offline demo model says, in both languages. It never pretends to have thought or looked something up."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True)
class Lines:
    """The texts of one language; `answers` by the kind of expert: research, write, review, other."""

    greeting: str
    member: str
    comma: str
    both: str
    narration: str
    nobody: str
    refused: str
    sheet: str
    expert_greeting: str
    answers: Mapping[str, str]
    wrap_up: str
    lead: str
    failed: str
    advice: str
    advice_after_failure: str
    quotes: tuple[str, str]


CHINESE: Final = Lines(
    greeting="你好！我是这个团队的主持人，现在由内置的离线演示模型扮演：不联网，也不会真的思考，只演示团队怎样配合。\n\n"
    "团队成员：{members}。\n\n说一件想做的事，我会请合适的成员分头处理，最后由我收尾。",
    member="**{name}**（{description}）",
    comma="、",
    both="{first}和{second}",
    narration="「{topic}」这件事，我请{names}来做。",
    nobody="现在没有可以接单的成员，这件事我先记下：「{topic}」。",
    refused="这次没能派出去：{reason}",
    sheet="任务：「{topic}」\n你负责的部分：{part}\n"
    "背景：用户在群里提出了这件事，没有更多限制；缺少的信息按最合理的假设处理，并写明假设。\n"
    "交付：先一句结论，再最多三条要点，可以直接给用户看。",
    expert_greeting="你好！我由内置的离线演示模型扮演：不联网，也不会真的思考。说一件事，我给你看看回答会是什么样子。",
    answers={
        "research": "先弄清「{topic}」的目标、对象和时间，其余的才好查。\n\n"
        "1. **要核实的事实**：现状如何，有哪些数字，出处可不可靠。\n"
        "2. **可参考的做法**：找两三个相近的例子，看它们为什么成、为什么败。\n"
        "3. **最大的未知**：哪条假设一错就推翻结论，就先查哪条。\n\n"
        "（离线演示回答，没有真的查证。）",
        "write": "「{topic}」的初稿可以这样搭：\n\n"
        "> 先用一句话说清要做到什么；再讲为什么值得现在做；最后写第一步、负责人和看结果的日子。\n\n"
        "修改建议：开头放一个具体的人或数字，读者会更快读进去。\n\n"
        "（离线演示回答，套用固定的写法。）",
        "review": "「{topic}」最容易出问题的是三处。\n\n"
        "1. **目标含糊**：把“做好”换成一句可以检查的话。\n"
        "2. **边界不清**：写明不做什么，免得越做越大。\n"
        "3. **没有后手**：第一步不成时怎么办，先想好。\n\n"
        "（离线演示回答，套用固定的清单。）",
        "other": "「{topic}」可以分三步走。\n\n"
        "1. **定目标**：一句话写下怎样算做成。\n"
        "2. **做最小的一步**：一天之内能看到结果的那一步。\n"
        "3. **看结果再定**：留下有用的，去掉没用的。\n\n"
        "（离线演示回答，套用固定的步骤。）",
    },
    wrap_up="「{topic}」这一轮完成了。{leads}\n\n{advice}\n\n"
    "（离线演示模型的总结；在 config.toml 里配置真实模型后，这里会是真正的判断。）",
    lead="{name}的重点是“{text}”。",
    failed="{name}没能完成（{reason}），这部分还空着。",
    advice="我的建议：先按最大的未知把目标定死，再从最小的一步开始。想深入哪一点、改哪一段，直接告诉我。",
    advice_after_failure="我的建议：先用已有的部分；空着的那块要不要换人重做，由你决定。",
    quotes=("「", "」"),
)

ENGLISH: Final = Lines(
    greeting="Hello! I am the host of this team, played by the built-in offline demo model: no network, no real "
    "thinking, it only shows how the team works together.\n\nMembers: {members}.\n\n"
    "Tell me something you want done: I ask the members who fit, and conclude at the end.",
    member="**{name}** ({description})",
    comma=", ",
    both="{first} and {second}",
    narration="For “{topic}” I am asking {names}.",
    nobody="No member can take work now. I have noted it: “{topic}”.",
    refused="This could not be handed out: {reason}",
    sheet="Task: “{topic}”\nYour part: {part}\n"
    "Background: the user brought this up in the chat and set no further limits. Where something is missing, make the "
    "most reasonable assumption and state it.\n"
    "Deliver: one sentence of conclusion, then at most three points, ready for the user to read.",
    expert_greeting="Hello! I am played by the built-in offline demo model: no network, no real thinking. Tell me "
    "something and I show you what an answer looks like.",
    answers={
        "research": "Settle the goal, the audience and the date of “{topic}” first; then it can be looked up.\n\n"
        "1. **Facts to verify**: how things stand, which numbers exist, how good the source is.\n"
        "2. **Examples**: two or three similar cases, and why they worked or failed.\n"
        "3. **The biggest unknown**: check first the assumption that would overturn everything.\n\n"
        "(Offline demo answer: nothing was really looked up.)",
        "write": "A draft for “{topic}” can be built like this.\n\n"
        "> One sentence on what it is to achieve; why it is worth doing now; then the first step, who takes it, and "
        "the day you look at the result.\n\n"
        "To improve it: open with a person or a number, and readers are in at once.\n\n"
        "(Offline demo answer: a fixed pattern.)",
        "review": "Three things go wrong most easily with “{topic}”.\n\n"
        "1. **A vague goal**: replace “do it well” with a sentence that can be checked.\n"
        "2. **No limits**: write down what is not part of it, or it grows.\n"
        "3. **No fallback**: decide now what happens if the first step fails.\n\n"
        "(Offline demo answer: a fixed checklist.)",
        "other": "“{topic}” can go in three steps.\n\n"
        "1. **Set the goal**: one sentence that says when it is done.\n"
        "2. **Take the smallest step**: the one that shows a result within a day.\n"
        "3. **Look, then decide**: keep what helps, drop what does not.\n\n"
        "(Offline demo answer: fixed steps.)",
    },
    wrap_up="This round on “{topic}” is done. {leads}\n\n{advice}\n\n"
    "(Concluded by the offline demo model; with a real model in config.toml, a real judgement stands here.)",
    lead="{name}'s main point: “{text}”. ",
    failed="{name} could not finish ({reason}), so that part is missing. ",
    advice="My advice: settle the biggest unknown first, fix the goal, then take the smallest step. Tell me which "
    "point to deepen or which passage to change.",
    advice_after_failure="My advice: use what there is; whether somebody else should redo the missing part is yours "
    "to decide.",
    quotes=("“", "”"),
)
