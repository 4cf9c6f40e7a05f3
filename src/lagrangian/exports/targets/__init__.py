"""What a mechanism can be exported to: one file a target, each imported when it is asked for."""

from __future__ import annotations

from importlib import import_module

from lagrangian.errors import ArgumentError, one_of
from lagrangian.exports.targets.target import Target

# the name of a target, and the file here that has it as `TARGET`
NAMES = {"c": "c", "casadi": "casadi", "jax": "jax"}
_own: dict[str, Target] = {}


def register(target: Target) -> None:
    """Add a target of one's own, or take the place of one."""
    _own[target.name] = target


def target_of(name: str) -> Target:
    """The target of a name; one that is unknown is refused with those that exist."""
    if isinstance(name, str) and name in _own:
        return _own[name]
    if not isinstance(name, str) or name not in NAMES:
        raise ArgumentError(one_of("target", name, [*NAMES, *_own]), argument="target")
    found: Target = import_module(f"lagrangian.exports.targets.{NAMES[name]}").TARGET
    return found


def targets() -> list[Target]:
    return [target_of(name) for name in dict.fromkeys([*NAMES, *_own])]
