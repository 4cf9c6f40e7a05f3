"""Named arrays with dimensions, units and attributes, written to netCDF files and read from them."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lagrangian.errors import DescriptionError

_HDF5 = b"\x89HDF\r\n\x1a\n"
_MARK = b"\nlagrangian sha256 "
_SEALED = len(_MARK) + 64 + 1  # bytes


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


def written(table: Table) -> bytes:
    """A netCDF-4 file, sealed. Missing numbers are NaN, which is declared as the fill value, as xarray does.

    It is made in memory: on a full disk, the library that makes it ends the process.
    """
    import h5netcdf
    import h5py

    stream = io.BytesIO()
    with h5netcdf.File(stream, "w") as file:
        file.dimensions = table.sizes
        file.attrs.update({name: _storable(value) for name, value in table.attributes.items()})
        for name, variable in table.variables.items():
            text = variable.values.dtype.kind == "U"
            made = file.create_variable(
                name,
                variable.dimensions,
                dtype=h5py.string_dtype() if text else variable.values.dtype,
                data=np.array([_storable(x) for x in variable.values.tolist()], dtype=object) if text else variable.values,
                fillvalue=None if text else np.nan,
            )
            made.attrs.update(variable.attributes)
    content = stream.getvalue()
    return content + _seal(content)


def _storable(value: Any) -> Any:
    """A text as HDF5 can hold it: the name of a file may have bytes that are no characters."""
    return value.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00") if isinstance(value, str) else value


def _seal(content: bytes) -> bytes:
    """What follows the content: its hash.

    Readers of HDF5 ignore what stands after its end, and programs that change a file cut it off.
    """
    return _MARK + hashlib.sha256(content).hexdigest().encode() + b"\n"


def read(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """All arrays of a netCDF-4 file and its attributes.

    A file whose seal is broken is refused. One without a seal, of an earlier version or changed by another program, is first
    read by a process that may hang or crash.
    """
    from lagrangian.motion.storage import hdf5

    try:
        data = path.read_bytes()
    except OSError as error:
        raise DescriptionError(f"{path}: it cannot be read: {error.strerror or error}") from None
    content, seal = data[:-_SEALED], data[-_SEALED:]
    if not seal.startswith(_MARK):
        if not data.startswith(_HDF5):
            raise DescriptionError(f"{path}: this is not a netCDF file: its first bytes are not those of HDF5")
        if not hdf5.can_be_read(data):
            raise DescriptionError(f"{path}: this netCDF file is damaged: the HDF5 library does not finish reading it")
        content = data
    elif seal != _seal(content):
        raise DescriptionError(
            f"{path}: this file is damaged: its SHA-256 checksum does not match its contents; use a copy of it, or simulate the "
            "motion again"
        )
    try:
        return hdf5.contents(content)
    except Exception as error:  # h5py raises errors of many kinds
        raise DescriptionError(f"{path}: this is not a netCDF file: {error}") from None
