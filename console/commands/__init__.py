"""The commands, one module each: `console/commands/NAME.py` has `register(app)`.

To add a command, add a module; nothing else names it. A module may import at its top only what is
quick to import (standard library, typer, `console`, settings); anything heavier, such as Spark,
pandas or a Kafka client, is imported inside the function that needs it. A test holds this.
"""
