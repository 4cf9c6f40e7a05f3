"""The same mechanism with other numbers: of its named parameters, of its parts, or with a payload in its gripper.

An expression remembers the names that it was written with, so that a new value of a parameter is carried through everything that
follows from it: masses, lengths, limits, poses, starts, torques, and what is drawn. Whatever is rebuilt is checked again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from lagrangian.errors import DescriptionError, MechanismError, is_number, one_of, shown
from lagrangian.model.configuration import Origin, Partial
from lagrangian.model.event import Event, Switch
from lagrangian.model.expression import Expression, Scalar, call, parameter, parameters
from lagrangian.model.expression.written import Written
from lagrangian.model.parts import is_path, with_number

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism


def with_parameters(mechanism: Mechanism, given: Mapping[str, Any]) -> Mechanism:
    """Parameters by their names, and numbers of parts by their paths, such as `link3.mass`."""
    named: dict[str, float] = {}
    for name, value in given.items():
        if name not in mechanism.parameters:
            if not is_path(mechanism, name):
                raise MechanismError(one_of("parameter", name, mechanism.parameters), where="parameters", remedy=_PATHS)
            continue
        if not is_number(value):
            raise MechanismError(f"is {shown(value)}", where="parameters", argument=name, remedy="a finite number is needed")
        named[name] = float(value)
    changed = _renamed(mechanism, named) if named else mechanism
    for path in (name for name in given if name not in named):
        changed = with_number(changed, path, given[path])
    return mechanism if changed is mechanism else with_origin(changed, mechanism, given)


_PATHS = "name the number of a part by its path, such as link1.mass, joint1.placement.position.x or spring1.stiffness"


def _renamed(mechanism: Mechanism, values: Mapping[str, float]) -> Mechanism:
    changed = {name: x for name, x in values.items() if x != mechanism.parameters[name].value}
    if not changed:
        return mechanism
    revision = Revision(mechanism, changed)
    others = [f.name for f in fields(mechanism) if f.name not in ("parameters", "poses", "initial")]
    parts = {name: revision.of(getattr(mechanism, name)) for name in others}
    parts["initial"] = _start(revision, mechanism, changed)
    parts["poses"], left_out = _possible(revision, mechanism.poses)
    parts["notes"] = (*mechanism.notes, *left_out)
    known = {name: revision.parameter(name, x) for name, x in mechanism.parameters.items()}
    return replace(mechanism, parameters=known, **parts)


def _start(revision: Revision, mechanism: Mechanism, changed: Mapping[str, float]) -> Any:
    """The start with these values. One that cannot be computed is that of lengths which do not fit together, as a rule."""
    try:
        return revision.of(mechanism.initial)
    except DescriptionError as error:
        values = ", ".join(f"{name} = {x:.6g}" for name, x in changed.items())
        what = "the loops cannot close where [initial] begins" if mechanism.equations else "[initial] has no value"
        remedy = "choose other values of the parameters"
        raise DescriptionError(f"with {values} {what}: {error}", where=mechanism.name, remedy=remedy) from None


def _possible(revision: Revision, poses: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The poses that there are with these values, and notes of the others.

    One whose expressions cannot be computed is none, and nothing else needs it.
    """
    found, left_out = {}, []
    for name, pose in poses.items():
        try:
            found[name] = revision.of(pose)
        except DescriptionError as error:
            left_out.append(f"pose {name!r} is left out, because it cannot be computed with the new parameters: {error}")
    return found, left_out


def with_origin(mechanism: Mechanism, nominal: Mechanism, values: Mapping[str, float]) -> Mechanism:
    """The same mechanism, whose start and poses are in the assembly of those of the mechanism that it was made from.

    What they do not give is reached from there. A start that is written in numbers was right for the lengths that its author
    had: it is all reached from there; one that is written with the parameters follows them, and stays as it is.
    """
    if not mechanism.equations:
        return mechanism
    q = mechanism.initial.q
    if q is None or not (isinstance(q, Partial) or any(isinstance(x, Written) and parameters(x.scalar) for x in q)):
        q = Partial(mechanism.neutral() if q is None else q)
    poses = {name: _reached(pose, Origin(nominal, name, values)) for name, pose in mechanism.poses.items()}
    initial = replace(mechanism.initial, q=_reached(q, Origin(nominal, None, values)), revised=True)
    return replace(mechanism, initial=initial, poses=poses)


def _reached(row: tuple[float, ...], origin: Origin) -> tuple[float, ...]:
    """A row of coordinates with where it is reached from; an earlier origin stays, with the values that are new since."""
    if not isinstance(row, Partial):
        return row
    first = row.origin
    found = origin if first is None else replace(first, values={**first.values, **origin.values})
    return Partial(row, row.given, found)


def followed(mechanism: Mechanism, values: Mapping[str, Any], x: Any) -> Any:
    """What is given for a run of a mechanism, with other values of its parameters: expressions, and what holds some.

    A text is read with the values that are current; an expression brings those along that it was made with.
    """
    named = {name: float(x) for name, x in values.items() if name in mechanism.parameters and is_number(x)}
    changed = {name: value for name, value in named.items() if value != mechanism.parameters[name].value}
    return _followed(Revision(mechanism, changed), x) if changed else x


def _followed(revision: Revision, x: Any) -> Any:
    if isinstance(x, Expression):
        return revision.scalar(x)
    if isinstance(x, Mapping):
        return {name: _followed(revision, item) for name, item in x.items()}
    if isinstance(x, (Event, Switch)):
        return revision.of(x)
    return type(x)(_followed(revision, item) for item in x) if type(x) in (tuple, list) else x


class Revision:
    """Everything of a mechanism, with other values of some parameters; what does not depend on them stays the same object."""

    def __init__(self, mechanism: Mechanism, values: Mapping[str, float]) -> None:
        self.symbols = {name: parameter(name, value) for name, value in values.items()}
        # a parameter that follows from others stands for its expression, which is known by being the same object
        self._known: dict[int, tuple[Expression, Scalar]] = {}
        self._names = {id(mechanism.parameters[name]): name for name in values}

    def parameter(self, name: str, given: Expression) -> Expression:
        """One of the mechanism's parameters."""
        found = self.symbols.get(name) or self.scalar(given)
        return found if isinstance(found, Expression) else parameter(name, found)

    def scalar(self, x: Scalar) -> Scalar:
        if not isinstance(x, Expression):
            return x
        found = self._known.get(id(x))
        if found is None:
            found = self._known[id(x)] = (x, self._computed(x))  # which keeps x, so that no other object has its id
        return found[1]

    def _computed(self, x: Expression) -> Scalar:
        name = self._names.get(id(x), x.name if x.operation == "symbol" and x.value is not None else "")
        if name in self.symbols:
            return self.symbols[name]
        arguments = [self.scalar(a) for a in x.arguments]
        same = all(a is b for a, b in zip(arguments, x.arguments, strict=True))
        return x if same else call(x.operation, *arguments)

    def of(self, x: Any) -> Any:
        """A part of a mechanism: a scalar, something that holds some, or what has none."""
        if isinstance(x, Expression):
            return self.scalar(x)
        if isinstance(x, Written):
            scalar = self.scalar(x.scalar)
            return x if scalar is x.scalar else Written.of(scalar)
        if isinstance(x, (tuple, list)):
            items = [self.of(item) for item in x]
            return x if _same(items, x) else Partial(items, x.given, x.origin) if isinstance(x, Partial) else type(x)(items)
        if isinstance(x, Mapping):
            values = [self.of(item) for item in x.values()]
            return x if _same(values, x.values()) else dict(zip(x, values, strict=True))
        if is_dataclass(x) and not isinstance(x, type):
            changes = {f.name: self.of(getattr(x, f.name)) for f in fields(x)}
            changes = {name: new for name, new in changes.items() if new is not getattr(x, name)}
            return replace(x, **changes) if changes else x
        return x


def _same(a: Iterable[Any], b: Iterable[Any]) -> bool:
    return all(x is y for x, y in zip(a, b, strict=True))
