"""`lagrangian.export`: a mechanism, or its functions, for other programs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lagrangian.description.mechanism_like import MechanismLike, as_mechanism
from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.exports.output_folder import resolve_destination, write_all
from lagrangian.exports.source.identifiers import transliterate
from lagrangian.exports.targets import find_target, targets
from lagrangian.exports.targets.target import ExportedFiles, ExportRequest, ExportTarget
from lagrangian.model.mechanism import Mechanism

# endings of files, by which no folder is called
FILE_SUFFIXES = (
    ".toml",
    ".urdf",
    ".xml",
    ".mjcf",
    ".sdf",
    ".fmu",
    ".py",
    ".c",
    ".h",
    ".cpp",
    ".m",
    ".jl",
    ".rs",
    ".txt",
    ".json",
    ".html",
)


@dataclass(frozen=True, repr=False)
class ExportResult:
    """The files and functions that `export` made.

    A function is an attribute as well: `lagrangian.export(arm, "casadi").inverse_dynamics`.

    Attributes
    ----------
    target : str
        The name of the target.
    files : dict
        The contents of the files by name.
    functions : dict
        The functions by name.
    notes : tuple of str
        Remarks on what could not be exported.
    paths : tuple of pathlib.Path
        The files that were written; none if no path was given.
    parameters : dict of float
        The parameters that stay adjustable in the functions, with their values.

    Examples
    --------
    >>> import lagrangian as lg
    >>> made = lg.export("pendulum", "c", functions=["inverse_dynamics"])
    >>> made
    <Export to c: pendulum.h, pendulum.c, pendulum_test.c, CMakeLists.txt>
    >>> made.files["pendulum.c"].splitlines()[0]
    '#include "pendulum.h"'
    """

    target: str
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    paths: tuple[Path, ...] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in ("functions", "files"):
            raise AttributeError(name)
        if name not in self.functions:
            message = (
                f"{name!r}: the target {self.target!r} writes files and has no functions to call; casadi and jax have functions"
            )
            raise AttributeError(unknown_name_message("function", name, self.functions) if self.functions else message)
        return self.functions[name]

    def __repr__(self) -> str:
        contents = ", ".join([*self.files, *(f"{name}()" for name in self.functions)])
        return f"<Export to {self.target}: {contents}>"


def export(
    mechanism: MechanismLike,
    target: str,
    path: str | os.PathLike[str] | None = None,
    *,
    functions: Sequence[str] | None = None,
    frames: Sequence[str] | None = None,
    parameters: Sequence[str] | None = None,
    **options: str | float | bool | None,
) -> ExportResult:
    """Export a mechanism, or functions of it, for other programs.

    Targets are source code (C, NumPy, MATLAB and Octave, Julia, Rust), functions of other packages (CasADi, JAX, acados), FMUs,
    and robot files (URDF, MJCF, SDF, TOML). `export_targets` lists them.

    Parameters
    ----------
    mechanism : Mechanism, str or path
        The mechanism, the name of one in the library, or a file.
    target : str
        The target: "c", "numpy", "octave", "julia", "rust", "casadi", "jax", "acados", "fmu", "urdf", "mjcf", "sdf" or "toml".
    path : str or path, optional
        The folder to write, or the file if the target is one file. Without a path nothing is written, and the result has the
        contents in `files`, or the `functions`.
    functions : sequence of str, optional
        Names of functions, such as "inverse_dynamics". Those of a frame are written "jacobian:tool"; without a frame they are
        exported for every frame that the mechanism names, or for those in `frames`. By default "inverse_dynamics",
        "forward_dynamics", "mass_matrix", "coriolis_matrix" and "gravity" are exported; the outputs of an FMU are
        the multipliers, the energies and the poses of the frames.
    frames : sequence of str, optional
        The frames of such functions. The default is the frames that the mechanism names.
    parameters : sequence of str, optional
        The parameters, or paths such as "link2.mass", that stay adjustable in the code. The default is the parameters of the
        mechanism; if it has none, the masses, centres, inertias and friction of its parts.
    **options
        Options of the target.

    Returns
    -------
    ExportResult
        The files and functions, and notes about what could not be exported.

    Other Parameters
    ----------------
    real : str
        The type of numbers: "double" (the default) or "float" for "c"; "f64" (the default) or "f32" for "rust".
    style : {"fast", "closed_form"}
        For "c": code that runs fast (the default), or code to read, with the formula above each entry.
    step : float
        For "fmu": the largest step of Co-Simulation in s. The default is a ten-thousandth of the time span, at most 1 ms.
    binary : bool
        For "fmu": whether to compile the library for this machine. The default is True.
    loops : {"urdf", "yaml"}
        For "urdf": whether loops are written in the file, as in URDF+ (the default), or in a YAML file beside it.

    Raises
    ------
    ArgumentError
        If the target, an option, a function or a parameter is unknown, or if the path cannot be written.

    See Also
    --------
    save : Write a mechanism to a file.

    Examples
    --------
    >>> import lagrangian as lg
    >>> written = lg.export("two_r", "c", "two_r", functions=["inverse_dynamics", "jacobian:tip"], real="float")
    >>> [path.name for path in written.paths]
    ['two_r.h', 'two_r.c', 'two_r_test.c', 'CMakeLists.txt']
    >>> lg.export("two_r", "urdf").files["two_r.urdf"].splitlines()[1]
    '<robot name="two_r">'
    """
    model = as_mechanism(mechanism)
    export_target = find_target(target)
    request = ExportRequest(functions, frames, parameters, options)
    export_target.check(request)
    if path is not None and not export_target.writes_files:
        raise ArgumentError(
            f"the target {target!r} returns Python functions and writes no files; leave `path` out", concerns="path"
        )
    destination = None if path is None else resolve_destination(path, export_target.suffixes, FILE_SUFFIXES)
    if destination is not None:
        _check_not_source_file(model, destination, export_target)
    exported = export_target.make(model, request)
    if not isinstance(exported, ExportedFiles):
        raise ArgumentError(
            f"`make` returned an object of type {type(exported).__name__}; an `ExportedFiles` is needed",
            where=f"export target {export_target.name!r}",
        )
    paths = (
        ()
        if destination is None
        else write_all(destination, exported.files, export_target.suffixes, f"{export_target.name} {model.name}")
    )
    return ExportResult(export_target.name, exported.files, exported.functions, exported.notes, paths, exported.parameters)


def _check_not_source_file(mechanism: Mechanism, destination: Path, target: ExportTarget) -> None:
    """Refuse to write the file that the mechanism was read from: what the reader left out of it would be lost."""
    source_file = Path(mechanism.file) if mechanism.file else None
    is_file = destination.suffix.lower() in target.suffixes
    output_file = destination if is_file else destination / f"{transliterate(mechanism.name)}{target.file_suffix}"
    if source_file is not None and output_file.exists() and source_file.exists() and output_file.samefile(source_file):
        raise ArgumentError(
            f"{output_file}: the mechanism was read from this file, and what its reader left out would be lost",
            concerns="path",
            remedy="name another file",
        )


def export_targets() -> dict[str, str]:
    """List the targets of `export`.

    Returns
    -------
    dict of str
        The names of the targets, and what each of them makes.

    Examples
    --------
    >>> import lagrangian as lg
    >>> for name, makes in lg.export_targets().items():
    ...     print(f"{name}: {makes}")
    c: C99: a header, a source file, a test program and a CMake file
    numpy: a Python module that needs only NumPy
    octave: a package folder of functions for MATLAB and Octave
    julia: a Julia module without dependencies
    rust: a Rust crate without dependencies and without the standard library
    casadi: CasADi functions, for its solvers and derivatives
    jax: JAX functions, to compile, vectorise and differentiate
    acados: a model for acados: C code with exact derivatives, and a Python file
    fmu: an FMI 3.0 file for Model Exchange and Co-Simulation
    urdf: a URDF file, for ROS, Pinocchio and others
    mjcf: an MJCF file, for MuJoCo
    sdf: an SDF file, for Gazebo and Drake
    toml: a TOML file of this package, with everything
    """
    return {target.name: target.about for target in targets()}
