"""How commands find the running server."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.runfile import Running, announced, find_running


def _left_over(folder: Path, pid: object) -> None:
    (folder / "server.json").write_text(json.dumps({"url": "http://x", "pid": pid, "token": "t"}))


def test_it_is_found_while_it_runs(tmp_path: Path) -> None:
    with announced(tmp_path, url="http://127.0.0.1:1", token="t"):
        assert find_running(tmp_path) == Running(url="http://127.0.0.1:1", pid=os.getpid(), token="t")
        assert stat.S_IMODE((tmp_path / "server.json").stat().st_mode) == 0o600
    assert find_running(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_the_file_of_a_killed_server_is_not_believed(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    _left_over(tmp_path, gone.pid)
    assert find_running(tmp_path) is None


@pytest.mark.parametrize("pid", [0, -1, 2**70, "x", None])
def test_nonsense_is_not_believed(tmp_path: Path, pid: object) -> None:
    _left_over(tmp_path, pid)
    assert find_running(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "{"])
def test_a_damaged_file_is_not_believed(tmp_path: Path, text: str) -> None:
    (tmp_path / "server.json").write_text(text)
    assert find_running(tmp_path) is None


def test_the_token_does_not_show() -> None:
    assert "hush" not in repr(Running(url="http://x", pid=1, token="hush"))
