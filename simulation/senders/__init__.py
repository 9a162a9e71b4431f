"""Honest members that speak, one kind of sender per family of disciplines."""
