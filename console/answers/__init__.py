"""Answers from topics, tables and checkpoints, without Spark: what the small commands show."""
