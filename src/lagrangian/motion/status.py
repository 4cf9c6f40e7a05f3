"""How a run ended: a status, and what else is known of the end. Sentences are made from these, and never read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any


class Status(Enum):
    """Why a motion ends where it does."""

    FINISHED = "finished"  # the end of the time span was reached
    STOPPED_BY_EVENT = "stopped by event"  # an event whose action is "stop" took place
    INTERRUPTED = "interrupted"  # Ctrl-C
    SINGULAR = "singular"  # a singular configuration, from which the motion is not determined
    STEP_TOO_SMALL = "step too small"  # the step size fell to the rounding of the time
    TOO_MANY_STEPS = "too many steps"  # `max_steps` were made
    UNBOUNDED = "unbounded"  # speeds grow without bound
    CHATTERING = "chattering"  # joints stick and slip, or meet their stops, without end
    FAILED = "failed"  # a function of the user raised an error, or gave something that is not a number

    @property
    def success(self) -> bool:
        """Whether the run ended as it was asked to."""
        return self in (Status.FINISHED, Status.STOPPED_BY_EVENT)


@dataclass(frozen=True)
class Ending:
    """The end of a run: its status, its time, and, as far as they are known, the event, the place, the reason and the remedy."""

    status: Status
    t: float
    event: str = ""
    place: str = ""
    reason: str = ""
    remedy: str = ""

    @property
    def message(self) -> str:
        """The ending as a sentence."""
        at = f"t = {self.t:.9g} s"
        if self.status is Status.FINISHED:
            return self.reason or f"reached t = {self.t:g} s"
        if self.status is Status.STOPPED_BY_EVENT:
            return f"stopped by event {self.event!r} at {at}"
        if self.status is Status.INTERRUPTED:
            return self.reason or f"interrupted at {at}; what was computed until then is here"
        place = f" ({self.place})" if self.place else ""
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"stopped at {at}{place}: {self.reason}{remedy}"

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain data, for files."""
        return {**asdict(self), "status": self.status.value}

    @staticmethod
    def from_dict(fields: Mapping[str, Any]) -> Ending:
        return Ending(**{**fields, "status": Status(fields["status"])})
