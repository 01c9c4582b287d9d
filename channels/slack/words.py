"""The few words that Slack shows around messages, in the owner's language. The caller takes them from its catalogue."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Words:
    """`{names}` and `{name}` are filled in here. Slack writes the app's name before a status. One prompt a line."""

    thinking: str = "is thinking…"
    working: str = "has {names} at work…"
    comma: str = ", "
    done: str = "{name} is done"
    failed: str = "{name} could not finish"
    home_members: str = "Members"
    home_hint: str = "Write me a direct message, or mention me in a channel."
    prompts: str = ""

    def status(self, names: Sequence[str]) -> str:
        """Who works now, for Slack's status line; nobody in particular: somebody thinks."""
        return self.working.format(names=self.comma.join(names)) if names else self.thinking


@dataclass(frozen=True, kw_only=True)
class HomeMember:
    """One line of the App Home."""

    name: str
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class Home:
    """What the App Home shows: the team (or the lone expert) and its members."""

    name: str = ""
    description: str = ""
    members: tuple[HomeMember, ...] = ()
