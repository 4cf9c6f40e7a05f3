"""What all other derivations of the equations have in common: they are printed, typeset and saved section by section."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from lagrangian.closed_form.render import TEXT_WIDTH, equations_text, latex_source, save_document
from lagrangian.closed_form.sections import MAX_REPEATED_TERMS, DisplayLine, EquationSection, SectionTitle, omission_note
from lagrangian.equations.writing.printers import LATEX_WIDTH

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import EquationsOfMotion


class Derivation(ABC):
    """A derivation of the equations `eom` by another method, with methods to print, typeset and save it."""

    def __init__(self, eom: EquationsOfMotion) -> None:
        self.eom = eom

    @abstractmethod
    def sections(self, full: bool = False) -> list[EquationSection]:
        """The sections that are written; very long parts only if `full`."""

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

    def text(self, digits: int | None = 6, full: bool = False, width: int = TEXT_WIDTH) -> str:
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
        return equations_text(self.eom, self.sections(full), digits, width)

    def latex(self, digits: int | None = 6, full: bool = False, width: float = LATEX_WIDTH) -> str:
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
        return latex_source(self.eom, self.sections(full), digits, width)

    def save(
        self, path: str | os.PathLike[str], digits: int | None = 6, document: bool = True, width: float = LATEX_WIDTH
    ) -> None:
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
        save_document(self.eom, path, digits, document, width, self.sections())

    def __str__(self) -> str:
        return self.text()


def line_section(key: str, title: SectionTitle, lines: tuple[DisplayLine, ...], full: bool) -> EquationSection:
    """A section of lines; if they are too long to be read, a note on them instead."""
    formulas = [formula for line in lines for formula in line.formulas]
    if sum(x.term_count for x in formulas) > MAX_REPEATED_TERMS and not full:
        return EquationSection(key, title, words=(omission_note(f"{len(formulas)} formulas", formulas),))
    return EquationSection(key, title, lines=lines)
