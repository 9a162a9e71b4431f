"""srec: wait for one message of one object; what others say does not complete it.

python -m examples.objects_srec
"""

import asyncio

from examples.stage import stage
from members.host import wall_clock


async def wait_for_the_judge() -> None:
    """A witness speaks first, but it is the judge who is waited for."""
    async with stage("court", ("clerk", "witness", "judge")) as (clerk, witness, judge):
        thread = clerk.calls.begin()
        both = [witness.pid, judge.pid]
        clerk.perform(thread.mcast("ask", both, b"is it so?", now=wall_clock()))
        receipt = thread.srec(judge.pid)
        await witness.serve(b"I think so")
        heard = await clerk.seen.get()
        print(f"{heard.text!r} completes it:", thread.offer(receipt, heard))
        await judge.serve(b"it is so")
        print("the judge:", await clerk.receive(thread, receipt))
        thread.commit()


if __name__ == "__main__":
    asyncio.run(wait_for_the_judge())
