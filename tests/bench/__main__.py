"""The quick benches, or those that are named. `python -m tests.bench [startup answers tokens history readers]`

`load` and `growth` take minutes and are run only when they are named.
"""

import asyncio
import os
import platform
import sys
from collections.abc import Sequence

from tests.bench import answers, growth, history, load, readers, startup, tokens

BENCHES = {"startup": startup, "answers": answers, "tokens": tokens, "history": history, "readers": readers}
LONG = {"load": load, "growth": growth}


async def measure(names: Sequence[str]) -> None:
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the beginning")
    for name in names:
        for figure in await (BENCHES | LONG)[name].measure():
            print(figure, flush=True)
    print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    asyncio.run(measure(sys.argv[1:] or list(BENCHES)))
