"""Laws of the member role."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from simulation.endpoint import Role
from simulation.history import History
from simulation.member_role import Member
from simulation.options import GiveUp, GroupOptions, Options
from simulation.policies import policy_of
from simulation.service import Log
from tests.simulation.worlds import chain, plain_options


def started(options: Options) -> tuple[Member, History, Log]:
    member = Member(0, options=options, rng=Random(1))
    history, log = History(), Log()
    start_again(member, options, history, log)
    return member, history, log


def start_again(member: Member, options: Options, history: History, log: Log) -> None:
    policies = [policy_of(group, options=options) for group in options.groups]
    member.start(options.groups, policies=policies, histories=[history], logs=[log])


def test_a_member_answers_what_its_own_engine_has_delivered() -> None:
    member, history, _ = started(plain_options())
    membership = member.memberships[0]
    first, second = chain(history, 2)
    membership.hear(second, now=1)
    assert membership.sender.delivered == []
    membership.hear(first, now=2)
    assert membership.sender.delivered == [first, second]
    assert membership.endpoint.role is Role.MEMBER


def test_a_restarted_member_is_a_new_incarnation_with_nothing() -> None:
    options = plain_options()
    member, history, log = started(options)
    (first,) = chain(history, 1)
    member.memberships[0].hear(first, now=1)
    assert member.memberships[0].sender.make(now=2).message.id == ("alice#1", 1)
    start_again(member, options, history, log)
    membership = member.memberships[0]
    assert membership.sender.delivered == []
    assert membership.sender.make(now=3).message.id == ("alice#2", 1)
    assert len(member.past) == 1


def test_a_members_clock_is_off_by_no_more_than_the_skew() -> None:
    options = replace(plain_options(), clock_skew_us=500)
    for seed in range(20):
        member = Member(0, options=options, rng=Random(seed))
        assert -500 <= member.clock(10_000) - 10_000 <= 500


def test_a_member_of_a_total_group_follows_the_log_and_not_the_network() -> None:
    options = replace(plain_options(), groups=(GroupOptions("total", GiveUp.HOLD, 0),))
    member, history, log = started(options)
    membership = member.memberships[0]
    assert membership.follows_the_log
    for entry in reversed(chain(history, 3)):
        log.append(entry)
    membership.catch_up()
    assert [entry.message.id.seq for entry in membership.sender.delivered] == [3, 2, 1]
    membership.catch_up()
    assert len(membership.sender.delivered) == 3
