"""Who is behind an address, and what its endpoint insists on."""

import re
from urllib.parse import urlsplit

OPENAI = "https://api.openai.com/v1"

_NAMES = {
    "api.openai.com": "openai",
    "api.deepseek.com": "deepseek",
    "api.moonshot.ai": "moonshotai",
    "api.moonshot.cn": "moonshotai",
    "dashscope.aliyuncs.com": "alibaba",
    "dashscope-intl.aliyuncs.com": "alibaba",
}
_DEEPSEEK_THINKS = re.compile(r"deepseek-(?:flash$|v4-|reasoner$)")


def service_of(base_url: str) -> str:
    """The name under which its answers are stored, so that what it alone understands goes back to nobody else."""
    host = urlsplit(base_url).hostname or ""
    return _NAMES.get(host, host)


def required_field(service: str, model: str) -> str:
    """The field of reasoning without which the service refuses a message with tool calls; "" if there is none.

    DeepSeek's models that think answer 400 to a call of another model that did not.
    """
    return "reasoning_content" if service == "deepseek" and _DEEPSEEK_THINKS.match(model) else ""
