"""The mechanisms that come with the package, one TOML file each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from lagrangian.errors import ArgumentError, one_of

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism


def folder() -> Traversable:
    return files("lagrangian.library")


@cache
def names() -> tuple[str, ...]:
    """The names of all of them, sorted."""
    return tuple(sorted(entry.name[: -len(".toml")] for entry in folder().iterdir() if entry.name.endswith(".toml")))


def packaged(name: str, parameters: Mapping[str, float] | None = None) -> Mechanism:
    """One by its name, with other values of some of its parameters."""
    if name not in names():  # looked up in the list, so that a name can never lead out of the folder
        raise ArgumentError(one_of("mechanism in the library called", name, names()), concerns="name")
    from lagrangian.description.toml import reader as toml  # the names are known without it

    return toml.read_text((folder() / f"{name}.toml").read_text(encoding="utf-8"), f"{name}.toml", parameters)
