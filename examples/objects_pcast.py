"""pcast: different messages for different objects, side by side and in no order among themselves.

python -m examples.objects_pcast
"""

import asyncio

from examples.stage import stage
from members.host import wall_clock


async def book() -> None:
    """A traveller asks for a flight and for a bed at the same time."""
    async with stage("travel", ("traveller", "airline", "hotel")) as (traveller, airline, hotel):
        thread = traveller.calls.begin()
        requests = [
            ("fly", [airline.pid], b"two seats"),
            ("sleep", [hotel.pid], b"one room"),
        ]
        traveller.perform(thread.pcast(requests, now=wall_clock()))
        for one in (hotel, airline):  # whoever looks first, nobody waits for the other
            print(f"{one.pid}: {(await one.seen.get()).text}")
        thread.commit()


if __name__ == "__main__":
    asyncio.run(book())
