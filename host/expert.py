"""A lone expert's seat: its answers in its own session. The same seat answers a colleague."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from host.agent import Assignment, Response, Tool, ToolCall
from host.approvals.asking import Venue, ask_people
from host.approvals.guard import asking
from host.attachments import hand_out
from host.cooperation.configuration import Configuration
from host.cooperation.partaker import Partaker, grows, lock_sessions, root_of
from host.cooperation.policy import may_run, person_id_of
from host.cooperation.tools import cooperation_tools
from host.errors import Refused, UnknownModel
from host.handingout import handed_out, told
from host.permissions import Person
from host.prompts import FileView, Line, expert_instructions, host_prompt, with_unplaced
from host.running import Failure
from host.seat import OwnSeat, count_tokens, cut_short, trace
from host.slots import Lease
from host.toolbox import Bench
from host.tools import memory_tools, time_tool
from host.traces import begun, settled
from store.database import Transaction
from store.inputs import Input, answer_input
from store.sessions import Session, find_session, lock_session
from store.standing import read_standing
from store.turns import Turn, newest_turns


@dataclass(kw_only=True)
class ExpertSeat(OwnSeat):
    """An expert in a session of its own. `scope` is where its memory lives, `ask` its way to its colleagues.

    `config` is what it works with in this run, whatever its agent becomes meanwhile.
    """

    person: Person
    scope: str
    config: Configuration
    ask: tuple[Tool, ...] = ()
    answers: bool = False
    """A colleague waits for the answer: it is kept beside the input."""
    lease: Lease | None = None
    """The run's slot in its tree; a colleague's run is inside the asker's and has none."""
    asking: frozenset[str] = frozenset()
    """Its tools that a person must agree to; known once it has its assignment."""

    @property
    def rested(self) -> float:
        return self.lease.rested if self.lease is not None else 0.0

    @property
    def model(self) -> str:
        return self.config.model or self.deps.default_model

    async def assignment(self) -> Assignment:
        memories, past = await self.recall(self.scope)
        instructions = expert_instructions(
            agent_name=self.agent.name,
            agent_instructions=self.config.instructions,
            memories=memories,
            can_ask=bool(self.ask),
            locale=self.deps.locale,
        )
        own = memory_tools(self.deps.database, self.deps.new_id, agent_id=self.agent.id, scope=self.scope)
        bench = Bench(agent=self.agent, session=self.session, turn=self.turn)
        unplaced = await hand_out(self.deps, bench, self.files) if self.config.tools else {}
        working = await self.deps.toolbox.tools(self.config.tools, bench)
        tools = [*self.ask, *own, time_tool(self.deps.clock), *working, *self._cooperation()]
        self.asking = asking(tools)
        try:
            made = await self.assign(past, instructions, [self._checked(each) for each in tools], self.model)
        except UnknownModel as fault:
            raise Refused(self._no_model()) from fault
        return replace(made, prompt=with_unplaced(made.prompt, unplaced, self.deps.locale))

    async def hold(self, tx: Transaction) -> Turn:
        """What a child asks people stands in the root's chat too: then the root is locked first."""
        if self.asking and grows(self.session):
            await lock_sessions(tx, [self.session])
        return await super().hold(tx)

    async def respond(self, tx: Transaction, turn: Turn, response: Response) -> bool:
        await count_tokens(self.deps, tx, turn, response, owner_id=self.session.owner_id, model=self.model)
        if turn.stopping:
            await self._stop(tx, turn, said=response.text)
            return False
        if reason := await self.refusal(tx):
            await self.fail(tx, turn, Failure(state="failed", error_id="", reason=reason))
            return False
        if response.calls:
            await trace(self.deps, tx, turn, self.speaker, begun(response.calls, self.deps.say))
            return self.answers or not await self._waits(tx, turn, response.calls)
        session = await _own(tx, turn)
        files = told(await handed_out(tx, turn))
        await self.say(tx, session, turn, "member_message", response.text, **files)
        if self.answers:
            await answer_input(tx, turn.input_id, {"answer": response.text})
        await self.finish(tx, session, turn, "completed")
        return False

    async def heard(self, tx: Transaction, turn: Turn, messages: bytes) -> str:
        await trace(self.deps, tx, turn, self.speaker, settled(messages, self.deps.say))
        return await self.refusal(tx)

    async def refusal(self, tx: Transaction) -> str:
        """Why this run may not go on, in words; "" if it may (C9). A colleague's run ends with its asker's."""
        if not grows(self.session):
            return ""
        now = await read_standing(
            tx, agent_id=self.agent.id, user_id=self.session.owner_id, person_id=person_id_of(self.session)
        )
        why = may_run(self.session, now)
        return self.deps.say(why) if why else ""

    async def obstacle(self, tx: Transaction) -> str:
        """Why this turn cannot even begin: the same, or there is no such model; another one never stands in (C3)."""
        if self.model not in self.deps.models.names:
            return self._no_model()
        return await self.refusal(tx)

    async def _waits(self, tx: Transaction, turn: Turn, calls: Sequence[ToolCall]) -> bool:
        """People are asked in the session itself; a child has nobody there, so it asks where its root speaks."""
        session = await _own(tx, turn)
        place = Venue(
            session=session,
            room=session,
            voice=self.speaker,
            asker=self.speaker,
            origin=turn.origin,
            rounds=turn.rounds,
        )
        if session.kind == "child" and self.asking:
            root = await lock_session(tx, root_of(session))
            newest = await newest_turns(tx, [root.id])
            place = replace(place, room=root, origin=newest[0].origin if newest else None, rounds=())
        return await ask_people(self.deps, tx, turn, calls, self.asking, place)

    def _no_model(self) -> str:
        return self.deps.say("reason.unknown_model", model=self.model)

    def _cooperation(self) -> list[Tool]:
        if self.lease is None or not self.config.cooperation:
            return []
        partaker = Partaker(
            session=self.session, turn_id=self.turn.id, run=self.turn.run, agent=self.agent, config=self.config
        )
        return cooperation_tools(self.deps, partaker, self.person, self.lease)

    def _checked(self, tool: Tool) -> Tool:
        """The tool, which begins only if the run may still go on."""

        async def run(call: ToolCall) -> object:
            if reason := await self.deps.database.read(self.refusal):
                raise Refused(reason)
            return await tool.run(call)

        return replace(tool, run=run) if grows(self.session) else tool

    async def stop(self, tx: Transaction, turn: Turn, text: str) -> None:
        await self._stop(tx, turn, said=text, unstored=text)

    async def _stop(self, tx: Transaction, turn: Turn, *, said: str, unstored: str = "") -> None:
        session = await _own(tx, turn)
        await cut_short(self.deps, tx, turn, self.speaker, unstored)
        await self.say(tx, session, turn, "member_message", said, stopped=True)
        await self.finish(tx, session, turn, "stopped")

    async def fail(self, tx: Transaction, turn: Turn, failure: Failure) -> None:
        await cut_short(self.deps, tx, turn, self.speaker)
        sentence = failure.reason or self.deps.say("turn.failed", error=failure.error_id)
        await self.finish(tx, await _own(tx, turn), turn, "failed", text=sentence, error_id=failure.error_id)


def expert_prompt(
    taken: Input, files: Sequence[FileView], letters: Sequence[Input], *, is_group: bool, locale: str
) -> str:
    """A person's message or another session's task as a lone expert reads it; `letters` came from other sessions."""
    return host_prompt(
        text=taken.text,
        sender_name=taken.sender.name if taken.sender else "",
        is_group=is_group and taken.kind == "user",
        mentions=(),
        files=files,
        results=(),
        open_names=(),
        context=taken.data.get("context", ()),
        letters=[Line(speaker=each.sender.name if each.sender else "", text=each.text) for each in letters],
        locale=locale,
    )


async def _own(tx: Transaction, turn: Turn) -> Session:
    session = await find_session(tx, turn.session_id)
    return session if session is not None else await lock_session(tx, turn.session_id)
