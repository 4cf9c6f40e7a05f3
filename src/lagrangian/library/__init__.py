"""Mechanisms that come with the package, one TOML file each, with their sources."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, overload

from lagrangian.errors import ArgumentError, one_of
from lagrangian.library.catalogue import Catalogue, Entry

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

__all__ = ["Catalogue", "Entry", "library"]


@overload
def library(name: None = None) -> Catalogue: ...
@overload
def library(name: str, parameters: Mapping[str, float] | None = None) -> Mechanism: ...
def library(name: str | None = None, parameters: Mapping[str, float] | None = None) -> Catalogue | Mechanism:
    """A packaged mechanism by its name, with other values of some of its parameters; without a name, the names there are.

    The names are a list that prints as a table; its `entries` say what each mechanism is.
    """
    folder = files(__name__)
    names = sorted(entry.name[: -len(".toml")] for entry in folder.iterdir() if entry.name.endswith(".toml"))
    if name is None:
        if parameters is not None:
            raise ArgumentError("parameters are given, but no mechanism is named; such as library('two_r', parameters=...)")
        return Catalogue(names, folder)
    # looked up in the list, so that a name can never lead out of the folder
    if name not in names:
        raise ArgumentError(one_of("mechanism in the library called", name, names))
    from lagrangian.description.toml import reader as toml

    return toml.parse((folder / f"{name}.toml").read_text(encoding="utf-8"), f"{name}.toml", parameters)
