"""How public functions and classes are called: a misspelt keyword is told with the nearest one that exists, and British and
American spelling both serve."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from functools import wraps
from typing import Any, TypeVar

from lagrangian.errors import ArgumentError, one_of

T = TypeVar("T", bound=Callable[..., Any])

# words that are spelled in two ways, in names of functions, classes and arguments
_SPELLINGS = (
    ("stabilisation", "stabilization"),
    ("linearise", "linearize"),
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
                    raise ArgumentError(f"{key} and {other} are one argument; give one of them", where=name)
                elif not takes_others:
                    raise ArgumentError(one_of("argument", key, known), where=name)
        return function(*arguments, **keywords)

    return called
