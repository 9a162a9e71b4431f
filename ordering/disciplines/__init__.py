"""The disciplines: small functions that say what a message requires, chosen by name."""
