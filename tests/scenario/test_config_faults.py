"""A wrong configuration: one sentence on stderr that names the place, exit 2, no traceback (contract 1)."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.program import Nursery, Program, free_port
from tests.support.settings import settings, to_toml, webhook

Config = dict[str, Any]


def _good() -> Config:
    """A configuration of one's own, free to be spoilt."""
    hook = webhook("hook", "studio", "http://127.0.0.1:9/hook")
    return copy.deepcopy(settings(model_url="http://127.0.0.1:9/v1", channels=[hook], port=free_port()))


def _put(path: str, value: Any) -> Callable[[Config], None]:
    """Set `value` at a dotted path; numbers are indexes."""

    def change(config: Config) -> None:
        *way, last = path.split(".")
        place: Any = config
        for step in way:
            place = place[int(step)] if step.isdigit() else place[step]
        place[int(last) if last.isdigit() else last] = value

    return change


FAULTS: dict[str, tuple[Callable[[Config], None], tuple[str, ...]]] = {
    "unknown key, nearest named": (_put("server.prot", 1), ("server.prot", "port")),
    "unknown platform": (_put("channels.0.platform", "irc"), ("channels[0].platform",)),
    "unknown agent of a channel": (_put("channels.0.agent", "nobody"), ("channels[0].agent", "nobody")),
    "unknown member": (_put("teams.0.members", ["researcher", "nobody"]), ("teams[0].members[1]", "nobody")),
    "too few members": (_put("teams.0.members", ["researcher"]), ("teams[0].members",)),
    "a bad id": (_put("agents.0.id", "No Spaces"), ("agents[0].id",)),
    "a type": (_put("server.port", "many"), ("server.port",)),
    "an unset variable": (
        _put("models.main.api_key", "${NO_SUCH_VARIABLE}"),
        ("models.main.api_key", "NO_SUCH_VARIABLE"),
    ),
    "a type that only looks like it": (_put("server.port", value=True), ("server.port", "whole number")),
    "a reference without a name": (_put("agents.0.name", "${NOPE X}"), ("agents[0].name", "${NAME}")),
    "a secret that is none": (_put("channels.0.secret", "hunter2"), ("channels[0].secret",)),
    "the other engine": (lambda config: config.update(store={"engine": "procrastinate"}), ("store.engine",)),
    "an unknown tool": (_put("agents.0.tools", ["teleport"]), ("agents[0].tools[0]", "teleport")),
    "an unknown model": (_put("agents.0.model", "gpt"), ("agents[0].model", "gpt")),
    "an id twice": (_put("agents.1.id", "researcher"), ("agents[1].id",)),
}


async def _refused(folder: Path, nursery: Nursery, text: str | Config, *argv: str) -> str:
    """The one line with which the program refuses this file."""
    program = Program(folder, _good(), nursery)
    program.config_file.write_text(text if isinstance(text, str) else to_toml(text), encoding="utf-8")
    status, err = await program.ends(*(argv or ("serve",)))
    assert status == 2, (status, program.stdout, err)
    assert len(err.strip().splitlines()) == 1, err
    assert program.stdout == ""
    return err


@pytest.mark.parametrize("name", FAULTS)
async def test_a_fault_is_one_sentence(tmp_path: Path, nursery: Nursery, name: str) -> None:
    """Contract 1 and 2: it names the key path and what is wrong."""
    change, words = FAULTS[name]
    config = _good()
    change(config)
    line = await _refused(tmp_path, nursery, config)
    assert [word for word in words if word not in line] == [], line


@pytest.mark.parametrize("text", ["locale = ", "[server\nport = 1", "\x00"])
async def test_a_file_that_is_no_toml(tmp_path: Path, nursery: Nursery, text: str) -> None:
    assert "config.toml" in await _refused(tmp_path, nursery, text)


async def test_check_refuses_the_same_way(tmp_path: Path, nursery: Nursery) -> None:
    """Contract 1: exit 2 also from check; a good file is 0 offline."""
    config = _good()
    FAULTS["an unknown model"][0](config)
    await _refused(tmp_path / "bad", nursery, config, "check", "--offline")
    assert (await Program(tmp_path / "good", _good(), nursery).ends("check", "--offline"))[0] == 0


async def test_a_missing_file_with_a_real_exec(tmp_path: Path) -> None:
    program = Program(tmp_path, _good())
    program.config_file.unlink()
    status, _, err = await program.run("serve")
    assert status == 2
    assert len(err.strip().splitlines()) == 1
    assert "config.toml" in err
