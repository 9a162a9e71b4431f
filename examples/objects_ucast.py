"""ucast: one object asks one other.

python -m examples.objects_ucast
"""

import asyncio

from examples.stage import stage
from members.host import wall_clock


async def ask() -> None:
    """A buyer asks the stock, and nobody else is asked."""
    async with stage("shop", ("buyer", "stock", "bank")) as (buyer, stock, bank):
        thread = buyer.calls.begin()
        buyer.perform(thread.ucast("count", stock.pid, b"how many books?", now=wall_clock()))
        await stock.serve(b"three")
        print("stock says", await buyer.receive(thread, thread.srec(stock.pid)))
        print("bank was asked", bank.seen.qsize(), "times")
        thread.commit()


if __name__ == "__main__":
    asyncio.run(ask())
