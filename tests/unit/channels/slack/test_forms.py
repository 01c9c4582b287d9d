"""What comes after a refusal, so that the content always arrives."""

import pytest

from channels.slack.forms import Form, next_form


def _path(form: Form, refusal: str) -> list[Form]:
    path = []
    while (following := next_form(form, refusal)) is not None:
        path.append(following)
        form = following
    return path


@pytest.mark.parametrize("refusal", ["invalid_blocks", "msg_too_long", "msg_blocks_too_long", "only_one_table_allowed"])
def test_refused_content_ends_as_a_file(refusal: str) -> None:
    """Architecture 7: extras, tables, formatting are given up in this order, the words never."""
    path = _path(Form(persona=True), refusal)
    assert [(form.style, form.extras) for form in path] == [
        ("rich", False),
        ("fenced", False),
        ("plain", False),
        ("file", False),
    ]
    assert all(form.persona for form in path)


def test_a_refused_name_costs_the_name_only() -> None:
    assert _path(Form(persona=True), "reserved_username") == [Form(persona=False)]


def test_a_vanished_thread_costs_the_thread_only() -> None:
    assert _path(Form(), "thread_not_found") == [Form(threaded=False)]


@pytest.mark.parametrize("refusal", ["channel_not_found", "is_archived", "not_in_channel", "restricted_action"])
def test_some_refusals_leave_nothing_to_try(refusal: str) -> None:
    assert _path(Form(), refusal) == []
