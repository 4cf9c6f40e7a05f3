"""The equations of motion of one mechanism, in closed form: what `lagrangian.derive` gives."""

from __future__ import annotations

from typing import Any

from lagrangian.closed_form.parts.constraints import ConstraintsPart
from lagrangian.closed_form.parts.derivations import DerivationsPart
from lagrangian.closed_form.parts.energies import EnergiesPart
from lagrangian.closed_form.parts.frames import FramesPart
from lagrangian.closed_form.parts.output import OutputPart
from lagrangian.model.mechanism import Mechanism
from lagrangian.public import methods


@methods
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

    def __reduce__(self) -> Any:
        return _again, (self.mechanism, self.system.symbols, self.grouping is not None)


def _again(mechanism: Mechanism, symbols: str, grouped: bool) -> Equations:
    """The equations of a mechanism, for pickle: they are made faster than they are written."""
    from lagrangian.closed_form.derive import derive

    eom = derive(mechanism, symbols, limit=None)
    return eom.grouped() if grouped else eom
