"""Tables on the terminal; on a pipe every row stays on one line."""

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

_PIPE_WIDTH = 1000


def show_table(columns: Sequence[str], rows: Iterable[Sequence[str]], empty: str) -> None:
    """Print the rows, or the sentence `empty` if there are none."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=_PIPE_WIDTH)
    table = Table(*columns, box=None, pad_edge=False, highlight=False)
    for row in rows:
        table.add_row(*(_plain(cell) for cell in row))
    console.print(table if table.row_count else empty, markup=False, highlight=False)


def _plain(cell: str) -> Text:
    """Cells may hold what strangers wrote: no markup, no line breaks, no control characters."""
    line = " ".join(cell.split())
    return Text("".join(char for char in line if char.isprintable()))
