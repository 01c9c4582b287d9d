"""How growing text is cut."""

from hypothesis import given
from hypothesis import strategies as st

from channels.slack.pieces import Piece, fits


@given(st.text(alphabet="a 你\n😀e\u0301", max_size=200), st.integers(min_value=1, max_value=120))
def test_a_cut_fits_and_comes_before_something_visible(text: str, room: int) -> None:
    """Issue 4, 4: bytes, because that is what Slack counts."""
    end = fits(text, room)
    assert len(text[:end].encode()) <= room
    if 0 < end < len(text):
        assert not text[end].isspace()


def test_a_cut_prefers_the_end_of_a_line() -> None:
    text = "one line\nanother line\nthird"
    assert text[: fits(text, 24)] == "one line\nanother line\n"


def test_the_last_words_may_have_a_little_more_room() -> None:
    piece = Piece(ts="1", text="x" * 8990)
    assert piece.room() == 10
    assert piece.takes("y" * 1000)
    assert not piece.takes("y" * 1100)
