"""Where people begin a private chat with a bot."""

import pytest

from channels.feishu.settings import FeishuSettings
from channels.telegram.me import Me


@pytest.mark.parametrize(
    ("domain", "link"),
    [
        ("feishu", "https://applink.feishu.cn/client/bot/open?appId=cli_x"),
        ("lark", "https://applink.larksuite.com/client/bot/open?appId=cli_x"),
        ("https://private.example.com", ""),
    ],
)
def test_feishu_opens_the_chat_in_its_app(domain: str, link: str) -> None:
    """A private deployment's address for links is not known: none is made up."""
    assert FeishuSettings(id="fs", app_id="cli_x", app_secret="s", domain=domain).link == link


def test_telegram_has_one_for_every_named_bot() -> None:
    assert Me(id=1, username="tea_bot").link == "https://t.me/tea_bot"
    assert Me(id=1, username="").link == ""
