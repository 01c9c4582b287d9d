"""Which commands there are, and how every one of them ends: an exit code, and at most one line on stderr."""

import gc
import importlib
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Annotated, Final

import typer
from typer.main import get_command

from bridge import __version__
from bridge.cli.errors import FAILED, CommandError
from bridge.config import ConfigError
from store.errors import StoreError

COMMANDS: Final = {
    "serve": "bridge.cli.serve",
    "check": "bridge.cli.check",
    "init": "bridge.cli.init",
    "chat": "bridge.cli.chat",
    "people": "bridge.cli.people",
    "deliveries": "bridge.cli.deliveries",
    "token": "bridge.cli.token",
    "db": "bridge.cli.db",
    "backup": "bridge.cli.backup",
    "restore": "bridge.cli.restore",
}
"""Each command's module, which has `register(application)`. Only the module of the named command is imported."""

_INTERRUPTED: Final = 130


def run(words: Sequence[str]) -> int:
    """Do what the command line says; the exit code. Mistakes end in one line on stderr."""
    try:
        command = get_command(_application(words))
        result = command.main(list(words) or ["--help"], prog_name="teambridge", standalone_mode=False)
    except typer.TyperException as refused:
        return _told(refused.format_message(), refused.exit_code)
    except ConfigError as refused:
        return _told(str(refused), 2)
    except CommandError as refused:
        return _told(str(refused), refused.code)
    except StoreError as refused:
        return _told(f"the store cannot be used: {refused}", FAILED)
    except (typer.Abort, KeyboardInterrupt):
        return _INTERRUPTED
    return result if isinstance(result, int) else 0


def _application(words: Sequence[str]) -> typer.Typer:
    """With the named command only; with all of them if none is named, for the help."""
    application = typer.Typer(add_completion=False, help="An AI expert team in the chats people already use.")
    application.callback()(_options)
    named = [word for word in words if word in COMMANDS][:1]
    for name in named or COMMANDS:
        _import(COMMANDS[name]).register(application)
    return application


def _import(name: str) -> ModuleType:
    """Without collecting garbage: what is imported stays, and looking through it again and again takes a tenth of a
    start. Freezing it spares later collections the same."""
    gc.disable()
    module = importlib.import_module(name)
    gc.freeze()
    gc.enable()
    return module


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


def _options(
    _: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_tell_version, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def _told(sentence: str, code: int) -> int:
    """Exactly one line, whatever the sentence was made of."""
    print(" ".join(sentence.split()), file=sys.stderr)  # noqa: T201 - the answer of a command
    return code
