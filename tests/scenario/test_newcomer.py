"""What a newcomer does first, word for word: the READMEs' question, the shell's, and a chat in the terminal."""

import asyncio
import re
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.gate import DEADLINE
from tests.support.keys import secret_of
from tests.support.program import ROOT, Program, free_port
from tests.support.settings import settings, webhook

PORT = "8765"
"""The demo's, as it stands in the texts."""


def _demo(port: int) -> dict[str, Any]:
    """The demo's team and model on another port."""
    hook = webhook("hook", "studio")
    return settings(model_url="", channels=[hook], port=port) | {"models": {"main": {"provider": "scripted"}}}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def demo(tmp_path_factory: pytest.TempPathFactory, program_store: str) -> AsyncIterator[Program]:
    folder = tmp_path_factory.mktemp("newcomer")
    async with Program(folder, _demo(free_port())) as running:
        (folder / "data" / "demo-hook.secret").write_text(f"{secret_of('hook')}\n")
        yield running


def _block(page: str, language: str, port: str) -> str:
    found = re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    [block] = [each for each in found if "webhook-id" in each]
    return str(block).replace(PORT, port)


async def _said(*argv: str, folder: Path, typed: str = "") -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        *argv,
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(DEADLINE * 3):
        out, err = await process.communicate(typed.encode())
    return int(process.returncode or 0), out.decode(), err.decode()


def _is_a_round(said: str) -> bool:
    """T32: narration, notices, members under their names, the wrap-up last."""
    notices = [found.start() for found in re.finditer("已请 |Asked ", said)]
    wrapups = [found.start() for found in re.finditer(r"【主持人总结】|\[Host wrap-up\]", said)]
    return len(notices) == 2 and len(wrapups) == 1 and notices[-1] < wrapups[0]


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md"])
async def test_the_question_of_the_readme_is_answered(demo: Program, page: str) -> None:
    script = _block(page, "python", demo.url.rsplit(":", 1)[1])
    code, said, complaint = await _said(sys.executable, "-c", script, folder=demo.folder)
    assert (code, complaint) == (0, "")
    assert _is_a_round(said), said


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("openssl")), reason="needs curl and openssl")
@pytest.mark.parametrize("page", ["docs/webhook.md", "docs/webhook.zh-CN.md"])
async def test_the_question_of_the_shell_is_answered(demo: Program, page: str) -> None:
    script = _block(page, "sh", demo.url.rsplit(":", 1)[1])
    code, said, complaint = await _said("bash", "-c", script, folder=demo.folder)
    assert (code, complaint) == (0, "")
    assert '"messages"' in said


async def test_a_chat_with_the_running_server(demo: Program) -> None:
    """Found through `server.json`; the end of the input waits for the end of the round."""
    chat = (sys.executable, "-m", "bridge", "chat", "--config", "config.toml")
    code, said, complaint = await _said(*chat, folder=demo.folder, typed="帮我写一份发布计划\n")
    assert (code, complaint) == (0, "")
    assert said.startswith("内容工作室 (studio)")
    assert _is_a_round(said), said


async def test_a_chat_with_one_expert(demo: Program) -> None:
    chat = (sys.executable, "-m", "bridge", "chat", "--config", "config.toml", "--agent", "writer")
    code, said, _ = await _said(*chat, folder=demo.folder, typed="写一句口号\n/quit\n")
    assert code == 0
    assert said.startswith("写手 (writer)")


async def test_a_chat_by_address_and_token(demo: Program) -> None:
    _, token, _ = await _said(
        *(sys.executable, "-m", "bridge", "token", "create", "--config", "config.toml"), folder=demo.folder
    )
    chat = (sys.executable, "-m", "bridge", "chat", "--url", demo.url, "--token", token.strip())
    code, said, complaint = await _said(*chat, folder=demo.folder.parent, typed="帮我写一份发布计划\n")
    assert (code, complaint) == (0, "")
    assert _is_a_round(said), said
    code, _, complaint = await _said(*chat[:-1], "wrong", folder=demo.folder.parent)
    assert (code, len(complaint.splitlines())) == (2, 1)


async def test_a_chat_without_a_server(tmp_path: Path) -> None:
    """The application runs in this process, and ends with the chat."""
    Program(tmp_path, _demo(free_port()))
    chat = (sys.executable, "-m", "bridge", "chat", "--config", "config.toml")
    code, said, complaint = await _said(*chat, folder=tmp_path, typed="帮我写一份发布计划\n")
    assert (code, complaint) == (0, "")
    assert _is_a_round(said), said
    assert not (tmp_path / "data" / "server.json").exists()
