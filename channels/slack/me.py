"""Who the app is, as Slack says."""

from dataclasses import dataclass

CUSTOMIZE = "chat:write.customize"


@dataclass(frozen=True, kw_only=True)
class Me:
    """The app's user and bot in its workspace, and what it was granted."""

    user_id: str
    bot_id: str
    team_id: str = ""
    name: str = ""
    scopes: frozenset[str] = frozenset()
    is_org_install: bool = False

    @property
    def has_personas(self) -> bool:
        """Whether messages may carry a member's name. Without the scope Slack drops the name silently."""
        return CUSTOMIZE in self.scopes

    def wrote(self, message: object) -> bool:
        """Whether a message, as the Web API or an event shows it, is the app's own."""
        if not isinstance(message, dict):
            return False
        return (bool(self.bot_id) and message.get("bot_id") == self.bot_id) or message.get("user") == self.user_id
