"""Which function answers which command."""

from typing import Final

from bridge.commands.agents import show_agents
from bridge.commands.approvals import approve, deny
from bridge.commands.cancel import cancel
from bridge.commands.context import Run
from bridge.commands.fresh import start_fresh
from bridge.commands.help import show_help
from bridge.commands.pair import pair
from bridge.commands.reopen import reopen
from bridge.commands.sessions import show_sessions
from bridge.commands.status import show_status
from bridge.commands.stop import stop
from bridge.commands.switch import switch
from bridge.commands.team import show_team
from bridge.commands.whoami import show_identity

COMMANDS: Final[dict[str, Run]] = {
    "help": show_help,
    "new": start_fresh,
    "stop": stop,
    "cancel": cancel,
    "approve": approve,
    "deny": deny,
    "status": show_status,
    "team": show_team,
    "agents": show_agents,
    "switch": switch,
    "reopen": reopen,
    "sessions": show_sessions,
    "whoami": show_identity,
    "pair": pair,
}
"""Every name of RIGHTS has its function here (a test holds them together)."""

OPENS_FRESH: Final = "new"
