"""`lagrangian.library`: the mechanisms that come with the package, and the list of them, which prints as a table."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any, overload

from lagrangian.cached import cached_property
from lagrangian.errors import ArgumentError

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism


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


class Catalogue(list[str]):
    """The list of the mechanisms of the library, which prints as a table.

    It is a list of names. The files are read when you ask for more than the names.
    """

    def __init__(self, names: Sequence[str], folder: Traversable) -> None:
        super().__init__(names)
        self._folder = folder

    @cached_property
    def entries(self) -> tuple[CatalogueEntry, ...]:
        """The description of every mechanism, in the order of the names."""
        return tuple(_read_entry(name, (self._folder / f"{name}.toml").read_text(encoding="utf-8")) for name in self)

    def __str__(self) -> str:
        return self.table(shutil.get_terminal_size((120, 24)).columns)

    __repr__ = __str__  # what a prompt shows

    def table(self, width: int = 100) -> str:
        """Return a table of the names, the summaries and the numbers of joints and loops.

        Parameters
        ----------
        width : int, optional
            The largest width in characters; the default is 100.

        Returns
        -------
        str
            The table. Long summaries continue in the next line.
        """
        name_width = max(len(e.name) for e in self.entries)
        summary_width = max(24, min(width, 120) - name_width - 17)
        rows = [f"{'name':<{name_width}}  {'what it is':<{summary_width}}  joints  loops"]
        for e in self.entries:
            lines = textwrap.wrap(e.summary, summary_width)
            rows.append(f"{e.name:<{name_width}}  {lines[0]:<{summary_width}}  {e.joints:>6}  {e.loops or '-':>5}")
            rows += [f"{'':<{name_width}}  {line}" for line in lines[1:]]
        rows += [
            "",
            f'{len(self)} mechanisms. lg.library("{self[0]}") returns one; lg.library().entries lists sources and poses.',
        ]
        return "\n".join(row.rstrip() for row in rows)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{x}</th>" for x in ("name", "what it is", "joints", "loops", "poses", "source"))
        rows = "".join(_html_row(entry) for entry in self.entries)
        return f"<table style='text-align:left'><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


@dataclass(frozen=True)
class CatalogueEntry:
    """What the catalogue says about one mechanism of the library.

    Attributes
    ----------
    name : str
        The name.
    summary : str
        The first sentence of the description.
    description : str
        What the mechanism is.
    source : str
        Where its numbers are from.
    joints : int
        The number of joints of the tree.
    loops : int
        The number of joints that close loops.
    constraints : int
        The number of other constraints, such as rolling and knife edges.
    poses : tuple of str
        The names of the poses.
    """

    name: str
    summary: str
    description: str
    source: str
    joints: int
    loops: int
    constraints: int
    poses: tuple[str, ...]


def _html_row(e: CatalogueEntry) -> str:
    cells = (e.summary, e.joints, e.loops or "", ", ".join(e.poses), e.source)
    texts = [f"<code>{escape(e.name)}</code>", *(escape(str(cell)) for cell in cells)]
    return "<tr>" + "".join(f"<td style='text-align:left;vertical-align:top'>{text}</td>" for text in texts) + "</tr>"


def _read_entry(name: str, text: str) -> CatalogueEntry:
    """Read an entry from the text of its file, without making the mechanism."""
    import tomllib

    document: dict[str, Any] = tomllib.loads(text)
    description = document["description"].strip()
    return CatalogueEntry(
        name,
        _first_sentence(description),
        description,
        document["source"].strip(),
        len(document.get("joint", [])) + len(document.get("dh", {}).get("row", [])),
        len(document.get("loop", [])),
        len(document.get("constraint", [])),
        tuple(document.get("pose", {})),
    )


def _first_sentence(text: str) -> str:
    end = text.find(". ")
    return text if end < 0 else text[: end + 1]
