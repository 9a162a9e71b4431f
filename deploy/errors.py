"""Everything that can go wrong with the local parts, first split by whose fault it is.

    LocalError
    ├── OperatorError               the machine or the command must change; the message says how
    │   ├── JavaUnfitError          no Java, or one that Spark and Kafka do not run on
    │   ├── JarsUnavailableError    the registry could not be reached, or does not hold a jar
    │   ├── JarAlteredError         a jar is not the one that was recorded; it has been deleted
    │   ├── PortBusyError           the port that was asked for is taken
    │   ├── DirectoryUnfitError     not writable, full, or in use by another broker
    │   ├── MemoryShortError        not enough of it is free
    │   ├── BrokerUnreachableError  nothing that speaks Kafka answers at the address
    │   └── TopicDiffersError       the topic is there, but not as it was asked for
    └── OurError                    a child of ours did what it never should
        ├── ChildFailedError        it ended, or could not be started
        ├── BrokerFailedError       it ended or did not answer, for no reason that we know
        └── ClusterFailedError      the same of a local Spark cluster

There is no sender's branch: nothing from outside is read here. `console` knows by
`is_operator_error` that the message says it all, and ends with the `exit_code`. That holds for the
failure of a child too: its own log tells why it ended, a stack trace of this process does not.
"""

CHECK_FAILED = 1
CANNOT_CONNECT = 3
MACHINE_UNFIT = 4


class LocalError(Exception):
    """Anything that the local parts raise on purpose."""

    is_operator_error = True
    exit_code = CHECK_FAILED


class OperatorError(LocalError):
    """The operator can mend this; the message is one sentence that says how."""

    exit_code = MACHINE_UNFIT


class JavaUnfitError(OperatorError):
    """There is no Java, or not one of the versions that Spark and Kafka run on."""


class JarsUnavailableError(OperatorError):
    """A jar could not be downloaded."""

    exit_code = CANNOT_CONNECT


class JarAlteredError(OperatorError):
    """A jar's SHA-256 sum is not the recorded one."""


class PortBusyError(OperatorError):
    """The operator named a port that another process listens on."""


class DirectoryUnfitError(OperatorError):
    """A directory cannot be written, is full, or belongs to a broker that still runs."""


class MemoryShortError(OperatorError):
    """There is not enough free memory for a process of ours."""


class BrokerUnreachableError(OperatorError):
    """No broker answers at the address."""

    exit_code = CANNOT_CONNECT


class TopicDiffersError(OperatorError):
    """A topic exists with other partitions or settings than the ones that were asked for."""


class OurError(LocalError):
    """A process of ours misbehaved; the message carries the end of its log."""


class ChildFailedError(OurError):
    """A child process ended early or could not be started."""


class BrokerFailedError(OurError):
    """The local broker did not come up."""


class ClusterFailedError(OurError):
    """The local Spark cluster did not come up."""
