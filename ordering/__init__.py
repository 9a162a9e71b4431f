"""The engine that decides the order: pure values in, pure values out.

Nothing in this room reads a clock, draws a random number, or touches a file, a socket or a
thread. `Engine` (engine.py) is the door; everything else is behind it.
"""
