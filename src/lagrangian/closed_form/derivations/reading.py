"""Another derivation of the same equations, to read: printed, typeset and saved section by section."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from lagrangian.closed_form.document import save
from lagrangian.closed_form.latex import typeset
from lagrangian.closed_form.lines import Line
from lagrangian.closed_form.sections import READ, Section, Title, not_printed
from lagrangian.closed_form.text import WIDTH, show
from lagrangian.equations.writing.lines import WIDTH as LINE

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import Equations


class Reading(ABC):
    """What is read of equations `eom`, beside their own sections; it has these to print, typeset and save."""

    def __init__(self, eom: Equations) -> None:
        self.eom = eom

    @abstractmethod
    def sections(self, full: bool = False) -> list[Section]:
        """What is written, section by section; very long parts only if `full`."""

    def show(self, digits: int | None = 6, full: bool = False) -> None:
        """Print the derivation.

        Parameters
        ----------
        digits : int or None, default 6
            Number of digits to which long numbers are rounded; None prints them exactly.
        full : bool, default False
            Whether very long parts are printed.
        """
        print(self.text(digits, full))

    def text(self, digits: int | None = 6, full: bool = False, width: int = WIDTH) -> str:
        """Return what `show` prints.

        Parameters
        ----------
        digits : int or None, default 6
            Number of digits to which long numbers are rounded; None writes them exactly.
        full : bool, default False
            Whether very long parts are included.
        width : int, default 110
            Longest line, in characters, where a line can be broken.

        Returns
        -------
        str
            The text.
        """
        return show(self.eom, self.sections(full), digits, width)

    def latex(self, digits: int | None = 6, full: bool = False, width: float = LINE) -> str:
        """Return the derivation as LaTeX for a paper; it needs the package amsmath.

        Parameters
        ----------
        digits : int or None, default 6
            Number of digits to which long numbers are rounded; None writes them exactly.
        full : bool, default False
            Whether very long parts are included.
        width : float, default 40
            Longest line in em.

        Returns
        -------
        str
            The LaTeX source, without a preamble.
        """
        return typeset(self.eom, self.sections(full), digits, width)

    def save(self, path: str | os.PathLike[str], digits: int | None = 6, document: bool = True, width: float = LINE) -> None:
        """Write the derivation to a file.

        Parameters
        ----------
        path : str or path
            The file: `.tex` for LaTeX, `.md` for Markdown with formulas.
        digits : int or None, default 6
            Number of digits to which long numbers are rounded; None writes them exactly.
        document : bool, default True
            Whether the file is a whole document. Otherwise it has what `latex` returns.
        width : float, default 40
            Longest line in em.
        """
        save(self.eom, path, digits, document, width, self.sections())

    def __str__(self) -> str:
        return self.text()


def readable(key: str, title: Title, lines: tuple[Line, ...], full: bool) -> Section:
    """A section of lines, or what it would hold if nobody would read it."""
    formulas = [formula for line in lines for formula in line.formulas]
    if sum(x.terms for x in formulas) > READ and not full:
        return Section(key, title, words=(not_printed(f"{len(formulas)} formulas", formulas),))
    return Section(key, title, lines=lines)
