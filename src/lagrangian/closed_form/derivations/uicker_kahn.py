"""The Uicker-Kahn derivation, as formulas to read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lagrangian.cached import cached_property
from lagrangian.equations.derivations.uicker_kahn import UickerKahn
from lagrangian.equations.formula_matrix import FormulaMatrix, index_text


class UickerKahnForm:
    """The trace form of the equations of motion, of Uicker and Kahn.

    `EquationsOfMotion.uicker_kahn` returns this object. `M_ik = sum_j Tr(U_jk J_j U_ji^T)`, where `U_jk` is the derivative of the
    transform `0T_j` with respect to `q_k` and `J_j` is the pseudo-inertia of link j. Indices count coordinates from 0.

    Examples
    --------
    >>> import lagrangian as lg
    >>> trace = lg.derive("two_r").uicker_kahn()
    >>> print(trace.T(1)[0, 3])
    l1*c1
    >>> print(trace.U(1, 0)[0, 3])
    -l1*s1
    """

    def __init__(
        self,
        elements: UickerKahn,
        matrix: Callable[[str, Sequence[Sequence[Any]]], FormulaMatrix],
        vector: Callable[[str, Sequence[Any]], FormulaMatrix],
    ) -> None:
        self._elements, self._matrix, self._vector = elements, matrix, vector

    def T(self, j: int) -> FormulaMatrix:
        """Return 0T_j, the pose of link j's frame in the world.

        Parameters
        ----------
        j : int
            Index of the link.

        Returns
        -------
        FormulaMatrix, shape (4, 4)
            The transform.
        """
        return self._matrix(f"T{index_text(j)}_", self._elements.T(j))

    def U(self, j: int, k: int, m: int | None = None) -> FormulaMatrix:
        """Return U_jk, the derivative of 0T_j with respect to q_k, or its derivative U_jkm with respect to q_m.

        Parameters
        ----------
        j : int
            Index of the link.
        k : int
            Index of the coordinate.
        m : int, optional
            Index of a second coordinate.

        Returns
        -------
        FormulaMatrix, shape (4, 4)
            The derivative.
        """
        if m is None:
            return self._matrix(f"U{index_text(j, k)}_", self._elements.U(j, k))
        return self._matrix(f"U{index_text(j, k, m)}_", self._elements.U(j, k, m))

    def pseudo_inertia(self, j: int) -> FormulaMatrix:
        """Return J_j, the integral of r r^T dm over link j, with r in homogeneous coordinates of its frame.

        Parameters
        ----------
        j : int
            Index of the link.

        Returns
        -------
        FormulaMatrix, shape (4, 4)
            The pseudo-inertia.
        """
        return self._matrix(f"J{index_text(j)}_", self._elements.pseudo_inertia(j))

    @cached_property
    def M(self) -> FormulaMatrix:
        """The mass matrix, rotors included."""
        return self._matrix("M", self._elements.mass_matrix())

    @cached_property
    def G(self) -> FormulaMatrix:
        """The generalised forces of gravity, -sum_j m_j g^T U_ji r_j."""
        return self._vector("G", self._elements.gravity())

    @cached_property
    def tau(self) -> FormulaMatrix:
        """M q'' + h(q, q') + G, where h follows from the U_jkm."""
        return self._vector("tau", self._elements.tau())

    def __repr__(self) -> str:
        return "<UickerKahnForm: T(j), U(j, k), U(j, k, m), pseudo_inertia(j), M, G, tau>"
