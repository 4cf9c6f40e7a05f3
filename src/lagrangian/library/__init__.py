"""Mechanisms that come with the package, one TOML file each, with their sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, overload

from lagrangian.description import packaged
from lagrangian.errors import ArgumentError
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
    if name is not None:
        return packaged.packaged(name, parameters)
    if parameters is not None:
        raise ArgumentError(
            "are given, but no mechanism is named", argument="parameters", remedy="such as library('two_r', parameters=...)"
        )
    return Catalogue(packaged.names(), packaged.folder())
