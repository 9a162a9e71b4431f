"""Which policy each group has now: what a control record said last, else the configuration's.

A change by `precede policy` stands in the raw log alone; the job keeps what is in force in its
state. So the state is looked at now and then, in a thread of its own, from the checkpoint's files
(as `precede inspect` does). Where the checkpoint is on no disk of this machine the configuration is
all that is known, and a group whose policy was changed is shown as it was before.
"""

from __future__ import annotations

import threading
import time
from typing import Final

from console.answers.checkpoint import Checkpoint
from ordering.policy import GroupPolicy
from ordering_udfs.group_policies import GroupPolicies

LOOK_EVERY_SECONDS: Final = 3.0
REST: Final = 20
"""After each look a rest of so many times what it took: a large state is looked at less often."""


class PoliciesInForce:
    """Started and stopped by the server; may be asked from any thread."""

    def __init__(self, policies: GroupPolicies, *, checkpoint_directory: str) -> None:
        self._policies = policies
        self._directory = checkpoint_directory
        self._texts: dict[str, str] = {}
        self._seen = -1
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="policies", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._is_over.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=LOOK_EVERY_SECONDS)

    def of(self, group: str) -> GroupPolicy:
        """The policy by which the group is ordered."""
        return self._policies.of(group, self._texts.get(group))

    def change_of(self, group: str) -> str | None:
        """What a control record said last of the group; None if none did."""
        return self._texts.get(group)

    def look(self) -> None:
        """Read the state if the job has gone on since the last look."""
        checkpoint = Checkpoint(self._directory)
        committed = checkpoint.committed()
        if committed is None or committed == self._seen:
            return
        self._texts = {
            group: text
            for state in checkpoint.states().values()
            for group, text in state.policies.items()
        }
        self._seen = committed

    def _run(self) -> None:
        rest_s = 0.0
        while not self._is_over.wait(rest_s):
            began_s = time.monotonic()
            try:
                self.look()
            except Exception:
                # No checkpoint here, or none yet: the configuration is what is known.
                self._seen = -1
            rest_s = max(LOOK_EVERY_SECONDS, REST * (time.monotonic() - began_s))
