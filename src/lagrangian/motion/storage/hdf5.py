"""The arrays and attributes of an HDF5 file, from its bytes. Run as a program, it tries whether the library can read them at all.

The library may loop or crash on bytes that were altered: nothing in a process can stop that, so another process tries it first.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from typing import Any

import h5py
import numpy as np

PATIENCE = 20.0  # s, and one more for every 10 MB
_RATIO = 1100  # how far the library's compression can go: a file that promises more lies


def contents(data: bytes) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """All arrays, and the attributes; an exception of some kind if they are not in the bytes themselves, plain and whole."""
    with h5py.File(io.BytesIO(data), "r") as file:
        found = {}
        for name in file:
            if not isinstance(file.get(name, getlink=True), h5py.HardLink):
                raise ValueError(f"{name!r} is a link")  # which may lead to other files
            if isinstance(file[name], h5py.Dataset):
                found[name] = file[name]
        if any(x.external or x.is_virtual for x in found.values()):
            raise ValueError("it refers to other files")
        if sum(x.size * x.dtype.itemsize for x in found.values()) > _RATIO * len(data):
            raise ValueError("it claims to hold more than its size allows")
        arrays = {name: (x.asstr() if x.dtype.kind == "O" else x)[...] for name, x in found.items()}
        return arrays, dict(file.attrs)


def can_be_read(data: bytes) -> bool:
    """Whether the library comes to an end with these bytes, whatever it says of them."""
    if not sys.executable:
        return True
    try:
        done = subprocess.run(
            [sys.executable, "-P", __file__],
            input=data,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE + len(data) / 1e7,
        )
    except (subprocess.TimeoutExpired, OSError):
        return False
    return done.returncode >= 0


if __name__ == "__main__":
    try:
        contents(sys.stdin.buffer.read())
    finally:
        os._exit(0)
