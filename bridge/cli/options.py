"""Options that several commands take."""

from pathlib import Path
from typing import Annotated

import typer

from bridge.config import Config, find_config, load_config

ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="The configuration; else $TEAMBRIDGE_CONFIG, else config.toml, else the built-in demo.",
    ),
]


def load(given: Path | None) -> Config:
    """The configuration that the options and the environment name. Raises ConfigError."""
    return load_config(find_config(given))
