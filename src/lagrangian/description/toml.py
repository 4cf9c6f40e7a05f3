"""A mechanism from a TOML file (`docs/toml.md` describes the format). Files are parsed and checked; nothing is executed."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from lagrangian.description import toml_joint as joints_of
from lagrangian.description import toml_motion as motion_of
from lagrangian.description.table_reader import Table, scalar, shown
from lagrangian.description.text_file import MAX_BYTES, as_path, read_text
from lagrangian.description.toml_body import body
from lagrangian.errors import ArgumentError, DescriptionError
from lagrangian.model.expression import Expression, Scalar, parameter
from lagrangian.model.expression import parameters as parameters_in
from lagrangian.model.mechanism import Mechanism

MAX_LINE = 100_000
MAX_PARTS = 50
MAX_PARAMETER = 100  # operations and names: what stands for expressions of expressions must not grow without bound
_PART = re.compile(r"\.[ \t]*[^.\s]")
_ELEMENTS = ("body", "joint", "loop", "constraint", "spring", "frame")
_TOP = ("name", "description", "source", "gravity", "parameters", "dh", *_ELEMENTS, "pose", "initial")


def read(path: str | os.PathLike[str]) -> Mechanism:
    """The mechanism a TOML file describes."""
    return parse(read_text(path), str(as_path(path)))


def parse(text: str, file: str = "<text>") -> Mechanism:
    """The mechanism a TOML text describes; `file` is what errors call it."""
    if not isinstance(text, str):
        raise ArgumentError(f"TOML text is needed, not {type(text).__name__}")
    top = Table(_document(text, file), file, {})
    top.only(*_TOP)
    parameters = _parameters(top.table("parameters"), file)
    top = Table(top.data, file, parameters)
    name = top.name("name", PurePath(file).stem)

    for kind in _ELEMENTS:
        _no_twins(top.elements(kind))
    bodies = [body(t) for t in top.elements("body")]
    joints = [joints_of.joint(t) for t in top.elements("joint")]
    frames = [joints_of.frame(t) for t in top.elements("frame")]
    if "dh" in top:
        arm = joints_of.dh_arm(Table(top.table("dh").data, f"{file}: [dh]", parameters), name)
        # the arm comes first, whatever stands beside it is mounted on it or next to it
        bodies, joints, frames = [*arm.bodies, *bodies], [*arm.joints, *joints], [*arm.frames, *frames]
    if not joints:
        raise DescriptionError(f"{file}: it describes no joints; give [[body]] and [[joint]], or a [dh] table")

    coordinates = motion_of.Coordinates(joints, parameters, file)
    return Mechanism(
        name=name,
        bodies=tuple(bodies),
        joints=tuple(joints),
        loops=tuple(joints_of.loop(t) for t in top.elements("loop")),
        constraints=tuple(motion_of.constraint(t, coordinates) for t in top.elements("constraint")),
        springs=tuple(joints_of.spring(t) for t in top.elements("spring")),
        frames=tuple(frames),
        gravity=top.vector("gravity", default=(0, 0, -9.81)),
        poses=motion_of.poses(Table(top.table("pose").data, f"{file}: [pose]", parameters), coordinates),
        initial=motion_of.initial(Table(top.table("initial").data, f"{file}: [initial]", parameters), coordinates),
        parameters=parameters,
        source=top.text("source", ""),
        description=top.text("description", ""),
        file=file,
    )


def _no_twins(elements: list[Table]) -> None:
    first: dict[str, Table] = {}
    for element in elements:
        name = element.data.get("name")
        if isinstance(name, str) and first.setdefault(name, element) is not element:
            raise element.error(f"the name is already taken by {first[name].where.rpartition(': ')[2]}; names must differ")


def _document(text: str, file: str) -> dict[str, Any]:
    """The parsed document; tomllib's own complaints with the line they are about."""
    if len(text) > MAX_BYTES:
        raise DescriptionError(f"{file}: larger than the {MAX_BYTES // 1_000_000} MB a description may have")
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > MAX_LINE:
            raise DescriptionError(f"{file}: line {number} is longer than {MAX_LINE} characters; break it")
        # the TOML parser's time grows with the square of a dotted key's parts
        if line.count(".") > MAX_PARTS and any(len(_PART.findall(x)) > MAX_PARTS for x in re.split("[,=]", line)):
            raise DescriptionError(f"{file}: line {number}: a name of more than {MAX_PARTS} dotted parts is not understood")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise DescriptionError(f"{file}: arrays or tables are nested too deeply; a description needs a few levels") from None
    except ValueError as error:
        message = str(error)
        at = re.search(r"at line (\d+)", message)
        line = text.split("\n")[int(at.group(1)) - 1].strip() if at else ""
        quoted = f": {line[:100]}" if line else ""
        raise DescriptionError(f"{file}: this is not TOML: {message}{quoted}") from None


def _parameters(table: Table, file: str) -> dict[str, Expression]:
    """Named constants, in the order given.

    A parameter that is a number is a symbol with that value. One that is an expression of others stands for the expression,
    so that the closed form keeps the dependence.
    """
    found: dict[str, Expression] = {}
    for name, value in table.data.items():
        at = f"{file}: [parameters]: {name}"
        if not name.isidentifier():
            raise DescriptionError(f"{file}: [parameters]: {shown(name)} cannot be a name; use letters, digits and _, such as m1")
        if name in motion_of.RESERVED:
            raise DescriptionError(f"{at}: this name is part of expressions ({', '.join(motion_of.RESERVED)}); call it otherwise")
        if isinstance(value, (Mapping, list)):
            raise DescriptionError(f"{at}: {shown(value)} is given; a parameter is one number or expression")
        given = scalar(value, at, found)
        if _is_long(given):
            raise DescriptionError(f"{at}: written out it has more than {MAX_PARAMETER} operations and names; give its value")
        named = isinstance(given, Expression) and bool(parameters_in(given))
        found[name] = given if named else parameter(name, float(given))  # type: ignore[assignment]
    return found


def _is_long(given: Scalar) -> bool:
    stack, count = [given], 0
    while stack and count <= MAX_PARAMETER:
        node = stack.pop()
        count += 1
        if isinstance(node, Expression):
            stack.extend(node.arguments)
    return count > MAX_PARAMETER
