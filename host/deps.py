"""What every part of the host needs, in one frozen value."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from host.bell import Bell
from host.events import Scribe
from host.lanes import Lanes
from host.models.registry import Models
from host.roster import Rosters
from host.running import Runs
from host.shelf import Shelf
from host.slots import Slots
from host.toolbox import Toolbox
from host.values import Live, Say
from host.workspace import Workspaces
from store.agents import Agent
from store.clock import Clock
from store.database import Database


class Meter(Protocol):
    """Who counts."""

    def turn_ended(self, agent: str, status: str) -> None:
        """A turn of this agent is over: completed, stopped or failed."""

    def tokens_used(self, model: str, input_tokens: int, output_tokens: int) -> None:
        """A model answered."""


@dataclass(frozen=True, kw_only=True)
class Deps:
    """The host's surroundings, given by the composition root."""

    database: Database
    clock: Clock
    lanes: Lanes
    live: Live
    scribe: Scribe
    models: Models
    rosters: Rosters
    runs: Runs
    meter: Meter
    say: Say
    locale: str
    default_model: str
    small_model: str
    new_id: Callable[[], str]
    shelf: Shelf
    workspaces: Workspaces
    bell: Bell = field(default_factory=Bell)
    slots: Slots = field(default_factory=Slots)
    toolbox: Toolbox = field(default_factory=Toolbox)

    def model_name(self, agent: Agent, explicit: str | None = None) -> str:
        """Which model answers: the session's explicit one, else the agent's own, else the default."""
        return explicit or agent.model or self.default_model
