"""Another derivation of the same equations, to read: printed, typeset and saved section by section."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

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
        """Print it. Long numbers are rounded to `digits` (None: exact); `full` prints even very long parts."""
        print(self.text(digits, full))

    def text(self, digits: int | None = 6, full: bool = False, width: int = WIDTH) -> str:
        """What `show` prints, in lines of at most `width` characters where they can be broken."""
        return show(self.eom, self.sections(full), digits, width)

    def latex(self, digits: int | None = 6, full: bool = False, width: float = LINE) -> str:
        """Typeset, to be pasted into a paper (amsmath)."""
        return typeset(self.eom, self.sections(full), digits, width)

    def save(self, path: Any, digits: int | None = 6, document: bool = True, width: float = LINE) -> None:
        """A document of its own: `.tex` (LaTeX) or `.md` (Markdown with formulas). With `document=False`, what `latex` gives."""
        save(self.eom, path, digits, document, width, self.sections())

    def __str__(self) -> str:
        return self.text()


def readable(key: str, title: Title, lines: tuple[Line, ...], full: bool) -> Section:
    """A section of lines, or what it would hold if nobody would read it."""
    formulas = [formula for line in lines for formula in line.formulas]
    if sum(x.terms for x in formulas) > READ and not full:
        return Section(key, title, words=(not_printed(f"{len(formulas)} formulas", formulas),))
    return Section(key, title, lines=lines)
