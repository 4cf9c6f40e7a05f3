"""A digest of what a study is made of: descriptions, settings, expressions, arrays and Python functions.

The same content gives the same digest in every process, and other content gives another one.
"""

from __future__ import annotations

import hashlib
import inspect
import pickle
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError
from lagrangian.kernels.llvm.object_cache import source_digest
from lagrangian.model.expression import Expression
from lagrangian.model.mechanism import Mechanism

# fields of a mechanism that do not change its motion
_DESCRIPTIVE_FIELDS = ("source", "description", "notes", "file")


def digest(*parts: Any) -> str:
    """The digest of several objects and of the code of this package."""
    hasher = hashlib.sha256(package_digest())
    for part in parts:
        _feed(hasher.update, part)
    return hasher.hexdigest()


@cache
def package_digest() -> bytes:
    """The digest of the code that computes, so that chunks of another version are never used."""
    from lagrangian import __version__

    hasher = hashlib.sha256(source_digest() + __version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        hasher.update(path.read_bytes())
    return hasher.digest()


def _feed(update: Callable[[bytes], object], x: Any) -> None:
    """Feed the kind and the content of an object to a hash, so that no two different objects give the same bytes."""
    if isinstance(x, Expression):
        x = ("expression", x.operation, x.name, x.value, x.arguments)
    if isinstance(x, bool) or x is None:
        _update_with_length(update, b"o", repr(x).encode())
    elif isinstance(x, (int, np.integer)):
        _update_with_length(update, b"i", str(int(x)).encode())
    elif isinstance(x, (float, np.floating)):
        _update_with_length(update, b"f", float(x).hex().encode())
        _feed(update, getattr(x, "source", None))  # the expression that a number remembers
    elif isinstance(x, (str, Path)):
        _update_with_length(update, b"s", str(x).encode("utf-8", "surrogatepass"))
    elif isinstance(x, bytes):
        _update_with_length(update, b"b", x)
    elif isinstance(x, Enum):
        _feed(update, ("enum", type(x).__name__, x.name))
    elif isinstance(x, np.ndarray):
        _feed(update, ("array", x.dtype.str, x.shape, np.ascontiguousarray(x).tobytes()))
    elif isinstance(x, Mapping):
        _update_with_length(update, b"m", str(len(x)).encode())
        for key, value in x.items():
            _feed(update, key)
            _feed(update, value)
    elif isinstance(x, (list, tuple)):
        _update_with_length(update, b"t", str(len(x)).encode())
        # of a start, also which of its entries were given, and the state from which it is reached
        for item in (*x, getattr(x, "given_names", None), getattr(x, "origin", None)):
            _feed(update, item)
    elif is_dataclass(x) and not isinstance(x, type):
        skipped = _DESCRIPTIVE_FIELDS if isinstance(x, Mechanism) else ()
        _feed(update, (type(x).__qualname__, {f.name: getattr(x, f.name) for f in fields(x) if f.name not in skipped}))
    elif inspect.isfunction(x) or inspect.isbuiltin(x) or inspect.isclass(x):
        module = "__main__" if x.__module__ == "__mp_main__" else x.__module__  # as a process calls the main program of another
        _feed(update, ("function", module, x.__qualname__, _source(x), _captured_values(x)))
    else:
        _update_with_length(update, b"p", _pickle(x))


def _update_with_length(update: Callable[[bytes], object], kind: bytes, data: bytes) -> None:
    update(kind + len(data).to_bytes(8, "little") + data)


def _captured_values(function: Any) -> Any:
    """What a function uses from outside its text: defaults, enclosed variables, globals that are data, and helper functions."""
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    cells = [_cell_content(cell) for cell in function.__closure__ or ()]
    namespace = function.__globals__
    data = {name: namespace[name] for name in sorted(_global_names(code)) if name in namespace and _is_data(namespace[name])}
    helpers = {
        name: namespace[name] for name in sorted(_global_names(code)) if name in namespace and inspect.isfunction(namespace[name])
    }
    texts = {name: _source(x) for name, x in helpers.items() if x.__module__ == function.__module__}
    return (function.__defaults__, function.__kwdefaults__, dict(zip(code.co_freevars, cells, strict=True)), data, texts)


def _cell_content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it has none yet
        return None


def _global_names(code: Any) -> set[str]:
    """The globals that a function names, or a function inside it."""
    inner = [_global_names(x) for x in code.co_consts if inspect.iscode(x)]
    return set(code.co_names).union(*inner)


def _is_data(x: Any) -> bool:
    return isinstance(x, (bool, int, float, complex, str, bytes, tuple, list, dict, np.ndarray, np.generic))


def _source(function: Any) -> Any:
    """The text of a function, or its byte code if there is no text."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        return None if code is None else (code.co_code, repr(code.co_consts), code.co_names)


def _pickle(x: Any) -> bytes:
    try:
        return pickle.dumps(x, protocol=4)
    except Exception as error:
        raise ArgumentError(
            f"a {type(x).__name__} cannot be handed to other processes: {error}",
            remedy="define functions and classes at the top level of a module, not as lambdas or inside functions",
        ) from None
