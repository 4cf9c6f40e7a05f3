"""Exported C, compiled and called: shared by the tests of C and of what stands on it."""

from __future__ import annotations

import ctypes
import itertools
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

import lagrangian as lg
from lagrangian.functions.catalogue import package
from lagrangian.functions.routine import Routine

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-pedantic")
_numbers = itertools.count()


def run(*command: str, folder: Path) -> str:
    """What a program prints; it must end well."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


class CompiledC:
    """Functions of a mechanism through C, called with arrays; `parameters` may be given other values."""

    def __init__(
        self, mechanism: lg.Mechanism, folder: Path, functions: Sequence[str], flags: Sequence[str] = ("-O1",), **options: object
    ) -> None:
        export_result = lg.export(mechanism, "c", folder, functions=functions, **options)
        self.name = next(name for name in export_result.files if name.endswith("_test.c")).removesuffix("_test.c")
        self.folder, self.files = folder, export_result.files
        self.routines = {r.name: r for r in package(mechanism, functions, **options).routines}
        library = f"code{next(_numbers)}.so"  # a library of the same path would not be loaded again
        run("gcc", *STRICT, *flags, "-shared", "-fPIC", f"{self.name}.c", "-lm", "-o", library, folder=folder)
        self.library = ctypes.CDLL(str(folder / library))
        self.parameters = package(mechanism, functions, **options).parameters
        self.has_constants = f"{self.name}_prepare" in str(export_result.files[f"{self.name}.h"])
        self.constants: object = None
        if self.has_constants:
            self.constants = (ctypes.c_double * 1).in_dll(self.library, f"{self.name}_default_constants")

    def prepare(self, values: Mapping[str, float]) -> None:
        """Use other values of parameters."""
        actual = np.array([values.get(p.name, p.value) for p in self.parameters])
        self.constants = (ctypes.c_double * 100_000)()
        getattr(self.library, f"{self.name}_prepare")(actual.ctypes.data_as(ctypes.c_void_p), self.constants)

    def __call__(self, routine: Routine | str, value: Mapping[str, Sequence[float]]) -> np.ndarray:
        routine = self.routines[routine] if isinstance(routine, str) else routine
        arrays = [np.ascontiguousarray(value[x.name], dtype=float) for x in routine.inputs]
        passed: list[object] = [
            ctypes.c_double(float(a.ravel()[0])) if x.shape == () else a.ctypes.data_as(ctypes.c_void_p)
            for x, a in zip(routine.inputs, arrays, strict=True)
        ]
        outputs = [np.full(max(1, x.size), np.nan) for x in routine.outputs]
        passed += [self.constants] if self.has_constants else []
        passed += [a.ctypes.data_as(ctypes.c_void_p) for a in outputs]
        getattr(self.library, f"{self.name}_{routine.name}")(*passed)
        return np.concatenate([a[: x.size] for a, x in zip(outputs, routine.outputs, strict=True)])
