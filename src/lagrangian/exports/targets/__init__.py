"""What a mechanism can be exported to: one file a target, each imported when it is asked for."""

from __future__ import annotations

from importlib import import_module

from lagrangian.errors import Argument, ArgumentError, one_of
from lagrangian.exports.targets.target import Target

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
_own: dict[str, Target] = {}


def register(target: Target) -> None:
    """Add a target of one's own, or take the place of one."""
    _own[target.name] = target


def target_of(name: str) -> Target:
    """The target of a name; one that is unknown is refused with those that exist."""
    if isinstance(name, str) and name in _own:
        return _own[name]
    if not isinstance(name, str) or name not in NAMES:
        raise ArgumentError(one_of("target", name, [*NAMES, *_own]), where=Argument("target"))
    file, _, attribute = NAMES[name].partition(".")
    found: Target = getattr(import_module(f"lagrangian.exports.targets.{file}"), attribute)
    return found


def targets() -> list[Target]:
    """All targets, each once; some have two names."""
    return list(dict.fromkeys(target_of(name) for name in (*NAMES, *_own)))
