"""Experts that follow a script: for every task, what they say and call, one answer after the other."""

import asyncio
import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from pydantic_ai.messages import ModelRequest, ModelResponse, ToolReturnPart, UserPromptPart

from host.agent import Tool, ToolCall
from host.cooperation.configuration import Configuration
from host.cooperation.partaker import Partaker
from host.cooperation.policy import person_of
from host.cooperation.tools import cooperation_tools
from host.permissions import Account, account
from store.agents import change_agent, known_agent
from store.database import Transaction
from store.sessions import Session, find_session
from store.trees import find_child
from store.turns import Turn, live_turn
from tests.support.house import Ask, House, Say

Step = Say | Callable[[list[Any]], Say] | Exception
"""An answer, or how to make it of what the calls before it returned."""


def call(tool: str, /, **arguments: object) -> tuple[str, str]:
    return tool, json.dumps(arguments)


class Cast:
    """Plays `parts[task]` step by step; a task without a part is answered with "done: <task>".

    A task in `held` waits for its future first; `at_work` is who waits in the model just now.
    """

    def __init__(self) -> None:
        self.parts: dict[str, Sequence[Step]] = {}
        self.held: dict[str, asyncio.Future[Say]] = {}
        self.returned: dict[str, list[Any]] = {}
        """What the calls of each task returned, in order."""

    def script(self, asked: Ask) -> "Say | asyncio.Future[Say] | Exception":
        answers, returned = _since_prompt(asked)
        self.returned[asked.prompt] = returned
        part = self.parts.get(asked.prompt, ())
        if len(answers) < len(part):
            step = part[len(answers)]
            return step(returned) if callable(step) else step
        return self.held.get(asked.prompt) or Say(text=f"done: {asked.prompt}")

    def hold(self, *tasks: str) -> None:
        for task in tasks:
            self.held[task] = asyncio.get_running_loop().create_future()

    def release(self, task: str) -> None:
        waiting = self.held.pop(task)
        if not waiting.done():  # a run that was stopped took its model along
            waiting.set_result(Say(text=f"done: {task}"))


def _since_prompt(asked: Ask) -> tuple[list[ModelResponse], list[Any]]:
    """The answers and the calls' returns since the last prompt."""
    answers: list[ModelResponse] = []
    returned: list[Any] = []
    for message in asked.messages:
        if isinstance(message, ModelResponse):
            answers.append(message)
            continue
        if any(isinstance(part, UserPromptPart) for part in message.parts):
            answers, returned = [], []
        returned += [_plain(part.content) for part in message.parts if isinstance(part, ToolReturnPart)]
    return answers, returned


def _plain(content: object) -> Any:
    try:
        return json.loads(str(content))
    except ValueError:
        return str(content)


def requests(asked: Ask) -> int:
    """How many requests with a prompt the model was shown."""
    return sum(
        isinstance(message, ModelRequest) and any(isinstance(part, UserPromptPart) for part in message.parts)
        for message in asked.messages
    )


async def session(house: House, session_id: str) -> Session:
    found = await house.database.read(partial(find_session, session_id=session_id))
    assert found is not None
    return found


async def turn_of(house: House, session_id: str) -> Turn:
    found = await house.database.read(partial(live_turn, session_id=session_id))
    assert found is not None
    return found


async def partaker(house: House, session_id: str) -> Partaker:
    """The live turn of the session, as its tools see it."""
    mine, turn = await session(house, session_id), await turn_of(house, session_id)
    agent = await house.database.read(partial(known_agent, agent_id=turn.agent_id))
    assert agent is not None
    return Partaker(
        session=mine, turn_id=turn.id, run=turn.run, agent=agent, config=Configuration.read(turn.frozen or {})
    )


async def use(house: House, session_id: str, tool: str, call_id: str = "call00001", /, **arguments: object) -> Any:
    """Run one tool of the session's live turn, as its run would."""
    mine = await partaker(house, session_id)
    person = person_of(mine.session)
    if isinstance(person, Account):
        person = await house.database.read(partial(account, user_id=person.id))
    async with house.deps.slots.held(f"test of {session_id}", house.clock) as lease:
        tools: dict[str, Tool] = {each.name: each for each in cooperation_tools(house.deps, mine, person, lease)}
        asked = ToolCall(id=call_id, number=1, position=0, name=tool, arguments=arguments)
        return await tools[tool].run(asked)


async def change(house: House, agent_id: str, **values: object) -> None:
    """Change an agent's row."""

    async def work(tx: Transaction) -> None:
        agent = await known_agent(tx, agent_id)
        assert agent is not None
        await change_agent(tx, agent, values)

    await house.database.write(work)


async def child_of(house: House, parent_id: str, name: str) -> Session:
    found = await house.database.read(partial(find_child, parent_id=parent_id, name=name))
    assert found is not None
    return found
