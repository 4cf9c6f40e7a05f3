"""A mechanism from a TOML file (`docs/reference/toml.md` describes the format). Files are checked; nothing is executed."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

from lagrangian.description import text_file
from lagrangian.description.overridden import overridden
from lagrangian.description.text_file import MAX_BYTES
from lagrangian.description.toml import joint as joints_of
from lagrangian.description.toml import motion as motion_of
from lagrangian.description.toml import spring as springs_of
from lagrangian.description.toml.body import body, payload
from lagrangian.description.toml.event import event
from lagrangian.description.toml.table import Table, Where, scalar, shown
from lagrangian.errors import ArgumentError, DescriptionError, LagrangianError
from lagrangian.files import as_path
from lagrangian.model.expression import Expression, Scalar, parameter
from lagrangian.model.expression import parameters as parameters_in
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.revision import with_origin
from lagrangian.visible import as_name

MAX_LINE = 100_000
MAX_PARTS = 50
MAX_PARAMETER = 100  # operations and names: what stands for expressions of expressions must not grow without bound
TEXT = "<text>"  # what errors call a text that is of no file
_PART = re.compile(r"\.[ \t]*[^.\s]")
_HEADER = re.compile(r"\[+\s*([\w.]+)\s*\]")
ELEMENTS = ("body", "joint", "loop", "constraint", "spring", "wall", "gravity_compensation", "frame", "payload", "event")
ENTRIES = ("name", "description", "source", "gravity")
_TOP = (*ENTRIES, "parameters", "dh", *ELEMENTS, "pose", "initial")
# TOML gives what is written below a table's header to that table
_ABOVE = dict.fromkeys(ENTRIES, "belongs to the whole file: write it above the first [table] or [[table]]")


def read(path: str | os.PathLike[str], parameters: Mapping[str, float] | None = None) -> Mechanism:
    """The mechanism a TOML file describes, with other values of some of its parameters."""
    return read_text(text_file.read_text(path), str(as_path(path)), parameters)


def read_text(text: str, file: str = TEXT, parameters: Mapping[str, float] | None = None) -> Mechanism:
    """The mechanism a TOML text describes; `file` is what errors call it, `parameters` replace values of its own."""
    if not isinstance(text, str):
        raise ArgumentError(f"read_text takes a string, not {type(text).__name__}")
    top = Table(document(text, file), (file,), {}, elsewhere=_ABOVE)
    top.only(*_TOP)
    known = _parameters(overridden(top.table("parameters").data, parameters, file), file)
    top = Table(top.data, (file,), known, elsewhere=_ABOVE)
    name = top.name("name", as_name(PurePath(file).stem) if file != TEXT else "mechanism")

    for kind in ELEMENTS:
        _no_twins(top.elements(kind))
    bodies = [body(t) for t in top.elements("body")]
    joints = [joints_of.joint(t) for t in top.elements("joint")]
    frames = [joints_of.frame(t) for t in top.elements("frame")]
    if "dh" in top:
        arm = joints_of.dh_arm(top.section("dh"), name)
        # the arm comes first, whatever stands beside it is mounted on it or next to it
        bodies, joints, frames = [*arm.bodies, *bodies], [*arm.joints, *joints], [*arm.frames, *frames]
    if not joints:
        raise DescriptionError("it describes no joints; give [[body]] and [[joint]], or a [dh] table", where=file)

    coordinates = motion_of.Coordinates(joints, known, file)
    mechanism = Mechanism(
        name=name,
        bodies=tuple(bodies),
        joints=tuple(joints),
        loops=tuple(joints_of.loop(t) for t in top.elements("loop")),
        constraints=tuple(motion_of.constraint(t, coordinates) for t in top.elements("constraint")),
        springs=(
            *(springs_of.spring(t, coordinates) for t in top.elements("spring")),
            *(springs_of.compensation(t) for t in top.elements("gravity_compensation")),
            *(springs_of.wall(t) for t in top.elements("wall")),
        ),
        frames=tuple(frames),
        gravity=top.vector("gravity", default=(0, 0, -9.81), example=(0, 0, -9.81)),
        poses=_poses(top.section("pose"), coordinates, text, file, bool(parameters)),
        initial=motion_of.initial(top.section("initial"), coordinates),
        events=tuple(event(t, coordinates) for t in top.elements("event")),
        parameters=known,
        source=top.text("source", ""),
        description=top.text("description", ""),
        file=file,
    )
    for carried in top.elements("payload"):
        mechanism = payload(carried, mechanism)
    return _in_assembly(mechanism, text, parameters) if parameters and mechanism.equations else mechanism


def _poses(table: Table, coordinates: motion_of.Coordinates, text: str, file: str, changed: bool) -> dict[str, Any]:
    """Configurations by name. One that other values of parameters leave without numbers is none; the file's own must all be."""
    found = motion_of.poses(table, coordinates, changed)
    if len(found) < len(table.data):
        read_text(text, file)
    return found


def _in_assembly(mechanism: Mechanism, text: str, values: Iterable[str]) -> Mechanism:
    """The mechanism with a start in the same assembly as that of the text's own values, if these make a mechanism."""
    try:
        nominal = read_text(text, mechanism.file)
    except LagrangianError:
        return with_origin(mechanism, mechanism, {})
    return with_origin(mechanism, nominal, {name: float(mechanism.parameters[name]) for name in values})


def _no_twins(elements: list[Table]) -> None:
    first: dict[str, Table] = {}
    for element in elements:
        name = element.data.get("name")
        if isinstance(name, str) and first.setdefault(name, element) is not element:
            raise element.error(f"{first[name].where[-1]} has the same name; names must differ")


_COMMA = re.compile(r"[\w.-]+\s*=\s*([+-]?\d+),(\d+)\s*(?:#.*)?$")


def document(text: str, file: str) -> dict[str, Any]:
    """The parsed document; tomllib's own complaints with the line they are about."""
    if len(text) > MAX_BYTES:
        raise DescriptionError(f"the text is larger than the {MAX_BYTES // 1_000_000} MB that are allowed", where=file)
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > MAX_LINE:
            raise DescriptionError(f"line {number} is longer than {MAX_LINE} characters; break it", where=file, line=number)
        # the TOML parser's time grows with the square of a dotted key's parts
        if line.count(".") > MAX_PARTS and any(len(_PART.findall(x)) > MAX_PARTS for x in re.split("[,=]", line)):
            told = f"line {number}: a name may have at most {MAX_PARTS} parts between dots"
            raise DescriptionError(told, where=file, line=number)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise DescriptionError("arrays or tables are nested too deeply", where=file) from None
    except ValueError as error:
        message = str(error)
        at = re.search(r"at line (\d+), column (\d+)", message)
        number, column = (int(x) for x in at.groups()) if at else (text.count("\n") + 1, None)
        line = text.split("\n")[number - 1].strip() if at else ""
        quoted = f": {line[:100]}" if line else ""
        told = f"this is not TOML: {message}{quoted}{_repeated(line)}{_comma(line)}"
        raise DescriptionError(told, where=file, line=number, column=column) from None


def _repeated(line: str) -> str:
    """The hint for a header at which TOML stumbles because one like it has single brackets."""
    header = _HEADER.match(line)
    if header is None or header.group(1) not in (*ELEMENTS, "dh.row"):
        return ""
    return f". Write [[{header.group(1)}]] above every element, because there may be several"


def _comma(line: str) -> str:
    """The hint for a decimal comma."""
    found = _COMMA.match(line)
    return f". Write decimals with a point: {found.group(1)}.{found.group(2)}" if found else ""


def _parameters(entries: Mapping[str, Any], file: str) -> dict[str, Expression]:
    """Named constants, in the order given.

    A parameter that is a number is a symbol with that value. One that is an expression of others stands for the expression,
    so that the closed form keeps the dependence.
    """
    found: dict[str, Expression] = {}
    for name, value in entries.items():
        at = (file, "[parameters]", name)
        if not name.isidentifier():
            needed = "use letters, digits and _, such as m1"
            raise DescriptionError(f"{shown(name)} cannot be a name", where=at[:-1], remedy=needed)
        if name in motion_of.RESERVED:
            reserved = ", ".join(motion_of.RESERVED)
            raise DescriptionError(f"this name has a meaning in expressions ({reserved})", where=at, remedy="choose another name")
        given = _constant(name, value, at, found)
        if _is_long(given):
            long = f"with its parts inserted, it has more than {MAX_PARAMETER} operations and names"
            raise DescriptionError(long, where=at, remedy="write its value")
        named = isinstance(given, Expression) and bool(parameters_in(given))
        found[name] = given if named else parameter(name, float(given))  # type: ignore[assignment]
    return found


def _constant(name: str, value: Any, at: Where, names: Mapping[str, Scalar]) -> Scalar:
    try:
        if isinstance(value, (Mapping, list)):
            raise DescriptionError(f"{shown(value)} is given", where=at, remedy="a parameter is one number or expression")
        return scalar(value, at, names)
    except DescriptionError as error:
        if name not in _ABOVE:  # a parameter may have such a name: only a mistake makes it doubtful
            raise
        raise DescriptionError(f"{error.problem}. {name!r} {_ABOVE[name]}", where=error.where) from None


def _is_long(given: Scalar) -> bool:
    stack, count = [given], 0
    while stack and count <= MAX_PARAMETER:
        node = stack.pop()
        count += 1
        if isinstance(node, Expression):
            stack.extend(node.arguments)
    return count > MAX_PARAMETER
