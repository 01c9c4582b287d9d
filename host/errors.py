"""What can go wrong in the host, named by what the caller must do.

HostError
├── Unknown               there is no such thing for this caller: session, agent or job
├── Archived              the session is archived: restore it, or start a new one
├── Busy                  wait until nothing of the session is open, or cancel it
├── NotAccepting          this session takes no input from outside (side and peer sessions)
├── Conflict              the same key came before with other content
├── NotSwitchable         this session or this agent cannot be switched or reopened: teams, side, peer, child, LOCAL
├── AgentUnavailable      choose another agent (`reason`: unknown, agent_disabled, agent_not_visible)
├── DamagedManifest       the team's manifest must be mended by hand (`path`, `problem`)
├── RosterRefused         the roster cannot become so
│   ├── MembersInvalid        choose others instead of these (`ids`)
│   ├── TooFewMembers         choose at least `minimum`
│   ├── MembersBusy           wait until these have no open job, or cancel it (`ids`)
│   └── TeamsWouldShrink      these teams need the expert (`ids`): give them another one first
├── AlreadyServing        another process serves this store: stop it first (`where`, `pid`)
├── Refused               the run may not go on; tell the person (`reason`, in words)
├── UnknownFile           choose files of this session that are stored (`file_id`)
├── TooLarge              a smaller file is needed (`limit`, in bytes)
├── UnknownModel          configure the model, or choose another (`name`)
├── ModelUnavailable      the model failed for good; tell the person (`error_id`)
│   └── LoopLimit         the model found no end: the same words to the person
├── OutsideRefused        this address is not fetched, now or later; say why (`code`)
├── OutsideFailed         it could not be fetched now; try again if it `may_work_later`, or say why (`code`)
├── ServerDown            do without this tool server for now (`reason`)
└── ToolFault             tell the model, the run goes on
    ├── Interrupted           the call was cut: it is unknown whether it took effect, so it is not repeated
    └── WorkspaceFault        the path, the kind of file or the quota does not allow it; name another one
        └── FileMissing           there is no such file or folder
"""


class HostError(Exception):
    """Any fault of the host."""


class Unknown(HostError):
    """No such session, agent or job for this caller."""


class Archived(HostError):
    """The session is archived."""


class Busy(HostError):
    """Something of the session is pending, live, open or untaken."""


class NotAccepting(HostError):
    """Side and peer sessions take no input from outside."""


class Conflict(HostError):
    """The same key came before with other content."""


class NotSwitchable(HostError):
    """Teams, side, peer and child sessions keep their agent; a LOCAL session cannot be reopened."""


class AgentUnavailable(HostError):
    """The agent cannot be used; `reason` is unknown, agent_disabled or agent_not_visible."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class DamagedManifest(HostError):
    """The team's manifest cannot be read; it is left as it is."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem


class RosterRefused(HostError):
    """A team's roster cannot become so; `ids` are those that stand in the way."""

    def __init__(self, *ids: str) -> None:
        super().__init__(", ".join(ids))
        self.ids = ids


class MembersInvalid(RosterRefused):
    """Unknown, a team, neither one's own nor shared, blank, or named twice."""


class TooFewMembers(RosterRefused):
    """A team needs more members."""

    def __init__(self, minimum: int) -> None:
        super().__init__()
        self.minimum = minimum


class MembersBusy(RosterRefused):
    """These members have open jobs (T7)."""


class TeamsWouldShrink(RosterRefused):
    """These teams would be left with too few members."""


class AlreadyServing(HostError):
    """Another process holds this store; `where` is its data folder or database, `pid` its number if known."""

    def __init__(self, where: str, pid: int | None) -> None:
        process = f" (process {pid})" if pid else ""
        super().__init__(f"another teambridge serves {where}{process}; stop it first")
        self.where = where
        self.pid = pid


class ModelUnavailable(HostError):
    """The model failed after every retry; `error_id` stands in the log beside the cause."""

    def __init__(self, error_id: str, cause: str) -> None:
        super().__init__(cause)
        self.error_id = error_id


class LoopLimit(ModelUnavailable):
    """The model went on calling tools past every limit."""


class Refused(HostError):
    """The run may not go on: who it works for, or with what, is not allowed or not there any more."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class UnknownFile(HostError):
    """There is no such file in this session, or its bytes are not there."""

    def __init__(self, file_id: str) -> None:
        super().__init__(file_id)
        self.file_id = file_id


class TooLarge(HostError):
    """The file has more bytes than `limit`."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the file has more than {limit} bytes")
        self.limit = limit


class UnknownModel(HostError):
    """No model of this name is configured, or its provider is unknown."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class ToolFault(HostError):
    """Words for the model: the call failed, the run goes on."""


class Interrupted(ToolFault):
    """The call was cut in its middle, and nobody knows whether it took effect."""


class ServerDown(HostError):
    """A tool server cannot be used now; `reason` is for the log and for whoever checks."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class WorkspaceFault(ToolFault):
    """The workspace does not allow it: the path leads out of it, is no regular file, is not there, or it is full."""


class FileMissing(WorkspaceFault):
    """There is no such file or folder."""


class OutsideRefused(HostError):
    """The address is not fetched. `code`: scheme, credentials, address, redirects, too_large, encoding."""

    def __init__(self, code: str, problem: str) -> None:
        super().__init__(problem)
        self.code = code


class OutsideFailed(HostError):
    """The other side did not answer as hoped. `code`: status, time, connection; `status` is HTTP's, or 0."""

    def __init__(self, code: str, problem: str, *, status: int = 0) -> None:
        super().__init__(problem)
        self.code = code
        self.status = status

    @property
    def may_work_later(self) -> bool:
        """Whether the same request may succeed a little later."""
        return self.status in (0, 408, 425, 429) or self.status >= 500
