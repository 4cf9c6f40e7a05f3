"""`lagrangian.export`: a mechanism, or its functions, for other programs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lagrangian.description.mechanism_of import MechanismLike, mechanism_of
from lagrangian.errors import ArgumentError, one_of
from lagrangian.exports.folder import destination, write_all
from lagrangian.exports.languages.names import spelled
from lagrangian.exports.targets import target_of, targets
from lagrangian.exports.targets.target import Target, Wish
from lagrangian.model.mechanism import Mechanism

# endings of files, by which no folder is called
ENDINGS = (
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
class Export:
    """What `lagrangian.export` made: `files` by name, `functions` by name, and `notes` of what could not be carried over.

    `paths` are where the files were written; there are none where no path was given. A function is an attribute, too:
    `lg.export(arm, "casadi").inverse_dynamics`. `parameters` are those that stay adjustable in the functions, with their values.
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
            none = (
                f"{name!r}: {self.target} makes files, and no functions to call; numpy, casadi and jax have functions for Python"
            )
            raise AttributeError(one_of("function", name, self.functions) if self.functions else none)
        return self.functions[name]

    def __repr__(self) -> str:
        made = ", ".join([*self.files, *(f"{name}()" for name in self.functions)])
        return f"<Export to {self.target}: {made}>"


def export(
    mechanism: MechanismLike,
    target: str,
    path: str | os.PathLike[str] | None = None,
    *,
    functions: Sequence[str] | None = None,
    frames: Sequence[str] | None = None,
    parameters: Sequence[str] | None = None,
    **options: Any,
) -> Export:
    """Write a mechanism, or functions of it, for other programs: source code, an FMU, functions of other packages, a robot file.

    `target` names what is made: "c", "fmu", "numpy", "octave", "julia", "rust", "casadi", "jax", "acados", "urdf", "mjcf", "sdf";
    `export_targets()` says what each is. `path` is the folder that is written, or the file where the target is one file. Without
    a path nothing is written, and the result has the texts in `files`, or the `functions`.

    `functions` are names such as "inverse_dynamics"; those of a frame are written "jacobian:tool", and without a frame they are
    exported for all `frames`, or for those that the mechanism names. By default the equations of motion are exported.
    `parameters` are the parameters, or paths such as "link2.mass", that stay adjustable in the code. By default they are the
    mechanism's own, and where it has none, the masses, centres, inertias and friction of its parts. `options` are those of the
    target, such as real="float" for "c"; `lagrangian targets` lists them.
    """
    model = mechanism_of(mechanism)
    chosen = target_of(target)
    wish = Wish(functions, frames, parameters, options)
    chosen.check(wish)
    if path is not None and not chosen.writes:
        raise ArgumentError(f"{target} makes functions in Python, and writes no files", concerns="path")
    place = None if path is None else _place(model, destination(path, chosen.suffixes, ENDINGS), chosen)
    made = chosen.make(model, wish)
    paths = () if place is None else write_all(place, made.files, chosen.suffixes, f"{chosen.name} {model.name}")
    return Export(chosen.name, made.files, made.functions, made.notes, paths, made.parameters)


def _place(mechanism: Mechanism, place: Path, target: Target) -> Path:
    """Where to write, which is not the file that the mechanism was read from: what the reader left out of it would be lost."""
    read = Path(mechanism.file) if mechanism.file else None
    written = place if place.suffix.lower() in target.suffixes else place / f"{spelled(mechanism.name)}{target.single}"
    if read is not None and written.exists() and read.exists() and written.samefile(read):
        raise ArgumentError(
            f"{written}: the mechanism was read from this file, and what its reader left out would be lost",
            concerns="path",
            remedy="name another file",
        )
    return place


def export_targets() -> dict[str, str]:
    """The targets of `lagrangian.export`, and what each of them is."""
    return {target.name: target.about for target in targets()}
