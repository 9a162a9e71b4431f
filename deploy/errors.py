"""Everything that can go wrong with the local parts, first split by whose fault it is.

    LocalError
    ├── OperatorFault            the machine or the command must change; the message says how
    │   ├── JavaUnfit            no Java, or one that Spark and Kafka do not run on
    │   ├── JarsUnavailable      the registry could not be reached, or does not hold a jar
    │   ├── JarAltered           a jar is not the one that was recorded; it has been deleted
    │   ├── PortBusy             the port that was asked for is taken
    │   ├── DirectoryUnfit       not writable, full, or in use by another broker
    │   ├── BrokerUnreachable    nothing that speaks Kafka answers at the address
    │   └── TopicDiffers         the topic is there, but not as it was asked for
    └── OurFault                 a child of ours did what it never should
        ├── ChildFailed          it ended, or could not be started
        └── BrokerFailed         it ended or did not answer in time, for no reason that we know

There is no sender's branch: nothing from outside is read here. `console` prints the message of an
`OperatorFault` as it is and ends with its `exit_code`.
"""

CHECK_FAILED = 1
CANNOT_CONNECT = 3
MACHINE_UNFIT = 4


class LocalError(Exception):
    """Anything that the local parts raise on purpose."""

    exit_code = CHECK_FAILED


class OperatorFault(LocalError):
    """The operator can mend this; the message is one sentence that says how."""

    exit_code = MACHINE_UNFIT


class JavaUnfit(OperatorFault):
    """There is no Java, or not one of the versions that Spark and Kafka run on."""


class JarsUnavailable(OperatorFault):
    """A jar could not be downloaded."""

    exit_code = CANNOT_CONNECT


class JarAltered(OperatorFault):
    """A jar's SHA-256 sum is not the recorded one."""


class PortBusy(OperatorFault):
    """The operator named a port that another process listens on."""


class DirectoryUnfit(OperatorFault):
    """A directory cannot be written, is full, or belongs to a broker that still runs."""


class BrokerUnreachable(OperatorFault):
    """No broker answers at the address."""

    exit_code = CANNOT_CONNECT


class TopicDiffers(OperatorFault):
    """A topic exists with other partitions or settings than the ones that were asked for."""


class OurFault(LocalError):
    """A process of ours misbehaved; the message carries the end of its log."""


class ChildFailed(OurFault):
    """A child process ended early or could not be started."""


class BrokerFailed(OurFault):
    """The local broker did not come up."""
