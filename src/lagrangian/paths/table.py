"""CSV files of numbers over time, with the line and the column of whatever is wrong in them."""

from __future__ import annotations

import csv
import math
import os
from pathlib import Path

import numpy as np

from lagrangian.errors import DescriptionError, shown

CARTESIAN = ("x", "y", "z", "qw", "qx", "qy", "qz")


def read_table(file: str | os.PathLike[str]) -> tuple[tuple[str, ...], np.ndarray]:
    """The names of the columns but t, and the rows, t first."""
    if not isinstance(file, (str, os.PathLike)):
        raise DescriptionError(f"the file of the path is {shown(file)}; a file name is needed")
    source = Path(file)
    try:
        text = source.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DescriptionError(f"{source}: there is no such file") from None
    except (OSError, ValueError) as error:  # not UTF-8, or a name with a zero in it
        raise DescriptionError(f"{str(source)!r}: it cannot be read as text: {error}") from None
    lines = [(k, line) for k, line in enumerate(text.splitlines(), 1) if line.strip() and not line.lstrip().startswith("#")]
    if not lines:
        raise DescriptionError(f"{source}: the file is empty; a first row with the names of the columns is needed: t, q1, q2 ...")
    separator = max(",;\t", key=lines[0][1].count)
    rows = [_cells(line, separator, f"{source}: line {k}") for k, line in lines]
    names = [name.strip() for name in rows[0]]
    if names[0] != "t" or len(names) < 2 or len(set(names)) != len(names) or not all(names):
        raise DescriptionError(
            f"{source}: line {lines[0][0]}: the first row must name the columns, t first and all different; "
            f"it is {shown(lines[0][1], 80)}"
        )
    found = np.empty((len(rows) - 1, len(names)))
    for k, row in enumerate(rows[1:]):
        where = f"{source}: line {lines[k + 1][0]}"
        if len(row) != len(names):
            raise DescriptionError(f"{where}: there are {len(row)} numbers for {len(names)} columns")
        for c, cell in enumerate(row):
            found[k, c] = _number(cell, f"{where}, column {names[c]!r}")
        if k and found[k, 0] <= found[k - 1, 0]:
            raise DescriptionError(f"{where}: times must increase; {found[k, 0]:g} s follows {found[k - 1, 0]:g} s")
    if len(found) < 2:
        raise DescriptionError(f"{source}: there are {len(found)} rows of numbers; at least two are needed")
    return tuple(names[1:]), found


def _cells(line: str, separator: str, where: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator, strict=True))
    except csv.Error as error:
        raise DescriptionError(f"{where}: it cannot be read as a row of a table: {error}") from None


def _number(cell: str, where: str) -> float:
    try:
        x = float(cell) if "_" not in cell else math.nan
    except ValueError:
        raise DescriptionError(f"{where}: {shown(cell)} is not a number") from None
    if not math.isfinite(x):
        raise DescriptionError(f"{where}: {shown(cell)} is not a finite number")
    return x
