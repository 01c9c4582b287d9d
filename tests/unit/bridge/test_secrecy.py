"""X5: secrets never stand in a log."""

import pytest

from bridge.secrecy import HIDDEN, Redactor


@pytest.mark.parametrize(
    "secret",
    [
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "xoxb-1234567890-abcdefghij",
        "xapp-1-A111-222-abcdef",
        "sk-abcdefghijklmnop",
        "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0",
    ],
)
@pytest.mark.parametrize("around", ["{}", "https://api.example.com/?k={}&x=1", "key={}, next", '{{"a": "{}"}}'])
def test_known_shapes_are_hidden_wherever_they_stand(secret: str, around: str) -> None:
    assert Redactor().clean(around.format(secret)) == around.format(HIDDEN)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("Authorization: Bearer abc.def-123456", f"Authorization: Bearer {HIDDEN}"),
        ("postgresql://user:pass@db/teambridge", f"postgresql://{HIDDEN}@db/teambridge"),
        ("GET /login?code=Zm9vYmFy&next=1", f"GET /login?code={HIDDEN}&next=1"),
        ("https://x.test/hook?a=1&token=t0k3n", f"https://x.test/hook?a=1&token={HIDDEN}"),
    ],
)
def test_secrets_in_addresses_and_headers(text: str, cleaned: str) -> None:
    assert Redactor().clean(text) == cleaned


@pytest.mark.parametrize(
    "text",
    [
        "",
        "研究员：好",
        "took 12:30:45.123 at 2026-01-01T00:00:00Z",
        "chat:hook:c1",
        "http://127.0.0.1:8765/hooks/hook",
        "user@example.com",
        "5a0f7f2c-3f0e-4e43-9c1c-6f2a2a7d5b11",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    assert Redactor().clean(text) == text


@pytest.mark.parametrize(
    "name", ["token", "bot_token", "app_secret", "api_key", "Authorization", "password", "webhook-signature", "cookie"]
)
def test_fields_named_like_a_secret_are_hidden(name: str) -> None:
    assert Redactor().clean({name: "anything"}) == {name: HIDDEN}
    assert Redactor().clean({"headers": {name: ["anything"]}}) == {"headers": {name: HIDDEN}}


@pytest.mark.parametrize("name", ["tokens", "input_tokens", "key", "session_key", "event", "code"])
def test_other_fields_stay(name: str) -> None:
    assert Redactor().clean({name: 7}) == {name: 7}


def test_an_empty_secret_is_shown_as_such() -> None:
    """That a secret is missing is worth knowing."""
    assert Redactor().clean({"token": ""}) == {"token": ""}


def test_values_that_the_program_knows_are_hidden() -> None:
    redactor = Redactor(["s3cr3t-value", "short"])
    redactor.learn(["another one"])
    assert redactor.clean(["a s3cr3t-value b", ("another one",), "short"]) == [f"a {HIDDEN} b", [HIDDEN], "short"]


def test_objects_are_cleaned_as_the_log_would_show_them() -> None:
    fault = ValueError("cannot reach https://api.telegram.org/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0/x")
    assert Redactor().clean(fault) == f"cannot reach https://api.telegram.org/bot{HIDDEN}/x"
