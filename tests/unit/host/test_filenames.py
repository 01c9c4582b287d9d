"""Names of files: safe in a folder and in a line, and told apart."""

import pytest

from host.filenames import LONGEST, apart, clean_name, size_in_words


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("a.pdf", "a.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\ann\\a.txt", "a.txt"),
        ("/", "file"),
        ("", "file"),
        ("..", "file"),
        (".bashrc", "bashrc"),
        ("a\x00b\n\rc\x1b[31m.txt", "abc[31m.txt"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("  two   spaces .txt", "two spaces.txt"),
        ("季度 报告.pdf", "季度 报告.pdf"),
        ("half\ud800.txt", "half.txt"),
        ("dots...", "dots"),
    ],
)
def test_what_senders_call_a_file(raw: str, clean: str) -> None:
    assert clean_name(raw) == clean


def test_long_names_keep_their_ending_and_fit_into_a_file_system() -> None:
    for raw in ("x" * 500 + ".tar", "报" * 500 + ".tar"):
        name = clean_name(raw)
        assert name.endswith(".tar")
        assert len(name) <= LONGEST
        assert len(apart(name, {name.casefold()}).encode()) <= 255
    assert len(clean_name("a." + "b" * 500)) <= LONGEST


def test_files_of_one_name_are_told_apart() -> None:
    """Also where a file system takes capitals for small letters."""
    assert apart("a.txt", set()) == "a.txt"
    assert apart("A.txt", {"a.txt", "a (2).txt"}) == "A (3).txt"
    assert apart("README", {"readme"}) == "README (2)"


def test_sizes_as_people_read_them() -> None:
    sizes = (0, 1023, 1024, 10_240, 1_500_000, 26_214_400)
    assert [size_in_words(each) for each in sizes] == ["0 B", "1023 B", "1.0 KB", "10 KB", "1.4 MB", "25 MB"]
