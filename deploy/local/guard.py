"""The process that ends our children when we can no longer do it ourselves.

`deploy.local.child` starts one guard for each process that has children, as a plain script with a
pipe for its standard input. The far end of that pipe is open in the parent alone, so the guard
reads the end of file when the parent is gone, whatever ended it: a return, an error, `kill -9`. It
works the same on every POSIX system, for whole process trees, and no matter which thread started a
child.

    parent ──── "+412\\n" (group 412 is mine) ──> guard
    parent ──── "-412\\n" (it has ended)     ──> guard
    parent dies: end of file                ──> guard: SIGTERM to 412, a grace, SIGKILL to its group

A child announces itself: it starts as `guard.py launch PIPE COMMAND...`, writes its own line and
then becomes the command. So there is no moment in which it runs and the guard does not know it.

Only the standard library, and only its quickest modules: each child waits for this script to start.
"""

import contextlib
import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LAUNCH = "launch"
GRACE_SECONDS = 5.0
COULD_NOT_START = 127
_LOOK_EVERY_SECONDS = 0.05


def launch(pipe: int, command: list[str]) -> int:
    """Announce the calling process, which leads a session of its own, and make it the command."""
    with contextlib.suppress(BrokenPipeError):
        os.write(pipe, b"+%d\n" % os.getpid())
    os.set_inheritable(pipe, False)
    # Python ignores these two, and what is ignored stays so in the command.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)  # replaces this process
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
    return COULD_NOT_START


def watch(pipe: int) -> int:
    """Read announcements until the parent is gone, then end every group that is left."""
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    groups: set[int] = set()
    with open(pipe, "rb", buffering=0) as announcements:
        rest = b""
        while chunk := announcements.read(4096):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                (groups.add if line.startswith(b"+") else groups.discard)(int(line[1:]))
    end(groups)
    return 0


def end(groups: set[int], *, grace_seconds: float = GRACE_SECONDS) -> None:
    """Ask the leader of each group to end, and after the grace end whatever is left of the groups.

    The leader alone is asked, since it may need its own children in order to end well.
    """
    for group in groups:
        _signal(os.kill, group, signal.SIGTERM)
        _signal(os.killpg, group, signal.SIGCONT)
    deadline = time.monotonic() + grace_seconds
    while time.monotonic() < deadline and any(_is_there(group) for group in groups):
        time.sleep(_LOOK_EVERY_SECONDS)
    for group in groups:
        _signal(os.killpg, group, signal.SIGKILL)


def _is_there(group: int) -> bool:
    try:
        os.kill(group, 0)
    except OSError:
        return False
    return True


def _signal(send: "Callable[[int, int], None]", target: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        send(target, number)


if __name__ == "__main__":
    if sys.argv[1:2] == [LAUNCH]:
        sys.exit(launch(int(sys.argv[2]), sys.argv[3:]))
    sys.exit(watch(sys.stdin.fileno()))
