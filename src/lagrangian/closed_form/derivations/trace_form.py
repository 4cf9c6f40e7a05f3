"""The Uicker-Kahn derivation, as formulas to read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lagrangian.cached import cached_property
from lagrangian.equations.derivations.uicker_kahn import UickerKahn
from lagrangian.equations.formula_matrix import FormulaMatrix, index


class TraceForm:
    """M_ik = sum_j Tr(U_jk J_j U_ji^T), with U_jk = d 0T_j / dq_k and the pseudo-inertia J_j; indices are coordinates, from 0."""

    def __init__(
        self,
        elements: UickerKahn,
        matrix: Callable[[str, Sequence[Sequence[Any]]], FormulaMatrix],
        vector: Callable[[str, Sequence[Any]], FormulaMatrix],
    ) -> None:
        self._elements, self._matrix, self._vector = elements, matrix, vector

    def T(self, j: int) -> FormulaMatrix:
        """0T_j: link j's frame in the world."""
        return self._matrix(f"T{index(j)}_", self._elements.T(j))

    def U(self, j: int, k: int, m: int | None = None) -> FormulaMatrix:
        """U_jk, the derivative of 0T_j with respect to q_k; with a third index U_jkm, its derivative with respect to q_m."""
        if m is None:
            return self._matrix(f"U{index(j, k)}_", self._elements.U(j, k))
        return self._matrix(f"U{index(j, k, m)}_", self._elements.U(j, k, m))

    def pseudo_inertia(self, j: int) -> FormulaMatrix:
        """J_j, the integral of r r^T dm over link j, r in homogeneous coordinates of its frame."""
        return self._matrix(f"J{index(j)}_", self._elements.pseudo_inertia(j))

    @cached_property
    def M(self) -> FormulaMatrix:
        """The mass matrix, rotors included."""
        return self._matrix("M", self._elements.mass_matrix())

    @cached_property
    def G(self) -> FormulaMatrix:
        """Gravity: -sum_j m_j g^T U_ji r_j."""
        return self._vector("G", self._elements.gravity())

    @cached_property
    def tau(self) -> FormulaMatrix:
        """M q'' + h(q, q') + G, h from the U_jkm."""
        return self._vector("tau", self._elements.tau())

    def __repr__(self) -> str:
        return "<TraceForm: T(j), U(j, k), U(j, k, m), pseudo_inertia(j), M, G, tau>"
