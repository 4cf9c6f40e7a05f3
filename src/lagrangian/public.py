"""How public functions and classes are called: a misspelt keyword is told with the nearest one that exists, British and American
spelling both serve, and where a call fails because an argument is not what it is annotated as, the error says so."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum
from functools import wraps
from numbers import Integral
from typing import Any, TypeVar

from lagrangian.errors import ArgumentError, LagrangianError, is_number, one_of, shown

T = TypeVar("T", bound=Callable[..., Any])
C = TypeVar("C", bound=type)

# words that are spelled in two ways, in names of functions, classes and arguments
_SPELLINGS = (
    ("stabilisation", "stabilization"),
    ("linearise", "linearize"),
    ("optimise", "optimize"),
    ("Linearisation", "Linearization"),
    ("catalogue", "catalog"),
    ("centre", "center"),
    ("colour", "color"),
)


def other_spelling(name: str) -> str:
    """The name in American spelling if it is British, in British if it is American; else the name itself."""
    for british, american in _SPELLINGS:
        if british in name:
            return name.replace(british, american)
        if american in name:
            return name.replace(american, british)
    return name


def public(item: T) -> T:
    """A function or a class of the public interface, whose keywords are looked at before it is called."""
    if isinstance(item, type):
        if issubclass(item, Enum):
            return item
        item.__init__ = _called(item.__init__, item.__name__)  # type: ignore[method-assign]
        return item
    return _called(item, item.__name__)


def methods(item: C) -> C:
    """A class whose methods are called as public functions are."""
    for name in dir(item):
        function = inspect.getattr_static(item, name)
        if not name.startswith("_") and inspect.isfunction(function):
            setattr(item, name, _called(function, name))
    return item


def _called(function: Any, name: str) -> Any:
    parameters = inspect.signature(function).parameters.values()
    known = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.name != "self"]
    takes_others = any(p.kind is p.VAR_KEYWORD for p in parameters)  # which it looks at itself
    names = frozenset(known)

    @wraps(function)
    def called(*arguments: Any, **keywords: Any) -> Any:
        if not keywords.keys() <= names:
            for key in [key for key in keywords if key not in names]:
                other = other_spelling(key)
                if other in names and other not in keywords:
                    keywords[other] = keywords.pop(key)
                elif other in names:
                    raise ArgumentError(f"{key} and {other} are two spellings of one argument; give one of them", where=name)
                elif not takes_others:
                    raise ArgumentError(one_of("argument", key, known), where=name)
        try:
            return function(*arguments, **keywords)
        except LagrangianError:
            raise
        except _BEWILDERED as error:
            wrong = _misfit(function, name, arguments, keywords)
            if wrong is None:
                raise
            raise wrong from error

    return called


# -- what is wrong with an argument when a call has failed ----------------------------------------------------------------

_NAMED = {
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
_BEWILDERED = (TypeError, ValueError, OverflowError, AttributeError, RecursionError)


def _misfit(function: Any, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> ArgumentError | None:
    """The error about the first argument that is not of the kind it is annotated as; none if all are, or it cannot be told."""
    signature = inspect.signature(function)
    try:
        given = signature.bind(*arguments, **keywords).arguments
    except TypeError:
        return None
    for key, value in given.items():
        parameter = signature.parameters[key]
        kinds = [] if value is parameter.default or parameter.kind is parameter.VAR_KEYWORD else _kinds(parameter.annotation)
        for one in value if parameter.kind is parameter.VAR_POSITIONAL else (value,):
            if kinds and not any(_fits(kind, one, getattr(function, "__globals__", {})) for kind in kinds):
                needed = " or ".join(dict.fromkeys(_NAMED.get(kind, kind) for kind in kinds))
                return ArgumentError(f"is {_shown(one)}", where=name, argument=key, remedy=f"{needed} is needed")
    return None


def _kinds(annotation: Any) -> list[str]:
    """The kinds an annotation names: of `Iterable[str] | Sequence[float] | os.PathLike[str]`, texts, Sequence and PathLike."""
    outside = annotation if isinstance(annotation, str) else ""
    for several in ("Sequence[str]", "Iterable[str]"):
        outside = outside.replace(several, "texts")
    while "[" in outside:
        inner = outside.rindex("[")
        outside = outside[:inner] + outside[outside.find("]", inner) + 1 :]
    kinds = [kind.strip().rpartition(".")[2] for kind in outside.split("|") if kind.strip()]
    return [other for kind in kinds for other in (_kinds(_ALIASES[kind]) if kind in _ALIASES else [kind])]


def _fits(kind: str, given: Any, known: dict[str, Any]) -> bool:
    """Whether it is of this kind; also if that cannot be told."""
    match kind:
        case "None":
            return given is None
        case "str":
            return isinstance(given, str)
        case "bool":
            return type(given).__name__ in ("bool", "bool_")
        case "int":
            return isinstance(given, Integral) and not isinstance(given, bool) and abs(int(given)) < 2**63
        case "float":
            return is_number(given) or (isinstance(given, float) and math.isinf(given))
        case "PathLike":
            return isinstance(given, os.PathLike)
        case "MechanismLike":
            return isinstance(given, (str, os.PathLike)) or hasattr(given, "joints")
        case "Callable":
            return callable(given)
        case "ArrayLike":
            return _is_numeric(given)
        case "Mapping" | "dict":
            return isinstance(given, Mapping)
        case "Sequence" | "Iterable":
            return _is_list(given)
        case "texts":
            return _is_list(given) and (not isinstance(given, Collection) or all(isinstance(x, str) for x in given))
    named = known.get(kind)
    return isinstance(given, named) if isinstance(named, type) and named is not Any else True


def _is_list(given: Any) -> bool:
    return isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping)) and getattr(given, "ndim", 1) > 0


def _is_numeric(given: Any) -> bool:
    import numpy as np  # which is there when an array is

    try:
        array = np.asarray(given)
    except _BEWILDERED:
        return False
    return array.dtype.kind in "fiub" and bool(array.size) and bool(np.isfinite(array).all())


def _shown(given: Any) -> str:
    try:
        return shown(given)
    except Exception:  # of a list that holds itself, or of an object that cannot say what it is
        return f"a {type(given).__name__}"
