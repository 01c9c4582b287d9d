"""From a file to a Config."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from bridge.config.demo import demo_config
from bridge.config.environment import NotSet, filled
from bridge.config.errors import ConfigError, Fault, KeyPath
from bridge.config.language import own_language
from bridge.config.rules import faults_of
from bridge.config.schema import AgentConfig, Config
from bridge.config.words import fault_in

DEFAULT_FILE: Final = "config.toml"
FILE_VARIABLE: Final = "TEAMBRIDGE_CONFIG"


def find_config(given: Path | None = None, environment: Mapping[str, str] = os.environ) -> Path | None:
    """The file to load: the given one, else TEAMBRIDGE_CONFIG, else config.toml here; None if there is none."""
    if given is not None:
        return given
    if named := environment.get(FILE_VARIABLE):
        return Path(named)
    default = Path(DEFAULT_FILE)
    return default if default.exists() else None


def load_config(path: Path | None, environment: Mapping[str, str] = os.environ) -> Config:
    """Read and check a file; None gives the built-in demo. Raises ConfigError with one sentence."""
    if path is None:
        return demo_config(Path.cwd() / "data", own_language(environment) or "zh-CN")
    source = str(path)
    try:
        parsed = Config.model_validate(filled(_read(path), environment))
    except NotSet as missing:
        raise missing.fault.named(source) from None
    except ValidationError as refused:
        raise fault_in(refused).named(source) from None
    for fault in faults_of(parsed):
        raise fault.named(source)
    return _completed(parsed, path)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file") from None
    except OSError as fault:
        raise ConfigError(f"{path}: cannot be read: {fault.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as fault:
        raise Fault(path=(), problem=f"is not valid TOML: {fault}").named(str(path)) from None
    except (RecursionError, ValueError):  # brackets thousands deep, a number of thousands of digits
        raise Fault(path=(), problem="is not valid TOML: a value is too long or too deep").named(str(path)) from None


def _completed(config: Config, path: Path) -> Config:
    """With what depends on where the file stands, and with the defaults that depend on other keys."""
    folder = path.absolute().parent
    default_model = config.default_model or next(iter(config.models), "")
    agents = (
        _with_instructions(agent, folder, ("agents", index), str(path)) for index, agent in enumerate(config.agents)
    )
    return config.model_copy(
        update={
            "data_dir": Path(os.path.normpath(folder / config.data_dir.expanduser())),
            "default_model": default_model,
            "small_model": config.small_model or default_model,
            "agents": tuple(agents),
        }
    )


def _with_instructions(agent: AgentConfig, folder: Path, path: KeyPath, source: str) -> AgentConfig:
    if not agent.instructions_file:
        return agent
    place = (*path, "instructions_file")
    if agent.instructions:
        raise Fault(path=place, problem="give either instructions or instructions_file").named(source)
    try:
        text = (folder / agent.instructions_file).read_text(encoding="utf-8")
    except OSError as fault:
        raise Fault(path=place, problem=f"cannot be read: {fault.strerror}").named(source) from None
    except UnicodeDecodeError:
        raise Fault(path=place, problem="is not UTF-8 text").named(source) from None
    return agent.model_copy(update={"instructions": text})
