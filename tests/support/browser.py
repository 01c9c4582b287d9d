"""A person at the console: Debian's chromium, which asks our own server and nobody else."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

from playwright.async_api import Browser, ConsoleMessage, Locator, Page, Request, async_playwright, expect

from tests.support.keys import ADMIN_TOKEN

CHROMIUM = shutil.which("chromium")
PATIENCE = 20_000
"""Milliseconds after which something that should be on the page at once is missed."""

_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """The browser, without a profile of anybody."""
    expect.set_options(timeout=PATIENCE)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(_FLAGS))
        yield browser
        await browser.close()


@dataclass(kw_only=True)
class Visitor:
    """One tab. `problems` are errors on its console and requests to foreign hosts; refusals may be expected."""

    page: Page
    url: str
    problems: list[str] = field(default_factory=list)
    refusals_expected: bool = False

    async def go(self, place: str) -> None:
        """A page of the console, by the address behind its #."""
        await self.page.goto(f"{self.url}/#/{place}")

    async def again(self) -> None:
        """What a browser does when somebody comes back to the tab."""
        await self.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def link(self, name: str) -> Locator:
        return self.page.get_by_role("link", name=name, exact=True)

    async def pick(self, name: str, kind: Literal["radio", "checkbox"] = "radio") -> None:
        """Choose with the keyboard: what one clicks on is a label that hides the control itself."""
        await self.page.get_by_role(kind, name=name).press("Space")

    @property
    def composer(self) -> Locator:
        return self.page.locator("tb-composer textarea")

    async def say(self, text: str) -> None:
        await self.composer.fill(text)
        await self.composer.press("Enter")

    def said(self, text: str) -> Locator:
        """Lasting bubbles with this text; drafts do not count."""
        return self.page.locator(".said .bubble", has_text=text)

    def heard(self, message: ConsoleMessage) -> None:
        refused = "the server responded with a status of 4" in message.text
        if message.type in ("error", "warning") and not (refused and self.refusals_expected):
            self.problems.append(f"{message.type}: {message.text} ({message.location.get('url')})")

    def asked(self, request: Request) -> None:
        if not request.url.startswith((self.url, self.url.replace("http", "ws", 1), "data:", "blob:")):
            self.problems.append(f"asked {request.url}")


@asynccontextmanager
async def visitor(
    browser: Browser,
    url: str,
    *,
    token: str = ADMIN_TOKEN,
    locale: Literal["zh-CN", "en"] = "zh-CN",
    theme: Literal["light", "dark"] = "light",
    width: int = 1180,
    height: int = 800,
) -> AsyncIterator[Visitor]:
    """A fresh browser profile, signed in with the token ("" is not). At the end there must have been no problem."""
    context = await browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=theme, locale=locale, reduced_motion="reduce"
    )
    await context.add_init_script(f"localStorage.getItem('locale') ?? localStorage.setItem('locale', '{locale}')")
    if token:
        answer = await context.request.post(f"{url}/api/login", data={"token": token}, headers={"Origin": url})
        assert answer.status == 204, answer.status
    page = await context.new_page()
    page.set_default_timeout(PATIENCE)
    made = Visitor(page=page, url=url)
    page.on("console", made.heard)
    page.on("pageerror", lambda fault: made.problems.append(f"fault: {fault}"))
    page.on("request", made.asked)
    try:
        yield made
        assert made.problems == []
    finally:
        await context.close()
