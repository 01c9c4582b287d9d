"""The base of what goes in and out as JSON."""

from pydantic import BaseModel, ConfigDict


class Shape(BaseModel):
    """Built when it is first used: building all of them takes a twentieth of every start."""

    model_config = ConfigDict(defer_build=True)
