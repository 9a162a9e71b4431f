from members.quota import Bucket, Quotas

SECOND = 1_000_000


def test_so_many_pass_at_once_and_so_many_per_second_after_that() -> None:
    bucket = Bucket(per_second=2, burst=3, now=0)
    assert [bucket.take(now=0) for _ in range(4)] == [True, True, True, False]
    assert [bucket.take(now=SECOND // 2) for _ in range(2)] == [True, False]
    assert [bucket.take(now=100 * SECOND) for _ in range(4)] == [True, True, True, False]


def test_a_clock_that_goes_back_gives_nothing() -> None:
    bucket = Bucket(per_second=2, burst=1, now=SECOND)
    assert bucket.take(now=SECOND)
    assert not bucket.take(now=0)


def test_a_flood_by_one_name_takes_nothing_from_another() -> None:
    quotas = Quotas(per_second=1, burst=5, names=10)
    assert sum(quotas.take("mallory", now=0) for _ in range(100)) == 5
    assert quotas.take("alice", now=0)


def test_made_up_names_share_one_quota() -> None:
    quotas = Quotas(per_second=1, burst=5, names=2)
    assert quotas.take("alice", now=0)
    assert quotas.take("bob", now=0)
    assert sum(quotas.take(f"nobody-{at}", now=0) for at in range(100)) == 5
    assert quotas.take("alice", now=0)


def test_what_costs_more_than_is_left_takes_nothing() -> None:
    bucket = Bucket(per_second=1, burst=5, now=0)
    assert not bucket.take(now=0, count=6)
    assert bucket.take(now=0, count=5)
    assert bucket.take(now=0, count=0)
