"""Tables of results as files: .csv for spreadsheets, .nc (netCDF) with units for programs that read HDF5."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lagrangian.errors import ArgumentError
from lagrangian.files import as_target_path, write


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table: numbers with their name and unit."""

    name: str
    values: np.ndarray
    unit: str = ""
    meaning: str = ""


def write_table_file(path: str | os.PathLike[str], mechanism: str, title: str, dimension: str, columns: Sequence[Column]) -> Path:
    """Write columns of equal length to a .csv or .nc file, and return its path."""
    target = as_target_path(path)
    ending = target.suffix.lower()
    if ending not in (".csv", ".nc"):
        raise ArgumentError(f"{target}: a table is written as .csv or .nc (netCDF)", concerns="path")
    return write(target, _csv(columns) if ending == ".csv" else _netcdf(mechanism, title, dimension, columns))


def _csv(columns: Sequence[Column]) -> str:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow([_escape_cell(f"{c.name} [{c.unit}]" if c.unit not in ("", "1") else c.name) for c in columns])
    rows.writerows(zip(*(c.values.tolist() for c in columns), strict=True))
    return text.getvalue()


def _escape_cell(name: str) -> str:
    """The name of a column as no spreadsheet takes it for a formula."""
    return f"'{name}" if name.startswith(("=", "+", "-", "@")) else name


def _netcdf(mechanism: str, title: str, dimension: str, columns: Sequence[Column]) -> bytes:
    from lagrangian.motion.storage import netcdf

    variables = {
        c.name: netcdf.Variable(
            (dimension,), np.asarray(c.values, dtype=float), {"units": c.unit, "long_name": c.meaning or c.name}
        )
        for c in columns
    }
    return netcdf.written(netcdf.Table(variables, {"format": f"lagrangian {title} 1", "mechanism": mechanism}))
