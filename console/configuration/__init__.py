"""One file, the environment over it, flags over both: frozen, typed, checked at the start.

options      what may be set: read from the rooms' settings dataclasses
sources      what was set, and where: file with line, environment variable, flag
lines        on which line of the file a key begins
nearest      for an unknown name, the nearest known one
conversion   from what was written to a typed value, or a sentence that says what to write
sections     which sections there are, and whose dataclass each one fills
loading      all of it together: `load` gives a `Configuration` or every problem at once
template     the commented file that `precede config init` writes
reference    docs/reference/configuration.md, made from the options
invocation   how a command gets all this: `load_for(context)`
"""
