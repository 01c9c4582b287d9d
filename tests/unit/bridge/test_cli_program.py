"""Every command ends with an exit code and, if something is wrong, exactly one line on stderr."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.cli.program import COMMANDS, run
from store.upgrade import head

ROOT = Path(__file__).parents[3]
Run = Callable[..., tuple[int, str, list[str]]]


@pytest.fixture
def teambridge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in an empty folder: exit code, stdout, lines of stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TEAMBRIDGE_CONFIG", raising=False)

    def command(*words: str) -> tuple[int, str, list[str]]:
        code = run(words)
        said = capsys.readouterr()
        return code, said.out, said.err.splitlines()

    return command


def test_help_names_every_command(teambridge: Run) -> None:
    code, said, complaints = teambridge()
    assert (code, complaints) == (0, [])
    assert all(name in said for name in COMMANDS)


def test_version(teambridge: Run) -> None:
    assert teambridge("--version") == (0, "0.1.0\n", [])


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("srve",), "No such command 'srve'. Did you mean 'serve'?"),
        (("serve", "--confg", "x"), "No such option: --confg (Possible options: --config)"),
        (("serve", "--config", "none.toml"), "none.toml: there is no such file"),
        (("check", "--config", "none.toml"), "none.toml: there is no such file"),
        (("chat", "--config", "none.toml"), "none.toml: there is no such file"),
        (("people", "--config", "none.toml"), "No such option: --config"),
        (("people", "approve"), "Missing argument 'CODE'."),
        (("people", "approve", "XXXXXXXX"), 'nobody has the pairing code "XXXXXXXX", or it is older than a day'),
        (("people", "block", "x"), 'nobody has the id "x"'),
        (("deliveries", "retry", "x"), 'no delivery has the id "x"'),
        (("token", "revoke", "x"), 'no token that is still good has the id "x"'),
        (("db",), "Missing command."),
    ],
)
def test_bad_input_is_one_line(teambridge: Run, words: tuple[str, ...], complaint: str) -> None:
    assert teambridge(*words) == (2, "", [complaint])


def test_a_sentence_never_breaks_the_line(teambridge: Run) -> None:
    Path("config.toml").write_text('[server]\n"a\\nb" = 1\n')
    code, _, complaints = teambridge("check")
    assert (code, len(complaints)) == (2, 1)


def test_an_unreachable_server_is_no_bad_input(teambridge: Run) -> None:
    said = "no server answers at http://127.0.0.1:1"
    assert teambridge("chat", "--url", "http://127.0.0.1:1") == (1, "", [said])


def test_tokens_are_made_listed_and_revoked(teambridge: Run) -> None:
    code, secret, _ = teambridge("token", "create", "--name", "ci")
    assert (code, len(secret.strip())) == (0, 43)
    _, listed, _ = teambridge("token", "list")
    token_id = listed.splitlines()[1].split()[0]
    assert "ci" in listed
    assert secret.strip() not in listed
    assert teambridge("token", "revoke", token_id)[0] == 0
    assert teambridge("token", "list")[1] == "There are no tokens.\n"


def test_db_upgrade_makes_the_store(teambridge: Run) -> None:
    code, said, _ = teambridge("db", "upgrade")
    assert (code, said) == (0, f"The store is at revision {head()}, the newest one.\n")
    assert Path("data/teambridge.db").exists()


def test_only_the_named_command_is_imported() -> None:
    """The application, with all its parts, is loaded by `serve` and `chat` alone."""
    script = (
        "import sys; from bridge.cli.program import run; run(['init', '--help']); sys.exit('bridge.app' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("words", [("serve",), ("people",), ("db", "upgrade")])
def test_an_unreachable_store_is_one_line(tmp_path: Path, words: tuple[str, ...]) -> None:
    """As a process: `serve` takes over the logs of the process it runs in."""
    (tmp_path / "config.toml").write_text('[store]\nurl = "postgresql://u:hush@127.0.0.1:1/x"\n')
    command = (sys.executable, "-m", "bridge", *words)
    environment = {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, check=False, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
    assert done.stderr.startswith("the store cannot be used: ")
    assert "hush" not in done.stderr
