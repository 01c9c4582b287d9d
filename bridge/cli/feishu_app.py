"""The dialog in which `init` has a Feishu or Lark app made: a link, a scan, and the app's id and secret come back."""

import asyncio
from dataclasses import replace

import typer

from bridge.cli.draft import Answers
from bridge.cli.errors import CommandError
from channels.clock import LoopClock
from channels.feishu.http import Patience, make_session
from channels.feishu.register import NotRegistered, Registered, Registration
from channels.feishu.settings import is_local_address


def make_app(answers: Answers) -> Answers:
    """Show the link and wait until somebody has confirmed. Raises CommandError."""
    try:
        made = asyncio.run(_register(answers))
    except NotRegistered as fault:
        advice = "try again, or make the app in the developer console and give --app-id and --app-secret"
        raise CommandError(f"no app was made: {fault}; {advice}") from None
    typer.echo(f"The app {made.app_id} is there. Write to it under its name, or add it to a group.")
    return replace(
        answers,
        app_id=made.app_id,
        app_secret=made.app_secret,
        domain=made.domain,
        admins=(made.owner,) if made.owner else (),
    )


async def _register(answers: Answers) -> Registered:
    async with make_session(Patience(), is_local=is_local_address(answers.domain)) as session:
        registration = Registration(session, answers.domain, LoopClock())
        begun = await registration.begin(answers.preset.name, answers.preset.description)
        typer.echo("Open this link, or show it as a code and scan it with Feishu or Lark, and confirm the app:")
        typer.echo(f"\n  {begun.url}\n")
        typer.echo(f"Waiting, at most {round(begun.lifetime / 60)} minutes …")
        return await registration.wait(begun)
