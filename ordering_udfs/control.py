"""Changes of policy: what the operator says to a group, in its log.

A change is a control envelope whose payload is a JSON object::

    {"policy": "fifo,release,5000"}      from here on the group has this policy

It stands in the log, so that every replay changes the policy at the same message. (An agent's gap
notice, `ingest/wire/gap_notice.py`, is a control envelope too.)
"""

from __future__ import annotations

import json

from ordering_udfs.errors import ControlError

BAD_CONTROL = "bad_control"


def read_policy_change(payload: bytes) -> str:
    """Give the text of the policy (`group_policies`); raises `ControlError` and nothing else."""
    try:
        fields = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise ControlError("a control record's payload is a JSON object") from error
    if not isinstance(fields, dict) or set(fields) != {"policy"}:
        raise ControlError("a change of policy is a JSON object with a policy and nothing else")
    if not isinstance(fields["policy"], str):
        raise ControlError("a policy is a text")
    # What stands in JSON may have no UTF-8 of its own, and the reason must be written down.
    return fields["policy"].encode(errors="replace").decode()


def write_policy_change(text: str) -> bytes:
    """Give the payload that `read_policy_change` reads."""
    return json.dumps({"policy": text}).encode()
