"""A mechanism as a TOML description, which reads back to the same (`docs/reference/toml.md` describes the format)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

from lagrangian.description.mechanism_of import MechanismLike, mechanism_of
from lagrangian.description.toml import reader as toml
from lagrangian.description.toml import text
from lagrangian.description.toml import write_elements as of
from lagrangian.description.toml.event import entries as event_entries
from lagrangian.description.toml.write_scalars import Scalars
from lagrangian.errors import ArgumentError, LagrangianError, ReaderWarning, warn
from lagrangian.model.configuration import Partial
from lagrangian.model.expression import Expression, Scalar, parameters
from lagrangian.model.loop import Wall
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.spring import CoordinateSpring, GravityCompensation, PointSpring


def dumps(mechanism: MechanismLike) -> str:
    """A mechanism as a TOML text, which `loads` reads back to the same: numbers to the last bit, expressions with their names."""
    mechanism = mechanism_of(mechanism)
    try:
        written, left_out = _text(mechanism)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            toml.read_text(written)  # what Python allows to be called and given is more than what a file can hold
        written.encode()
    except RecursionError:
        raise ArgumentError(f"{mechanism.name}: it cannot be written because an expression is nested too deeply") from None
    except UnicodeEncodeError as error:
        raise ArgumentError(
            f"{mechanism.name}: it cannot be written because a text in it is not Unicode: {error.reason}"
        ) from None
    except LagrangianError as error:
        raise ArgumentError(f"it cannot be written as TOML: {error.without(toml.TEXT)}", where=mechanism.name) from None
    for problem in left_out:
        warn(f"{mechanism.name}: {problem}", ReaderWarning)
    return written


def _text(m: Mechanism) -> tuple[str, list[str]]:
    """The text, and what it does not say."""
    s = Scalars(m.parameters)
    walls = [x for x in m.springs if isinstance(x, Wall)]
    carried = [x for x in m.springs if isinstance(x, GravityCompensation)]
    springs = [x for x in m.springs if isinstance(x, (PointSpring, CoordinateSpring))]
    gravity = s.numbers(m.gravity)
    elements = [
        *_elements(s, "body", of.body, m.bodies),
        *_elements(s, "joint", of.joint, m.joints),
        *_elements(s, "loop", of.loop, m.loops),
        *_elements(s, "constraint", of.constraint, m.constraints),
        *_elements(s, "spring", of.spring, springs),
        *_elements(s, "gravity_compensation", of.compensation, carried),
        *_elements(s, "wall", of.wall, walls),
        *_elements(s, "frame", of.frame, m.frames),
        *_elements(s, "event", event_entries, m.events),
        *_motion(s, m),
    ]
    top = {"name": text.string(m.name)}
    top |= {k: text.string(x) for k, x in (("description", m.description), ("source", m.source)) if x}
    blocks = ["\n".join([*map(text.comment, m.notes), *text.lines(top | {"gravity": gravity})])]
    named = _parameters(s, m)
    if named:
        blocks.append("\n".join(["[parameters]", *text.lines(named)]))

    left_out = []
    if s.evaluated:
        left_out.append(f"{s.evaluated} expressions are too long for a file; their values are written instead")
    if tuple(m.springs) != (*springs, *carried, *walls):
        left_out.append("in TOML, springs come before gravity compensations and walls; their order changes")
    reached = [
        name for name, q in (("its start", m.initial.q), *m.poses.items()) if isinstance(q, Partial) and q.origin is not None
    ]
    if reached:
        left_out.append(
            f"{', '.join(reached)}: some coordinates follow from the mechanism before its parameters changed. From the file they "
            "are computed again, perhaps in another assembly; to keep them, write "
            "mechanism.replace(initial=Initial(q=assemble(mechanism))) instead"
        )
    return "\n\n".join([*blocks, *elements]) + "\n", left_out


def _elements(s: Scalars, kind: str, entries: Callable[[Scalars, Any], of.Entries], items: Iterable[Any]) -> list[str]:
    return ["\n".join([f"[[{kind}]]", *text.lines(entries(s, item))]) for item in items]


def _parameters(s: Scalars, m: Mechanism) -> of.Entries:
    """Numbers by their names, each before the expressions of it."""
    found: of.Entries = {}
    given: dict[str, Scalar] = dict(m.parameters)
    for declared in m.parameters.values():
        s.note(declared)
    given |= {name: value for name, value in s.used.items() if name not in given}
    for name, x in given.items():
        for leaf, value in parameters(x).items():
            if leaf not in found and leaf != name:
                found[leaf] = text.number(value)
        itself = isinstance(x, Expression) and x.operation == "symbol" and x.name == name
        found[name] = text.number(float(x)) if itself else s.number(x)
    return found


def _motion(s: Scalars, m: Mechanism) -> list[str]:
    """Named poses, and how a simulation starts."""
    blocks = []
    if m.poses:
        blocks.append(
            "\n".join(["[pose]", *text.lines({name: _values(s, q, m.coordinate_names) for name, q in m.poses.items()})])
        )
    start = {"q": (m.initial.q, m.coordinate_names), "qd": (m.initial.qd, m.speed_names), "t_span": (m.initial.t_span, ())}
    given = {k: _values(s, x, names) for k, (x, names) in start.items() if x is not None}
    if given:
        blocks.append("\n".join(["[initial]", *text.lines(given)]))
    if m.initial.torque:
        torques = {speed: s.number(x) for speed, x in m.initial.torque}
        blocks.append("\n".join(["[initial.torque]", *text.lines(torques)]))
    return blocks


def _values(s: Scalars, values: tuple[float, ...], names: tuple[str, ...]) -> str:
    """Numbers in order; or those that were given, by name."""
    if not isinstance(values, Partial):
        return s.numbers(values)
    return text.inline({name: s.number(x) for name, x in zip(names, values, strict=True) if name in values.given})
