"""The commands there are, in the order of /help, and who may use them."""

from enum import Enum
from typing import Final


class Right(Enum):
    """Who may use a command where the bot serves. What is decided with /approve and /deny has a rule of its own."""

    EVERYBODY = "everybody"
    ADMINS_IN_GROUPS = "admins_in_groups"
    ADMINS = "admins"


RIGHTS: Final[dict[str, Right]] = {
    "help": Right.EVERYBODY,
    "new": Right.ADMINS_IN_GROUPS,
    "stop": Right.EVERYBODY,
    "cancel": Right.ADMINS_IN_GROUPS,
    "approve": Right.EVERYBODY,
    "deny": Right.EVERYBODY,
    "status": Right.EVERYBODY,
    "team": Right.EVERYBODY,
    "agents": Right.EVERYBODY,
    "switch": Right.ADMINS_IN_GROUPS,
    "reopen": Right.ADMINS_IN_GROUPS,
    "sessions": Right.EVERYBODY,
    "whoami": Right.EVERYBODY,
    "pair": Right.ADMINS,
}


def may_use(name: str, *, in_private: bool, is_admin: bool) -> bool:
    """Whether somebody who is served may use this command here."""
    right = RIGHTS[name]
    return is_admin or right is Right.EVERYBODY or (right is Right.ADMINS_IN_GROUPS and in_private)
