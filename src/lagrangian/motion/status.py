"""How a run ended: a status, and what else is known of the end. Sentences are made from these, and never read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any


class Status(Enum):
    """The reason why a motion ended.

    Attributes
    ----------
    FINISHED
        The motion reached the end of its time span.
    STOPPED_BY_EVENT
        An event whose action is "stop" took place.
    INTERRUPTED
        You pressed Ctrl-C.
    SINGULAR
        The motion came to a singular configuration, from which it is not determined.
    STEP_TOO_SMALL
        The time step became as small as the rounding error of the time.
    TOO_MANY_STEPS
        The integrator made `max_steps` steps.
    UNBOUNDED
        Speeds grow without bound.
    CHATTERING
        Joints stick and slip, or hit their stops, without end; or a torque jumps or is noisy where the motion is.
    FAILED
        A function that you gave raised an error, or returned something that is not a number.

    Examples
    --------
    >>> import lagrangian as lg
    >>> motion = lg.simulate("pendulum", 2)
    >>> motion.status
    <Status.FINISHED: 'finished'>
    >>> motion.status is lg.Status.FINISHED and motion.status.success
    True
    """

    FINISHED = "finished"
    STOPPED_BY_EVENT = "stopped by event"
    INTERRUPTED = "interrupted"
    SINGULAR = "singular"
    STEP_TOO_SMALL = "step too small"
    TOO_MANY_STEPS = "too many steps"
    UNBOUNDED = "unbounded"
    CHATTERING = "chattering"
    FAILED = "failed"

    @property
    def success(self) -> bool:
        """Whether the motion reached its end, or an event that stops it."""
        return self in (Status.FINISHED, Status.STOPPED_BY_EVENT)


@dataclass(frozen=True)
class Ending:
    """How a motion ended.

    Attributes
    ----------
    status : Status
        The reason, to compare with in programs.
    t : float
        The time that was reached, in s.
    event : str
        The name of the event that stopped the motion, or "".
    place : str
        The configuration there, if the motion ended early.
    reason, remedy : str
        Why the motion ended early, and what may help.

    Examples
    --------
    >>> import lagrangian as lg
    >>> motion = lg.simulate("pendulum", 2, q0={"theta": 0}, events="theta + 1")
    >>> motion.ending.event
    'theta + 1'
    >>> print(motion.ending.message)
    stopped by event 'theta + 1' at t = 0.459381353 s
    """

    status: Status
    t: float
    event: str = ""
    place: str = ""
    reason: str = ""
    remedy: str = ""

    @property
    def message(self) -> str:
        """How the motion ended, in words."""
        at = f"t = {self.t:.9g} s"
        if self.status is Status.FINISHED:
            return self.reason or f"reached t = {self.t:g} s"
        if self.status is Status.STOPPED_BY_EVENT:
            return f"stopped by event {self.event!r} at {at}"
        if self.status is Status.INTERRUPTED:
            return self.reason or f"interrupted at {at}; the motion has the results until then"
        place = f" ({self.place})" if self.place else ""
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"stopped at {at}{place}: {self.reason}{remedy}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data, as files store them."""
        return {**asdict(self), "status": self.status.value}

    @staticmethod
    def from_dict(fields: Mapping[str, Any]) -> Ending:
        """Make an ending from the plain data of `to_dict`.

        Parameters
        ----------
        fields : mapping
            The fields by name.

        Returns
        -------
        Ending
            The ending.
        """
        return Ending(**{**fields, "status": Status(fields["status"])})
