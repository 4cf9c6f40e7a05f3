"""The variables of an FMU: parameters, inputs, states, their derivatives and outputs, each with its value reference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lagrangian.exports.fmi import units
from lagrangian.exports.fmi.names import VariableNames
from lagrangian.exports.fmi.outputs import Needs, Output
from lagrangian.exports.parameters import Parameter
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.units import of_parameter, quantities

GROUPS = ("parameters", "inputs", "states", "derivatives", "outputs")
SETTINGS = {
    "largest_step": ("largest step that Co-Simulation makes within a communication step", "s"),
    "stabilisation": ("rate at which a solver's errors in the constraints fade in Model Exchange", "1/s"),
    "friction_speed": ("speed over which dry friction rises to its value; with 0 it jumps there", ""),
}
RATES = {"": "1/s", "rad": "rad/s", "m": "m/s", "rad/s": "rad/s2", "m/s": "m/s2"}


@dataclass(frozen=True)
class Variable:
    """A number of the FMU. `start` is None where the FMU computes it from `needs`, which are groups of other variables."""

    name: str
    about: str
    unit: str = ""
    start: float | None = None
    needs: frozenset[str] = frozenset()


@dataclass
class Variables:
    """All variables. Their value references are their places: the time is 0, and the groups follow one after the other."""

    coordinates: int  # how many of the states are coordinates; the others are speeds
    parameters: list[Variable] = field(default_factory=list)  # the mechanism's, and then the settings
    settings: dict[str, int] = field(default_factory=dict)  # the value references of these
    inputs: list[Variable] = field(default_factory=list)
    driven: list[int] = field(default_factory=list)  # the speed that each input acts on
    states: list[Variable] = field(default_factory=list)
    derivatives: list[Variable] = field(default_factory=list)
    outputs: list[Variable] = field(default_factory=list)
    changed: Mapping[str, str] = field(default_factory=dict)  # names that are spelled otherwise in the FMU
    time: Variable = field(default_factory=lambda: Variable("time", "time", "s"))

    @property
    def all(self) -> list[Variable]:
        return [self.time, *(x for group in GROUPS for x in getattr(self, group))]

    def first(self, group: str) -> int:
        """The value reference of the first variable of a group."""
        return 1 + sum(len(getattr(self, name)) for name in GROUPS[: GROUPS.index(group)])

    def references(self, needs: Iterable[str]) -> list[int]:
        """The value references of groups of variables."""
        inputs, states, derivatives = (self.first(group) for group in ("inputs", "states", "derivatives"))
        groups = {
            "t": range(1),
            "parameters": range(1, inputs),
            "inputs": range(inputs, states),
            "q": range(states, states + self.coordinates),
            "qd": range(states + self.coordinates, derivatives),
        }
        return sorted(place for name in needs for place in groups[name])


class Declaration:
    """Names the variables of a mechanism: what is named first keeps its name."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self._units = mechanism, quantities(mechanism)
        self._names, self._matrices = VariableNames(("time",)), dict[str, Variable]()

    def variables(
        self,
        start: Sequence[float],
        parameters: Sequence[Parameter],
        settings: Mapping[str, float],
        outputs: Sequence[Output],
        needs: Needs,
    ) -> Variables:
        mechanism = self.mechanism
        made = Variables(mechanism.nq)
        told = [(name, f"coordinate {name}") for name in mechanism.coordinate_names]
        told += [(f"qd_{name}", f"speed of {name}") for name in mechanism.speed_names]
        made.states = [self._named(name, about, start=x) for (name, about), x in zip(told, start, strict=True)]
        made.derivatives = [
            Variable(
                f"der({x.name})",
                f"rate of {x.about}",
                RATES.get(x.unit, ""),
                needs=needs.coordinate_rates if k < mechanism.nq else needs.accelerations,
            )
            for k, x in enumerate(made.states)
        ]
        self._inputs(made)
        made.parameters = [
            self._named(p.name, f"parameter {p.name}", of_parameter(mechanism, p.name), p.value) for p in parameters
        ]
        made.settings = {name: k for k, name in enumerate(settings, 1 + len(parameters))}
        made.parameters += [self._named(name, *SETTINGS[name], start=value) for name, value in settings.items()]
        made.outputs = [self._output(x) for x in outputs]
        made.changed = self._names.changed
        return made

    def _inputs(self, made: Variables) -> None:
        own, k = dict(self.mechanism.initial.torque), 0
        for joint in self.mechanism.joints:
            for name in joint.speed_names:
                if joint.actuated:
                    beside = ", beside the one that the description gives" if name in own else ""
                    made.inputs.append(self._named(f"tau_{name}", f"joint force along {name}{beside}", start=0.0))
                    made.driven.append(k)
                k += 1

    def _output(self, x: Output) -> Variable:
        if x.name not in self._matrices or not x.indices:
            self._matrices[x.name] = self._named(x.name, x.about)
        stem = self._matrices[x.name]
        return replace(stem, name=stem.name + x.indices, needs=x.needs)

    def _named(self, name: str, about: str, unit: str = "", start: float | None = None) -> Variable:
        return Variable(self._names.legal(name), about, units.spelled(unit or self._units.get(name, "")), start)
