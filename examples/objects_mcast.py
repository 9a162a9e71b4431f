"""mcast: one message for several objects.

python -m examples.objects_mcast
"""

import asyncio

from examples.stage import stage
from members.host import wall_clock


async def print_twice() -> None:
    """An editor sends the same page to two printers, and then the next one."""
    async with stage("press", ("editor", "left", "right")) as (editor, left, right):
        printers = [left.pid, right.pid]
        for page in (b"page 1", b"page 2"):
            thread = editor.calls.begin()
            effects = thread.mcast("write", printers, page, now=wall_clock())
            print(len(effects.datagrams), "datagram for", len(printers), "printers")
            editor.perform(effects)
            thread.commit()
        for printer in (left, right):
            first, second = await printer.seen.get(), await printer.seen.get()
            print(f"{printer.pid}: {first.text}, {second.text}")


if __name__ == "__main__":
    asyncio.run(print_twice())
