"""crec: wait for one message of each; the last one completes it, and what follows, follows all.

python -m examples.objects_crec
"""

import asyncio

from examples.stage import stage
from members.host import wall_clock


async def agree() -> None:
    """A change is made when both keepers have agreed, and not before."""
    async with stage("vault", ("owner", "north", "south")) as (owner, north, south):
        thread = owner.calls.begin()
        keepers = [north.pid, south.pid]
        owner.perform(thread.mcast("ask", keepers, b"may I?", now=wall_clock()))
        receipt = thread.crec(*keepers)
        await north.serve(b"north agrees")
        thread.offer(receipt, await owner.seen.get())
        print("complete after one:", receipt.is_complete)
        await south.serve(b"south agrees")
        print("complete with:", await owner.receive(thread, receipt))
        thread.commit()


if __name__ == "__main__":
    asyncio.run(agree())
