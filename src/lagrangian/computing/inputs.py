"""The sliders of a page: which numbers of a run its readers may change, and how far."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lagrangian.computing.controllers import GAINS, Law
from lagrangian.computing.subject import Subject
from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.errors import Argument, ArgumentError, DescriptionError, LagrangianError, is_number, one_of, shown
from lagrangian.exports import parameters as adjustable
from lagrangian.model.expression import Expression
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parts import is_path, value_of, with_number
from lagrangian.motion.system.following import Following

PARAMETER, COORDINATE, SPEED, GAIN = "parameter", "q0", "qd0", "gain"
FACTOR = 2.0  # by which a number may be larger or smaller
ANGLE, LENGTH, RATE = math.pi / 2, 0.5, 2.0  # by which starts may differ: rad, m, and 1/s
MOST = 10  # sliders that are chosen by default
HALVINGS = 8  # in the search for the end of a range
STARTS = 3  # of them, for where it begins


@dataclass(frozen=True)
class Input:
    """A number that a reader may change between `least` and `most`; of a start, the places of its coordinate and speed."""

    name: str
    kind: str
    value: float
    least: float
    most: float
    unit: str = ""
    places: tuple[int, int] = (-1, -1)
    alias: str = ""

    @property
    def label(self) -> str:
        """How an author names it: a start is `q0.theta1`."""
        return self.alias or f"{self.kind}.{self.name}" if self.kind in (COORDINATE, SPEED) else self.name

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "label": self.label,
            "kind": self.kind,
            "value": self.value,
            "min": self.least,
            "max": self.most,
            "unit": self.unit,
            "angle": self.unit.startswith("rad") and self.kind != GAIN,
            "coordinate": self.places[0],
            "speed": self.places[1],
        }


def chosen(subject: Subject, law: Law | None, given: Iterable[Any] | None) -> tuple[Input, ...]:
    """The inputs that the author names, each with its range if that is given; or sensible ones."""
    known = Known(subject, law)
    if given is None:
        return known.usual()
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ArgumentError(f"is {shown(given)}", argument="sliders", remedy=_NEEDED)
    found: dict[str, Input] = {}
    for item in given:
        made = known.asked(item)
        found[made.label] = made
    return tuple(found.values())


_NEEDED = "a list of names is needed, such as ['l1', 'q0.theta1'], or of (name, least, most)"


class Known:
    """All that can be an input of a run."""

    def __init__(self, subject: Subject, law: Law | None) -> None:
        self.subject, self.mechanism, self.law = subject, subject.mechanism, law

    # -- what is asked for -------------------------------------------------------------------------------------------

    def asked(self, item: Any) -> Input:
        """One input, as an author names it."""
        name, *ends = (item,) if isinstance(item, str) else tuple(item) if isinstance(item, Sequence) else (item,)
        if not isinstance(name, str) or len(ends) not in (0, 2) or not all(is_number(x) for x in ends):
            raise ArgumentError(f"has {shown(item)}", argument="sliders", remedy=_NEEDED)
        found = self._named(name)
        if not ends:
            return found
        least, most = (float(x) for x in ends)
        if not least < most:
            needed = "the smallest value comes first, then the largest"
            raise ArgumentError(f"{name!r} is from {least:g} to {most:g}", where=Argument("sliders"), remedy=needed)
        if not least <= found.value <= most:
            told = f"{name!r} is {found.value:.6g} in this motion, which is not between {least:g} and {most:g}"
            raise ArgumentError(told, where=Argument("sliders"))
        self._check(found, name, least, most)
        return Input(found.name, found.kind, found.value, least, most, found.unit, found.places, found.alias)

    def _check(self, found: Input, name: str, least: float, most: float) -> None:
        """Whether there is such a mechanism, and such a start, at both ends of a range."""
        if found.kind == PARAMETER:
            for end in (least, most):
                try:
                    self.mechanism.with_parameters({found.name: end})
                except DescriptionError:
                    pass  # a start that cannot be computed: the page says so
                except LagrangianError as error:
                    raise ArgumentError(f"{name!r} cannot be {end:g}: {error}", where=Argument("sliders")) from None
        if found.kind == COORDINATE and (least < self._bounds(found.name)[0] or most > self._bounds(found.name)[1]):
            low, high = self._bounds(found.name)
            told = f"{name!r} has limits, from {low:.6g} to {high:.6g}, and a page cannot begin beyond them"
            raise ArgumentError(told, where=Argument("sliders"))

    def _bounds(self, coordinate: str) -> tuple[float, float]:
        """The limits of a coordinate, as far as the run keeps them: one that begins beyond them is free of them, and stays so."""
        limits = _limits(self.mechanism, coordinate) if self.subject.settings.limits else (-math.inf, math.inf)
        place = single_coordinates(self.mechanism)[coordinate][0]
        value = float(self.subject.start[place])
        if limits[0] <= value <= limits[1]:
            return limits
        return (limits[1], math.inf) if value > limits[1] else (-math.inf, limits[0])

    def _named(self, name: str) -> Input:
        kind, _, rest = name.partition(".")
        if kind in (COORDINATE, SPEED) and kind not in self.mechanism.body_index:
            starts = {x.name: x for x in (self.coordinates() if kind == COORDINATE else self.speeds())}
            if rest not in starts:
                raise ArgumentError(one_of("start", name, [x.label for x in starts.values()]), where=Argument("sliders"))
            return starts[rest]
        gains = {x.label: x for x in self.gains()}
        if name in gains:
            return gains[name]
        if name in self.mechanism.parameters or is_path(self.mechanism, name):
            why = self.fixed([name]).get(name)
            if why:
                raise ArgumentError(f"{name!r} cannot be a slider: {why}", where=Argument("sliders"))
            return _parameter(self.mechanism, name)
        known = [*self.mechanism.parameters, *gains, *(x.label for x in (*self.coordinates(), *self.speeds()))]
        raise ArgumentError(one_of("parameter, gain or start", name, known), where=Argument("sliders"))

    # -- what is usual -----------------------------------------------------------------------------------------------

    def usual(self) -> tuple[Input, ...]:
        """Gains, a few starts, and the parameters: of robot files, which have none, the masses."""
        names = adjustable.independent(self.mechanism) if self.mechanism.parameters else self._masses()
        names = [name for name in names if _parameter(self.mechanism, name).value != 0.0]
        fixed = self.fixed(names)
        parameters = [_parameter(self.mechanism, name) for name in names if name not in fixed]
        begins = [x for x in self.coordinates() if x.name in self._leading()][:STARTS]
        found = [*self.gains(), *begins]
        return (*found, *parameters[: MOST - len(found)])

    def _masses(self) -> list[str]:
        """Of the outermost bodies, which matter most."""
        return [f"{body.name}.mass" for body in reversed(self.mechanism.bodies) if float(body.mass)][:3]

    def _leading(self) -> list[str]:
        """The coordinates that say where a run begins: with loops, those that are driven."""
        single = single_coordinates(self.mechanism)
        if not self.mechanism.equations:
            return list(single)
        return [joint.name for joint in self.mechanism.joints if joint.actuated and joint.name in single][:1]

    def coordinates(self) -> list[Input]:
        """Of where it begins, those that stand for themselves."""
        y, found = self.subject.start, []
        units = [unit for joint in self.mechanism.joints for unit in joint.kind.units]
        for name, (iq, iv) in single_coordinates(self.mechanism).items():
            reach = ANGLE if units[iq] == "rad" else LENGTH * max(1.0, abs(float(y[iq])))
            limits = self._bounds(name)
            least, most = max(y[iq] - reach, limits[0]), min(y[iq] + reach, limits[1])
            found.append(Input(name, COORDINATE, float(y[iq]), float(least), float(most), units[iq], (iq, iv)))
        return found

    def speeds(self) -> list[Input]:
        y, nq, found = self.subject.start, self.mechanism.nq, []
        units = [unit for joint in self.mechanism.joints for unit in joint.kind.units]
        for name, (iq, iv) in single_coordinates(self.mechanism).items():
            value = float(y[nq + iv])
            reach = RATE * max(1.0, abs(value))
            found.append(Input(name, SPEED, value, value - reach, value + reach, f"{units[iq]}/s", (iq, iv)))
        return found

    def gains(self) -> list[Input]:
        if self.law is None:
            return []
        found = []
        for name, value in self.law.gains.items():
            unit = GAINS[name]
            taken = name in self.mechanism.parameters  # which has a slider of this name
            least, most = value / (4 * FACTOR), FACTOR * value
            found.append(Input(name, GAIN, value, least, most, unit, alias=f"{GAIN}.{name}" if taken else ""))
        return found

    def fixed(self, names: Sequence[str]) -> dict[str, str]:
        """Those of the parameters that cannot be inputs, each with the reason."""
        found = adjustable.fixed(self.mechanism, names)
        for name in names:
            if name not in found and (why := self._decides(name)):
                found[name] = why
        return found

    def _decides(self, name: str) -> str:
        """What follows a parameter that Python decides before or during a run, if anything does."""
        # a number of a part becomes a parameter of its path's name, and so it is seen what follows it
        mechanism = self.mechanism
        if name not in mechanism.parameters:
            mechanism = with_number(mechanism, name, Expression("symbol", (), value_of(mechanism, name), name))
        follows = Following(mechanism, [name])
        found = [*follows.code(), *follows.modes(), *follows.jumps(self.subject.torque)]
        return f"{found[0]} depends on it, which needs Python" if found else ""


def _parameter(mechanism: Mechanism, name: str) -> Input:
    value = value_of(mechanism, name)
    if value == 0.0:
        ends = (-1.0, 1.0)
    else:
        ends = (min(value / FACTOR, value * FACTOR), max(value / FACTOR, value * FACTOR))
    least, most = (_possible(mechanism, name, value, end) for end in ends)
    return Input(name, PARAMETER, value, least, most, _unit(name))


def _possible(mechanism: Mechanism, name: str, value: float, end: float) -> float:
    """The furthest value on the way to an end with which there is such a mechanism: an inertia may be impossible beyond."""
    good, bad = value, end
    for k in range(HALVINGS):
        tried = bad if k == 0 else 0.5 * (good + bad)
        try:
            mechanism.with_parameters({name: tried})
        except LagrangianError:
            bad = tried
        else:
            good = tried
            if k == 0:
                break
    return good


def _unit(path: str) -> str:
    """Of a number of a part; what a named parameter is measured in nobody says."""
    return {"mass": "kg"}.get(path.rpartition(".")[2], "") if "." in path else ""


def _limits(mechanism: Mechanism, coordinate: str) -> tuple[float, float]:
    joint = next((j for j in mechanism.joints if j.name == coordinate), None)
    if joint is None or joint.kind.nq != 1:
        return -math.inf, math.inf
    return float(joint.limits.lower), float(joint.limits.upper)
