"""Checks of how public functions and classes are called.

A keyword that does not exist is an error that names its successor or the nearest one, so that an argument in American spelling is
answered by its British name. Where a call fails because an argument is not of the type it is annotated as, the error says so.
"""

from __future__ import annotations

import inspect
import math
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum
from functools import cache, wraps
from numbers import Integral
from pathlib import Path
from typing import Any, TypeVar

from lagrangian.errors import ArgumentError, LagrangianError, format_value, is_number, unknown_name_message

T = TypeVar("T", bound=Callable[..., Any])
C = TypeVar("C", bound=type)


def public(item: T) -> T:
    """Return a function or a class of the public interface that checks its keywords before it is called."""
    if isinstance(item, type):
        if issubclass(item, Enum):
            return item
        item.__init__ = _explain_type_errors(item.__init__, item.__name__)  # type: ignore[method-assign]
        return item
    return _explain_type_errors(item, item.__name__)


def public_methods(item: C) -> C:
    """Make the methods of a class check their keywords as public functions do."""
    for name in dir(item):
        function = inspect.getattr_static(item, name)
        if not name.startswith("_") and inspect.isfunction(function):
            setattr(item, name, _explain_type_errors(function, name))
    return item


def unknown_attribute(module: str, name: str, known_names: Iterable[str]) -> AttributeError:
    """The error about a name that a public module lacks, with its successor if it was renamed, or else the nearest name."""
    new_name = _successors().get(f"{'lg' if module == 'lagrangian' else module.removeprefix('lagrangian.')}.{name}")
    if not new_name:
        return AttributeError(unknown_name_message(f"attribute of {module!r} called", name, known_names), name=name)
    message = f"there is no attribute of {module!r} called {name!r}; it is lagrangian.{new_name.removeprefix('lg.')}"
    return AttributeError(message, name=name)


@cache
def _successors() -> dict[str, str]:
    """New public names by the old ones; docs/renamed_names.py writes the file."""
    import csv

    with Path(__file__).with_name("renamed.csv").open(encoding="utf-8", newline="") as file:
        return dict(csv.reader(file))


@cache
def _argument_successors() -> dict[tuple[str, str], str]:
    """New arguments by the function, as it is called now, and the old argument."""
    successors = {}
    for old, new in _successors().items():
        old_match, new_match = (re.fullmatch(r"(?:.*\.)?(\w+)\((\w+)\)", name) for name in (old, new))
        if old_match and new_match:
            successors[new_match[1], old_match[2]] = new_match[2]
    return successors


def _explain_type_errors(function: Any, name: str) -> Any:
    parameters = inspect.signature(function).parameters.values()
    parameter_names = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.name != "self"]
    takes_any_keyword = any(p.kind is p.VAR_KEYWORD for p in parameters)  # which it looks at itself
    keyword_names = frozenset(parameter_names)

    @wraps(function)
    def wrapper(*arguments: Any, **keywords: Any) -> Any:
        if not takes_any_keyword and not keywords.keys() <= keyword_names:
            unknown = next(key for key in keywords if key not in keyword_names)
            new_name = _argument_successors().get((name, unknown), "")  # perhaps of another function of the same name
            similar_name = new_name if new_name in keyword_names else ""
            raise ArgumentError(unknown_name_message("argument", unknown, parameter_names, similar_name), where=name)
        try:
            return function(*arguments, **keywords)
        except LagrangianError:
            raise
        except _ARGUMENT_FAILURES as error:
            mismatch = _type_mismatch(function, name, arguments, keywords)
            if mismatch is None:
                raise
            raise mismatch from error

    return wrapper


# -- what is wrong with an argument when a call has failed ----------------------------------------------------------------

_TYPE_PHRASES = {
    "str": "a string",
    "bool": "True or False",
    "int": "a whole number",
    "float": "a number",
    "PathLike": "a path",
    "Callable": "a function",
    "ArrayLike": "an array of numbers",
    "Mapping": "a mapping",
    "dict": "a mapping",
    "Sequence": "a list",
    "Iterable": "a list",
    "texts": "a list of strings",
    "MechanismLike": "a mechanism",
}
# what the shared names of types stand for
_ALIASES = {
    "State": "ArrayLike | Mapping | str | None",
    "TimeSpan": "float | Sequence | None",
    "Times": "int | ArrayLike",
    "Vector3": "ArrayLike",
    "Path": "str | PathLike",
    "Progress": "Callable | None",
}
# what Python and numpy raise where something is not of the kind that was expected
_ARGUMENT_FAILURES = (TypeError, ValueError, OverflowError, AttributeError, RecursionError)


def _type_mismatch(function: Any, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> ArgumentError | None:
    """The error about the first argument that is not of the kind it is annotated as; none if all are, or it cannot be told."""
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*arguments, **keywords).arguments
    except TypeError:
        return None
    for key, value in bound.items():
        parameter = signature.parameters[key]
        kinds = (
            []
            if value is parameter.default or parameter.kind is parameter.VAR_KEYWORD
            else _annotated_types(parameter.annotation)
        )
        for item in value if parameter.kind is parameter.VAR_POSITIONAL else (value,):
            if kinds and not any(_matches_type(kind, item, getattr(function, "__globals__", {})) for kind in kinds):
                expected = " or ".join(dict.fromkeys(_TYPE_PHRASES.get(kind, kind) for kind in kinds))
                return ArgumentError(f"is {_format_safely(item)}", where=name, argument=key, remedy=f"{expected} is needed")
    return None


def _annotated_types(annotation: Any) -> list[str]:
    """The kinds an annotation names: of `Iterable[str] | Sequence[float] | os.PathLike[str]`, texts, Sequence and PathLike."""
    plain_text = annotation if isinstance(annotation, str) else ""
    for list_type in ("Sequence[str]", "Iterable[str]"):
        plain_text = plain_text.replace(list_type, "texts")
    while "[" in plain_text:
        inner = plain_text.rindex("[")
        plain_text = plain_text[:inner] + plain_text[plain_text.find("]", inner) + 1 :]
    kinds = [kind.strip().rpartition(".")[2] for kind in plain_text.split("|") if kind.strip()]
    return [other for kind in kinds for other in (_annotated_types(_ALIASES[kind]) if kind in _ALIASES else [kind])]


def _matches_type(kind: str, value: Any, module_globals: dict[str, Any]) -> bool:
    """Whether a value is of a kind of annotation; also true if that cannot be told."""
    match kind:
        case "None":
            return value is None
        case "str":
            return isinstance(value, str)
        case "bool":
            return type(value).__name__ in ("bool", "bool_")
        case "int":
            return isinstance(value, Integral) and not isinstance(value, bool) and abs(int(value)) < 2**63
        case "float":
            return is_number(value) or (isinstance(value, float) and math.isinf(value))
        case "PathLike":
            return isinstance(value, os.PathLike)
        case "MechanismLike":
            return isinstance(value, (str, os.PathLike)) or hasattr(value, "joints")
        case "Callable":
            return callable(value)
        case "ArrayLike":
            return _is_numeric(value)
        case "Mapping" | "dict":
            return isinstance(value, Mapping)
        case "Sequence" | "Iterable":
            return _is_list(value)
        case "texts":
            return _is_list(value) and (not isinstance(value, Collection) or all(isinstance(x, str) for x in value))
    named_type = module_globals.get(kind)
    return isinstance(value, named_type) if isinstance(named_type, type) and named_type is not Any else True


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)) and getattr(value, "ndim", 1) > 0


def _is_numeric(value: Any) -> bool:
    import numpy as np  # which is there when an array is

    try:
        array = np.asarray(value)
    except _ARGUMENT_FAILURES:
        return False
    return array.dtype.kind in "fiub" and bool(array.size) and bool(np.isfinite(array).all())


def _format_safely(value: Any) -> str:
    try:
        return format_value(value)
    except Exception:  # of a list that holds itself, or of an object that cannot say what it is
        return f"a {type(value).__name__}"
