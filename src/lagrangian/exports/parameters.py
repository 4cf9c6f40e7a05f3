"""Which numbers of a mechanism stay adjustable in exported code.

By default they are the named parameters from which all others follow; where a mechanism has none, as robot files have none, the
masses, centres of mass, inertias and friction of its parts, and gravity, by their paths. A number that is exactly zero is
structure: it is left out of the code, unless it is asked for by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.samples import Samples, values_over
from lagrangian.errors import ArgumentError, LagrangianError, MechanismError, one_of
from lagrangian.exports.fixed_places import fixed_places
from lagrangian.exports.traced_parameter import TracedParameter
from lagrangian.kernels.trace.node import NUMBERS, Graph
from lagrangian.model.expression import parameters as names_in
from lagrangian.model.expression.lanes import LaneValues
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parts import is_path, value_of

# bodies up to which the numbers of a mechanism without names stay adjustable by default
BODIES = 40


@dataclass(frozen=True)
class Parameter:
    """A number that a user of the code may change: its name or path in the mechanism, and its value there."""

    name: str
    value: float


def chosen(mechanism: Mechanism, given: Sequence[str] | None) -> tuple[tuple[Parameter, ...], tuple[str, ...]]:
    """The parameters that stay adjustable, as asked for or by default; and what is to be said of those that do not."""
    if given is not None:
        names = _asked(mechanism, given)
        _refuse(mechanism, names)
        return _parameters(mechanism, names), ()
    names = independent(mechanism) if mechanism.parameters else _paths(mechanism)
    written = fixed(mechanism, names)
    told = f"{', '.join(written)}: directions, profiles or exponents depend on them, so their values are fixed in the code."
    return _parameters(mechanism, [name for name in names if name not in written]), (told,) if written else ()


def of_formulas(mechanism: Mechanism, given: Sequence[str] | None) -> tuple[Parameter, ...]:
    """The parameters that stay names in formulas: those that are asked for, or all from which others follow."""
    known = independent(mechanism)
    names = known if given is None else _asked(mechanism, given)
    for name in names:
        if name in mechanism.parameters and name not in known:
            others = ", ".join(names_in(mechanism.parameters[name]))
            raise ArgumentError(f"{name!r} follows from other parameters", argument="parameters", remedy=f"name {others} instead")
    return _parameters(mechanism, names)


def traced(mechanism: Mechanism, parameters: Iterable[Parameter], graph: Graph) -> tuple[Mechanism, LaneValues]:
    """How numbers of a mechanism follow from parameters that are inputs of a graph; and the mechanism whose numbers they are."""
    inputs = {p.name: TracedParameter(p.value, graph.input(NUMBERS, k)) for k, p in enumerate(parameters)}
    return values_over(mechanism, inputs)


def _asked(mechanism: Mechanism, given: Sequence[str]) -> list[str]:
    if isinstance(given, str) or not all(isinstance(name, str) for name in given):
        raise ArgumentError("a list of names is needed, such as ['l1', 'link2.mass']", where="parameters")
    for name in given:
        if name not in mechanism.parameters and not is_path(mechanism, name):
            raise ArgumentError(one_of("parameter", name, [*mechanism.parameters, *_paths(mechanism)]), where="parameters")
    return list(dict.fromkeys(given))


def _refuse(mechanism: Mechanism, names: list[str]) -> None:
    """What is asked for and cannot be adjustable is refused with its reason."""
    for name, why in fixed(mechanism, names).items():
        raise ArgumentError(f"{name!r} cannot stay adjustable: {why}", where="parameters")


def fixed(mechanism: Mechanism, names: Sequence[str]) -> dict[str, str]:
    """Those that cannot stay adjustable, each with the reason."""
    found: dict[str, str] = {}
    for name in [] if _adjustable(mechanism, list(names)) else names:
        try:
            _built(mechanism, [name])
        except LagrangianError as error:
            found[name] = str(error)
    return found


def _adjustable(mechanism: Mechanism, names: list[str]) -> bool:
    try:
        _built(mechanism, names)
    except LagrangianError:
        return False
    return True


def _built(mechanism: Mechanism, names: list[str]) -> None:
    described, values = traced(mechanism, _parameters(mechanism, names), Graph())
    for name, why in fixed_places(described).items():
        if name in names:
            raise MechanismError(why)
    for joint, before in zip(described.joints, mechanism.joints, strict=True):
        if joint.rubbing_plane != before.rubbing_plane:
            told = "its dry friction acts in a plane, with one number for all directions"
            raise MechanismError(told, where=f"joint {joint.name!r}")
    trees.build(described, read=Samples(values, 1))


def _parameters(mechanism: Mechanism, names: Iterable[str]) -> tuple[Parameter, ...]:
    return tuple(Parameter(name, value_of(mechanism, name)) for name in names)


def independent(mechanism: Mechanism) -> list[str]:
    """The parameters that follow from no others."""
    return [name for name, x in mechanism.parameters.items() if set(names_in(x)) <= {name}]


def _paths(mechanism: Mechanism) -> list[str]:
    """The inertias and the friction of the parts, and gravity, where they are not zero."""
    if len(mechanism.bodies) > BODIES:
        return []
    found = []
    for body in mechanism.bodies:
        found += [f"{body.name}.mass", *(f"{body.name}.center.{c}" for c in "xyz")]
        found += [f"{body.name}.inertia.{c}" for c in ("xx", "xy", "xz", "yy", "yz", "zz")]
    for joint in mechanism.joints:
        if joint.kind.nv:
            dry = () if joint.rubbing_plane else ("coulomb", "coulomb_negative")
            found += [f"{joint.name}.friction.{c}" for c in ("viscous", *dry)]
    found += [f"gravity.{c}" for c in "xyz"]
    return [name for name in found if value_of(mechanism, name) != 0.0]
