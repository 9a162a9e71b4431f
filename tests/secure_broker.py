"""A real broker that lets nobody in without TLS and a password, and what its clients need.

The broker has a plain listener beside it, for the test's own hands: topics and users are made
there. Keys and certificates are made anew for each run.
"""

from __future__ import annotations

import dataclasses
import datetime
import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

# All of them are public; the package's type information does not say so.
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from deploy.local.broker import Broker
from deploy.local.ports import LOOPBACK, free_ports
from deploy.local.topics import admin_client
from sinks.settings import KafkaSettings, SecurityProtocol
from tests.topic_tools import new_topics

USERNAME = "edge"
PASSWORD = 'hush "quoted" \\ back'
"""With all that a quoting mistake would trip over."""
ITERATIONS = 4_096
PATIENCE_S = 30.0


class SecureBroker(NamedTuple):
    """A running broker, and the files that a client is given."""

    broker: Broker
    address: str
    ca_file: Path
    password_file: Path

    def topics(self) -> KafkaSettings:
        """Fresh topics, and the settings with which a client reaches them over TLS."""
        return dataclasses.replace(
            new_topics(self.broker.bootstrap),
            bootstrap=self.address,
            security_protocol=SecurityProtocol.SASL_SSL,
            ca_file=self.ca_file,
            username=USERNAME,
            password_file=self.password_file,
        )


@contextmanager
def running_secure_broker(folder: Path) -> Iterator[SecureBroker]:
    """Make certificates, start the broker, add the user."""
    ca_file, keystore = write_certificates(folder)
    password_file = folder / "password"
    password_file.write_text(PASSWORD + "\n", encoding="utf-8")
    password_file.chmod(0o600)
    plain_port, controller_port, port = free_ports(3)
    with Broker(
        folder / "broker",
        port=plain_port,
        extra=_properties(keystore, plain_port, controller_port, port),
    ) as broker:
        _add_user(broker)
        yield SecureBroker(broker, f"{LOOPBACK}:{port}", ca_file, password_file)


def _properties(keystore: Path, plain: int, controller: int, port: int) -> dict[str, str]:
    listeners = (
        f"PLAINTEXT://{LOOPBACK}:{plain},CONTROLLER://{LOOPBACK}:{controller},"
        f"SASL_SSL://{LOOPBACK}:{port}"
    )
    return {
        "listeners": listeners,
        "advertised.listeners": listeners,
        "controller.quorum.voters": f"1@{LOOPBACK}:{controller}",
        "listener.security.protocol.map": (
            "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL"
        ),
        "sasl.enabled.mechanisms": "SCRAM-SHA-512",
        "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config": (
            "org.apache.kafka.common.security.scram.ScramLoginModule required;"
        ),
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(keystore),
    }


def _add_user(broker: Broker) -> None:
    wanted = UserScramCredentialUpsertion(
        USERNAME,
        ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, ITERATIONS),
        PASSWORD.encode("utf-8"),
    )
    admin = admin_client(broker.bootstrap)
    for answer in admin.alter_user_scram_credentials([wanted]).values():
        answer.result(timeout=PATIENCE_S)


def write_certificates(folder: Path) -> tuple[Path, Path]:
    """Make an authority and a server that it vouches for; give what clients and server read."""
    authority_key, server_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority_name = _name("Test authority")
    authority = (
        _certificate(authority_name, authority_name, authority_key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    server = (
        _certificate(_name("broker"), authority_name, server_key.public_key())
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(LOOPBACK))]),
            critical=False,
        )
        .sign(authority_key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    ca_file, keystore = folder / "ca.pem", folder / "broker.pem"
    ca_file.write_bytes(authority.public_bytes(pem))
    keystore.write_bytes(
        server_key.private_bytes(
            pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        + server.public_bytes(pem)
        + authority.public_bytes(pem)
    )
    return ca_file, keystore


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _certificate(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    day = datetime.timedelta(days=1)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - day)
        .not_valid_after(now + day)
    )
