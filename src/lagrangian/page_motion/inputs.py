"""The sliders of a page: which numbers of a run its readers may change, and how far."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.errors import (
    ArgumentError,
    ArgumentName,
    DescriptionError,
    LagrangianError,
    format_value,
    is_number,
    unknown_name_message,
)
from lagrangian.functions import parameters as adjustable
from lagrangian.model.expression import Expression
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parameters import is_path, parameter_value, with_value_at
from lagrangian.motion.system.following import Following
from lagrangian.page_motion.controllers import GAINS, ControlLaw
from lagrangian.page_motion.subject import PageMotion

PARAMETER, COORDINATE, SPEED, GAIN = "parameter", "q0", "qd0", "gain"
MAX_FACTOR = 2.0  # by which a number may be larger or smaller
ANGLE_REACH, LENGTH_REACH, SPEED_REACH = math.pi / 2, 0.5, 2.0  # by which starts may differ: rad, m, and 1/s
MAX_DEFAULT_INPUTS = 10  # sliders that are chosen by default
HALVINGS = 8  # in the search for the end of a range
MAX_DEFAULT_STARTS = 3  # of them, for where it begins


@dataclass(frozen=True)
class PageInput:
    """A number that a reader may change between `lower` and `upper`; a start has the places of its coordinate and speed."""

    name: str
    kind: str
    value: float
    lower: float
    upper: float
    unit: str = ""
    places: tuple[int, int] = (-1, -1)
    alias: str = ""

    @property
    def label(self) -> str:
        """The name by which an author refers to the input; that of a start is such as `q0.theta1`."""
        return self.alias or f"{self.kind}.{self.name}" if self.kind in (COORDINATE, SPEED) else self.name

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "label": self.label,
            "kind": self.kind,
            "value": self.value,
            "min": self.lower,
            "max": self.upper,
            "unit": self.unit,
            "angle": self.unit.startswith("rad") and self.kind != GAIN,
            "coordinate": self.places[0],
            "speed": self.places[1],
        }


def select_inputs(subject: PageMotion, law: ControlLaw | None, sliders: Iterable[Any] | None) -> tuple[PageInput, ...]:
    """The inputs that the author names, each with its range if that is given; else the default inputs."""
    available = AvailableInputs(subject, law)
    if sliders is None:
        return available.default_inputs()
    if isinstance(sliders, str) or not isinstance(sliders, Iterable):
        raise ArgumentError(f"is {format_value(sliders)}", argument="sliders", remedy=_REMEDY)
    inputs: dict[str, PageInput] = {}
    for item in sliders:
        page_input = available.parse_slider(item)
        inputs[page_input.label] = page_input
    return tuple(inputs.values())


_REMEDY = "a list of names is needed, such as ['l1', 'q0.theta1'], or of (name, lower, upper)"


class AvailableInputs:
    """All inputs that a run can have."""

    def __init__(self, subject: PageMotion, law: ControlLaw | None) -> None:
        self.subject, self.mechanism, self.law = subject, subject.mechanism, law

    # -- what the author names -----------------------------------------------------------------------------------------

    def parse_slider(self, slider: Any) -> PageInput:
        """Read one slider: the name of an input, or (name, lower, upper)."""
        name, *ends = (slider,) if isinstance(slider, str) else tuple(slider) if isinstance(slider, Sequence) else (slider,)
        if not isinstance(name, str) or len(ends) not in (0, 2) or not all(is_number(x) for x in ends):
            raise ArgumentError(f"has {format_value(slider)}", argument="sliders", remedy=_REMEDY)
        page_input = self._find_input(name)
        if not ends:
            return page_input
        lower, upper = (float(x) for x in ends)
        if not lower < upper:
            remedy = "the smallest value comes first, then the largest"
            raise ArgumentError(f"{name!r} is from {lower:g} to {upper:g}", where=ArgumentName("sliders"), remedy=remedy)
        if not lower <= page_input.value <= upper:
            message = f"{name!r} is {page_input.value:.6g} in this motion, which is not between {lower:g} and {upper:g}"
            raise ArgumentError(message, where=ArgumentName("sliders"))
        self._check_range(page_input, name, lower, upper)
        return PageInput(
            page_input.name, page_input.kind, page_input.value, lower, upper, page_input.unit, page_input.places, page_input.alias
        )

    def _check_range(self, page_input: PageInput, name: str, lower: float, upper: float) -> None:
        """Raise an error unless the mechanism and its start exist at both ends of a range."""
        if page_input.kind == PARAMETER:
            for end in (lower, upper):
                try:
                    self.mechanism.with_parameters({page_input.name: end})
                except DescriptionError:
                    pass  # a start that cannot be computed: the page says so
                except LagrangianError as error:
                    raise ArgumentError(f"{name!r} cannot be {end:g}: {error}", where=ArgumentName("sliders")) from None
        if page_input.kind == COORDINATE and (
            lower < self._bounds(page_input.name)[0] or upper > self._bounds(page_input.name)[1]
        ):
            low, high = self._bounds(page_input.name)
            message = f"{name!r} has limits, from {low:.6g} to {high:.6g}, and a page cannot begin beyond them"
            raise ArgumentError(message, where=ArgumentName("sliders"))

    def _bounds(self, coordinate: str) -> tuple[float, float]:
        """The limits of a coordinate as far as the run keeps them: a coordinate that begins beyond a limit stays free of it."""
        limits = _joint_limits(self.mechanism, coordinate) if self.subject.settings.limits else (-math.inf, math.inf)
        place = single_coordinates(self.mechanism)[coordinate][0]
        value = float(self.subject.start[place])
        if limits[0] <= value <= limits[1]:
            return limits
        return (limits[1], math.inf) if value > limits[1] else (-math.inf, limits[0])

    def _find_input(self, name: str) -> PageInput:
        kind, _, coordinate = name.partition(".")
        if kind in (COORDINATE, SPEED) and kind not in self.mechanism.body_index:
            starts = {x.name: x for x in (self.coordinate_inputs() if kind == COORDINATE else self.speed_inputs())}
            if coordinate not in starts:
                raise ArgumentError(
                    unknown_name_message("start", name, [x.label for x in starts.values()]), where=ArgumentName("sliders")
                )
            return starts[coordinate]
        gains = {x.label: x for x in self.gain_inputs()}
        if name in gains:
            return gains[name]
        if name in self.mechanism.parameters or is_path(self.mechanism, name):
            reason = self.unadjustable([name]).get(name)
            if reason:
                raise ArgumentError(f"{name!r} cannot be a slider: {reason}", where=ArgumentName("sliders"))
            return _parameter_input(self.mechanism, name)
        names = [*self.mechanism.parameters, *gains, *(x.label for x in (*self.coordinate_inputs(), *self.speed_inputs()))]
        raise ArgumentError(unknown_name_message("parameter, gain or start", name, names), where=ArgumentName("sliders"))

    # -- what is there by default ----------------------------------------------------------------------------------------------

    def default_inputs(self) -> tuple[PageInput, ...]:
        """The gains, a few starts, and the parameters; robot files, which have no parameters, give masses instead."""
        names = adjustable.independent_parameters(self.mechanism) if self.mechanism.parameters else self._mass_paths()
        names = [name for name in names if _parameter_input(self.mechanism, name).value != 0.0]
        unadjustable = self.unadjustable(names)
        parameters = [_parameter_input(self.mechanism, name) for name in names if name not in unadjustable]
        starts = [x for x in self.coordinate_inputs() if x.name in self._leading_coordinates()][:MAX_DEFAULT_STARTS]
        gains_and_starts = [*self.gain_inputs(), *starts]
        return (*gains_and_starts, *parameters[: MAX_DEFAULT_INPUTS - len(gains_and_starts)])

    def _mass_paths(self) -> list[str]:
        """The paths of the masses of the outermost bodies, which matter most."""
        return [f"{body.name}.mass" for body in reversed(self.mechanism.bodies) if float(body.mass)][:3]

    def _leading_coordinates(self) -> list[str]:
        """The coordinates that determine where a run begins: with loops, the first one that is driven."""
        single = single_coordinates(self.mechanism)
        if not self.mechanism.equation_count:
            return list(single)
        return [joint.name for joint in self.mechanism.joints if joint.actuated and joint.name in single][:1]

    def coordinate_inputs(self) -> list[PageInput]:
        """Inputs for the initial values of coordinates whose joints have a single one."""
        y, inputs = self.subject.start, []
        units = [unit for joint in self.mechanism.joints for unit in joint.kind.units]
        for name, (iq, iv) in single_coordinates(self.mechanism).items():
            reach = ANGLE_REACH if units[iq] == "rad" else LENGTH_REACH * max(1.0, abs(float(y[iq])))
            limits = self._bounds(name)
            lower, upper = max(y[iq] - reach, limits[0]), min(y[iq] + reach, limits[1])
            inputs.append(PageInput(name, COORDINATE, float(y[iq]), float(lower), float(upper), units[iq], (iq, iv)))
        return inputs

    def speed_inputs(self) -> list[PageInput]:
        y, nq, inputs = self.subject.start, self.mechanism.nq, []
        units = [unit for joint in self.mechanism.joints for unit in joint.kind.units]
        for name, (iq, iv) in single_coordinates(self.mechanism).items():
            value = float(y[nq + iv])
            reach = SPEED_REACH * max(1.0, abs(value))
            inputs.append(PageInput(name, SPEED, value, value - reach, value + reach, f"{units[iq]}/s", (iq, iv)))
        return inputs

    def gain_inputs(self) -> list[PageInput]:
        if self.law is None:
            return []
        inputs = []
        for name, value in self.law.gains.items():
            unit = GAINS[name]
            is_parameter_name = name in self.mechanism.parameters  # which has a slider of this name
            lower, upper = value / (4 * MAX_FACTOR), MAX_FACTOR * value
            inputs.append(PageInput(name, GAIN, value, lower, upper, unit, alias=f"{GAIN}.{name}" if is_parameter_name else ""))
        return inputs

    def unadjustable(self, names: Sequence[str]) -> dict[str, str]:
        """The parameters that cannot be inputs, each with the reason."""
        reasons = adjustable.unadjustable_parameters(self.mechanism, names)
        for name in names:
            if name not in reasons and (reason := self._python_dependence(name)):
                reasons[name] = reason
        return reasons

    def _python_dependence(self, name: str) -> str:
        """Why a parameter needs Python, which decides on something that depends on it; the text is empty if there is nothing."""
        # a number of a part becomes a parameter of its path's name, and so it is seen what follows it
        mechanism = self.mechanism
        if name not in mechanism.parameters:
            mechanism = with_value_at(mechanism, name, Expression("symbol", (), parameter_value(mechanism, name), name))
        follows = Following(mechanism, [name])
        dependents = [*follows.code(), *follows.modes(), *follows.jumps(self.subject.torque)]
        return f"{dependents[0]} depends on it, which needs Python" if dependents else ""


def _parameter_input(mechanism: Mechanism, name: str) -> PageInput:
    value = parameter_value(mechanism, name)
    if value == 0.0:
        ends = (-1.0, 1.0)
    else:
        ends = (min(value / MAX_FACTOR, value * MAX_FACTOR), max(value / MAX_FACTOR, value * MAX_FACTOR))
    lower, upper = (_furthest_valid(mechanism, name, value, end) for end in ends)
    return PageInput(name, PARAMETER, value, lower, upper, _path_unit(name))


def _furthest_valid(mechanism: Mechanism, name: str, value: float, end: float) -> float:
    """The value nearest to `end` with which the mechanism exists: beyond it an inertia may be impossible."""
    good, bad = value, end
    for k in range(HALVINGS):
        candidate = bad if k == 0 else 0.5 * (good + bad)
        try:
            mechanism.with_parameters({name: candidate})
        except LagrangianError:
            bad = candidate
        else:
            good = candidate
            if k == 0:
                break
    return good


def _path_unit(path: str) -> str:
    """The unit of a part's number by its path; the unit of a named parameter is not known."""
    return {"mass": "kg"}.get(path.rpartition(".")[2], "") if "." in path else ""


def _joint_limits(mechanism: Mechanism, coordinate: str) -> tuple[float, float]:
    joint = next((j for j in mechanism.joints if j.name == coordinate), None)
    if joint is None or joint.kind.nq != 1:
        return -math.inf, math.inf
    return float(joint.limits.lower), float(joint.limits.upper)
