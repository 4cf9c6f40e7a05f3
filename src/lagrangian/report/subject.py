"""What a report is about, with what several of its parts need."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.errors import LagrangianError, ReportWarning, warn
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion
from lagrangian.motion.result.over_limits import Passed, passed
from lagrangian.motion.result.rounding import Rounding
from lagrangian.report.front import Front
from lagrangian.report.html import Html, paragraph
from lagrangian.sizing.actuators import Sizing


@dataclass(eq=False)
class Subject:
    """A motion, what is said of it, and the sizing that was asked for. Its track is made once, when first asked for."""

    motion: Motion
    front: Front = field(default_factory=Front)
    sizing: Sizing | None = None
    angles: str = "degrees"  # of plots
    sliders: Any = None  # those of the player, as `animate` takes them
    failed: dict[str, list[str]] = field(default_factory=dict)  # why, and of which parts

    def warn(self) -> None:
        """Of what is missing in the page, each reason once."""
        for why, titles in self.failed.items():
            warn(f"report of {self.name}: {', '.join(titles)}: {why}", ReportWarning)

    @property
    def mechanism(self) -> Mechanism:
        return self.motion.model("this part needs")

    @property
    def name(self) -> str:
        return self.motion.name

    @property
    def traced(self) -> list[str]:
        """Frames whose path is worth drawing: the first named ones that are not fixed to the ground."""
        return [frame.name for frame in self.mechanism.frames if frame.body != "ground"][:2]

    @cached_property
    def track(self) -> Any:
        from lagrangian.viewer.scene.track import track

        return track(self.motion, trace=self.traced or None)

    @cached_property
    def computing(self) -> Any:
        """What makes the player's motion follow sliders."""
        from lagrangian.viewer.compute.payload import payload

        return payload(self.motion, self.track, self.sliders)

    @cached_property
    def passed(self) -> list[Passed]:
        """Limits of joints that the motion passes."""
        return passed(self.motion)

    @cached_property
    def rounding(self) -> Rounding:
        return Rounding(self.motion)

    @cached_property
    def duration(self) -> float:
        return float(self.motion.t[-1] - self.motion.t[0]) if len(self.motion.t) else 0.0

    # -- units -------------------------------------------------------------------------------------------------------

    @cached_property
    def speed_units(self) -> list[str]:
        """Of every speed: "rad" or "m" per second; without a mechanism it is not known which."""
        if self.motion.mechanism is None:
            return ["rad or m"] * len(self.motion.speed_names)
        return ["m" if slides else "rad" for joint in self.mechanism.joints for slides in joint.slides]

    @cached_property
    def coordinate_units(self) -> list[str]:
        """Of every coordinate; those of quaternions have none."""
        if self.motion.mechanism is None:
            return ["rad or m"] * len(self.motion.coordinate_names)
        return [unit for joint in self.mechanism.joints for unit in joint.kind.units]

    def force_unit(self, speed: int) -> str:
        return {"m": "N", "rad": "N m"}.get(self.speed_units[speed], "N m or N")

    def rms(self, values: np.ndarray) -> float:
        """Over time, by the trapezoidal rule."""
        t = self.motion.t
        if len(t) < 2 or t[-1] == t[0]:
            return float(np.abs(values[-1])) if len(values) else 0.0
        squares = 0.5 * float(np.diff(t) @ (values[1:] ** 2 + values[:-1] ** 2))
        return math.sqrt(squares / float(t[-1] - t[0])) if squares >= 0 else math.nan


@dataclass(frozen=True)
class Part:
    """A section of a report: `make` gives its body, or nothing if there is nothing to say."""

    id: str
    title: str
    make: Callable[[Subject], Html | None]


def made(part: Part, subject: Subject) -> Html | None:
    """The part's body. One that fails says why: the rest of the report is not lost with it."""
    try:
        return part.make(subject)
    except LagrangianError as error:
        verb, why = "is ", f"left out: {error}"
    except Exception as error:  # whatever it is, it is this part's alone
        verb, why = "", f"could not be written: {type(error).__name__}: {error}"
    subject.failed.setdefault(why, []).append(part.title)
    return paragraph(f"This part {verb}{why}", kind="missing")
