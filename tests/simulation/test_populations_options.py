import pytest

from simulation.populations.options import DISCIPLINES, MOST_MEMBERS, Newcomer, describe, expand


def test_the_same_seed_always_means_the_same_population() -> None:
    assert expand(7) == expand(7)
    assert expand(7) != expand(8)


def test_seeds_cover_every_order_every_kind_of_newcomer_and_every_size() -> None:
    drawn = [expand(seed) for seed in range(2_000)]
    assert {one.discipline for one in drawn} == set(DISCIPLINES)
    assert {kind for one in drawn for kind in one.newcomers} == set(Newcomer)
    sizes = {one.members + len(one.newcomers) for one in drawn}
    assert min(sizes) == 2
    assert 40 < max(sizes) <= MOST_MEMBERS
    assert max(one.loss for one in drawn) > 0.29
    for fault in ("loss", "duplication", "partitions", "crashes", "amnesia", "leaves", "hostile"):
        on = sum(bool(getattr(one, fault)) for one in drawn)
        assert 0.1 < on / len(drawn) < 0.9, fault


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_every_order_meets_every_newcomer_and_every_fault_also_in_large_populations(
    discipline: str,
) -> None:
    drawn = [one for one in map(expand, range(2_000)) if one.discipline == discipline]
    large = [one for one in drawn if one.members >= 10]
    assert {kind for one in drawn for kind in one.newcomers} == set(Newcomer)
    assert max(one.loss for one in drawn) > 0.28
    for fault in ("partitions", "crashes", "amnesia", "leaves", "hostile", "duplication"):
        assert sum(bool(getattr(one, fault)) for one in drawn) > 20, fault
    assert len(large) >= 3
    assert max(one.members for one in large) >= 14


def test_a_discipline_can_be_fixed_and_changes_nothing_else() -> None:
    assert expand(3, discipline="fifo") == expand(3, discipline="causal").__class__(
        **{name: getattr(expand(3), name) for name in expand(3).__slots__ if name != "discipline"},
        discipline="fifo",
    )


def test_what_is_at_its_plainest_is_not_described() -> None:
    options = expand(0)
    text = describe(options)
    assert f"seed             {options.seed}" in text
    assert ("crashes" in text) == bool(options.crashes)
