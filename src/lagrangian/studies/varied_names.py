"""The names in `over`: parameters of the mechanism, initial coordinates and speeds, or constants of expressions."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from lagrangian.errors import (
    ArgumentError,
    ArgumentName,
    LagrangianError,
    MechanismWarning,
    format_value,
    unknown_name_message,
    warn,
)
from lagrangian.model.expression import Expression, parameter, parameters
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parameters import is_path
from lagrangian.motion.system.following import Following
from lagrangian.studies.distributions import VariedInput, as_varied_input

SPEED = "qd_"  # before the name of a speed, as in expressions


@dataclass(frozen=True)
class VariedNames:
    """The names in `over`, sorted by what they mean; `others` mean something to a Python function alone."""

    parameters: tuple[str, ...] = ()  # numbers of parts among them, such as link3.mass
    coordinates: tuple[str, ...] = ()
    speeds: tuple[str, ...] = ()  # with qd_ before them
    others: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()  # those of the parameters that only expressions of the run use


def as_varied_inputs(over: Any, mechanism: Mechanism | None) -> dict[str, VariedInput]:
    """Check the argument `over` and read every distribution."""
    if not isinstance(over, Mapping) or not over:
        needed = "a mapping of names to their values or distributions is needed, such as {'l1': grid(0.2, 0.4, 20)}"
        raise ArgumentError(f"is {format_value(over)}", argument="over", remedy=needed)
    for name in over:
        if not isinstance(name, str) or not name.strip():
            raise ArgumentError(f"has {format_value(name)} as a name; a text is needed", argument="over")
    parameters_by_name = mechanism.parameters if mechanism is not None else None
    return {name: as_varied_input(x, (ArgumentName("over"), repr(name)), parameters_by_name) for name, x in over.items()}


def classify_names(over: Mapping[str, VariedInput], mechanism: Mechanism | None, free: bool) -> VariedNames:
    """Sort names by what they mean. If names are `free`, as for a Python function, unknown names are allowed."""
    if mechanism is None:
        return VariedNames(others=tuple(over))
    starts = {f"{SPEED}{name}" for name in mechanism.speed_names}
    kinds: dict[str, list[str]] = {"parameters": [], "coordinates": [], "speeds": [], "others": []}
    for name in over:
        is_coordinate = name in mechanism.coordinate_names
        is_parameter = name in mechanism.parameters or (not is_coordinate and is_path(mechanism, name))
        if is_parameter and (is_coordinate or name in starts):
            raise ArgumentError(f"{name!r} is a parameter and a coordinate of {mechanism.name}; rename one", concerns="over")
        kind = "parameters" if is_parameter else "coordinates" if is_coordinate else "speeds" if name in starts else "others"
        if kind == "others" and not free:
            known_names = [*mechanism.parameters, *mechanism.coordinate_names, *sorted(starts)]
            raise ArgumentError(
                unknown_name_message("parameter, coordinate or speed", name, known_names), where=ArgumentName("over")
            )
        kinds[kind].append(name)
    return VariedNames(**{kind: tuple(names) for kind, names in kinds.items()})


def with_constants(mechanism: Mechanism, over: Mapping[str, VariedInput], run: Mapping[str, Any]) -> Mechanism:
    """The mechanism with further parameters: the names of `over` that only expressions of the run use, such as a gain."""
    known_names = {*mechanism.parameters, *mechanism.coordinate_names, *(f"{SPEED}{name}" for name in mechanism.speed_names)}
    identifiers = set(_identifiers(run))
    constants = {name: parameter(name, x.nominal) for name, x in over.items() if name not in known_names and name in identifiers}
    return mechanism.replace(parameters={**mechanism.parameters, **constants}) if constants else mechanism


def warn_of_unused(mechanism: Mechanism, kinds: VariedNames, run: Mapping[str, Any]) -> None:
    """Warn of parameters that change nothing, neither in the mechanism nor in the run's expressions."""
    identifiers = set(_identifiers(run))
    for name in kinds.parameters:
        if name not in mechanism.parameters or name in identifiers or Following(mechanism, [name]).depends(_expressions(run)):
            continue
        with contextlib.suppress(LagrangianError):  # of a value that cannot be: samples with such values fail
            nudged = mechanism.with_parameters({name: math.nextafter(float(mechanism.parameters[name]), math.inf)})
            if all(getattr(nudged, f.name) == getattr(mechanism, f.name) for f in fields(mechanism) if f.name != "parameters"):
                warn(f"{mechanism.name}: parameter {name!r} is used nowhere, so that varying it has no effect", MechanismWarning)


def _expressions(x: Any) -> list[Expression]:
    """All expressions in the settings of a run."""
    if isinstance(x, Expression):
        return [x]
    if isinstance(x, Mapping):
        x = list(x.values())
    if isinstance(x, (list, tuple)):
        return [expression for item in x for expression in _expressions(item)]
    return _expressions(x.when) if hasattr(x, "when") else []


def _identifiers(x: Any) -> list[str]:
    """The names in all expressions in the settings of a run, and in texts that may be expressions."""
    import re

    if isinstance(x, Expression):
        return list(parameters(x))
    if isinstance(x, str):
        return re.findall(r"[^\W\d]\w*", x)
    if isinstance(x, Mapping):
        return [word for value in x.values() for word in _identifiers(value)]
    if isinstance(x, (list, tuple)):
        return [word for value in x for word in _identifiers(value)]
    return _identifiers(x.when) if hasattr(x, "when") else []
