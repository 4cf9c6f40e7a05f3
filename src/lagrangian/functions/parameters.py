"""Which numbers of a mechanism stay adjustable in exported code.

By default they are the named parameters that follow from no others. A robot file has none; then they are the masses, centres of
mass, inertias and friction of its parts, and gravity, by their paths. A number that is exactly zero belongs to the structure: the
code does not contain it, unless it is asked for by name.

Some numbers are always part of the code, so that no parameter in them can stay adjustable: the directions of axes, the profiles
of cams and whole-number exponents (see `algorithms.structure`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.samples import SampleReader, evaluator_over
from lagrangian.algorithms.structure import AXIS_NAMES, structural_exponent
from lagrangian.errors import ArgumentError, LagrangianError, MechanismError, unknown_name_message
from lagrangian.functions.traced_parameter import TracedParameter
from lagrangian.kernels.trace.node import NUMBERS, Graph
from lagrangian.model.expression import Expression
from lagrangian.model.expression import parameters as names_in
from lagrangian.model.expression.automatic_derivatives import SampleEvaluator
from lagrangian.model.expression.scalar import walk
from lagrangian.model.joints.cam import Cam
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parameters import is_path, parameter_value
from lagrangian.model.type_entries import TypedElement

# a mechanism without named parameters has adjustable numbers by default if it has no more bodies
MAX_BODIES = 40


@dataclass(frozen=True)
class Parameter:
    """A number that a user of the code can change: its name or path in the mechanism, and its value there."""

    name: str
    value: float


def select_parameters(mechanism: Mechanism, requested: Sequence[str] | None) -> tuple[tuple[Parameter, ...], tuple[str, ...]]:
    """Return the parameters that stay adjustable, those requested or the default ones, and notes about those that do not."""
    if requested is not None:
        names = _as_parameter_names(mechanism, requested)
        _refuse_unadjustable(mechanism, names)
        return _parameters(mechanism, names), ()
    names = independent_parameters(mechanism) if mechanism.parameters else _default_paths(mechanism)
    fixed_names = unadjustable_parameters(mechanism, names)
    adjustable = _parameters(mechanism, [name for name in names if name not in fixed_names])
    if not fixed_names:
        return adjustable, ()
    note = f"{', '.join(fixed_names)}: directions, profiles or exponents depend on them, so their values are fixed in the code."
    return adjustable, (note,)


def select_formula_parameters(mechanism: Mechanism, requested: Sequence[str] | None) -> tuple[Parameter, ...]:
    """Return the parameters that stay names in formulas: those requested, or all that follow from no others."""
    independent_names = independent_parameters(mechanism)
    names = independent_names if requested is None else _as_parameter_names(mechanism, requested)
    for name in names:
        if name in mechanism.parameters and name not in independent_names:
            sources = ", ".join(names_in(mechanism.parameters[name]))
            raise ArgumentError(
                f"{name!r} follows from other parameters", argument="parameters", remedy=f"name {sources} instead"
            )
    return _parameters(mechanism, names)


def trace_parameters(mechanism: Mechanism, parameters: Iterable[Parameter], graph: Graph) -> tuple[Mechanism, SampleEvaluator]:
    """Return a mechanism over parameters that are inputs of a graph, and how its numbers follow from them."""
    inputs = {p.name: TracedParameter(p.value, graph.input(NUMBERS, k)) for k, p in enumerate(parameters)}
    return evaluator_over(mechanism, inputs)


def independent_parameters(mechanism: Mechanism) -> list[str]:
    """Return the names of the parameters that follow from no others."""
    return [name for name, x in mechanism.parameters.items() if set(names_in(x)) <= {name}]


def _as_parameter_names(mechanism: Mechanism, names: Sequence[str]) -> list[str]:
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise ArgumentError("a list of names is needed, such as ['l1', 'link2.mass']", where="parameters")
    for name in names:
        if name not in mechanism.parameters and not is_path(mechanism, name):
            raise ArgumentError(
                unknown_name_message("parameter", name, [*mechanism.parameters, *_default_paths(mechanism)]), where="parameters"
            )
    return list(dict.fromkeys(names))


def _refuse_unadjustable(mechanism: Mechanism, names: list[str]) -> None:
    """Refuse requested parameters that cannot stay adjustable, with the reason."""
    for name, reason in unadjustable_parameters(mechanism, names).items():
        raise ArgumentError(f"{name!r} cannot stay adjustable: {reason}", where="parameters")


def unadjustable_parameters(mechanism: Mechanism, names: Sequence[str]) -> dict[str, str]:
    """Return the parameters that cannot stay adjustable, each with the reason."""
    reasons: dict[str, str] = {}
    for name in [] if _are_adjustable(mechanism, list(names)) else names:
        try:
            _check_adjustable(mechanism, [name])
        except LagrangianError as error:
            reasons[name] = str(error)
    return reasons


def _are_adjustable(mechanism: Mechanism, names: list[str]) -> bool:
    try:
        _check_adjustable(mechanism, names)
    except LagrangianError:
        return False
    return True


def _check_adjustable(mechanism: Mechanism, names: list[str]) -> None:
    mechanism_over_inputs, values = trace_parameters(mechanism, _parameters(mechanism, names), Graph())
    for name, reason in fixed_parameters(mechanism_over_inputs).items():
        if name in names:
            raise MechanismError(reason)
    for joint, original in zip(mechanism_over_inputs.joints, mechanism.joints, strict=True):
        if joint.friction_plane != original.friction_plane:
            message = "its dry friction acts in a plane, with one number for all directions"
            raise MechanismError(message, where=f"joint {joint.name!r}")
    trees.build_tree(mechanism_over_inputs, reader=SampleReader(values, 1))


def _parameters(mechanism: Mechanism, names: Iterable[str]) -> tuple[Parameter, ...]:
    return tuple(Parameter(name, parameter_value(mechanism, name)) for name in names)


def _default_paths(mechanism: Mechanism) -> list[str]:
    """Return the paths of the inertias and the friction of the parts, and of gravity, that are not zero."""
    if len(mechanism.bodies) > MAX_BODIES:
        return []
    paths = []
    for body in mechanism.bodies:
        paths += [f"{body.name}.mass", *(f"{body.name}.center.{c}" for c in "xyz")]
        paths += [f"{body.name}.inertia.{c}" for c in ("xx", "xy", "xz", "yy", "yz", "zz")]
    for joint in mechanism.joints:
        if joint.kind.nv:
            dry = () if joint.friction_plane else ("coulomb", "coulomb_negative")
            paths += [f"{joint.name}.friction.{c}" for c in ("viscous", *dry)]
    paths += [f"gravity.{c}" for c in "xyz"]
    return [name for name in paths if parameter_value(mechanism, name) != 0.0]


def fixed_parameters(mechanism: Mechanism) -> dict[str, str]:
    """Return the parameters, and paths, whose values are part of the code, each with the reason."""
    reasons: dict[str, str] = {}
    # parameters that follow from others have names, too
    names_of_parameters = {id(x): name for name, x in mechanism.parameters.items()}

    def note(x: Any, where: str) -> None:
        for node in walk(x) if isinstance(x, Expression) else ():
            if id(node) in names_of_parameters or (node.operation == "symbol" and node.value is not None):
                reasons.setdefault(names_of_parameters.get(id(node), node.name), where)

    parts = (*mechanism.joints, *mechanism.loops, *mechanism.constraints, *mechanism.springs)
    for part in parts:
        for x in _directions(part):
            note(x, f"a direction of {part.name!r} depends on it")
    for joint in mechanism.joints:
        for step in joint.kind.steps(joint):
            if isinstance(step.kind, Cam):
                note(step.kind.profile, f"the profile of joint {joint.name!r} depends on it")
        for x in (joint.friction.coulomb, joint.friction.coulomb_negative) if joint.kind.plane else ():
            if not float(x or 0):  # whether there is any decides whether it acts along two speeds together
                note(x, f"the dry friction of joint {joint.name!r} depends on it, and is zero")
    for x in _scalars((parts, mechanism.initial.torque)):
        for node in walk(x):
            if node.operation == "^" and structural_exponent(node.arguments[1]) is not None:
                note(node.arguments[1], "it is an exponent, and a power is written as products")
    return reasons


def _directions(part: Any) -> Iterator[Any]:
    entries = [(field.name, getattr(part, field.name)) for field in fields(part)]
    entries += list(part.type_entries) if isinstance(part, TypedElement) else []
    for name, value in entries:
        if name in AXIS_NAMES and isinstance(value, tuple):
            yield from value


def _scalars(x: Any) -> Iterator[Expression]:
    """Yield all expressions in a part of a description."""
    if isinstance(x, Expression):
        yield x
    elif isinstance(x, tuple):
        for y in x:
            yield from _scalars(y)
    elif is_dataclass(x) and not isinstance(x, type):
        for field in fields(x):
            yield from _scalars(getattr(x, field.name))
