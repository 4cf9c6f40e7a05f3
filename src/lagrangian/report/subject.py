"""What a report is about, with what several of its sections need, and verdicts on whether the run can be trusted."""

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
from lagrangian.motion.result.over_limits import Passed, limits, passed
from lagrangian.motion.result.rounding import Rounding
from lagrangian.report.html import Html, escape_text, number, paragraph, short_number
from lagrangian.report.page import TitleBlock
from lagrangian.sizing.actuators import ActuatorSizing

INVERSE_BALANCE_TOLERANCE = 1e-6  # what a balance without an integrator may be off by: its work is integrated over the rows
MAX_LIMIT_VERDICTS = 4  # if more limits are exceeded, the last verdict has the number of the others
CONSTRAINT_TOLERANCE = 1e-6  # a constraint that is violated by less is kept, where the tolerance does not say


@dataclass(eq=False)
class ReportSubject:
    """The motion of a report, its title block, and the sizing of actuators if one is given. Its track is made once."""

    motion: Motion
    title_block: TitleBlock = field(default_factory=TitleBlock)
    sizing: ActuatorSizing | None = None
    angles: str = "degrees"  # of plots
    sliders: Any = None  # those of the player, as `animate` takes them
    failures: dict[str, list[str]] = field(default_factory=dict)  # the titles of sections, by the reason why they are missing

    def warn(self) -> None:
        """Warn of the sections that are missing in the page, once for each reason."""
        for reason, titles in self.failures.items():
            warn(f"report of {self.name}: {', '.join(titles)}: {reason}", ReportWarning)

    @property
    def mechanism(self) -> Mechanism:
        return self.motion.model("this part needs")

    @property
    def name(self) -> str:
        return self.motion.name

    @property
    def traced_frames(self) -> list[str]:
        """The frames whose paths are drawn: the first two that are not fixed to the ground."""
        return [frame.name for frame in self.mechanism.frames if frame.body != "ground"][:2]

    @cached_property
    def track(self) -> Any:
        from lagrangian.viewer.scene.track import motion_track

        return motion_track(self.motion, trace=self.traced_frames or None)

    @cached_property
    def page_program(self) -> Any:
        """The program by which the player's motion follows sliders."""
        from lagrangian.viewer.page_program import page_program

        return page_program(self.motion, self.track, self.sliders)

    @cached_property
    def exceeded_limits(self) -> list[Passed]:
        """The limits of joints that the motion exceeds."""
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
        """The unit of every speed, "rad" or "m" per second; without a mechanism it is not known."""
        if self.motion.mechanism is None:
            return ["rad or m"] * len(self.motion.speed_names)
        return ["m" if slides else "rad" for joint in self.mechanism.joints for slides in joint.slides]

    @cached_property
    def coordinate_units(self) -> list[str]:
        """The unit of every coordinate; those of quaternions have none."""
        if self.motion.mechanism is None:
            return ["rad or m"] * len(self.motion.coordinate_names)
        return [unit for joint in self.mechanism.joints for unit in joint.kind.units]

    def force_unit(self, speed_index: int) -> str:
        return {"m": "N", "rad": "N m"}.get(self.speed_units[speed_index], "N m or N")

    def rms(self, values: np.ndarray) -> float:
        """The root mean square over time, by the trapezoidal rule."""
        t = self.motion.t
        if len(t) < 2 or t[-1] == t[0]:
            return float(np.abs(values[-1])) if len(values) else 0.0
        squares = 0.5 * float(np.diff(t) @ (values[1:] ** 2 + values[:-1] ** 2))
        return math.sqrt(squares / float(t[-1] - t[0])) if squares >= 0 else math.nan


@dataclass(frozen=True)
class ReportSection:
    """A section of a report: `make` returns its body, or None if the section is left out."""

    id: str
    title: str
    make: Callable[[ReportSubject], Html | None]


def section_body(section: ReportSection, subject: ReportSubject) -> Html | None:
    """Make the body of a section. If that fails the body states the reason, and the rest of the report is not lost."""
    try:
        return section.make(subject)
    except LagrangianError as error:
        verb, reason = "is ", f"left out: {error}"
    except Exception as error:  # whatever it is, it concerns this section alone
        verb, reason = "", f"could not be written: {type(error).__name__}: {error}"
    subject.failures.setdefault(reason, []).append(section.title)
    return paragraph(f"This part {verb}{reason}", css_class="missing")


@dataclass(frozen=True)
class Verdict:
    """Whether a run can be trusted in one respect: `good` is None where nothing was promised; `badge` is its text in a badge."""

    good: bool | None
    badge: Html
    sentence: Html


def promised_error(motion: Motion) -> float | None:
    """The error that an adaptive or inverse run may have, relative to the energy that moved; None if its step is fixed."""
    statistics = motion.statistics
    if statistics.get("adaptive"):
        return float(max(100, int(statistics.get("accepted", 0))) * float(statistics["rtol"]))
    return None if "accepted" in statistics else INVERSE_BALANCE_TOLERANCE


def energy_verdict(motion: Motion) -> Verdict:
    largest_error, scale = float(np.abs(motion.energy_balance).max(initial=0.0)), motion.energy_scale
    stored_energy = float(np.abs(motion.kinetic_energy).max(initial=0.0) + np.abs(motion.potential_energy).max(initial=0.0))
    if Rounding(motion).still:
        return Verdict(True, Html("nothing moves"), Html("Nothing moves in this run."))
    relative_error = largest_error / scale
    size_text = Html(f"off by {short_number(largest_error)} J of {number(scale, 3)} J moved")
    allowed_error = promised_error(motion)
    if allowed_error is None:
        return Verdict(
            None,
            Html(f"energy {size_text}"),
            Html(f"The energy balance is {size_text}. A method with a fixed step has no error control."),
        )
    good = largest_error <= allowed_error * scale + 1e-10 * stored_energy
    badge = Html(f"energy balanced to {short_number(relative_error)}" if good else f"energy {size_text}")
    conclusion = "The energy balances" if good else "The energy does not balance"
    return Verdict(good, badge, Html(f"{conclusion}: the change of energy minus all work is {size_text}."))


def constraints_verdict(motion: Motion) -> Verdict:
    worst = float(motion.statistics.get("drift_between_steps", motion.drift.max(initial=0.0)))
    at_steps = float(motion.statistics.get("drift_at_steps", worst))
    allowed_error = promised_error(motion) or CONSTRAINT_TOLERANCE
    good = worst <= max(allowed_error, CONSTRAINT_TOLERANCE if "accepted" not in motion.statistics else 0.0)
    n = len(motion.constraint_names)
    equations_text = f"{n} constraint equation{'s' if n != 1 else ''}"
    badge = Html(f"constraints kept to {short_number(at_steps)}" if good else f"constraints drift by {short_number(worst)}")
    conclusion = f"The {equations_text} {'are' if n != 1 else 'is'} kept" if good else f"The {equations_text} drift"
    between = f" at the steps, {short_number(worst)} between them" if at_steps != worst else ""
    return Verdict(good, badge, Html(f"{conclusion}: violated by at most {short_number(at_steps)}{between}."))


def limits_verdicts(motion: Motion) -> list[Verdict]:
    """A verdict for each limit that was exceeded, or one for many; if all limits were kept, a verdict that says so."""
    exceeded = [str(x) for x in passed(motion)]
    if exceeded:
        exceeded_shown = exceeded if len(exceeded) <= MAX_LIMIT_VERDICTS else exceeded[: MAX_LIMIT_VERDICTS - 1]
        more = f"{len(exceeded) - len(exceeded_shown)} more limits passed"
        texts = [*exceeded_shown, *([more] if len(exceeded) > len(exceeded_shown) else [])]
        return [Verdict(False, escape_text(x), escape_text(f"{x}.")) for x in texts]
    if not any(np.isfinite(limits(motion, quantity)).any() for quantity in ("position", "speed", "effort")):
        return []
    return [Verdict(True, Html("within all limits"), Html("All joints stay within their limits of position, speed and effort."))]


def end_verdict(motion: Motion) -> Verdict:
    return Verdict(motion.success, escape_text(motion.message), escape_text(f"{motion.message}."))


def verdicts(motion: Motion) -> list[Verdict]:
    run_verdicts = [end_verdict(motion)]
    if len(motion.t):
        run_verdicts.append(energy_verdict(motion))
        if motion.constraint_names:
            run_verdicts.append(constraints_verdict(motion))
        run_verdicts += limits_verdicts(motion)
    return run_verdicts
