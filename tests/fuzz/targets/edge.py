"""The agent's decision and the tags: hostile datagrams against intake, gate and keyring."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from ingest.authentication.gate import Gate, open_gate
from ingest.authentication.key_file import _parse, create_keys
from ingest.authentication.mode import Mode
from ingest.authentication.settings import AuthenticationSettings
from ingest.datagram import Datagram
from ingest.intake import NO_GROUP, Intake
from ingest.token_bucket import TokenBucket
from ingest.wire.envelope import Kind, decode
from ingest.wire.errors import WireError
from ingest.wire.multicast import GroupAddress
from ingest.wire.refusal import decode_refusal
from tests.fuzz.target import Target
from tests.fuzz.targets.examples import SITE_KEYS, envelopes, protected
from tests.fuzz.targets.outcomes import ACCEPTED, refused
from tests.fuzz.targets.wire import BUNDLES, NAMES, PREFIX_FIELDS, REFUSALS, mend_envelope

ADDRESS = GroupAddress("239.255.80.1", 5080)
AUTHENTIC = frozenset((*protected(Mode.MAC), *protected(Mode.AEAD)))


@cache
def _gate() -> Gate:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "keys"
        create_keys(path, SITE_KEYS)
        return open_gate(AuthenticationSettings(groups=("mac=mac", "aead=aead"), keys_file=path))


def run_intake(data: bytes) -> str:
    """Bytes pass unchanged if and only if they are an envelope that may pass; all else is wrapped,
    and nothing is lost in between.
    """
    intake, many = (
        Intake(TokenBucket(per_second=1, burst=1), clock=lambda: 0, maybe_gate=gate)
        for gate in (_gate(), _gate())
    )
    datagram = Datagram(data, 1, "10.0.0.7:1", ADDRESS)
    admission = intake.admit(datagram)
    if admission is None:
        assert decode(data).kind is Kind.SYNCHRONISATION
        assert (intake.passed_over, many.admit_all((datagram,))) == (1, [])
        return "passed over"
    assert many.admit_all((datagram,)) == [(1, *admission)]
    if admission.key == NO_GROUP:
        refusal = decode_refusal(admission.value)
        assert refusal.datagram == data
        assert intake.malformed.total() + intake.refused.total() == 1
        return refused(refusal.reason)
    envelope = decode(admission.value)
    assert admission == (envelope.group.encode(), data)
    assert envelope.kind is not Kind.TICK
    assert envelope.group not in ("mac", "aead") or data in AUTHENTIC
    return f"{ACCEPTED} {envelope.kind.name}"


def run_tag(data: bytes) -> str:
    """No change of an authentic datagram is authentic."""
    try:
        envelope = decode(data)
    except WireError as error:
        return refused(error.reason)
    if envelope.kind is Kind.TICK or envelope.group not in ("mac", "aead"):
        return "unprotected"
    maybe_fault = _gate().authenticate(envelope, data)
    assert (maybe_fault is None) == (data in AUTHENTIC)
    return ACCEPTED if maybe_fault is None else refused(maybe_fault)


def run_key_file(data: bytes) -> str:
    maybe_keys = _parse(data)
    if maybe_keys is None:
        return refused("no keys")
    assert 1 <= len(maybe_keys.keys) <= 2
    assert "secret" not in repr(maybe_keys).replace("secret=Secret(**********)", "")
    return f"{ACCEPTED} {len(maybe_keys.keys)}"


KEY_FILE = (
    b'{"format":1,"group":null,"member":null,"keys":[{"id":1,"made_at":2,"secret":"'
    + b"0f" * 32
    + b'"},{"id":2,"made_at":3,"secret":"'
    + b"f0" * 32
    + b'"}]}'
)

TARGETS = (
    Target(
        "intake", run_intake, (*envelopes(), *BUNDLES, *REFUSALS, *sorted(AUTHENTIC)[::5]),
        fields=PREFIX_FIELDS, tokens=(*NAMES, b"mac", b"aead"), mend=mend_envelope,
    ),
    Target(
        "tag", run_tag, tuple(sorted(AUTHENTIC)), fields=PREFIX_FIELDS,
        tokens=(b"mac", b"aead", b"alice#1", b"alice#2", bytes(16)), mend=mend_envelope,
    ),
    Target(
        "key_file", run_key_file, (KEY_FILE,),
        tokens=(b'"', b"[" * 50, b"{", b"}", b"null", b"-1", b"1e9", b"65536", b'"id":0', b"\xff"),
    ),
)  # fmt: skip
