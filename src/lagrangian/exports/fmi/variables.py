"""The variables of an FMU: parameters, inputs, states, their derivatives and outputs, each with its value reference.

Outputs beside the states are accelerations, multipliers, energies, poses of frames, or other functions of the state. Names are
identifiers with dots between them, as FMI's naming convention "structured" has them; units are spelled as in FMI.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from lagrangian.errors import ArgumentError
from lagrangian.exports.source.identifiers import IdentifierTable, transliterate
from lagrangian.functions.catalogue import FUNCTIONS, FunctionRequest, parse_request
from lagrangian.functions.mechanism_graph import MechanismGraph
from lagrangian.functions.parameters import Parameter
from lagrangian.functions.routine import Package, Routine, RoutineArgument, StraightLineCode
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.units import parameter_unit, quantity_units

GROUPS = ("parameters", "inputs", "states", "derivatives", "outputs")
DEFAULT_OUTPUTS = ("multipliers", "kinetic_energy", "potential_energy", "pose")
AVAILABLE_INPUTS = ("q", "qd", "qdd", "tau", "t", "multipliers")  # of functions: numbers that an FMU has
ALWAYS_EXPORTED = ("forward_dynamics", "coordinate_rates")  # what they give are outputs and derivatives of every FMU
SETTING_TEXTS = {
    "largest_step": ("largest step that Co-Simulation makes within a communication step", "s"),
    "stabilisation": ("rate at which a solver's errors in the constraints fade in Model Exchange", "1/s"),
    "friction_speed": ("speed over which dry friction rises to its value; with 0 it jumps there", ""),
}
RATES = {"": "1/s", "rad": "rad/s", "m": "m/s", "rad/s": "rad/s2", "m/s": "m/s2"}
BASE_UNITS = ("kg", "m", "s", "rad")  # whose exponents `UNITS` gives
UNITS: dict[str, tuple[int, int, int, int]] = {
    "s": (0, 0, 1, 0),
    "1/s": (0, 0, -1, 0),
    "rad": (0, 0, 0, 1),
    "rad/s": (0, 0, -1, 1),
    "rad/s2": (0, 0, -2, 1),
    "m": (0, 1, 0, 0),
    "m/s": (0, 1, -1, 0),
    "m/s2": (0, 1, -2, 0),
    "kg": (1, 0, 0, 0),
    "kg.m2": (1, 2, 0, 0),
    "N": (1, 1, -2, 0),
    "N.m": (1, 2, -2, 0),
    "N.s/m": (1, 0, -1, 0),
    "N.m.s/rad": (1, 2, -1, -1),
    "J": (1, 2, -2, 0),
}


@dataclass(frozen=True)
class FmuVariable:
    """A number of the FMU. `start` is None where the FMU computes it from `dependencies`, which are groups of other variables."""

    name: str
    about: str
    unit: str = ""
    start: float | None = None
    dependencies: frozenset[str] = frozenset()


@dataclass
class FmuVariables:
    """All variables. Their value references are their places: the time is 0, and the groups follow one after the other."""

    coordinates: int  # how many of the states are coordinates; the others are speeds
    parameters: list[FmuVariable] = field(default_factory=list)  # the mechanism's, and then the settings
    settings: dict[str, int] = field(default_factory=dict)  # the value references of these
    inputs: list[FmuVariable] = field(default_factory=list)
    input_speeds: list[int] = field(default_factory=list)  # the speed that each input acts on
    states: list[FmuVariable] = field(default_factory=list)
    derivatives: list[FmuVariable] = field(default_factory=list)
    outputs: list[FmuVariable] = field(default_factory=list)
    changed: Mapping[str, str] = field(default_factory=dict)  # names that are spelled otherwise in the FMU
    time: FmuVariable = field(default_factory=lambda: FmuVariable("time", "time", "s"))

    @property
    def all_variables(self) -> list[FmuVariable]:
        return [self.time, *(x for group in GROUPS for x in getattr(self, group))]

    def first_reference(self, group: str) -> int:
        """The value reference of the first variable of a group."""
        return 1 + sum(len(getattr(self, name)) for name in GROUPS[: GROUPS.index(group)])

    def references(self, groups_needed: Iterable[str]) -> list[int]:
        """The value references of groups of variables."""
        inputs, states, derivatives = (self.first_reference(group) for group in ("inputs", "states", "derivatives"))
        groups = {
            "t": range(1),
            "parameters": range(1, inputs),
            "inputs": range(inputs, states),
            "q": range(states, states + self.coordinates),
            "qd": range(states + self.coordinates, derivatives),
        }
        return sorted(place for name in groups_needed for place in groups[name])


class VariableDeclarer:
    """Names the variables of a mechanism: what is named first keeps its name."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self._units = mechanism, quantity_units(mechanism)
        self._names, self._matrices = FmuNameTable(("time",)), dict[str, FmuVariable]()

    def variables(
        self,
        start: Sequence[float],
        parameters: Sequence[Parameter],
        settings: Mapping[str, float],
        outputs: Sequence[FmuOutput],
        dependencies: OutputDependencies,
    ) -> FmuVariables:
        mechanism = self.mechanism
        declared = FmuVariables(mechanism.nq)
        names_and_texts = [(name, f"coordinate {name}") for name in mechanism.coordinate_names]
        names_and_texts += [(f"qd_{name}", f"speed of {name}") for name in mechanism.speed_names]
        declared.states = [self._declare(name, about, start=x) for (name, about), x in zip(names_and_texts, start, strict=True)]
        declared.derivatives = [
            FmuVariable(
                f"der({x.name})",
                f"rate of {x.about}",
                RATES.get(x.unit, ""),
                dependencies=dependencies.coordinate_rates if k < mechanism.nq else dependencies.accelerations,
            )
            for k, x in enumerate(declared.states)
        ]
        self._declare_inputs(declared)
        declared.parameters = [
            self._declare(p.name, f"parameter {p.name}", parameter_unit(mechanism, p.name), p.value) for p in parameters
        ]
        declared.settings = {name: k for k, name in enumerate(settings, 1 + len(parameters))}
        declared.parameters += [self._declare(name, *SETTING_TEXTS[name], start=value) for name, value in settings.items()]
        declared.outputs = [self._declare_output(x) for x in outputs]
        declared.changed = self._names.changed
        return declared

    def _declare_inputs(self, declared: FmuVariables) -> None:
        described_torques, k = dict(self.mechanism.initial.torque), 0
        for joint in self.mechanism.joints:
            for name in joint.speed_names:
                if joint.actuated:
                    beside = ", beside the one that the description gives" if name in described_torques else ""
                    declared.inputs.append(self._declare(f"tau_{name}", f"joint force along {name}{beside}", start=0.0))
                    declared.input_speeds.append(k)
                k += 1

    def _declare_output(self, x: FmuOutput) -> FmuVariable:
        if x.name not in self._matrices or not x.indices:
            self._matrices[x.name] = self._declare(x.name, x.about)
        stem = self._matrices[x.name]
        return replace(stem, name=stem.name + x.indices, dependencies=x.dependencies)

    def _declare(self, name: str, about: str, unit: str = "", start: float | None = None) -> FmuVariable:
        return FmuVariable(self._names.legal(name), about, fmi_unit(unit or self._units.get(name, "")), start)


def requested_outputs(
    model: MechanismGraph, functions: Sequence[str] | None, frames: Sequence[str] | None
) -> list[FunctionRequest]:
    """The functions whose values are outputs."""
    requests = [
        request
        for text in (DEFAULT_OUTPUTS if functions is None else functions)
        for request in parse_request(model, text, frames)
    ]
    for function, _ in requests:
        for input_name in function.inputs:
            if input_name not in AVAILABLE_INPUTS:
                raise ArgumentError(
                    f"{function.name} needs {input_name}, which is not a variable of an FMU", argument="functions"
                )
    if model.equation_count:  # before others, which may read them
        requests.insert(0, FunctionRequest(FUNCTIONS["multipliers"]))
    elif functions is None:
        requests = [request for request in requests if request.function.name != "multipliers"]
    distinct = {(function.name, frame): FunctionRequest(function, frame) for function, frame in requests}
    return [request for request in distinct.values() if request.function.name not in ALWAYS_EXPORTED]


def outputs(package: Package, requests: Sequence[FunctionRequest]) -> list[FmuOutput]:
    """The accelerations, and then the numbers of each function."""
    dependencies, routines = OutputDependencies(package), {x.name: x for x in package.routines}
    fmu_outputs = [
        FmuOutput(f"qdd_{name}", "", f"acceleration of {name}", "forward_dynamics", "qdd", k, dependencies.accelerations)
        for k, name in enumerate(package.speeds)
    ]
    for request in requests:
        routine = routines["_".join(filter(None, (request.function.name, request.frame)))]
        for x in routine.outputs:
            for name, indices, about, index in _entries(request, x, len(routine.outputs) > 1):
                fmu_outputs.append(FmuOutput(name, indices, about, routine.name, x.name, index, dependencies.of_routine(routine)))
    return fmu_outputs


@dataclass(frozen=True)
class FmuOutput:
    """One number of a routine: its place in an output, its name, and the groups of variables on which it depends.

    Numbers of a matrix have one name, and their own indices, such as `[1,2]`.
    """

    name: str
    indices: str
    about: str
    routine: str
    argument: str
    index: int
    dependencies: frozenset[str]


def _entries(request: FunctionRequest, x: RoutineArgument, several: bool) -> Iterator[tuple[str, str, str, int]]:
    """The name of each number of an output, its indices, what it is, and its place."""
    function, frame = request.function.name, request.frame
    if function == "pose":
        for k, axis in enumerate("xyz"):
            yield f"{frame}.{axis}", "", f"{axis} of the origin of {frame} in the world", 4 * k + 3
        for i, j in product(range(3), range(3)):
            yield f"{frame}.R", f"[{i + 1},{j + 1}]", f"rotation matrix of {frame} in the world", 4 * i + j
        return
    if function == "multipliers":
        for k, name in enumerate(x.entries):
            yield f"lambda_{name}", "", f"force of the constraint {name}", k
        return
    stem = f"{function}_{x.name}" if several else function
    about = f"{x.about}, of the frame {frame}" if frame else x.about
    stem = f"{frame}.{stem}" if frame else stem
    if x.shape == ():
        yield stem, "", about, 0
    elif x.entries:
        for k, entry in enumerate(x.entries):
            yield f"{stem}_{entry}", "", f"{about}: {entry}", k
    else:
        for k, place in enumerate(product(*(range(size) for size in x.shape))):
            yield stem, f"[{','.join(str(i + 1) for i in place)}]", about, k


class OutputDependencies:
    """The groups of variables on which routines depend, by the inputs that they read."""

    def __init__(self, package: Package) -> None:
        routines = {x.name: x for x in package.routines}
        forces = {"inputs", *_inputs_read(routines["torque"])} if "torque" in routines else {"inputs"}
        acceleration_inputs = forces | _inputs_read(routines["forward_dynamics"]) - {"tau"}
        self._groups_by_input = {"tau": forces, "qdd": acceleration_inputs, "multipliers": acceleration_inputs}
        self.accelerations = frozenset(acceleration_inputs)
        projection_inputs = _inputs_read(routines["project"]) if "project" in routines else set()
        self.coordinate_rates = frozenset({"q", "qd"} | projection_inputs)

    def of_routine(self, routine: Routine) -> frozenset[str]:
        return frozenset().union(*(self._groups_by_input.get(name, {name}) for name in _inputs_read(routine)))


def _inputs_read(routine: Routine) -> set[str]:
    """The inputs that a routine reads: straight-line code may leave some alone."""
    input_names = {x.name for x in routine.inputs}
    if isinstance(routine.body, StraightLineCode):
        return input_names & {node[1] for node in routine.body.trace.nodes if node[0] == "input"}
    return input_names


class FmuNameTable(IdentifierTable):
    """Names of variables: `tool.x` stays as it is, `hip.1` becomes `hip[1]`; other characters are spelled in letters."""

    def transliterate(self, name: str) -> str:
        fmi_name = ""
        for part in name.split("."):
            if fmi_name and part.isascii() and part.isdigit():
                fmi_name = f"{fmi_name[:-1]},{part}]" if fmi_name.endswith("]") else f"{fmi_name}[{part}]"
            else:
                fmi_name += f".{_identifier(part)}" if fmi_name else _identifier(part)
        return fmi_name

    def legal(self, name: str, prefix: str = "") -> str:
        identifier = super().legal(name, prefix)
        self._taken.add(self._key(identifier.partition("[")[0]))  # no matrix is called like something that has indices
        return identifier


def _identifier(part: str) -> str:
    plain = transliterate(part)
    return plain if plain and not plain[0].isdigit() else f"x{plain}"


def fmi_unit(unit: str) -> str:
    """The name in FMI of a unit such as "N m" or "m/s²"; "" if it has no exponents here."""
    name = unit.replace(" ", ".").replace("²", "2")
    return name if name in UNITS else ""
