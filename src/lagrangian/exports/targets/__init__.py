"""What a mechanism can be exported to: one file a target, each imported when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from lagrangian.errors import ArgumentError, ArgumentName, error_location, unknown_name_message
from lagrangian.exports.targets.target import ExportTarget, TargetOption

# the name of a target, and where it is: a file here, and its name there
NAMES = {
    "c": "c.TARGET",
    "numpy": "numpy.TARGET",
    "octave": "octave.TARGET",
    "matlab": "octave.TARGET",
    "julia": "julia.TARGET",
    "rust": "rust.TARGET",
    "casadi": "casadi.TARGET",
    "jax": "jax.TARGET",
    "acados": "acados.TARGET",
    "fmu": "fmu.TARGET",
    "urdf": "robot_files.URDF",
    "mjcf": "robot_files.MJCF",
    "sdf": "robot_files.SDF",
    "toml": "robot_files.TOML",
}
_registered: dict[str, ExportTarget] = {}


def register(target: ExportTarget) -> None:
    """Add a target from outside the package, or take the place of one."""
    if not isinstance(target, ExportTarget):
        raise ArgumentError(f"{target!r} is not an export target; it must be an instance of a subclass of ExportTarget")
    with error_location(f"export target {getattr(target, 'name', type(target).__name__)!r}"):
        _check(target)
    _registered[target.name] = target


def _check(target: ExportTarget) -> None:
    for attribute in ("name", "about"):
        if not isinstance(getattr(target, attribute, None), str):
            raise ArgumentError(f"it has no text `{attribute}`, which `ExportTarget` describes")
    if not isinstance(target.options, Mapping):
        raise ArgumentError("its `options` must be a mapping from names to `TargetOption`s")
    for name, option in target.options.items():
        if not isinstance(option, TargetOption):
            raise ArgumentError(f"its option {name!r} is {option!r}; a `TargetOption` is needed")


def find_target(name: str) -> ExportTarget:
    """The target of a name; one that is unknown is refused with those that exist."""
    if isinstance(name, str) and name in _registered:
        return _registered[name]
    if not isinstance(name, str) or name not in NAMES:
        raise ArgumentError(unknown_name_message("target", name, [*NAMES, *_registered]), where=ArgumentName("target"))
    file, _, attribute = NAMES[name].partition(".")
    target: ExportTarget = getattr(import_module(f"lagrangian.exports.targets.{file}"), attribute)
    return target


def targets() -> list[ExportTarget]:
    """All targets, each once; some have two names."""
    return list(dict.fromkeys(find_target(name) for name in (*NAMES, *_registered)))
