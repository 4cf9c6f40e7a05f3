"""Named arrays with dimensions, units and attributes, written to netCDF files and read from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lagrangian.errors import DescriptionError


@dataclass(frozen=True)
class Variable:
    """An array of numbers or of texts, with a name for each of its dimensions."""

    dimensions: tuple[str, ...]
    values: np.ndarray
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """The variables of a netCDF file and the attributes of the whole. A variable named like its dimension labels it."""

    variables: dict[str, Variable]
    attributes: dict[str, Any]

    @property
    def sizes(self) -> dict[str, int]:
        """How long each dimension is."""
        variables = self.variables.values()
        return {name: size for v in variables for name, size in zip(v.dimensions, v.values.shape, strict=True)}

    def labels(self) -> set[str]:
        return {name for name, variable in self.variables.items() if variable.dimensions == (name,)}


def write(table: Table, path: Path) -> None:
    """Write a netCDF-4 file. Missing numbers are NaN, which is declared as the fill value, as xarray does."""
    import h5netcdf
    import h5py

    with h5netcdf.File(path, "w") as file:
        file.dimensions = table.sizes
        file.attrs.update(table.attributes)
        for name, variable in table.variables.items():
            text = variable.values.dtype.kind == "U"
            made = file.create_variable(
                name,
                variable.dimensions,
                dtype=h5py.string_dtype() if text else variable.values.dtype,
                data=variable.values.astype(object) if text else variable.values,
                fillvalue=None if text else np.nan,
            )
            made.attrs.update(variable.attributes)


def read(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """All arrays of a netCDF-4 file and its attributes. The file is one of HDF5, and h5py reads it faster than h5netcdf."""
    import h5py

    try:
        with h5py.File(path) as file:
            found = {name: data for name, data in file.items() if isinstance(data, h5py.Dataset)}
            return {name: (x.asstr() if x.dtype.kind == "O" else x)[...] for name, x in found.items()}, dict(file.attrs)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise DescriptionError(f"{path}: this is not a netCDF file: {error}") from None
