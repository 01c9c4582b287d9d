"""The agent loop.

It is not pydantic-ai's agent graph: every response must be durable before any of its tools runs, under ids of our own,
and an unknown tool, broken arguments or a repeated id must never end a run. In the graph each of these is a detour,
here they are the loop.
"""

import structlog

from host.assignment import Assignment, Observer
from host.errors import LoopLimit
from host.messages import Response, count_responses, last_response, own_response, tool_returns, user_prompt
from host.model import Question
from host.models.ask import ask
from host.models.faults import new_error_id
from host.models.tools import run_tools, short_names

log = structlog.get_logger(__name__)


async def run_agent(assignment: Assignment, observer: Observer) -> None:
    """Ask the model and run its tools until an answer without calls, or until `responded` says so.

    A turn whose `done` ends in unanswered calls begins with them; one that ends in a final answer does nothing.
    Raises ModelUnavailable when the model failed for good, LoopLimit after `max_responses`. Cancelling it closes the
    model's connection and the tools, and leaves no task behind.
    """
    talk = _Talk(assignment)
    response = last_response(assignment.done)
    resumed = not assignment.fresh
    while response is None or response.calls:
        if response is not None:
            await _answer(talk, assignment, observer, response, resumed)
        response, resumed = await talk.next_response(observer), False
        if not await observer.responded(response):
            return


async def _answer(talk: "_Talk", assignment: Assignment, observer: Observer, response: Response, resumed: bool) -> None:
    """Run the calls; those that a resume finds unanswered may have run before, so only safe ones run again."""
    results = await run_tools(assignment.tools, response.calls, assignment.results, resumed=resumed)
    returns = tool_returns(response.calls, results)
    await observer.tools_ran(returns)
    talk.hear(returns)


class _Talk:
    """What the model is shown, and how often it has answered in this turn."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._responses = count_responses(assignment.done)
        self._messages = [*assignment.history, *assignment.done]
        self._prompt = b"" if assignment.done else user_prompt(assignment.prompt, assignment.pictures)

    def hear(self, checkpoint: bytes) -> None:
        """Messages that are stored already."""
        self._messages.append(checkpoint)

    async def next_response(self, observer: Observer) -> Response:
        """Ask until the model answers. Raises ModelUnavailable, LoopLimit."""
        assignment = self._assignment
        if self._responses >= assignment.max_responses:
            raise _endless(assignment)
        answer = await ask(assignment.model, await self._question(), observer.text, assignment.clock)
        self._responses += 1
        response = own_response(
            self._prompt, answer, assignment.turn_id, self._responses, short_names(assignment.tools)
        )
        self._prompt = b""
        self.hear(response.messages)
        return response

    async def _question(self) -> Question:
        messages = [*self._messages, self._prompt] if self._prompt else self._messages
        gallery = self._assignment.gallery
        return Question(
            instructions=self._assignment.instructions,
            messages=messages,
            tools=self._assignment.tools,
            pictures=await gallery.hang(messages) if gallery is not None else {},
        )


def _endless(assignment: Assignment) -> LoopLimit:
    error_id = new_error_id()
    log.error("model found no end", error_id=error_id, turn=assignment.turn_id, responses=assignment.max_responses)
    return LoopLimit(error_id, f"no final answer after {assignment.max_responses} responses")
