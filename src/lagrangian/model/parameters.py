"""The named parameters of a mechanism, and the same mechanism with other numbers.

An expression remembers the names that it was written with, so that a new value of a parameter is carried through everything that
follows from it: masses, lengths, limits, poses, initial states, torques, and what is drawn. Whatever is rebuilt is checked again.

Numbers without a name, such as those of a robot file, are found by their paths: `link3.mass`, `link3.center.x`,
`elbow.friction.viscous`, `gravity.z`. A path begins with the name of a body, joint, loop, constraint, spring or frame, or with
`gravity`; it goes on with the attributes that the Python class of that part has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from lagrangian.errors import DescriptionError, MechanismError, error_location, format_value, is_number, unknown_name_message
from lagrangian.model.event import Event, SwitchCondition
from lagrangian.model.expression import Expression, Scalar, call, parameter, parameters
from lagrangian.model.expression.scalar import NumberWithSource
from lagrangian.model.initial_state import PartialState, StateOrigin
from lagrangian.model.type_entries import TypedElement

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism


PART_KINDS = ("bodies", "joints", "loops", "constraints", "springs", "frames")
VECTOR_COMPONENTS, SYMMETRIC_COMPONENTS = ("x", "y", "z"), ("xx", "xy", "xz", "yy", "yz", "zz")
_PATH_REMEDY = "name the number of a part by its path, such as link1.mass, joint1.placement.position.x or spring1.stiffness"


class Parameters(dict[str, Expression]):
    """Parameters by name. It prints their values: `l1 = 0.5`, and `I1 = m1*l1^2/12 = 0.04` where one follows from others."""

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Parameters:
        """Return the parameters; a number becomes a parameter with its name."""
        return cls({name: x if isinstance(x, Expression) else parameter(name, x) for name, x in values.items()})

    def __str__(self) -> str:
        return "\n".join(_format_parameter(name, value) for name, value in self.items()) or "no parameters"

    __repr__ = __str__  # what a prompt shows


def check_unchanged(parameters: Mapping[str, Any], new_values: Mapping[str, Any]) -> None:
    """Refuse new values of parameters that are in use: bodies and joints already hold their values."""
    for name, value in new_values.items():
        if name not in parameters or float(value) == float(parameters[name]):
            continue
        current_text, new_text = f"{float(parameters[name]):g}", f"{float(value):g}"
        raise MechanismError(
            f"{name!r} is {current_text} in the bodies and joints already; replacing the parameter by {new_text} would not "
            f"change them",
            where="parameters",
            remedy=f"use mechanism.with_parameters({name}={new_text})",
        )


def with_parameters(mechanism: Mechanism, values: Mapping[str, Any]) -> Mechanism:
    """Return the mechanism with new values of parameters, by name, and of numbers of its parts, by their paths."""
    named_values: dict[str, float] = {}
    for name, value in values.items():
        if name not in mechanism.parameters:
            if not is_path(mechanism, name):
                raise MechanismError(
                    unknown_name_message("parameter", name, mechanism.parameters), where="parameters", remedy=_PATH_REMEDY
                )
            continue
        if not is_number(value):
            raise MechanismError(
                f"is {format_value(value)}", where="parameters", argument=name, remedy="a finite number is needed"
            )
        named_values[name] = float(value)
    revised = _with_named_values(mechanism, named_values) if named_values else mechanism
    for path in (name for name in values if name not in named_values):
        revised = with_value_at(revised, path, values[path])
    return mechanism if revised is mechanism else with_origin(revised, mechanism, values)


def with_origin(mechanism: Mechanism, nominal: Mechanism, values: Mapping[str, float]) -> Mechanism:
    """Return the mechanism with its initial state and poses in the assembly of the nominal mechanism, from which it was made.

    Coordinates that they leave open are reached from the nominal ones. An initial state in numbers suits the nominal lengths
    alone, so that all of its coordinates are reached from there; one in parameters follows them, and stays as it is.
    """
    if not mechanism.equation_count:
        return mechanism
    q = mechanism.initial.q
    if q is None or not (isinstance(q, PartialState) or any(isinstance(x, NumberWithSource) and parameters(x.source) for x in q)):
        q = PartialState(mechanism.neutral() if q is None else q)
    poses = {name: _with_state_origin(pose, StateOrigin(nominal, name, values)) for name, pose in mechanism.poses.items()}
    initial = replace(mechanism.initial, q=_with_state_origin(q, StateOrigin(nominal, None, values)), revised=True)
    return replace(mechanism, initial=initial, poses=poses)


def substitute_parameters(mechanism: Mechanism, values: Mapping[str, Any], x: Any) -> Any:
    """Return an argument of a run, such as torques or events, with other values of the parameters in its expressions.

    A text is read with the current values; an expression has those that it was made with, and needs this.
    """
    numeric_values = {name: float(x) for name, x in values.items() if name in mechanism.parameters and is_number(x)}
    new_values = {name: value for name, value in numeric_values.items() if value != mechanism.parameters[name].value}
    return _substitute(Revision(mechanism, new_values), x) if new_values else x


class Revision:
    """The parts of a mechanism with other values of some parameters; what does not depend on them stays the same object."""

    def __init__(self, mechanism: Mechanism, values: Mapping[str, float]) -> None:
        self.symbols = {name: parameter(name, value) for name, value in values.items()}
        # an expression that a parameter stands for is recognised as the same object
        self._revised_by_id: dict[int, tuple[Expression, Scalar]] = {}
        self._names = {id(mechanism.parameters[name]): name for name in values}

    def revise_parameter(self, name: str, expression: Expression) -> Expression:
        """Return one of the mechanism's parameters with the new values."""
        revised = self.symbols.get(name) or self.revise_scalar(expression)
        return revised if isinstance(revised, Expression) else parameter(name, revised)

    def revise_scalar(self, x: Scalar) -> Scalar:
        if not isinstance(x, Expression):
            return x
        entry = self._revised_by_id.get(id(x))
        if entry is None:
            entry = self._revised_by_id[id(x)] = (x, self._evaluate(x))  # which keeps x, so that no other object has its id
        return entry[1]

    def _evaluate(self, x: Expression) -> Scalar:
        name = self._names.get(id(x), x.name if x.operation == "symbol" and x.value is not None else "")
        if name in self.symbols:
            return self.symbols[name]
        arguments = [self.revise_scalar(a) for a in x.arguments]
        is_unchanged = all(a is b for a, b in zip(arguments, x.arguments, strict=True))
        return x if is_unchanged else call(x.operation, *arguments)

    def revise(self, x: Any) -> Any:
        """Return a part of a mechanism with the new values: a scalar, something that holds scalars, or something without any."""
        if isinstance(x, Expression):
            return self.revise_scalar(x)
        if isinstance(x, NumberWithSource):
            scalar = self.revise_scalar(x.source)
            return x if scalar is x.source else NumberWithSource.from_scalar(scalar)
        if isinstance(x, (tuple, list)):
            items = [self.revise(item) for item in x]
            if _all_identical(items, x):
                return x
            return PartialState(items, x.given_names, x.origin) if isinstance(x, PartialState) else type(x)(items)
        if isinstance(x, Mapping):
            values = [self.revise(item) for item in x.values()]
            return x if _all_identical(values, x.values()) else dict(zip(x, values, strict=True))
        if is_dataclass(x) and not isinstance(x, type):
            changes = {f.name: self.revise(getattr(x, f.name)) for f in fields(x)}
            changes = {name: new for name, new in changes.items() if new is not getattr(x, name)}
            return replace(x, **changes) if changes else x
        return x


def parameter_value(mechanism: Mechanism, name: str) -> float:
    """Return the value of a parameter, or the number at a path."""
    return float(mechanism.parameters[name] if name in mechanism.parameters else scalar_at(mechanism, name))


def scalar_at(mechanism: Mechanism, path: str) -> Scalar:
    """Return the number at a path; anything else is refused."""
    value = value_at(mechanism, path)
    if not isinstance(value, (int, float, Expression)):
        raise MechanismError(f"{path} is {format_value(value)}", remedy="a path to one number is needed")
    return value


def value_at(mechanism: Mechanism, path: str) -> Any:
    """Return the number, vector or other value at a path."""
    values: list[Any] = []

    def record_value(old: Any) -> Any:
        values.append(old)
        return old

    _replace_at_path(mechanism, path, record_value)
    return values[0]


def with_value_at(mechanism: Mechanism, path: str, value: Any) -> Mechanism:
    """Return the mechanism with another number, or vector, at a path."""
    with error_location("parameters", path):
        return _replace_at_path(mechanism, path, lambda old: _convert_like(old, value))


def is_path(mechanism: Mechanism, path: str) -> bool:
    """Whether a text begins with the name of a part, or with `gravity`."""
    return isinstance(path, str) and (path.partition(".")[0] == "gravity" or bool(_matching_parts(mechanism, path)))


def _format_parameter(name: str, parameter: Any) -> str:
    value, formula = f"{float(parameter):.6g}", str(parameter)
    return f"{name} = {value}" if formula in (name, value) else f"{name} = {formula} = {value}"


def _with_named_values(mechanism: Mechanism, values: Mapping[str, float]) -> Mechanism:
    new_values = {name: x for name, x in values.items() if x != mechanism.parameters[name].value}
    if not new_values:
        return mechanism
    revision = Revision(mechanism, new_values)
    field_names = [f.name for f in fields(mechanism) if f.name not in ("parameters", "poses", "initial")]
    parts = {name: revision.revise(getattr(mechanism, name)) for name in field_names}
    parts["initial"] = _revise_initial_state(revision, mechanism, new_values)
    parts["poses"], left_out = _revise_poses(revision, mechanism.poses)
    parts["notes"] = (*mechanism.notes, *left_out)
    parameters = {name: revision.revise_parameter(name, x) for name, x in mechanism.parameters.items()}
    return replace(mechanism, parameters=parameters, **parts)


def _revise_initial_state(revision: Revision, mechanism: Mechanism, new_values: Mapping[str, float]) -> Any:
    """Return the initial state with the new values. It cannot be computed where lengths do not fit together, as a rule."""
    try:
        return revision.revise(mechanism.initial)
    except DescriptionError as error:
        values = ", ".join(f"{name} = {x:.6g}" for name, x in new_values.items())
        problem = "the loops cannot close where [initial] begins" if mechanism.equation_count else "[initial] has no value"
        remedy = "choose other values of the parameters"
        raise DescriptionError(f"with {values} {problem}: {error}", where=mechanism.name, remedy=remedy) from None


def _revise_poses(revision: Revision, poses: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the poses with the new values, and notes about those that cannot be computed; nothing else needs them."""
    revised_poses, notes = {}, []
    for name, pose in poses.items():
        try:
            revised_poses[name] = revision.revise(pose)
        except DescriptionError as error:
            notes.append(f"pose {name!r} is left out, because it cannot be computed with the new parameters: {error}")
    return revised_poses, notes


def _with_state_origin(row: tuple[float, ...], origin: StateOrigin) -> tuple[float, ...]:
    """Return coordinates with the state that they are reached from; an earlier origin stays, with the values that are new."""
    if not isinstance(row, PartialState):
        return row
    earlier = row.origin
    combined = origin if earlier is None else replace(earlier, values={**earlier.values, **origin.values})
    return PartialState(row, row.given_names, combined)


def _substitute(revision: Revision, x: Any) -> Any:
    if isinstance(x, Expression):
        return revision.revise_scalar(x)
    if isinstance(x, Mapping):
        return {name: _substitute(revision, item) for name, item in x.items()}
    if isinstance(x, (Event, SwitchCondition)):
        return revision.revise(x)
    return type(x)(_substitute(revision, item) for item in x) if type(x) in (tuple, list) else x


def _all_identical(a: Iterable[Any], b: Iterable[Any]) -> bool:
    return all(x is y for x, y in zip(a, b, strict=True))


def _convert_like(old: Any, value: Any) -> Any:
    """Return a new value, which must be of the kind of the old one."""
    if isinstance(old, (int, float, Expression)) or old is None:
        if isinstance(value, (str, bool)) or not (isinstance(value, Expression) or hasattr(value, "__float__")):
            raise MechanismError(f"is {format_value(value)}", remedy="a number is needed")
        return value if isinstance(value, Expression) else float(value)
    if isinstance(old, tuple) and hasattr(value, "__len__") and not isinstance(value, str):
        return tuple(value)
    if type(value) is type(old):
        return value
    inner = ", ".join(_entry_names(old)) if not isinstance(old, str) else ""
    raise MechanismError(
        f"is {format_value(value)}", remedy=f"name one of its entries: {inner}" if inner else "it is not a number"
    )


def _replace_at_path(mechanism: Mechanism, path: str, change: Callable[[Any], Any]) -> Mechanism:
    first, _, tail = path.partition(".")
    if first == "gravity" and not _matching_parts(mechanism, path):
        return replace(mechanism, gravity=_replace_scalar(mechanism.gravity, tail.split(".") if tail else [], change))
    owners = _matching_parts(mechanism, path)
    if not owners:
        names = [part.name for kind in PART_KINDS for part in getattr(mechanism, kind)]
        raise MechanismError(unknown_name_message("body, joint, loop, constraint, spring or frame", first, names))
    # a body and a joint may have the same name: the one that has such an entry is meant
    kind, k, tail = next((o for o in owners if o[2].split(".")[0] in _entry_names(_matched_part(mechanism, o))), owners[0])
    parts = list(getattr(mechanism, kind))
    parts[k] = _replace_scalar(parts[k], tail.split("."), change)
    replacements: dict[str, Any] = {kind: tuple(parts)}
    return replace(mechanism, **replacements)


def _matching_parts(mechanism: Mechanism, path: str) -> list[tuple[str, int, str]]:
    """Return the parts whose name a path may begin with, the longest first, and the rest of the path: names may have dots."""
    matches = []
    for kind in PART_KINDS:
        for k, part in enumerate(getattr(mechanism, kind)):
            if path.startswith(part.name + "."):
                matches.append((kind, k, path[len(part.name) + 1 :]))
    return sorted(matches, key=lambda owner: len(owner[2]))


def _matched_part(mechanism: Mechanism, owner: tuple[str, int, str]) -> Any:
    return getattr(mechanism, owner[0])[owner[1]]


def _replace_scalar(x: Any, path: list[str], change: Callable[[Any], Any]) -> Any:
    if not path:
        return change(x)
    name, tail = path[0], path[1:]
    entry_names = _entry_names(x)
    if name not in entry_names:
        raise MechanismError(
            unknown_name_message("entry", name, entry_names) if entry_names else f"has no entry {name!r}: it is a number"
        )
    if isinstance(x, tuple):
        k = list(entry_names).index(name)
        return (*x[:k], _replace_scalar(x[k], tail, change), *x[k + 1 :])
    if isinstance(x, TypedElement) and name in dict(x.type_entries):
        type_entries = tuple(
            (key, _replace_scalar(value, tail, change) if key == name else value) for key, value in x.type_entries
        )
        return replace(x, type_entries=type_entries)  # type: ignore[type-var]  # joints and loops are dataclasses
    return replace(x, **{name: _replace_scalar(getattr(x, name), tail, change)})


def _entry_names(x: Any) -> list[str]:
    """Return the words that a path may go on with."""
    if isinstance(x, tuple):
        return list(_component_names(x))
    names = [f.name for f in fields(x) if f.name not in ("name", "type_entries")] if is_dataclass(x) else []
    return names + ([key for key, _ in x.type_entries] if isinstance(x, TypedElement) else [])


def _component_names(x: tuple[Any, ...]) -> Sequence[str]:
    return {3: VECTOR_COMPONENTS, 6: SYMMETRIC_COMPONENTS}.get(len(x), [str(k) for k in range(len(x))])
