"""`teambridge check` and tool servers: what they have, what the file wants of them in vain, and what to do."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from bridge.cli.findings import Finding
from bridge.cli.probe_tools import probe_tools
from bridge.cli.program import run
from bridge.config import McpConfig
from tests.support.mcp_server import command, is_alive, noted
from tests.support.mcp_web import McpWeb


async def probed(diary: Path, *manners: str, approval: tuple[str, ...] = ()) -> list[tuple[str, str, str]]:
    env = {"DIARY": SecretStr(str(diary))}
    server = McpConfig(command=tuple(command(*manners)), env=env, approval=approval)
    found = _told(await probe_tools("docs", server))
    assert not any(is_alive(pid) for pid in noted(diary))
    return found


def _told(found: list[Finding]) -> list[tuple[str, str, str]]:
    return [(one.status, one.place, one.words) for one in found]


async def test_a_server_tells_its_tools(tmp_path: Path) -> None:
    """Issue: check lists every server and its tools, the names cut; the server is ended afterwards."""
    words = "has 13 tools: echo, peek, fail, picture, numbers, long, environment, hang, die, gush and 3 more"
    assert await probed(tmp_path / "diary") == [("ok", "mcp.docs", words)]


async def test_an_approval_for_a_tool_that_is_not_there_is_a_warning(tmp_path: Path) -> None:
    """Issue: a name the server does not have is a warning; "*" is every tool."""
    found = await probed(tmp_path / "diary", approval=("die", "ecko", "*"))
    assert found[1:] == [("warning", "mcp.docs.approval[1]", 'the server has no tool "ecko"; did you mean "echo"?')]


async def test_tools_that_are_left_out_are_told(tmp_path: Path) -> None:
    found = await probed(tmp_path / "diary", "liar")
    assert found[0] == ("ok", "mcp.docs", "has 1 tool: good")
    assert ("warning", "mcp.docs", "the tool huge is left out: it has a schema of more than 50 kB") in found


async def test_a_server_that_fails_says_what_to_do(tmp_path: Path) -> None:
    [(status, place, words)] = await probed(tmp_path / "diary", "dead")
    assert (status, place) == ("failed", "mcp.docs")
    assert words.startswith("it ended with code 1; it said last: no licence: check command and env")


async def test_last_words_are_told_without_secrets() -> None:
    """X5: a server that complains about its key repeats it."""
    given = {"DIARY": SecretStr("/dev/null"), "KEY": SecretStr("no licence")}
    [found] = await probe_tools("docs", McpConfig(command=tuple(command("dead")), env=given))
    assert "it said last: [hidden]: check" in found.words


async def test_a_server_that_is_not_there_says_what_to_do() -> None:
    found = await probe_tools("docs", McpConfig(url="http://127.0.0.1:9/mcp"))
    words = "cannot be reached (ConnectError): check url, headers and the network"
    assert _told(found) == [("failed", "mcp.docs", words)]


async def test_a_server_over_http_tells_its_tools() -> None:
    async with McpWeb() as web:
        [found] = await probe_tools("docs", McpConfig(url=web.url))
    assert found.status == "ok"


@pytest.mark.parametrize(("flags", "started"), [([], 1), (["--offline"], 0)])
def test_the_command_asks_the_servers_unless_offline(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: list[str], started: int
) -> None:
    diary = tmp_path / "diary"
    words = ", ".join(f'"{word}"' for word in command())
    path = tmp_path / "config.toml"
    path.write_text(f'[mcp.docs]\ncommand = [{words}]\nenv = {{ DIARY = "{diary}" }}\n', encoding="utf-8")
    assert run(["check", "--config", str(path), *flags]) == 0
    told = capsys.readouterr()
    assert ("13 tools" in told.out) is bool(started)
    assert told.err == ""
    assert len(list(noted(diary))) == started
