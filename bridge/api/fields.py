"""The kinds of values that people give to agents, teams, channels and accounts."""

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import AfterValidator, StringConstraints

from bridge.api.call import Call, storable
from bridge.api.errors import param_invalid


def _one_line(value: str) -> str:
    """Names stand in labels and lists: line breaks and runs of spaces become one space."""
    return " ".join(value.split())


_STORABLE: Final = AfterValidator(storable)

Name = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=100),
    _STORABLE,
    AfterValidator(_one_line),
]
Id = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
"""What an agent or an account may be called; as in the file."""
Known = Annotated[str, StringConstraints(max_length=200), _STORABLE]
"""The id of something that exists, or should."""
Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000), _STORABLE]
Icon = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500), _STORABLE]
"""A URL or an emoji such as ":mag:"."""
Color = Annotated[str, StringConstraints(strip_whitespace=True, max_length=32), _STORABLE]
Text = Annotated[str, StringConstraints(max_length=100_000), _STORABLE]


def check_model(call: Call, model: str | None) -> None:
    """Raises ApiError unless the model is one of the file, or "" (the default)."""
    if model and model not in call.parts.models:
        raise param_invalid("model", "unknown_model")


def check_tools(call: Call, tools: Sequence[str] | None) -> None:
    """Raises ApiError for the first tool that there is not."""
    for index, tool in enumerate(tools or ()):
        if tool not in call.parts.tools:
            raise param_invalid(f"tools[{index}]", "unknown_tool")
