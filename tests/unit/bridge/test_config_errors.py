"""Every mistake is one sentence that names the file and the key path."""

from pathlib import Path

import pytest

from bridge.config import ConfigError, load_config

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLwaaaa=="
MODEL = '[models.main]\nprovider = "openai"\nmodel = "m"\n'
EXPERTS = f'{MODEL}[[agents]]\nid = "a"\n[[agents]]\nid = "b"\n'
TEAM = f'{EXPERTS}[[teams]]\nid = "t"\nmembers = ["a", "b"]\n'
HOOK = f'[[channels]]\nid = "hook"\nplatform = "webhook"\nagent = "t"\nsecret = "{SECRET}"\n'
TELEGRAM = f'{TEAM}[[channels]]\nid = "tg"\nplatform = "telegram"\nagent = "t"\n'
SLACK = f'{TEAM}[[channels]]\nid = "sl"\nplatform = "slack"\nagent = "t"\nbot_token = "xoxb"\n'
FEISHU = f'{TEAM}[[channels]]\nid = "fs"\nplatform = "feishu"\nagent = "t"\napp_id = "cli"\napp_secret = "s"\n'
NO_NAME = "has a ${ without the name of a variable: write ${NAME}, or $${ for the characters themselves"
BAD_SERVER = "is no name for a server: at most 32 letters and digits, with single - and _ between them"
ENVIRONMENT = {"EMPTY": "", "BLANK": " \n", "WORD": "yes"}

MISTAKES = {
    # the file
    "locale = ": "is not valid TOML: Invalid value (at end of document)",
    # unknown keys name the nearest known one, and explain what seems missing
    'locales = "en"': 'locales: unknown key; did you mean "locale"?',
    "[server]\nprot = 1": 'server.prot: unknown key; did you mean "port"?',
    f"{TEAM}{HOOK.replace('secret', 'secrte')}": 'channels[0].secrte: unknown key; did you mean "secret"?',
    f'{MODEL}key = "k"': 'models.main.key: unknown key; did you mean "api_key"?',
    f'{EXPERTS}tool = ["file_read"]': 'agents[1].tool: unknown key; did you mean "tools"?',
    f"{TEAM}wave_time = 1": 'teams[0].wave_time: unknown key; did you mean "wave_timeout"?',
    '[mcp."my docs"]\ncmd = "x"': 'mcp."my docs".cmd: unknown key; did you mean "command"?',
    # the environment
    f'{TELEGRAM}token = "${{TELEGRAM_TOKEN}}"': ("channels[0].token: environment variable TELEGRAM_TOKEN is not set"),
    f'{EXPERTS}tools = ["${{X}}"]': "agents[1].tools[0]: environment variable X is not set",
    f'{EXPERTS}name = "a ${{NOPE X}} b"': f"agents[1].name: {NO_NAME}",
    f'{EXPERTS}name = "${{1X}}"': f"agents[1].name: {NO_NAME}",
    f'{EXPERTS}name = "${{}}"': f"agents[1].name: {NO_NAME}",
    f'{EXPERTS}name = "${{NOPE"': f"agents[1].name: {NO_NAME}",
    f'{MODEL}api_key = "${{EMPTY}}"': "models.main.api_key: environment variable EMPTY is empty",
    f'{TELEGRAM}token = "${{BLANK}}"': "channels[0].token: environment variable BLANK is empty",
    '[server]\nadmin_token = "${EMPTY}"': "server.admin_token: environment variable EMPTY is empty",
    f'{SLACK}app_token = "${{EMPTY}}"': "channels[0].app_token: environment variable EMPTY is empty",
    # types and ranges
    "[server]\nport = true": "server.port: must be a whole number",
    '[server]\nport = "8765"': "server.port: must be a whole number",
    "[server]\nport = 8765.0": "server.port: must be a whole number",
    f'{EXPERTS}enabled = "yes"': "agents[1].enabled: must be true or false",
    f"{EXPERTS}enabled = 1": "agents[1].enabled: must be true or false",
    '[server]\nport = "${WORD}"': "server.port: must be a whole number",
    f'{MODEL}timeout = "5"': "models.main.timeout: must be a number",
    f"{MODEL}timeout = true": "models.main.timeout: must be a number",
    f'{TEAM}{HOOK}rate_limit = "5"': "channels[0].rate_limit: must be a whole number",
    f'{TEAM}{HOOK}live = "no"': "channels[0].live: must be true or false",
    "locale = 1": "locale: must be 'zh-CN' or 'en'",
    "data_dir = 1": "data_dir: must be a text in quotes",
    '[server]\nport = "x"': "server.port: must be a whole number",
    "[server]\nport = 70000": "server.port: must be at most 65535",
    "[server]\nport = -1": "server.port: must be at least 0",
    "server = 1": "server: must be a table",
    "[agents]": "agents: must be a list (of tables: with double brackets)",
    f"{MODEL}timeout = 0": "models.main.timeout: must be greater than 0",
    f'{EXPERTS}enabled = "maybe"': "agents[1].enabled: must be true or false",
    f'{EXPERTS}name = " "': "agents[1].name: must not be blank",
    f"{EXPERTS}name = 1": "agents[1].name: must be a text in quotes",
    "[[agents]]": "agents[0].id: is missing",
    '[[agents]]\nid = "A"': "agents[0].id: must match ^[a-z0-9][a-z0-9_-]{0,63}$",
    f'{TEAM}wake = "never"': "teams[0].wake: must be 'wave' or 'each'",
    '[server]\npublic_url = "http://example.com"': (
        "server.public_url: must be an https:// URL (http:// only for this machine)"
    ),
    '[store]\nurl = "mysql://h/d"': (
        "store.url: must be postgresql://user:password@host/database, or empty for SQLite"
    ),
    '[store]\nengine = "procrastinate"': (
        "store.engine: procrastinate (several machines) is not available yet; use embedded"
    ),
    # models
    'default_model = "x"': 'default_model: no model is named "x"',
    f'small_model = "mian"\n{MODEL}': 'small_model: no model is named "mian"; did you mean "main"?',
    '[models.m]\nprovider = "openai"': "models.m.model: is missing: the name that openai gives the model",
    f'{MODEL}base_url = "example.com"': "models.main.base_url: must be a URL that begins with http:// or https://",
    '[[agents]]\nid = "a"': "models: agents need at least one model: add a [models.main] table",
    f'{EXPERTS}model = "mian"': 'agents[1].model: no model is named "mian"; did you mean "main"?',
    # agents, tools and teams
    f'{EXPERTS}[[agents]]\nid = "a"': 'agents[2].id: "a" is already used by agents[0].id',
    f'{EXPERTS}[[teams]]\nid = "a"\nmembers = ["a", "b"]': 'teams[0].id: "a" is already used by agents[0].id',
    f'{EXPERTS}tools = ["file_reed"]': 'agents[1].tools[0]: no tool is named "file_reed"; did you mean "file_read"?',
    "[mcp.docs]": "mcp.docs: needs either command or url",
    '[mcp.web_fetch]\ncommand = "x"': "mcp.web_fetch: is the name of a built-in tool; choose another one",
    '[mcp."my docs"]\ncommand = "x"': f'mcp."my docs": {BAD_SERVER}',
    '[mcp.a__b]\ncommand = "x"': f"mcp.a__b: {BAD_SERVER}",
    f'[mcp.{"a" * 33}]\ncommand = "x"': f"mcp.{'a' * 33}: {BAD_SERVER}",
    '[mcp.docs]\nurl = "https://h"\nenv = { A = "b" }': (
        "mcp.docs.env: goes with command; a server at a url is given headers"
    ),
    '[mcp.docs]\ncommand = "x"\nheaders = { A = "b" }': (
        "mcp.docs.headers: goes with url; a server that is started is given env"
    ),
    f'{EXPERTS}instructions_file = "no.md"': "agents[1].instructions_file: cannot be read: No such file or directory",
    f'{EXPERTS}instructions = "i"\ninstructions_file = "a.md"': (
        "agents[1].instructions_file: give either instructions or instructions_file"
    ),
    f'{EXPERTS}[[teams]]\nid = "t"\nmembers = ["a", "bb"]': (
        'teams[0].members[1]: no expert has the id "bb"; did you mean "b"?'
    ),
    f'{EXPERTS}[[teams]]\nid = "t"\nmembers = ["a", "a"]': 'teams[0].members[1]: "a" is named twice',
    f'{EXPERTS}[[teams]]\nid = "t"\nmembers = ["a", ""]': "teams[0].members[1]: must not be blank",
    f'{EXPERTS}[[teams]]\nid = "t"\nmembers = ["a"]': "teams[0].members: a team needs at least 2 experts",
    f'{TEAM}[[teams]]\nid = "u"\nmembers = ["a", "t"]': (
        'teams[1].members[1]: "t" is a team; only experts can be members'
    ),
    # channels
    f"{TEAM}{HOOK}{HOOK}": 'channels[1].id: "hook" is already used by channels[0].id',
    TEAM + HOOK + HOOK.replace('"hook"', '"hook2"'): (
        "channels[1].secret: is the same as channels[0].secret; each channel needs its own"
    ),
    TEAM + HOOK.replace('"t"', '"tt"'): 'channels[0].agent: no team or expert has the id "tt"; did you mean "t"?',
    TEAM + HOOK.replace('"webhook"', '"web"'): "channels[0].platform: must be feishu, slack, telegram or webhook",
    f'{TEAM}[[channels]]\nid = "x"': "channels[0].platform: is missing: feishu, slack, telegram or webhook",
    TEAM + HOOK.replace(SECRET, "s3cret"): (
        "channels[0].secret: must be whsec_ and the base64 of a random key (for example of 32 bytes)"
    ),
    f"{TEAM}{HOOK}rate_limit = 0": "channels[0].rate_limit: must be at least 1",
    f"{TEAM}{HOOK}allow = [true]": "channels[0].allow[0]: must be a text in quotes",
    TELEGRAM: "channels[0].token: is missing",
    f'{TELEGRAM}token = "x"': "channels[0].token: must be a bot token as @BotFather gives it (digits:letters)",
    f"{FEISHU.replace('cli', ' ')}": "channels[0].app_id: must not be blank",
    f'{TELEGRAM}token = "1:x"\nmode = "webhook"': (
        "channels[0].mode: webhook needs server.public_url, the address Telegram shall call"
    ),
    SLACK: "channels[0]: needs app_token (socket mode) or signing_secret (events over HTTP)",
    f'{FEISHU}mode = "webhook"': "channels[0].encrypt_key: is missing: mode webhook takes encrypted events only",
    f'{FEISHU}domain = "http://feishu.example"': (
        "channels[0].domain: must be feishu, lark or an https:// URL (http:// only for this machine)"
    ),
}


@pytest.mark.parametrize(("text", "sentence"), MISTAKES.items(), ids=MISTAKES.values())
def test_a_mistake_is_one_sentence(text: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("config.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as told:
        load_config(Path("config.toml"), ENVIRONMENT)
    assert str(told.value).splitlines() == [f"config.toml: {sentence}"]


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: there is no such file"):
        load_config(tmp_path / "none.toml")


def test_a_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load_config(tmp_path)


def test_a_file_that_is_not_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_bytes(b'locale = "\xff"')
    with pytest.raises(ConfigError, match=r"c\.toml: is not UTF-8 text"):
        load_config(tmp_path / "c.toml")


def test_a_refused_secret_is_not_repeated(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text(TEAM + HOOK.replace(SECRET, "hush-hush"), encoding="utf-8")
    with pytest.raises(ConfigError) as told:
        load_config(path)
    assert "hush" not in str(told.value)
