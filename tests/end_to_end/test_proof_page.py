"""The page of proof says what the record says, and finds what is planted in one."""

from __future__ import annotations

from tests.end_to_end.proof_page import PAGE, Line, kills, made_anew, matrix, read_record

TOPIC = {
    "records": 9, "repeats": 2, "furthest_back": 1, "changed": 0, "skipped": 0, "too_far_back": 0,
}  # fmt: skip
TABLE = {
    "looks": 5, "versions": 2, "rows": 7, "duplicated": 0, "missing": 0, "vanished": 0,
    "unreadable": 0,
}  # fmt: skip
OUTCOME = {"lost": 0, "duplicated": 0, "out_of_order": 0, "unseen": 0, "delivered": 7}


def kill(moment: str, *, is_in_time: bool) -> Line:
    at = "2026-01-02T03:04:05+00:00"
    return {"kind": "kill", "at": at, "moment": moment, "is_in_time": is_in_time}


def run(*, lost: int) -> Line:
    outcome = OUTCOME | {"lost": lost}
    return {"kind": "kills", "ok": not lost, "outcome": outcome, "topic": TOPIC, "table": TABLE}


def test_the_page_is_made_from_the_record() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == made_anew(page, read_record()), "run python -m tests.end_to_end.proof_page"


def test_a_kill_that_came_too_late_and_a_loss_are_told() -> None:
    late, in_time = (kill("before-sparks-commit", is_in_time=one) for one in (False, True))
    text = kills([late, in_time, run(lost=3), run(lost=0)])
    assert "| before-sparks-commit | 2 | 1 |" in text
    assert "**2 kills** in 2 runs, 2026-01-02: lost 3," in text
    assert "1 runs not as promised" in text


def test_a_cell_that_broke_a_promise_is_told() -> None:
    cell = run(lost=1) | {
        "kind": "cell", "faults": [["kill", "broker"]], "messages": 1_000,
        "delivered_before": [210], "starts_of_driver": 1, "starts_of_agent": 1, "not_captured": 4,
    }  # fmt: skip
    assert "| kill broker | 1,000 | 210 | 1 | 1 | 1 | 0 | 0 | 0 | 4 | 2 | no |" in matrix([cell])
