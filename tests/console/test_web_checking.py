"""Verification beside the page."""

from __future__ import annotations

import time

from console.verification_report import ANOMALIES, Report
from console.web.checking import MOST_BY_ITSELF, Checker


def report(**anomalies: int) -> Report:
    counts = {"behind": 0}
    return Report({**dict.fromkeys(ANOMALIES, 0), **anomalies}, {}, counts)


def checked(found: Report) -> dict[str, object]:
    checker = Checker(lambda: found, captured=lambda: 0, every_s=1)
    checker.check()
    return checker.result


def test_what_is_wrong_is_counted_and_what_is_only_late_is_not() -> None:
    assert checked(report()).items() >= {"state": "ok", "violations": 0}.items()
    assert checked(report(lost=2, unseen=1)).items() >= {"state": "wrong", "violations": 3}.items()
    assert checked(report(unseen=4)).items() >= {"state": "lagging", "violations": 0}.items()


def test_a_broker_that_is_away_is_told_and_does_not_end_the_thread() -> None:
    def verify() -> Report:
        raise OSError("no broker answers")

    checker = Checker(verify, captured=lambda: 0, every_s=1)
    checker.check()
    assert checker.result == {"state": "failed", "problem": "no broker answers"}


def test_a_small_system_is_verified_by_itself_and_a_large_one_when_asked() -> None:
    done: list[str] = []

    def verify() -> Report:
        done.append("verified")
        return report()

    large = Checker(verify, captured=lambda: MOST_BY_ITSELF + 1, every_s=0)
    small = Checker(verify, captured=lambda: 5, every_s=0)
    for checker, is_asked in ((small, False), (large, True)):
        done.clear()
        checker.start()
        if is_asked:
            time.sleep(0)
            assert not done
            checker.ask()
        deadline = time.monotonic() + 60
        while not done and time.monotonic() < deadline:
            time.sleep(0.01)
        checker.stop()
        assert done == ["verified"]
