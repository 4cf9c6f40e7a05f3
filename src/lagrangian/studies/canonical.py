"""A digest of what a study is made of: descriptions, settings, expressions, arrays and Python functions.

The same content gives the same digest in every process, and other content another one.
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
from lagrangian.kernels.llvm.cache import source_digest
from lagrangian.model.expression import Expression
from lagrangian.model.mechanism import Mechanism

# what is said of a mechanism, but does not change its motion
_WORDS = ("source", "description", "notes", "file")


@cache
def package_digest() -> bytes:
    """Of the code that computes: chunks of another version are never taken up."""
    from lagrangian import __version__

    found = hashlib.sha256(source_digest() + __version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        found.update(path.read_bytes())
    return found.digest()


def digest(*parts: Any) -> str:
    """Of several things, and of the code of this package."""
    found = hashlib.sha256(package_digest())
    for part in parts:
        _feed(found.update, part)
    return found.hexdigest()


def _feed(update: Callable[[bytes], object], x: Any) -> None:
    """The kind and the content of everything, so that no two things read alike."""
    if isinstance(x, Expression):
        x = ("expression", x.operation, x.name, x.value, x.arguments)
    if isinstance(x, bool) or x is None:
        _sized(update, b"o", repr(x).encode())
    elif isinstance(x, (int, np.integer)):
        _sized(update, b"i", str(int(x)).encode())
    elif isinstance(x, (float, np.floating)):
        _sized(update, b"f", float(x).hex().encode())
        _feed(update, getattr(x, "scalar", None))  # the expression that a number remembers
    elif isinstance(x, (str, Path)):
        _sized(update, b"s", str(x).encode("utf-8", "surrogatepass"))
    elif isinstance(x, bytes):
        _sized(update, b"b", x)
    elif isinstance(x, Enum):
        _feed(update, ("enum", type(x).__name__, x.name))
    elif isinstance(x, np.ndarray):
        _feed(update, ("array", x.dtype.str, x.shape, np.ascontiguousarray(x).tobytes()))
    elif isinstance(x, Mapping):
        _sized(update, b"m", str(len(x)).encode())
        for key, value in x.items():
            _feed(update, key)
            _feed(update, value)
    elif isinstance(x, (list, tuple)):
        _sized(update, b"t", str(len(x)).encode())
        for item in (
            *x,
            getattr(x, "given", None),
            getattr(x, "origin", None),
        ):  # what of a start was said, and whence it is reached
            _feed(update, item)
    elif is_dataclass(x) and not isinstance(x, type):
        left_out = _WORDS if isinstance(x, Mechanism) else ()
        _feed(update, (type(x).__qualname__, {f.name: getattr(x, f.name) for f in fields(x) if f.name not in left_out}))
    elif inspect.isfunction(x) or inspect.isbuiltin(x) or inspect.isclass(x):
        home = "__main__" if x.__module__ == "__mp_main__" else x.__module__  # as a process calls the main program of another
        _feed(update, ("function", home, x.__qualname__, _source(x), _surroundings(x)))
    else:
        _sized(update, b"p", _pickled(x))


def _sized(update: Callable[[bytes], object], kind: bytes, data: bytes) -> None:
    update(kind + len(data).to_bytes(8, "little") + data)


def _surroundings(function: Any) -> Any:
    """What a function takes from outside of its text: defaults, variables that it encloses, and globals that are data."""
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    cells = [_content(cell) for cell in function.__closure__ or ()]
    known = function.__globals__
    data = {name: known[name] for name in sorted(_names(code)) if name in known and _is_data(known[name])}
    others = {name: known[name] for name in sorted(_names(code)) if name in known and inspect.isfunction(known[name])}
    texts = {name: _source(x) for name, x in others.items() if x.__module__ == function.__module__}
    return (function.__defaults__, function.__kwdefaults__, dict(zip(code.co_freevars, cells, strict=True)), data, texts)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it has none yet
        return None


def _names(code: Any) -> set[str]:
    """The globals that a function, and those inside of it, name."""
    inner = [_names(x) for x in code.co_consts if inspect.iscode(x)]
    return set(code.co_names).union(*inner)


def _is_data(x: Any) -> bool:
    return isinstance(x, (bool, int, float, complex, str, bytes, tuple, list, dict, np.ndarray, np.generic))


def _source(function: Any) -> Any:
    """The text of a function; where there is none, what it was compiled to."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        return None if code is None else (code.co_code, repr(code.co_consts), code.co_names)


def _pickled(x: Any) -> bytes:
    try:
        return pickle.dumps(x, protocol=4)
    except Exception as error:
        raise ArgumentError(
            f"a {type(x).__name__} cannot be handed to other processes: {error}",
            remedy="define functions and classes at the top level of a module, not as lambdas or inside functions",
        ) from None
