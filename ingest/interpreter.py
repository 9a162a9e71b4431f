"""How an agent's process sets Python up: to look for garbage seldom, and to take turns quickly.

*Garbage.* Python walks over what was made lately whenever some hundred more objects were made than
let go. In an agent that is all that waits for the disk or for Kafka, tens of thousands of messages,
again and again, and none of it is garbage: nothing on the way of a message refers to itself.
Measured on a spool that fills, this took two thirds of the time of an append.

*Turns.* A thread that has work for Python waits until the one that has the interpreter gives it
away: 5 ms by default. The capture waits like this after each batch of datagrams; at 50,000/s that
is as long as the batch took to arrive, so that it could just keep up and never catch up.
"""

import gc
import sys
from typing import Final

OBJECTS_BETWEEN: Final = 100_000
"""How many more objects are made than let go before Python looks: some 10 MB, were it garbage."""

TURN_S: Final = 0.001


def prepare_interpreter() -> None:
    """Leave what is there now alone for good, look at what comes only now and then, and take turns
    quickly. Called by the command that is an agent and nothing else, once it is about to run.
    """
    gc.collect()
    gc.freeze()
    _, second, third = gc.get_threshold()
    gc.set_threshold(OBJECTS_BETWEEN, second, third)
    sys.setswitchinterval(TURN_S)
