"""Who the bot is, as Telegram says."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Me:
    """`username` is without the at sign; `reads_groups` is false while privacy mode is on."""

    id: int
    username: str
    name: str = ""
    reads_groups: bool = False

    @property
    def link(self) -> str:
        """Opens a private chat with the bot; "" if it has no username."""
        return f"https://t.me/{self.username}" if self.username else ""

    def is_named(self, username: str) -> bool:
        return bool(self.username) and username.casefold() == self.username.casefold()
