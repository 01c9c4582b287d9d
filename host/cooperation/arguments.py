"""What the cooperation tools take. The schemas that models see are made from these, so both say the same."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from host.agent import ToolCall
from host.errors import ToolFault

A = TypeVar("A", bound="Arguments")

Target = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Task = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100_000)]
TARGET: Final = "session_id, or the path of a session of this tree"


class Arguments(BaseModel):
    """A tool's arguments: what it does not know is refused, so that nobody believes to have chosen a parent or path."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Nothing(Arguments):
    pass


class NewSession(Arguments):
    name: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="unique among the children of this session")
    description: Task = Field(description="the whole task: the session sees nothing else of this conversation")
    agent_id: Target | None = Field(
        default=None, description="who works there, an id of list_agents; left out: a copy of yourself"
    )


class NewWork(Arguments):
    target: Target = Field(description=TARGET)
    description: Task = Field(description="the whole task; it is worked on after what waits there already")


class NewMessage(Arguments):
    target: Target = Field(description=TARGET)
    content: str = Field(
        min_length=1, max_length=100_000, description="words that the session reads when it works next"
    )


class TurnToCancel(Arguments):
    target: Target = Field(description=TARGET)
    turn_id: Target


class Listing(Arguments):
    scope: Literal["project", "all"] = Field(
        default="project", description="project: all sessions of this project; all: every project, 10 per page"
    )
    offset: int = Field(default=0, ge=0, le=1_000_000_000, description="for scope all: how many to skip")


class WhichResult(Arguments):
    """Exactly one of the two."""

    input_id: Target | None = None
    turn_id: Target | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> "WhichResult":
        if (self.input_id is None) == (self.turn_id is None):
            raise ValueError("give exactly one of input_id and turn_id")
        return self


class InputsToAwait(Arguments):
    input_ids: list[Target] = Field(min_length=1, max_length=100)
    timeout_seconds: int = Field(default=300, ge=1, le=1800)


class SessionsToAwait(Arguments):
    targets: list[Target] = Field(min_length=1, max_length=100, description=TARGET)
    after_cursor: int = Field(default=0, ge=0, le=1_000_000_000_000, description="the cursor of the last answer")
    timeout_seconds: int = Field(default=300, ge=1, le=1800)


def parsed(kind: type[A], call: ToolCall) -> A:
    """The call's arguments. Raises ToolFault, which names the place and the problem."""
    try:
        return kind.model_validate(call.arguments or {})
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ToolFault(f"{call.name}: {place}: {first['msg']}" if place else f"{call.name}: {first['msg']}") from fault


def schema_of(kind: type[Arguments]) -> Mapping[str, Any]:
    """The JSON schema of these arguments, without what pydantic adds for people."""
    known = kind.model_json_schema()
    properties = {name: _plain(each) for name, each in known.get("properties", {}).items()}
    required = known.get("required", [])
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _plain(each: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in each.items() if key != "title"}
    choices = [choice for choice in kept.pop("anyOf", []) if choice.get("type") != "null"]
    kept = {**(choices[0] if choices else {}), **kept}
    return {key: value for key, value in kept.items() if (key, value) != ("default", None)}
