"""Settings, budgets and the forms of a message: small pure things."""

import pytest

from channels.errors import NotConfigured
from channels.registry import open_channel
from channels.telegram.budget import Budget
from channels.telegram.forms import Form, next_form
from channels.telegram.place import Place, place_of
from channels.telegram.render import document, plain, render
from channels.telegram.settings import TelegramSettings
from channels.telegram.start import opening_command
from tests.support.clock import START, FakeClock
from tests.support.telegram.server import TOKEN
from tests.unit.channels.telegram.conftest import final


@pytest.mark.parametrize(
    ("keys", "word"),
    [
        ({"token": "nonsense"}, "token"),
        ({"token": ""}, "token"),
        ({"token": f"{TOKEN} "}, "token"),
        ({"base_url": "api.telegram.org"}, "base_url"),
        ({"mode": "webhook"}, "public_url"),
    ],
)
def test_settings_that_cannot_work_are_refused_in_one_sentence(keys: dict[str, str], word: str) -> None:
    with pytest.raises(NotConfigured, match=word) as caught:
        TelegramSettings(**({"id": "tg", "token": TOKEN} | keys))  # type: ignore[arg-type]
    assert TOKEN not in str(caught.value)


def test_the_registry_opens_it() -> None:
    assert open_channel(TelegramSettings(id="tg", token=TOKEN), now=lambda: START).id == "tg"


@pytest.mark.parametrize(
    ("form", "refusal", "following"),
    [
        (Form(), "Can't parse entities: x", Form(style="plain")),
        (Form(), "Entity URL './a' is invalid: x", Form(style="plain")),
        (Form(style="plain"), "Message is too long", Form(style="file")),
        (Form(style="file"), "x", None),
        (Form(thread=5, anchor=7), "Message thread not found", Form()),
        (Form(thread=5), "Topic_closed", Form()),
        (Form(anchor=7), "Message to be replied not found", Form()),
        (Form(anchor=7), "Quote_text_invalid", Form()),
        (Form(), "Chat not found", None),
        (Form(), "Chat_write_forbidden", None),
        (Form(), "Not enough rights to send text messages to the chat", None),
    ],
)
def test_a_refusal_costs_what_it_names(form: Form, refusal: str, following: Form | None) -> None:
    """Issue 3, 3: the library writes codes with one capital letter."""
    assert next_form(form, refusal) == following


@pytest.mark.parametrize(
    ("chat", "thread", "place"),
    [
        ("42", "", Place(chat=42)),
        ("-1001", "12", Place(chat=-1001, thread=12)),
        ("-1001", "1", Place(chat=-1001)),
        ("c1", "", None),
        ("", "", None),
        ("4²", "", None),
    ],
)
def test_the_general_topic_has_no_number_on_the_wire(chat: str, thread: str, place: Place | None) -> None:
    """Facts 3.1: number 1 is refused there."""
    assert place_of(chat, thread) == place


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/start", "/help"),
        ("/start ABCD2345", "/pair ABCD2345"),
        ("/START  ABCD2345 ", "/pair ABCD2345"),
        ("/start a b", "/start a b"),
        ("/starting", "/starting"),
        ("hi", "hi"),
    ],
)
def test_a_link_with_a_code_approves_it(text: str, command: str) -> None:
    """Issue 3, 7."""
    assert opening_command(text) == command


def test_cosmetic_calls_leave_room_and_stop_during_a_ban(clock: FakeClock) -> None:
    """Issue 3, 5: everything shares one budget; finals go first."""
    budget = Budget(clock.monotonic)
    for _ in range(12):
        budget.take(-100)
    assert budget.spare(-100, 8) > 0
    assert budget.wait(-100) == 0
    budget.silence(-200, 300)
    assert budget.spare(-300, 8) == pytest.approx(300)
    assert budget.wait(-300) == 0


async def test_thirty_calls_a_second_are_all(clock: FakeClock) -> None:
    """Issue 3, 5."""
    budget = Budget(clock.monotonic)
    for chat in range(1, 31):
        budget.take(chat)
    assert budget.wait(99) == pytest.approx(1)
    await clock.advance(1)
    assert budget.wait(99) == 0


def test_a_blank_text_is_no_message_and_a_mark_goes_first() -> None:
    assert render(final("  \n ", label="")) == ()
    assert render(final("好", again=True))[0].text == "↻ 研究员：好"
    assert plain(final("**好**", again=True))[0].text == "↻ 研究员：**好**"
    assert document(final("好\n" * 2000)).caption.text.startswith("研究员：\n好")
