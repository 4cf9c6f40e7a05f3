"""Write a mechanism as a TOML description that reads back to the same (`docs/reference/toml.md` describes the format)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any

from lagrangian.description.mechanism_like import MechanismLike, as_mechanism
from lagrangian.description.toml import text
from lagrangian.description.toml.reader import UNNAMED_TEXT, read_text
from lagrangian.errors import ArgumentError, DescriptionError, LagrangianError, ReaderWarning, warn
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.constraint import (
    Constraint,
    HolonomicConstraint,
    KnifeEdgeConstraint,
    PfaffianConstraint,
    RollingConstraint,
)
from lagrangian.model.event import DEAD_CENTRE, Event, LockJoints, SetTorque, UnlockJoints
from lagrangian.model.expression import Expression, Scalar, exact_text, parameters, parse, walk
from lagrangian.model.frame import Frame
from lagrangian.model.initial_state import PartialState
from lagrangian.model.joint import Friction, Joint, JointLimits, JointSpring, Rotor
from lagrangian.model.loop import LoopJoint
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Transform
from lagrangian.model.shapes import Visual
from lagrangian.model.spring import CoordinateSpring, GravityCompensation, PointSpring, Wall
from lagrangian.model.type_entries import EntryKind

_MAX_DOTS = 50  # the reader refuses lines with more, which could be names of many parts
_AXES = {v.X: "x", v.Y: "y", v.Z: "z", v.neg(v.X): "-x", v.neg(v.Y): "-y", v.neg(v.Z): "-z"}
_QUARTERS = {0: 0, 1: "pi/2", 2: "pi", -1: "-pi/2", -2: "-pi"}
_ANGLE_TOLERANCE = 1e-9  # radians
Entries = dict[str, str]  # of a table, as TOML text


def to_toml(mechanism: MechanismLike) -> str:
    """A mechanism as a TOML text that `loads` reads back to the same: numbers are exact, and expressions keep their names."""
    mechanism = as_mechanism(mechanism)
    try:
        document, left_out = _write_text(mechanism)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read_text(document)  # Python allows names and values that a file cannot hold
        document.encode()
    except RecursionError:
        raise ArgumentError(f"{mechanism.name}: it cannot be written because an expression is nested too deeply") from None
    except UnicodeEncodeError as error:
        raise ArgumentError(
            f"{mechanism.name}: it cannot be written because a text in it is not Unicode: {error.reason}"
        ) from None
    except LagrangianError as error:
        raise ArgumentError(f"it cannot be written as TOML: {error.without_place(UNNAMED_TEXT)}", where=mechanism.name) from None
    for problem in left_out:
        warn(f"{mechanism.name}: {problem}", ReaderWarning)
    return document


def _write_text(mechanism: Mechanism) -> tuple[str, list[str]]:
    """The text, and sentences on what it leaves out."""
    writer = ScalarWriter(mechanism.parameters)
    walls = [x for x in mechanism.springs if isinstance(x, Wall)]
    compensations = [x for x in mechanism.springs if isinstance(x, GravityCompensation)]
    springs = [x for x in mechanism.springs if isinstance(x, (PointSpring, CoordinateSpring))]
    gravity = writer.numbers(mechanism.gravity)
    elements = [
        *_write_elements(writer, "body", _body_entries, mechanism.bodies),
        *_write_elements(writer, "joint", _joint_entries, mechanism.joints),
        *_write_elements(writer, "loop", _loop_entries, mechanism.loops),
        *_write_elements(writer, "constraint", _constraint_entries, mechanism.constraints),
        *_write_elements(writer, "spring", _spring_entries, springs),
        *_write_elements(writer, "gravity_compensation", _gravity_compensation_entries, compensations),
        *_write_elements(writer, "wall", _wall_entries, walls),
        *_write_elements(writer, "frame", _frame_entries, mechanism.frames),
        *_write_elements(writer, "event", _event_entries, mechanism.events),
        *_write_motion(writer, mechanism),
    ]
    top = {"name": text.format_string(mechanism.name)}
    top |= {k: text.format_string(x) for k, x in (("description", mechanism.description), ("source", mechanism.source)) if x}
    blocks = ["\n".join([*map(text.format_comment, mechanism.notes), *text.format_entries(top | {"gravity": gravity})])]
    parameter_entries = _write_parameters(writer, mechanism)
    if parameter_entries:
        blocks.append("\n".join(["[parameters]", *text.format_entries(parameter_entries)]))

    left_out = []
    if writer.evaluated_count:
        left_out.append(f"{writer.evaluated_count} expressions are too long for a file; their values are written instead")
    if tuple(mechanism.springs) != (*springs, *compensations, *walls):
        left_out.append("in TOML, springs come before gravity compensations and walls; their order changes")
    continued_configurations = [
        name
        for name, q in (("its start", mechanism.initial.q), *mechanism.poses.items())
        if isinstance(q, PartialState) and q.origin is not None
    ]
    if continued_configurations:
        left_out.append(
            f"{', '.join(continued_configurations)}: some coordinates follow from the mechanism before its parameters changed. "
            "From the file they are computed again, perhaps in another assembly; to keep them, write "
            "mechanism.replace(initial=InitialState(q=assemble(mechanism))) instead"
        )
    return "\n\n".join([*blocks, *elements]) + "\n", left_out


def _write_elements(
    writer: ScalarWriter, kind: str, write_entries: Callable[[ScalarWriter, Any], Entries], items: Iterable[Any]
) -> list[str]:
    return ["\n".join([f"[[{kind}]]", *text.format_entries(write_entries(writer, item))]) for item in items]


def _write_parameters(writer: ScalarWriter, mechanism: Mechanism) -> Entries:
    """The parameters, each before expressions that use it."""
    entries: Entries = {}
    values_by_name: dict[str, Scalar] = dict(mechanism.parameters)
    for declared_value in mechanism.parameters.values():
        writer.note_parameters(declared_value)
    values_by_name |= {name: value for name, value in writer.used_parameters.items() if name not in values_by_name}
    for name, x in values_by_name.items():
        for leaf, value in parameters(x).items():
            if leaf not in entries and leaf != name:
                entries[leaf] = text.format_number(value)
        is_symbol = isinstance(x, Expression) and x.operation == "symbol" and x.name == name
        entries[name] = text.format_number(float(x)) if is_symbol else writer.number(x)
    return entries


def _write_motion(writer: ScalarWriter, mechanism: Mechanism) -> list[str]:
    """The tables of poses and of the start of a simulation."""
    blocks = []
    if mechanism.poses:
        blocks.append(
            "\n".join(
                [
                    "[pose]",
                    *text.format_entries(
                        {name: _write_values(writer, q, mechanism.coordinate_names) for name, q in mechanism.poses.items()}
                    ),
                ]
            )
        )
    start = {
        "q": (mechanism.initial.q, mechanism.coordinate_names),
        "qd": (mechanism.initial.qd, mechanism.speed_names),
        "t_span": (mechanism.initial.t_span, ()),
    }
    entries = {k: _write_values(writer, x, names) for k, (x, names) in start.items() if x is not None}
    if entries:
        blocks.append("\n".join(["[initial]", *text.format_entries(entries)]))
    if mechanism.initial.torque:
        torques = {speed: writer.number(x) for speed, x in mechanism.initial.torque}
        blocks.append("\n".join(["[initial.torque]", *text.format_entries(torques)]))
    return blocks


def _write_values(writer: ScalarWriter, values: tuple[float, ...], names: tuple[str, ...]) -> str:
    """Numbers in order; of a partial state, those that were given, by name."""
    if not isinstance(values, PartialState):
        return writer.numbers(values)
    return text.format_inline_table(
        {name: writer.number(x) for name, x in zip(names, values, strict=True) if name in values.given_names}
    )


# -- entries of tables, without those that have their defaults -----------------------------------------------------------


def _body_entries(writer: ScalarWriter, body: Body) -> Entries:
    entries = {"name": text.format_string(body.name), "mass": writer.number(body.mass)}
    if body.center != v.ZERO:
        entries["center"] = writer.numbers(body.center)
    xx, xy, xz, yy, yz, zz = body.inertia
    if any(x != 0 for x in (xy, xz, yz)):
        components = {"xx": xx, "yy": yy, "zz": zz, "xy": xy, "xz": xz, "yz": yz}
        entries["inertia"] = text.format_inline_table({k: writer.number(x) for k, x in components.items()})
    elif any(x != 0 for x in (xx, yy, zz)):
        entries["inertia"] = writer.numbers((xx, yy, zz))
    if body.effective:
        entries["effective"] = "true"
    if body.visuals:
        entries["visuals"] = (
            "[\n" + "".join(f"    {text.format_inline_table(_visual_entries(writer, x))},\n" for x in body.visuals) + "]"
        )
    return entries


def _visual_entries(writer: ScalarWriter, visual: Visual) -> Entries:
    entries = {"shape": text.format_string(visual.kind)}
    if visual.size:
        entries["size"] = writer.numbers(visual.size)
    if visual.color:
        entries["color"] = writer.numbers(visual.color)
    if visual.file:
        entries["file"] = text.format_string(visual.file)
    return entries | writer.placement(visual.placement)


def _joint_entries(writer: ScalarWriter, joint: Joint) -> Entries:
    entries = {k: text.format_string(x) for k, x in zip(("name", "type", "parent", "child"), _identifiers(joint), strict=True)}
    entries |= writer.placement(joint.placement) | writer.placement(joint.child_placement, "child_")
    entries |= _type_entries(writer, joint)
    if not joint.actuated and "actuated" not in joint.kind.refuses:
        entries["actuated"] = "false"
    if joint.friction != Friction():
        entries["friction"] = text.format_inline_table(_friction_entries(writer, joint.friction))
    if joint.rotor != Rotor():
        entries["rotor"] = _format_non_defaults(writer, joint.rotor, Rotor(), "inertia", "ratio")
    if joint.spring != JointSpring():
        entries["spring"] = text.format_inline_table(
            {"stiffness": writer.number(joint.spring.stiffness), "rest": writer.number(joint.spring.rest)}
        )
    if joint.limits != JointLimits():
        entries["limits"] = _format_non_defaults(writer, joint.limits, JointLimits(), "lower", "upper", "speed", "effort")
    return entries


def _identifiers(joint: Joint) -> tuple[str, ...]:
    return (joint.name, joint.type, joint.parent, joint.child)


def _friction_entries(writer: ScalarWriter, friction: Friction) -> Entries:
    entries = {"viscous": writer.number(friction.viscous)} if friction.viscous != 0 else {}
    if friction.coulomb != 0:
        entries["coulomb"] = writer.number(friction.coulomb)
    if friction.coulomb_negative is not None and friction.coulomb_negative != friction.coulomb:
        entries["coulomb_negative"] = writer.number(friction.coulomb_negative)
    for name in ("static", "static_negative"):
        if getattr(friction, name) is not None:
            entries[name] = writer.number(getattr(friction, name))
    return entries


def _format_non_defaults(writer: ScalarWriter, part: Any, default: Any, *names: str) -> str:
    """A table of the entries that differ from the default."""
    return text.format_inline_table(
        {k: writer.number(getattr(part, k)) for k in names if getattr(part, k) != getattr(default, k)}
    )


def _loop_entries(writer: ScalarWriter, loop: LoopJoint) -> Entries:
    entries = {k: text.format_string(getattr(loop, k)) for k in ("name", "type", "a", "b")}
    entries |= writer.placement(loop.a_placement, "a_") | writer.placement(loop.b_placement, "b_")
    return entries | _type_entries(writer, loop)


def _type_entries(writer: ScalarWriter, joint: Joint | LoopJoint) -> Entries:
    """The entries that the type of a joint or loop has."""
    format_by_kind: dict[EntryKind, Callable[[Any], str]] = {
        EntryKind.AXIS: writer.axis,
        EntryKind.NUMBER: writer.number,
        EntryKind.FUNCTION: writer.number,
        EntryKind.DIRECTIONS: lambda names: text.format_array(text.format_string(x) for x in names),
    }
    return {entry.name: format_by_kind[entry.kind](getattr(joint, entry.name)) for entry in joint.kind.entries}


def _constraint_entries(writer: ScalarWriter, constraint: Constraint) -> Entries:
    entries = {"name": text.format_string(constraint.name)}
    match constraint:
        case HolonomicConstraint():
            entries |= {"type": '"equation"', "equation": writer.number(constraint.equation)}
            return entries | ({"unilateral": "true"} if constraint.unilateral else {})
        case PfaffianConstraint():
            coefficients = text.format_inline_table({speed: writer.number(x) for speed, x in constraint.coefficients})
            return entries | {"type": '"pfaffian"', "coefficients": coefficients, "phi": writer.number(constraint.phi)}
        case KnifeEdgeConstraint():
            entries |= {
                "type": '"knife_edge"',
                "body": text.format_string(constraint.body),
                "direction": writer.axis(constraint.direction),
            }
            return entries | _point_entries(writer, constraint, "point")
        case RollingConstraint():
            entries |= {
                "type": '"rolling"',
                "body": text.format_string(constraint.body),
                "radius": writer.number(constraint.radius),
            }
            if constraint.axis is not None:
                entries["axis"] = writer.axis(constraint.axis)
            entries |= {"on": text.format_string(constraint.on), "normal": writer.axis(constraint.normal)}
            entries |= {} if constraint.unilateral else {"unilateral": "false"}
            return entries | _point_entries(writer, constraint, "center", "point")
    raise ArgumentError(
        f"constraint {constraint.name!r}: a file cannot hold a Python function; use a Pfaffian or a Holonomic constraint"
    )


def _spring_entries(writer: ScalarWriter, spring: PointSpring | CoordinateSpring) -> Entries:
    entries = {"name": text.format_string(spring.name)}
    if isinstance(spring, CoordinateSpring):
        entries["length"] = writer.number(spring.length)
    else:
        entries |= {"a": text.format_string(spring.a), "b": text.format_string(spring.b)}
        entries |= {"a_point": writer.numbers(spring.a_point), "b_point": writer.numbers(spring.b_point)}
        if spring.via:
            via = ({"body": text.format_string(body), "point": writer.numbers(point)} for body, point in spring.via)
            entries["via"] = text.format_array(text.format_inline_table(x) for x in via)
    entries |= {k: writer.number(getattr(spring, k)) for k in ("stiffness", "rest", "damping")}
    return entries | ({"slack": writer.number(spring.slack)} if spring.slack != 0 else {})


def _gravity_compensation_entries(writer: ScalarWriter, compensation: GravityCompensation) -> Entries:
    return {
        "name": text.format_string(compensation.name),
        "body": text.format_string(compensation.body),
        "factor": writer.number(compensation.factor),
    }


def _wall_entries(writer: ScalarWriter, wall: Wall) -> Entries:
    entries = {"name": text.format_string(wall.name), "body": text.format_string(wall.body)} | _point_entries(
        writer, wall, "point"
    )
    entries |= {"on": text.format_string(wall.on), "position": writer.numbers(wall.position), "normal": writer.axis(wall.normal)}
    return entries | {k: writer.number(getattr(wall, k)) for k in ("stiffness", "damping")}


def _frame_entries(writer: ScalarWriter, frame: Frame) -> Entries:
    return {"name": text.format_string(frame.name), "body": text.format_string(frame.body)} | writer.placement(frame.placement)


def _point_entries(writer: ScalarWriter, part: Any, *names: str) -> Entries:
    return {k: writer.numbers(getattr(part, k)) for k in names if getattr(part, k) != v.ZERO}


def _event_entries(writer: ScalarWriter, event: Event) -> dict[str, str]:
    """The entries of an event's table."""
    when = text.format_string(DEAD_CENTRE.name) if event.when == DEAD_CENTRE else writer.number(event.when)  # type: ignore[arg-type]
    entries = {"name": text.format_string(event.name), "when": when, "direction": text.format_string(event.direction)}
    action = event.action
    if isinstance(action, SetTorque):
        torques = text.format_inline_table({name: text.format_number(x) for name, x in action.torques.items()})
        return entries | {"action": '"set_torque"', "torque": torques}
    if isinstance(action, (LockJoints, UnlockJoints)):
        kind = "lock" if isinstance(action, LockJoints) else "unlock"
        return entries | {
            "action": text.format_string(kind),
            "joints": text.format_array(text.format_string(x) for x in action.joints),
        }
    return entries | {"action": text.format_string(str(action))}


# -- numbers, expressions and placements -------------------------------------------------------------------------------


class ScalarWriter:
    """Writes scalars, and records the parameters in their expressions."""

    def __init__(self, declared_parameters: Mapping[str, Scalar]) -> None:
        self.declared_parameters = declared_parameters
        self.used_parameters: dict[str, float] = {}
        self.evaluated_count = 0  # of expressions that are too long to be read, whose values are written

    def number(self, x: Scalar | str) -> str:
        """A number, or an expression in quotes."""
        if isinstance(x, str):
            return text.format_string(x)
        if not isinstance(x, Expression):
            return text.format_number(x)
        if x.operation == "number":
            return repr(float(x))
        if x.value is not None and not _reads_back(x):
            self.evaluated_count += 1
            return repr(x.value)
        self.note_parameters(x)
        return text.format_string(exact_text(x))

    def numbers(self, xs: Iterable[Scalar]) -> str:
        return text.format_array(self.number(x) for x in xs)

    def note_parameters(self, x: Scalar) -> None:
        """Record the parameters in an expression; an error if a name has two values."""
        for name, value in parameters(x).items():
            declared_value = self.declared_parameters.get(name)
            previous_value = float(declared_value) if declared_value is not None else self.used_parameters.setdefault(name, value)
            if previous_value != value:
                values = f"is {value!r} in one place and {previous_value!r} in another"
                raise ArgumentError(f"the parameter {name!r} {values}; one name can only have one value")
            self.used_parameters[name] = value

    def axis(self, x: v.Vector) -> str:
        """A coordinate axis by its letter, any other by its numbers."""
        letter = None if any(isinstance(c, Expression) for c in x) else _AXES.get(x)
        return text.format_string(letter) if letter else self.numbers(x)

    def placement(self, placement: Transform, prefix: str = "") -> dict[str, str]:
        """The entries of a placement: `xyz`, and `rpy` if angles give exactly the same rotation, else the matrix."""
        entries = {}
        if placement.position != v.ZERO:
            entries[prefix + "xyz"] = self.numbers(placement.position)
        if placement.rotation == v.IDENTITY:
            return entries
        angles = _roll_pitch_yaw(placement.rotation)
        if angles is not None:
            entries[prefix + "rpy"] = self.numbers(angles)
        else:
            entries[prefix + "rotation"] = text.format_array(self.numbers(row) for row in placement.rotation)
        return entries


def _reads_back(x: Expression) -> bool:
    """Whether the reader accepts the text of an expression, with the same value."""
    try:
        source = exact_text(x)
        names = {name: Expression("symbol", (), value, name) for name, value in parameters(x).items()}
        return source.count(".") <= _MAX_DOTS and float(parse(source, names)) == x.value
    except (DescriptionError, RecursionError):
        return False


def _roll_pitch_yaw(R: v.Matrix) -> tuple[Scalar, ...] | None:
    """Roll, pitch and yaw as a person would write them, if they give exactly R, with the same names; else None."""
    r = [[float(x) for x in row] for row in R]
    pitch = math.atan2(-r[2][0], math.hypot(r[2][1], r[2][2]))
    if abs(r[2][0]) < 1 - 1e-12:
        roll, yaw = math.atan2(r[2][1], r[2][2]), math.atan2(r[1][0], r[0][0])
    else:  # roll and yaw are about the same axis, so that roll can be zero
        roll, yaw = 0.0, math.atan2(-r[0][1], r[1][1])
    named_angles = [n.arguments[0] for row in R for x in row for n in walk(x) if n.operation in ("sin", "cos")]
    for guess in product(*(_candidate_angles(angle, named_angles) for angle in (roll, pitch, yaw))):
        if Transform.from_rpy(rpy=guess).rotation == R:
            return guess
    return None


def _candidate_angles(angle: float, named_angles: Iterable[Scalar]) -> list[Scalar]:
    """Likely texts of an angle: a multiple of a quarter turn, an expression whose sine is in the matrix, or few decimals."""
    turns = angle / (math.pi / 2)
    if abs(turns - round(turns)) < _ANGLE_TOLERANCE:
        return [parse(str(_QUARTERS[round(turns)]))]
    matches: list[Scalar] = []
    for x in named_angles:
        turns_apart = (float(x) - angle) / (2 * math.pi)
        if abs(turns_apart - round(turns_apart)) < _ANGLE_TOLERANCE and x not in matches:
            matches.append(x)
    return matches or [round(angle, 9), round(angle, 12), angle]
