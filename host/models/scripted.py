"""The offline demo model (离线演示模型): no network, no thinking, one pleasant team round for a newcomer without a key.

It reads the same prompts as a real model (`host.prompts`) and answers through the same interface.
"""

import asyncio
import json
import re
from collections.abc import Sequence

from host.conversation import Answer, Call, Entry, Prompt, Text, read_conversation, write_answer
from host.conversation import Result as ToolResult
from host.model import Model, Question, Visible
from host.models import demo
from host.models.demo import Act, Ask, Member, Result
from host.models.spec import ModelSpec
from host.wording import words_in

CHUNKS = 6
"""In how many pieces a text is streamed."""

_WORDS = (words_in("zh-CN"), words_in("en"))
_MEMBER = re.compile(
    r"^- (?P<id>[a-z0-9][a-z0-9_-]*): (?P<name>.+?)(?: — (?P<about>.*?))?(?P<state> \[\w+\])?$", re.MULTILINE
)
_RESULT = re.compile(r'<member-result [^>]*name="(.*?)" state="(\w+)">\n(.*?)\n</member-result>', re.DOTALL)


def load(spec: ModelSpec) -> Model:
    """One model, whatever it is called."""
    return DemoModel(spec.model or "scripted")


class DemoModel:
    """A `host.model.Model` without connections."""

    key = ""

    def __init__(self, name: str) -> None:
        self.name = name

    async def answer(self, question: Question, visible: Visible) -> bytes:
        act = play(question)
        for piece in _pieces(act.text):
            visible.add(piece)
            await asyncio.sleep(0)
        text = [Text(text=act.text)] if act.text else []
        return write_answer(Answer(parts=[*text, *map(_call, act.asks)], model=self.name))

    async def close(self) -> None:
        """Nothing to let go of."""


def _call(ask: Ask) -> Call:
    arguments = json.dumps({"agent_id": ask.agent_id, "message": ask.message}, ensure_ascii=False)
    return Call(id="", name="ask_agent", arguments=arguments)


def play(question: Question) -> Act:
    """What the model does when it is asked this."""
    told = read_conversation(question.messages)
    prompts = [entry.text for entry in told if isinstance(entry, Prompt)] or [""]
    if not {"agent_list", "ask_agent"} <= {tool.name for tool in question.tools}:
        return _expert(prompts[-1], question.instructions)
    if refusal := _refusal(told):
        return demo.give_up(_question(prompts), refusal)
    return _host(prompts, _members(question.instructions))


def _host(prompts: Sequence[str], members: Sequence[Member]) -> Act:
    prompt, question = prompts[-1], _question(prompts)
    if _is_wake_up(prompt):
        still_open = any(words.still_open.partition("{")[0] in prompt for words in _WORDS)
        return Act() if still_open else demo.conclude(question, _results(prompt))
    if demo.is_small_talk(question):
        return demo.welcome(question, members)
    return demo.plan(question, members)


def _expert(prompt: str, instructions: str) -> Act:
    return demo.greet(prompt) if demo.is_small_talk(prompt) else demo.answer(prompt, _expertise(instructions))


def _question(prompts: Sequence[str]) -> str:
    """The last words of a person, without what the bridge wrote around them."""
    told = next((prompt for prompt in reversed(prompts) if not _is_wake_up(prompt)), "")
    for words in _WORDS:
        told = told.partition(f"{words.message}\n")[2] or told
        for appendix in (words.mentions.partition("{")[0], words.attachments):
            told = told.partition(f"\n\n{appendix}")[0]
    return told.strip()


def _is_wake_up(prompt: str) -> bool:
    return any(prompt.startswith(words.wake_up) for words in _WORDS)


def _results(prompt: str) -> list[Result]:
    return [Result(name=name, done=state == "done", text=text) for name, state, text in _RESULT.findall(prompt)]


def _members(instructions: str) -> list[Member]:
    """The roster in the host's instructions; who cannot take work has a state behind the line."""
    roster = _section(instructions, [words.members for words in _WORDS])
    return [
        Member(id=found["id"], name=found["name"], description=found["about"] or "")
        for found in _MEMBER.finditer(roster)
        if not found["state"]
    ]


def _expertise(instructions: str) -> str:
    return _section(instructions, [words.own_instructions for words in _WORDS])


def _section(instructions: str, titles: Sequence[str]) -> str:
    """The text below one of these headings, up to the next heading."""
    for title in titles:
        if f"# {title}\n" in instructions:
            return instructions.partition(f"# {title}\n")[2].partition("\n# ")[0].strip()
    return ""


def _refusal(told: Sequence[Entry]) -> str:
    """Why a call failed just now, or ""."""
    for entry in reversed(told):
        if not isinstance(entry, ToolResult):
            break
        if not entry.ok:
            return entry.text
    return ""


def _pieces(text: str) -> list[str]:
    size = max(1, -(-len(text) // CHUNKS))
    return [text[at : at + size] for at in range(0, len(text), size)]
