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
    """Equations of motion of one mechanism in closed form.

    `lagrangian.derive` returns this object. The equations are

        M(q) q'' + C(q, q') q' + G(q) + F(q, q') = tau + Psi(q)^T lambda,    Psi(q) q' + phi(t) = 0.

    Every term is a `Formula` or a `FormulaMatrix`: `print` writes it, notebooks typeset it, and `==` compares it exactly. Indices
    count from 0, as everywhere in Python. Printed names count from 1, as in books: `eom.M[0, 1]` prints as M12.

    Attributes
    ----------
    mechanism : Mechanism
        The mechanism of the equations. Each of its joints has one coordinate.
    system : System
        The mechanism as exact numbers and symbols, on which the derivations work.
    derived : Derived
        M, the Christoffel symbols, G and V as elements of a polynomial ring.
    grouping : BaseParameters or None
        The base parameters in which the equations are written; None if they are in the links' own parameters.
    writer : Writer
        The object that turns ring elements into formulas.

    Examples
    --------
    >>> import lagrangian as lg
    >>> eom = lg.derive("pendulum")
    >>> print(eom.rows[0])
    m*L^2*qdd_theta + m*L*g*cos(theta) = tau1
    >>> print(eom.lagrangian)
    m*L^2*qd_theta^2/2 - m*L*g*sin(theta)
    >>> eom.M[0, 0].evaluate()
    1.0
    """

    def grouped(self) -> Equations:
        """Return the same equations in base parameters, which is the shortest form.

        A base parameter such as Izz1R stands for all inertial parameters that act like Izz1.

        Returns
        -------
        Equations
            The equations in base parameters.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("two_r").grouped().M)
        M11 = Izz1R + Izz2 + 2*hx2*l1*c2 - 2*hy2*l1*s2
        M12 = hx2*l1*c2 - hy2*l1*s2 + Izz2
        M22 = Izz2
        """
        if self.grouping is not None:
            return self
        if self.system.symbols == "given":
            from lagrangian.closed_form.derive import derive

            return derive(self.mechanism, symbols="inertial", limit=None).grouped()
        return Equations(self.system, self.derived, self._jacobians, self.base_parameters())

    @property
    def readable(self) -> Equations:
        """The equations in the form that `show` writes: in base parameters if the inertial parameters are symbols."""
        return self.grouped() if self.system.symbols != "given" else self

    def __reduce__(self) -> Any:
        return _again, (self.mechanism, self.system.symbols, self.grouping is not None)


def _again(mechanism: Mechanism, symbols: str, grouped: bool) -> Equations:
    """The equations of a mechanism, for pickle: they are made faster than they are written."""
    from lagrangian.closed_form.derive import derive

    eom = derive(mechanism, symbols, limit=None)
    return eom.grouped() if grouped else eom
