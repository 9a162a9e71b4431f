"""Post with keys: what a member sends is tagged, and what is not is forged.

    post = keyed_post(Keyring(path), GroupModes(("floor.*=mac",), default=Mode.NONE))
    manager = GroupManager("alice", incarnation=1, seed=7, post=post)

Everything of a protected group is checked, one message in a page as well as a datagram of its own:
messages travel as their senders' bytes, so a page can hold nothing that its sender did not say.
Records that concern all groups stand under the group `*`; give it a mode of its own, or none.
"""

from ingest.authentication.keyring import Keyring, Proof
from ingest.authentication.mode import GroupModes, Mode
from ingest.wire.envelope import Envelope, decode, encode
from ingest.wire.errors import WireError, WireReason
from members.post import Post


def keyed_post(keyring: Keyring, modes: GroupModes) -> Post:
    """Make post that tags and checks by these keys.

    The first record that a program has sent in a group (create, join) raises KeysError if the file
    has no key for it.
    """

    def seal(envelope: Envelope) -> bytes:
        mode = modes.of(envelope.group)
        return encode(envelope) if mode is Mode.NONE else keyring.protect(envelope, mode=mode)

    def read(datagram: bytes) -> Envelope:
        envelope = decode(datagram)
        mode = modes.of(envelope.group)
        if mode is Mode.NONE:
            return envelope
        if keyring.verify(envelope, datagram, mode=mode) is not Proof.AUTHENTIC:
            raise WireError(
                WireReason.BAD_TAG, f"not the tag that a key of {envelope.sender} makes"
            )
        if mode is Mode.MAC:
            return envelope
        maybe_payload = keyring.maybe_open(envelope, datagram)
        if maybe_payload is None:
            raise WireError(WireReason.BAD_TAG, f"no key opens what {envelope.sender} sealed")
        return envelope._replace(payload=maybe_payload)

    return Post(seal=seal, read=read)
