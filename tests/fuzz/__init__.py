"""Hostile bytes for every parser, by seed, in plain Python.

    python -m tests.fuzz --target envelope --inputs 1000000 --seed 7

mutator      changes bytes: bits, fields, slices, tokens of the format
target       a parser, what it may raise, examples of its format, and how to mend a checksum
targets/     the targets, and their registry
harness      runs a target on mutated inputs; what gives a new outcome is mutated further
shrinking    makes a crash small
corpus       the inputs that are kept: one text file for each target, in hexadecimal

An outcome is what a parser made of an input: "accepted", or the reason why it refused. Any other
exception than the one that a parser promises is a crash. The figures: docs/edge/hostile-input.md.
"""
