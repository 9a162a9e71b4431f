"""Changes come from the seed, and reach every part of an input."""

from __future__ import annotations

import random

from tests.fuzz.mutator import MOST_BYTES, Field, Mutator

DATA = bytes(range(64))
FIELDS = (Field(0, 2), Field(4, 4, "little"), Field(60, 8))


def _mutants(seed: int, count: int, data: bytes = DATA) -> list[bytes]:
    mutator = Mutator(random.Random(seed), fields=FIELDS, tokens=(b"PRCD",))
    return [mutator.mutate(data, b"other") for _ in range(count)]


def test_a_seed_gives_the_same_changes_again() -> None:
    assert _mutants(1, 500) == _mutants(1, 500)
    assert _mutants(1, 500) != _mutants(2, 500)


def test_every_byte_is_changed_sooner_or_later() -> None:
    same_length = [mutant for mutant in _mutants(1, 20_000) if len(mutant) == len(DATA)]
    changed = {i for mutant in same_length for i in range(len(DATA)) if mutant[i] != DATA[i]}
    assert changed == set(range(len(DATA)))


def test_inputs_become_shorter_longer_and_get_tokens_and_slices_of_others() -> None:
    mutants = _mutants(1, 5_000)
    assert any(len(mutant) < len(DATA) for mutant in mutants)
    assert any(len(mutant) > len(DATA) for mutant in mutants)
    assert any(b"PRCD" in mutant for mutant in mutants)
    assert any(b"other" in mutant for mutant in mutants)


def test_no_input_is_empty_ground_and_none_grows_for_ever() -> None:
    assert any(_mutants(1, 500, b""))
    assert all(len(mutant) <= MOST_BYTES for mutant in _mutants(1, 2_000, bytes(MOST_BYTES)))
