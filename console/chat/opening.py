"""From what was chosen to a member that can talk: sockets, keys, incarnation, archive."""

from __future__ import annotations

import getpass
import os
from random import Random
from typing import Final, NamedTuple

from console.configuration.chat import ChatSettings
from console.errors import ExitCode, OperatorError
from ingest.authentication.keyring import Keyring
from ingest.authentication.settings import AuthenticationSettings
from ingest.wire.errors import WireError
from ingest.wire.multicast import parse_group_address
from members.archive import Archive
from members.host import wall_clock
from members.incarnation import clock_incarnation
from members.keyed_post import keyed_post
from members.limits import Pace
from members.multicast_transport import MulticastTransport
from members.post import Post
from members.routing import GroupManager
from members.transport import Transport
from sinks.settings import KafkaSettings

WITH_SERVICE: Final = Pace(asks=2)
"""Who has a service asks the others twice, which takes a second, and then the service."""


class Opened(NamedTuple):
    """A member and its ways to the others, not yet listening."""

    manager: GroupManager
    transport: Transport
    maybe_archive: Archive | None


def open_member(
    chat: ChatSettings, *, kafka: KafkaSettings, authentication: AuthenticationSettings
) -> Opened:
    """Make what the chat needs. Raises an operator's error for what can't be used."""
    transport = MulticastTransport(
        parse_group_address(chat.address),
        interface=chat.interface,
        listens_to=None if chat.listen is None else parse_group_address(chat.listen),
    )
    maybe_archive: Archive | None = None
    if chat.service:
        from members.kafka_archive import KafkaArchive

        maybe_archive = KafkaArchive(kafka)
    try:
        manager = GroupManager(
            chat.name or login_name(),
            incarnation=clock_incarnation(wall_clock()),
            seed=Random(os.urandom(8)).getrandbits(32),
            post=_post(authentication),
            pace=WITH_SERVICE if chat.service else None,
        )
    except WireError as error:
        raise OperatorError(
            f"this name can't be used: {error.detail}; choose another with --name",
            ExitCode.CONFIGURATION,
        ) from error
    return Opened(manager, transport, maybe_archive)


def login_name() -> str:
    """The name of who runs this; a made-up one where nobody is logged in."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "somebody"


def _post(authentication: AuthenticationSettings) -> Post:
    if authentication.keys_file is None:
        return Post()
    return keyed_post(Keyring(authentication.keys_file), authentication.modes())
