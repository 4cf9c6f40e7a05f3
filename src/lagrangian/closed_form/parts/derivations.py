"""Other derivations of the same equations, the proof that they agree, and base parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lagrangian.closed_form.derivations.kane import Kane
from lagrangian.closed_form.derivations.newton_euler import NewtonEuler
from lagrangian.closed_form.derivations.trace_form import TraceForm
from lagrangian.closed_form.parts.basis import Basis
from lagrangian.equations import base_parameters as base
from lagrangian.equations.derivations import lagrange
from lagrangian.equations.derivations.uicker_kahn import UickerKahn
from lagrangian.errors import MechanismError
from lagrangian.proof.certificate import Certificate
from lagrangian.proof.prove import prove


class DerivationsPart(Basis):
    """Newton-Euler, Kane and Uicker-Kahn beside Lagrange."""

    def newton_euler(self, axes: str = "link", gravity: str = "acceleration") -> NewtonEuler:
        """The free body of every link by Newton and Euler: velocities, accelerations, inertia forces, joint forces, and tau.

        `axes` are the "link"'s own or the "ground"'s. Gravity is an upward "acceleration" of the ground or a "weight".
        """
        return NewtonEuler(self.ungrouped, axes, gravity)

    def kane(self, speeds: Mapping[str, Any] | None = None) -> Kane:
        """Kane's equations in generalised speeds of your choice, {"u1": "q1' + q2'"}: partial velocities, forces, rows.

        A speed is a sum of rates, each times a function of the coordinates: a text, a formula, or a SymPy expression. Without
        `speeds` they are the rates of the coordinates, u1 = q1'.
        """
        return Kane(self.ungrouped, speeds)

    def uicker_kahn(self) -> TraceForm:
        """The trace form: transforms T, their derivatives U_jk and U_jkl, pseudo-inertias, and what follows from them."""
        return TraceForm(UickerKahn(self.system), self._made.matrix, self._made.vector)

    def prove(self, progress: Callable[[float, float], None] | None = None) -> Certificate:
        """Prove that Lagrange, Newton-Euler, Kane, Uicker-Kahn and the shipped algorithms give the same equations, exactly.

        `progress(done, total)` is told how far it is.
        """
        if not self.n:
            raise MechanismError(f"{self.mechanism.name} has no joint that moves: there are no equations to prove")
        told = (lambda _, share: progress(share, 1.0)) if progress is not None else lagrange.quiet
        return prove(self.system, self.derived, told)

    def base_parameters(self, rotors: bool = False) -> base.BaseParameters:
        """The fewest combinations of inertial parameters that matter, how they are grouped, and those without effect."""
        if self.system.symbols == "given":
            return base.base_parameters(self.system, rotors=rotors)
        return base.base_parameters(self.system, rotors=rotors, M=self.derived.M, V=self.derived.V)
