"""drec: wait for the first message of any; the others do not count any more.

python -m examples.objects_drec
"""

import asyncio

from examples.stage import stage
from members.host import wall_clock


async def take_the_first() -> None:
    """Two mirrors are asked for the same file; whichever answers first is enough."""
    async with stage("files", ("reader", "near", "far")) as (reader, near, far):
        thread = reader.calls.begin()
        mirrors = [near.pid, far.pid]
        reader.perform(thread.mcast("read", mirrors, b"a file", now=wall_clock()))
        receipt = thread.drec(*mirrors)
        await near.serve(b"the file, from near")
        print("took", await reader.receive(thread, receipt))
        await far.serve(b"the file, from far")
        late = await reader.seen.get()
        print("the other one counts:", thread.offer(receipt, late))
        thread.commit()


if __name__ == "__main__":
    asyncio.run(take_the_first())
