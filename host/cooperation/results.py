"""What came of inputs: each its own result, by its own turn, never the session's latest (C7)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from host.agent import ToolCall
from host.cooperation.arguments import WhichResult, parsed
from host.deps import Deps
from host.errors import ToolFault
from store.database import Transaction
from store.events import Event, words_of_turns
from store.inputs import Input, find_inputs
from store.sessions import Session, find_session
from store.turns import Turn, find_turn, find_turns

Visible = Callable[[Session], bool]
"""Whether the caller may know this session."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """One input and what came of it so far. `status`: queued, running, completed, stopped, failed or cancelled.

    A message has no turn of its own: it is queued until the session reads it, then completed.
    """

    input: Input
    turn: Turn | None
    words: Event | None

    @property
    def status(self) -> str:
        if self.turn is None or self.input.kind == "message":
            return {"pending": "queued", "claimed": "running", "done": "completed"}.get(self.input.state, "cancelled")
        return "running" if self.turn.state == "live" else self.turn.state

    @property
    def is_final(self) -> bool:
        return self.status not in ("queued", "running")

    def row(self) -> dict[str, Any]:
        """As a model reads it."""
        return {
            "input_id": self.input.id,
            "session_id": self.input.session_id,
            "turn_id": self.input.turn_id,
            "status": self.status,
            **self._said(),
        }

    def _said(self) -> dict[str, str]:
        if not self.is_final or self.turn is None:
            return {}
        words = self.words.text if self.words is not None else ""
        return {"reason": words} if self.status == "failed" else {"result": words}


async def get_result(deps: Deps, visible: Visible, call: ToolCall) -> object:
    """The result of exactly this input, or of the input of exactly this turn."""
    asked = parsed(WhichResult, call)

    async def look(tx: Transaction) -> dict[str, Any]:
        turn = None if asked.turn_id is None else await find_turn(tx, asked.turn_id)
        input_id = asked.input_id or (turn.input_id if turn is not None else "")
        found = await read_results(tx, [input_id])
        if not found or not await _may_see(tx, visible, found[0].input):
            raise ToolFault(_unknown(asked))
        return found[0].row()

    return await deps.database.read(look)


async def read_results(tx: Transaction, input_ids: Sequence[str]) -> list[Result]:
    """The results of those inputs that exist, in the given order; three queries however many they are."""
    inputs = await find_inputs(tx, input_ids)
    turns = await find_turns(tx, [each.turn_id for each in inputs.values() if each.turn_id is not None])
    over = [each for each in turns.values() if each.state != "live"]
    words = await words_of_turns(tx, [each.session_id for each in over], [each.id for each in over]) if over else {}
    known = [inputs[each] for each in dict.fromkeys(input_ids) if each in inputs]
    return [
        Result(input=each, turn=turns.get(each.turn_id or ""), words=words.get(each.turn_id or "")) for each in known
    ]


async def _may_see(tx: Transaction, visible: Visible, found: Input) -> bool:
    session = await find_session(tx, found.session_id)
    return session is not None and visible(session)


def _unknown(asked: WhichResult) -> str:
    return f"there is no input {asked.input_id!r}" if asked.turn_id is None else f"there is no turn {asked.turn_id!r}"


def same_person(mine: Session) -> Visible:
    """All sessions of the same person in the same app."""
    return lambda session: (session.principal, session.app_id) == (mine.principal, mine.app_id)


def own_side(side_id: str) -> Visible:
    """A member's own session of a room, and those right below it."""
    return lambda session: side_id in (session.id, session.parent_id)
