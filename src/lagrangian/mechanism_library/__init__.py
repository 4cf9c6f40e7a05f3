"""Mechanisms that come with the package, one TOML file each, with their sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, overload

from lagrangian.errors import ArgumentError
from lagrangian.mechanism_library.catalogue import Catalogue, CatalogueEntry

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

__all__ = ["Catalogue", "CatalogueEntry", "library"]


@overload
def library(name: None = None) -> Catalogue: ...
@overload
def library(name: str, parameters: Mapping[str, float] | None = None) -> Mechanism: ...
def library(name: str | None = None, parameters: Mapping[str, float] | None = None) -> Catalogue | Mechanism:
    """Return a mechanism of the library, or list all of them.

    Parameters
    ----------
    name : str, optional
        The name of the mechanism. Without a name, the function returns the list of names.
    parameters : mapping of str to float, optional
        New values of some of its parameters.

    Returns
    -------
    Mechanism or Catalogue
        The mechanism; or the list of names, which prints as a table, and whose `entries` describe every mechanism.

    Raises
    ------
    ArgumentError
        If there is no mechanism or no parameter of this name.

    See Also
    --------
    load : Read a mechanism from a file.
    lagrangian.Mechanism.with_parameters : Change parameters later.

    Examples
    --------
    >>> import lagrangian as lg
    >>> lg.library("four_bar", parameters={"l2": 0.8})
    <Mechanism 'four_bar': 3 bodies, 3 speeds, 2 constraint equations>
    >>> "puma560" in lg.library()
    True
    """
    from lagrangian.description import load  # here, for it imports numpy, which the help of a command does not need

    if name is not None:
        return load.library_mechanism(name, parameters)
    if parameters is not None:
        raise ArgumentError(
            "are given without a mechanism", argument="parameters", remedy="name one: library('two_r', parameters=...)"
        )
    return Catalogue(load.library_names(), load.library_folder())
