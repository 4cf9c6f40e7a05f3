"""Python values that functions are not meant for, or only just, by names under which an input has them."""

from __future__ import annotations

import datetime
import math
import pathlib
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np


class Hostile:
    """An object whose every conversion fails."""

    def __float__(self) -> float:
        raise RuntimeError("no float")

    def __len__(self) -> int:
        raise RuntimeError("no length")

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise RuntimeError("no array")


def _circular() -> list[Any]:
    results: list[Any] = []
    results.append(results)
    return results


VALUES: dict[str, Callable[[], Any]] = {
    **{repr(x): (lambda x=x: x) for x in (None, True, False, 0, 1, -1, 2, 7, 10**6, 2**31, 2**63, 2**64, -(2**64), 10**30)},
    **{
        repr(x): (lambda x=x: x)
        for x in (0.0, -0.0, 1.5, 1e-300, 5e-324, 1e16, 1e154, 1e308, -1e308, math.nan, math.inf, -math.inf)
    },
    **{
        repr(x): (lambda x=x: x)
        for x in ("", "x", "theta1", "link2", "nan", "1e400", "sin(t)", "a/b", "..", "/", "\x00", "é🤖", b"", b"x")
    },
    **{
        repr(x): (lambda x=x: x)
        for x in ([], (), {}, [[]], [1], [1, 2], [0.1, math.nan], [1, 2, 3], [[1, 2], [3]], [None], ["a", "b"])
    },
    **{
        repr(x): (lambda x=x: x)
        for x in ({"theta1": 1}, {"theta1": math.nan}, {1: 2}, {"nobody": 1}, {"link2": (0, 0, 0, 0, 0, 1)}, {"": ""})
    },
    **{
        repr(x): (lambda x=x: x)
        for x in ([2**64, 1], [10**400, 1], [1j, 2], [True, False], ["1", "2"], [[1, 2], [3, 4]], [(1, 2)], [{}, {}])
    },
    "10**400": lambda: 10**400,
    "1j": lambda: 1j,
    "a long text": lambda: "x" * 100_000,
    "a deep expression": lambda: "(" * 5000 + "1" + ")" * 5000,
    "a circular list": _circular,
    "object()": object,
    "Hostile()": Hostile,
    "a function": lambda: lambda *_, **__: 0.0,
    "a failing function": lambda: lambda *_, **__: 1 / 0,
    "a function of text": lambda: lambda *_, **__: "text",
    "a class": lambda: int,
    "a generator": lambda: (x for x in (0.1, 0.2)),
    "range(2)": lambda: range(2),
    "{1, 2}": lambda: {1, 2},
    "Decimal": lambda: Decimal("0.5"),
    "Decimal NaN": lambda: Decimal("NaN"),
    "Fraction": lambda: Fraction(1, 3),
    "date": lambda: datetime.date(2020, 1, 1),
    "datetime64": lambda: np.datetime64("2020-01-01"),
    "slice": lambda: slice(None),
    "Path": lambda: pathlib.Path("no/such/file.toml"),
    "longdouble": lambda: np.longdouble("0.1"),
    "large longdouble": lambda: np.longdouble("1e4000"),
    "float16": lambda: np.float16(0.5),
    "uint8": lambda: np.uint8(200),
    "int64": lambda: np.int64(-3),
    "bool_": lambda: np.bool_(True),
    "str_": lambda: np.str_("theta1"),
    "longdoubles": lambda: np.array([0.1, 0.2], dtype=np.longdouble),
    "float32s": lambda: np.array([0.1, 0.2], dtype=np.float32),
    "large uint64s": lambda: np.array([2**64 - 1, 1], dtype=np.uint64),
    "complex array": lambda: np.array([1j, 2]),
    "complex without imaginary part": lambda: np.array([1 + 0j, 2]),
    "objects": lambda: np.array([1, None], dtype=object),
    "object integers": lambda: np.array([2**70, 1], dtype=object),
    "structured": lambda: np.zeros(2, dtype=[("a", float), ("b", int)]),
    "structured scalar": lambda: np.zeros(2, dtype=[("a", float), ("b", int)])[0],
    "texts": lambda: np.array(["a", "b"]),
    "bytes array": lambda: np.array([b"a", b"b"]),
    "empty array": lambda: np.zeros(0),
    "no rows": lambda: np.zeros((0, 2)),
    "no columns": lambda: np.zeros((2, 0)),
    "0-d": lambda: np.array(0.5),
    "many dimensions": lambda: np.zeros((1,) * 30),
    "2x2": lambda: np.eye(2),
    "3x2": lambda: np.full((3, 2), 0.1),
    "2x3x4": lambda: np.zeros((2, 3, 4)),
    "4x4": lambda: np.eye(4),
    "Fortran order": lambda: np.asfortranarray(np.full((3, 2), 0.1)),
    "not contiguous": lambda: np.arange(12.0)[::-6],
    "big-endian": lambda: np.array([0.1, 0.2], dtype=">f8"),
    "misaligned": lambda: np.frombuffer(b"\0" * 17, dtype=np.uint8)[1:].view(float),
    "read only": lambda: np.broadcast_to(0.1, (2,)),
    "masked": lambda: np.ma.masked_array([1.0, 2.0], [True, False]),
    "matrix of NaN": lambda: np.full((3, 2), math.nan),
    "datetimes": lambda: np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
    "memoryview": lambda: memoryview(b"1234"),
}
