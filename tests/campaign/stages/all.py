"""The stages by their platforms' names."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

from tests.campaign.stages.feishu import Feishu, feishu_stage
from tests.campaign.stages.slack import FlatSlack, Slack, slack_stage
from tests.campaign.stages.stage import Stage
from tests.campaign.stages.telegram import Telegram, telegram_stage
from tests.campaign.stages.webhook import Webhook, webhook_stage
from tests.support.program import Launcher

OpenStage = Callable[[Path, Launcher], AbstractAsyncContextManager[Stage]]

STAGES: Mapping[str, OpenStage] = {
    "webhook": webhook_stage,
    "telegram": telegram_stage,
    "slack": slack_stage,
    "slack-flat": partial(slack_stage, kind=FlatSlack, agent_view=False),
    "feishu": feishu_stage,
}
KINDS: Mapping[str, Sequence[str]] = {
    "webhook": Webhook.kinds,
    "telegram": Telegram.kinds,
    "slack": Slack.kinds,
    "slack-flat": FlatSlack.kinds,
    "feishu": Feishu.kinds,
}
