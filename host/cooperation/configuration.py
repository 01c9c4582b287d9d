"""What an expert works with in one session: read from its agent at a claim, or as it was when a child was made."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from store.agents import Agent
from store.inputs import Input
from store.sessions import Session

ACCEPTED: Final = "accepted"
"""Under this key an input from another session keeps who works on it and with what, as it was then (S5)."""


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """The configuration of a run. `model` "" stands for the program's default, which the next start may change."""

    instructions: str = ""
    tools: tuple[str, ...] = ()
    model: str = ""
    cooperation: bool = True

    @classmethod
    def of(cls, agent: Agent) -> Self:
        """The agent's own as it is now."""
        return cls(
            instructions=agent.instructions,
            tools=tuple(agent.tools),
            model=agent.model,
            cooperation=agent.cooperation,
        )

    @classmethod
    def read(cls, frozen: Mapping[str, Any]) -> Self:
        """One that was stored; {} is all defaults."""
        return cls(
            instructions=frozen.get("instructions", ""),
            tools=tuple(frozen.get("tools", ())),
            model=frozen.get("model", ""),
            cooperation=frozen.get("cooperation", True),
        )

    @classmethod
    def at_claim(cls, session: Session, agent: Agent, taken: Input, default_model: str) -> Self:
        """What the session works with on this input: as accepted, as the child was made, else as the agent is now.

        {} is a configuration too, and never a reason to read the agent again (C3, S5).
        """
        if (accepted := taken.data.get(ACCEPTED)) is not None:
            return cls.read(accepted["frozen"]).effective(default_model)
        return cls.of_session(session, agent, default_model)

    @classmethod
    def of_session(cls, session: Session, agent: Agent, default_model: str) -> Self:
        """The effective one of the session as it is now; its explicit model wins (S3)."""
        known = cls.of(agent) if session.frozen is None else cls.read(session.frozen)
        return replace(known, model=session.model_id or known.model or default_model)

    def effective(self, default_model: str) -> Self:
        """The same with the name of the model that stands behind the default now."""
        return replace(self, model=self.model or default_model)

    def frozen(self) -> dict[str, Any]:
        """To be stored: defaults are left out, so an empty one is {} and never null (C3)."""
        known = {"instructions": self.instructions, "tools": list(self.tools), "model": self.model}
        alone = {} if self.cooperation else {"cooperation": False}
        return {key: value for key, value in known.items() if value} | alone


def agent_of(session: Session, taken: Input) -> str:
    """The id of the agent that works on this input: the session's, or the one it was accepted for."""
    accepted = taken.data.get(ACCEPTED)
    return session.agent_id if accepted is None else str(accepted["agent_id"])


def accepted_by(session: Session, agent: Agent, default_model: str) -> dict[str, Any]:
    """To be kept with an input: the session's agent and effective configuration as they are now."""
    config = Configuration.of_session(session, agent, default_model)
    return {ACCEPTED: {"agent_id": agent.id, "frozen": config.frozen()}}
