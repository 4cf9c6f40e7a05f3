"""Read a mechanism from a TOML file (`docs/reference/toml.md` describes the format). Nothing in a file is executed."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

from lagrangian.description import files
from lagrangian.description.files import MAX_TEXT_BYTES
from lagrangian.description.parameter_values import apply_parameter_values
from lagrangian.description.toml.elements import (
    apply_payload,
    read_body,
    read_dh_arm,
    read_frame,
    read_gravity_compensation,
    read_joint,
    read_loop,
    read_spring,
    read_wall,
)
from lagrangian.description.toml.motion import (
    RESERVED_NAMES,
    CoordinateSymbols,
    read_constraint,
    read_event,
    read_initial,
    read_poses,
)
from lagrangian.description.toml.table import TomlTable, Where, format_value, parse_scalar
from lagrangian.errors import ArgumentError, DescriptionError, LagrangianError, as_name
from lagrangian.files import as_path
from lagrangian.model.expression import Expression, Scalar, parameter
from lagrangian.model.expression import parameters as parameters_in
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parameters import with_origin

MAX_LINE = 100_000
MAX_PARTS = 50
MAX_PARAMETER = 100  # operations and names: expressions of expressions must not grow without bound
UNNAMED_TEXT = "<text>"  # in errors, the place of a text without a file
_KEY_PART = re.compile(r"\.[ \t]*[^.\s]")
_DECIMAL_COMMA = re.compile(r"[\w.-]+\s*=\s*([+-]?\d+),(\d+)\s*(?:#.*)?$")
_HEADER = re.compile(r"\[+\s*([\w.]+)\s*\]")
ELEMENTS = ("body", "joint", "loop", "constraint", "spring", "wall", "gravity_compensation", "frame", "payload", "event")
ENTRIES = ("name", "description", "source", "gravity")
_TOP_LEVEL = (*ENTRIES, "parameters", "dh", *ELEMENTS, "pose", "initial")
# TOML reads an entry below the header of a table as part of this table
_PLACEMENT_HINTS = dict.fromkeys(ENTRIES, "belongs to the whole file: write it above the first [table] or [[table]]")


def read(path: str | os.PathLike[str], parameters: Mapping[str, float] | None = None) -> Mechanism:
    """The mechanism that a TOML file describes, with new values of some of its parameters."""
    return read_text(files.read_text(path), str(as_path(path)), parameters)


def read_text(text: str, file: str = UNNAMED_TEXT, parameters: Mapping[str, float] | None = None) -> Mechanism:
    """The mechanism that a TOML text describes; errors name `file`, and `parameters` replace values in the text."""
    if not isinstance(text, str):
        raise ArgumentError(f"read_text takes a string, not {type(text).__name__}")
    top = TomlTable(parse_toml(text, file), (file,), {}, elsewhere=_PLACEMENT_HINTS)
    top.check_keys(*_TOP_LEVEL)
    parameter_symbols = _read_parameters(apply_parameter_values(top.subtable("parameters").data, parameters, file), file)
    top = TomlTable(top.data, (file,), parameter_symbols, elsewhere=_PLACEMENT_HINTS)
    name = top.name("name", as_name(PurePath(file).stem) if file != UNNAMED_TEXT else "mechanism")

    for kind in ELEMENTS:
        _check_unique_names(top.elements(kind))
    bodies = [read_body(t) for t in top.elements("body")]
    joints = [read_joint(t) for t in top.elements("joint")]
    frames = [read_frame(t) for t in top.elements("frame")]
    if "dh" in top:
        arm = read_dh_arm(top.section("dh"), name)
        # the arm comes first: other parts are mounted on it or stand beside it
        bodies, joints, frames = [*arm.bodies, *bodies], [*arm.joints, *joints], [*arm.frames, *frames]
    if not joints:
        raise DescriptionError("it describes no joints; give [[body]] and [[joint]], or a [dh] table", where=file)

    coordinates = CoordinateSymbols(joints, parameter_symbols, file)
    mechanism = Mechanism(
        name=name,
        bodies=tuple(bodies),
        joints=tuple(joints),
        loops=tuple(read_loop(t) for t in top.elements("loop")),
        constraints=tuple(read_constraint(t, coordinates) for t in top.elements("constraint")),
        springs=(
            *(read_spring(t, coordinates) for t in top.elements("spring")),
            *(read_gravity_compensation(t) for t in top.elements("gravity_compensation")),
            *(read_wall(t) for t in top.elements("wall")),
        ),
        frames=tuple(frames),
        gravity=top.vector("gravity", default=(0, 0, -9.81), example=(0, 0, -9.81)),
        poses=_read_poses(top.section("pose"), coordinates, text, file, bool(parameters)),
        initial=read_initial(top.section("initial"), coordinates),
        events=tuple(read_event(t, coordinates) for t in top.elements("event")),
        parameters=parameter_symbols,
        source=top.text("source", ""),
        description=top.text("description", ""),
        file=file,
    )
    for payload_table in top.elements("payload"):
        mechanism = apply_payload(payload_table, mechanism)
    return _with_nominal_assembly(mechanism, text, parameters) if parameters and mechanism.equation_count else mechanism


def parse_toml(text: str, file: str) -> dict[str, Any]:
    """The parsed document; errors of tomllib become errors with the line of the file."""
    if len(text) > MAX_TEXT_BYTES:
        raise DescriptionError(f"the text is larger than the {MAX_TEXT_BYTES // 1_000_000} MB that are allowed", where=file)
    for line_number, line in enumerate(text.split("\n"), 1):
        if len(line) > MAX_LINE:
            raise DescriptionError(
                f"line {line_number} is longer than {MAX_LINE} characters; break it", where=file, line=line_number
            )
        # the TOML parser's time grows with the square of a dotted key's parts
        if line.count(".") > MAX_PARTS and any(len(_KEY_PART.findall(x)) > MAX_PARTS for x in re.split("[,=]", line)):
            problem = f"line {line_number}: a name may have at most {MAX_PARTS} parts between dots"
            raise DescriptionError(problem, where=file, line=line_number)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise DescriptionError("arrays or tables are nested too deeply", where=file) from None
    except ValueError as error:
        message = str(error)
        position = re.search(r"at line (\d+), column (\d+)", message)
        line_number, column = (int(x) for x in position.groups()) if position else (text.count("\n") + 1, None)
        line = text.split("\n")[line_number - 1].strip() if position else ""
        quotation = f": {line[:100]}" if line else ""
        problem = f"this is not TOML: {message}{quotation}{_array_header_hint(line)}{_decimal_comma_hint(line)}"
        raise DescriptionError(problem, where=file, line=line_number, column=column) from None


def _read_poses(
    table: TomlTable, coordinates: CoordinateSymbols, text: str, file: str, parameters_changed: bool
) -> dict[str, Any]:
    """Configurations by name, without those that new values of parameters make invalid; all must be valid with the old ones."""
    configurations = read_poses(table, coordinates, parameters_changed)
    if len(configurations) < len(table.data):
        read_text(text, file)
    return configurations


def _with_nominal_assembly(mechanism: Mechanism, text: str, values: Iterable[str]) -> Mechanism:
    """The mechanism with a start in the same assembly as with the values in the text, if these make a mechanism."""
    try:
        nominal = read_text(text, mechanism.file)
    except LagrangianError:
        return with_origin(mechanism, mechanism, {})
    return with_origin(mechanism, nominal, {name: float(mechanism.parameters[name]) for name in values})


def _check_unique_names(elements: list[TomlTable]) -> None:
    first: dict[str, TomlTable] = {}
    for element in elements:
        name = element.data.get("name")
        if isinstance(name, str) and first.setdefault(name, element) is not element:
            raise element.error(f"{first[name].where[-1]} has the same name; names must differ")


def _array_header_hint(line: str) -> str:
    """The hint for a header with double brackets that fails because an earlier one has single brackets."""
    header = _HEADER.match(line)
    if header is None or header.group(1) not in (*ELEMENTS, "dh.row"):
        return ""
    return f". Write [[{header.group(1)}]] above every element, because there may be several"


def _decimal_comma_hint(line: str) -> str:
    """The hint for a decimal comma."""
    match = _DECIMAL_COMMA.match(line)
    return f". Write decimals with a point: {match.group(1)}.{match.group(2)}" if match else ""


def _read_parameters(entries: Mapping[str, Any], file: str) -> dict[str, Expression]:
    """The named constants, in the order of the file.

    A parameter that is a number is a symbol with that value. One that is an expression of others stands for the expression,
    so that the closed form keeps the dependence.
    """
    symbols: dict[str, Expression] = {}
    for name, value in entries.items():
        where = (file, "[parameters]", name)
        if not name.isidentifier():
            remedy = "use letters, digits and _, such as m1"
            raise DescriptionError(f"{format_value(name)} cannot be a name", where=where[:-1], remedy=remedy)
        if name in RESERVED_NAMES:
            reserved_names = ", ".join(RESERVED_NAMES)
            raise DescriptionError(
                f"this name has a meaning in expressions ({reserved_names})", where=where, remedy="choose another name"
            )
        value_or_expression = _parse_parameter(name, value, where, symbols)
        if _is_long(value_or_expression):
            problem = f"with its parts inserted, it has more than {MAX_PARAMETER} operations and names"
            raise DescriptionError(problem, where=where, remedy="write its value")
        has_parameters = isinstance(value_or_expression, Expression) and bool(parameters_in(value_or_expression))
        symbols[name] = value_or_expression if has_parameters else parameter(name, float(value_or_expression))  # type: ignore[assignment]
    return symbols


def _parse_parameter(name: str, value: Any, where: Where, symbols: Mapping[str, Scalar]) -> Scalar:
    try:
        if isinstance(value, (Mapping, list)):
            raise DescriptionError(
                f"{format_value(value)} is given", where=where, remedy="a parameter is one number or expression"
            )
        return parse_scalar(value, where, symbols)
    except DescriptionError as error:
        if name not in _PLACEMENT_HINTS:  # a parameter may have such a name, so that the hint is only for a mistake
            raise
        raise DescriptionError(f"{error.problem}. {name!r} {_PLACEMENT_HINTS[name]}", where=error.where) from None


def _is_long(expression: Scalar) -> bool:
    stack, count = [expression], 0
    while stack and count <= MAX_PARAMETER:
        node = stack.pop()
        count += 1
        if isinstance(node, Expression):
            stack.extend(node.arguments)
    return count > MAX_PARAMETER
