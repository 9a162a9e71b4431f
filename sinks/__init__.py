"""Topics and tables, and `OrderedConsumer`, which programs read them with.

The name is looked up when it is asked for, so that who needs one light module of this room (an
agent, a worker of the job) does not load the consumer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sinks.consumer import OrderedConsumer, Start
    from sinks.consumer_delivery import Delivery

__all__ = ["Delivery", "OrderedConsumer", "Start"]


def __getattr__(name: str) -> Any:
    if name == "Delivery":
        from sinks.consumer_delivery import Delivery

        return Delivery
    if name in __all__:
        from sinks import consumer

        return getattr(consumer, name)
    raise AttributeError(f"sinks has no {name}; it has {', '.join(__all__)} and its modules")
