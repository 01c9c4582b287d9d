"""What the API refuses: one error with a code, and how the faults of the other packages become one.

The envelope is `{"error": {"code", "message", "details"}}`; the message is `error.<CODE>` of the catalogue.
"""

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any, Final

from pydantic import ValidationError

from bridge.notices import Notices
from channels import errors as channels
from host import errors as host
from store import errors as store

STATUS: Final[dict[str, int]] = {
    "PARAM_INVALID": 400,
    "UNAUTHENTICATED": 401,
    "FORBIDDEN": 403,
    "PAIRING_REQUIRED": 403,
    "NOT_FOUND": 404,
    "SESSION_NOT_FOUND": 404,
    "AGENT_NOT_FOUND": 404,
    "TEAM_NOT_FOUND": 404,
    "TEAM_MEMBERS_TOO_FEW": 400,
    "TEAM_MEMBER_INVALID": 400,
    "TEAM_MEMBER_BUSY": 409,
    "TEAM_NOT_SHAREABLE": 400,
    "TEAM_DAMAGED": 409,
    "MANAGED_BY_CONFIG": 409,
    "EDIT_CONFLICT": 409,
    "METHOD_NOT_ALLOWED": 405,
    "SESSION_BUSY": 409,
    "SESSION_ARCHIVED": 409,
    "IDEMPOTENCY_CONFLICT": 409,
    "PAYLOAD_TOO_LARGE": 413,
    "MISDIRECTED": 421,
    "RATE_LIMITED": 429,
    "INTERNAL": 500,
    "STORE_UNAVAILABLE": 503,
    "CHANNEL_UNAVAILABLE": 503,
}

_PROBLEMS: Final[dict[str, str]] = {
    "missing": "problem.missing",
    "extra_forbidden": "problem.unknown",
    "string_too_long": "problem.too_long",
    "too_long": "problem.too_long",
    "json_invalid": "problem.not_json",
    "agent_disabled": "problem.agent_disabled",
    "agent_not_visible": "problem.agent_not_visible",
    "not_accepting": "problem.not_accepting",
    "not_switchable": "problem.not_switchable",
    "inner_session": "problem.inner_session",
    "unknown_model": "problem.unknown_model",
    "unknown_tool": "problem.unknown_tool",
    "unknown_user": "problem.unknown_user",
    "unknown_template": "problem.unknown_template",
    "unknown_file": "problem.unknown_file",
    "taken": "problem.taken",
    "secret_taken": "problem.secret_taken",
    "string_too_short": "problem.blank",
}


class ApiError(Exception):
    """A refusal.

    `problem` names a sentence that the message ends with (only PARAM_INVALID has one), `sentence` the message where
    the code's own says the wrong thing.
    """

    def __init__(
        self,
        code: str,
        *,
        status: int | None = None,
        details: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        problem: str = "problem.form",
        sentence: str = "",
    ) -> None:
        super().__init__(code)
        self.code = code
        self.status = status or STATUS[code]
        self.details = dict(details or {})
        self.headers = dict(headers or {})
        self.problem = problem
        self.sentence = sentence or f"error.{code}"

    def envelope(self, notices: Notices) -> dict[str, Any]:
        """The body of the answer, in the language of `notices`."""
        return {"error": {"code": self.code, "message": self._message(notices), "details": self.details}}

    def _message(self, notices: Notices) -> str:
        if self.code != "PARAM_INVALID":
            return notices.say(self.sentence)
        problem = notices.say(self.problem)
        if "reason" in self.details:
            return problem
        return notices.say("error.PARAM_INVALID", path=self.details["path"], problem=problem)


def param_invalid(path: str, kind: str = "", *, status: int | None = None, words: str = "") -> ApiError:
    """A field is wrong; `kind` is a pydantic error type or one of ours, `words` what a platform needs of it."""
    problem = _PROBLEMS.get(kind, "problem.form")
    details = {"path": path} | ({"problem": words} if words else {})
    return ApiError("PARAM_INVALID", status=status, details=details, problem=problem)


def refused_choice(reason: str) -> ApiError:
    """An agent that exists but may not be chosen, or a session that takes no input."""
    return ApiError("PARAM_INVALID", details={"reason": reason}, problem=_PROBLEMS[reason])


def api_error(fault: Exception) -> ApiError | None:
    """The refusal that this fault of another package means; None: it is a bug of ours."""
    for kind, meaning in _MEANINGS:
        if isinstance(fault, kind):
            return meaning(fault)
    return None


def field_path(steps: Sequence[int | str]) -> str:
    """Where a value stands, as people write it: `attachments[0].url`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")


def _from_validation(fault: ValidationError) -> ApiError:
    first = fault.errors(include_url=False, include_input=False, include_context=False)[0]
    return param_invalid(field_path(first["loc"]) or "body", first["type"])


def _from_agent(fault: host.AgentUnavailable) -> ApiError:
    return ApiError("AGENT_NOT_FOUND") if fault.reason == "unknown" else refused_choice(fault.reason)


def _about_members(code: str, fault: host.RosterRefused) -> ApiError:
    return ApiError(code, details={"member_agent_ids": list(fault.ids)})


def _from_shrinking(fault: host.TeamsWouldShrink) -> ApiError:
    return ApiError("TEAM_MEMBERS_TOO_FEW", status=409, details={"team_ids": list(fault.ids)})


def _from_rate(fault: channels.RateLimited) -> ApiError:
    return ApiError("RATE_LIMITED", headers={"Retry-After": str(max(1, ceil(fault.retry_after)))})


_MEANINGS: Final[tuple[tuple[type[Exception], Callable[[Any], ApiError]], ...]] = (
    (ValidationError, _from_validation),
    (host.Unknown, lambda _: ApiError("SESSION_NOT_FOUND")),
    (host.Archived, lambda _: ApiError("SESSION_ARCHIVED")),
    (host.Busy, lambda _: ApiError("SESSION_BUSY")),
    (host.NotAccepting, lambda _: refused_choice("not_accepting")),
    (host.UnknownFile, lambda _: param_invalid("attachments", "unknown_file")),
    (host.TooLarge, lambda _: ApiError("PAYLOAD_TOO_LARGE", sentence="error.file_too_large")),
    (host.NotSwitchable, lambda _: param_invalid("agent_id", "not_switchable")),
    (host.Conflict, lambda _: ApiError("IDEMPOTENCY_CONFLICT")),
    (host.MembersInvalid, lambda fault: _about_members("TEAM_MEMBER_INVALID", fault)),
    (host.TooFewMembers, lambda fault: ApiError("TEAM_MEMBERS_TOO_FEW", details={"min_members": fault.minimum})),
    (host.MembersBusy, lambda fault: _about_members("TEAM_MEMBER_BUSY", fault)),
    (host.TeamsWouldShrink, _from_shrinking),
    (host.DamagedManifest, lambda _: ApiError("TEAM_DAMAGED")),
    (host.AgentUnavailable, _from_agent),
    (store.StoreUnavailable, lambda _: ApiError("STORE_UNAVAILABLE", headers={"Retry-After": "1"})),
    (store.NotFound, lambda _: ApiError("NOT_FOUND")),
    (store.Taken, lambda _: param_invalid("id", "taken")),
    (channels.PairingRequired, lambda fault: ApiError("PAIRING_REQUIRED", details={"pairing_code": fault.code})),
    (channels.Forbidden, lambda _: ApiError("FORBIDDEN")),
    (channels.RateLimited, _from_rate),
    (channels.Conflict, lambda _: ApiError("IDEMPOTENCY_CONFLICT")),
    (channels.NotRunning, lambda _: ApiError("CHANNEL_UNAVAILABLE", headers={"Retry-After": "5"})),
    (channels.Unverified, lambda _: ApiError("UNAUTHENTICATED", sentence="error.unverified")),
    (channels.NotJson, lambda _: param_invalid("body", "json_invalid")),
    (channels.Unprocessable, lambda fault: param_invalid(fault.path, status=422)),
)
