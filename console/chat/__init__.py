"""The threaded chat in the terminal: `precede chat`."""
