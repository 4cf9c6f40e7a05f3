"""The equations of motion of one mechanism, in closed form: what `lagrangian.derive` gives."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from lagrangian.closed_form.parts.constraints import ConstraintsPart
from lagrangian.closed_form.parts.derivations import DerivationsPart
from lagrangian.closed_form.parts.energies import EnergiesPart
from lagrangian.closed_form.parts.frames import FramesPart
from lagrangian.closed_form.parts.output import OutputPart
from lagrangian.model.mechanism import Mechanism

if TYPE_CHECKING:
    from lagrangian.closed_form.homework.marking import Marking


class Equations(EnergiesPart, FramesPart, ConstraintsPart, DerivationsPart, OutputPart):
    """`M q'' + C q' + G + F = tau + Psi^T lambda`, exact and readable.

    `M, C, G, F, tau`, the Christoffel symbols, energies and Jacobians are formulas: `print` writes them, notebooks typeset
    them, `==` compares them exactly. Indices count from 0, as everywhere in Python; printed names count from 1, as in books.
    `mechanism` is what they are of: its joints have one coordinate each. `derived` has the same as elements of a polynomial ring,
    `grouping` the base parameters they are written in, if they are, and `writer` makes formulas of elements.
    """

    def grouped(self) -> Equations:
        """The same equations in base parameters, the shortest form: Izz1R stands for all that acts like Izz1."""
        if self.grouping is not None:
            return self
        if self.system.symbols == "given":
            from lagrangian.closed_form.derive import derive

            return derive(self.mechanism, symbols="inertial", limit=None).grouped()
        return Equations(self.system, self.derived, self._jacobians, self.base_parameters())

    @property
    def readable(self) -> Equations:
        """These equations; in base parameters if the inertial parameters are symbols, which is shorter."""
        return self.grouped() if self.system.symbols != "given" else self

    def check(self, answer: str | os.PathLike[str]) -> Marking:
        """Homework marked, by proof: a file, or a text, of lines such as `M[1,2] = m2*l1*lc2*cos(q2)`, indices from 1.

        Entries are those of M, C, G, F, tau, Gamma (Christoffel symbols), Psi and closure, and the energies K, P (or V) and L.
        `C[1]` is the first entry of C q', `K[1]` the energy of the first link. `#` begins a comment, and an indented line goes on
        with the one before it.
        """
        from lagrangian.closed_form.homework.marking import marked

        return marked(self, answer)

    def __reduce__(self) -> Any:
        return _again, (self.mechanism, self.system.symbols, self.grouping is not None)


def _again(mechanism: Mechanism, symbols: str, grouped: bool) -> Equations:
    """The equations of a mechanism, for pickle: they are made faster than they are written."""
    from lagrangian.closed_form.derive import derive

    eom = derive(mechanism, symbols, limit=None)
    return eom.grouped() if grouped else eom
