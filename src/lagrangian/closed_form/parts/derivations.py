"""Other derivations of the same equations, the proof that they agree, and base parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lagrangian.closed_form.derivations.kane import Kane
from lagrangian.closed_form.derivations.newton_euler import NewtonEuler
from lagrangian.closed_form.derivations.trace_form import TraceForm
from lagrangian.closed_form.parts.basis import Basis
from lagrangian.equations import base_parameters as base
from lagrangian.equations.derivations.uicker_kahn import UickerKahn
from lagrangian.equations.formula import FormulaLike
from lagrangian.errors import MechanismError
from lagrangian.proof.certificate import Certificate
from lagrangian.proof.prove import prove


class DerivationsPart(Basis):
    """Newton-Euler, Kane and Uicker-Kahn beside Lagrange."""

    def newton_euler(self, axes: str = "link", gravity: str = "acceleration") -> NewtonEuler:
        """Write the Newton-Euler equations link by link.

        Parameters
        ----------
        axes : {"link", "ground"}, default "link"
            The axes of the vectors: those of each link, or those of the ground.
        gravity : {"acceleration", "weight"}, default "acceleration"
            Gravity is an upward acceleration of the ground, which accelerations and inertia forces then contain, or a weight m g
            at every centre of mass.

        Returns
        -------
        NewtonEuler
            The free body of every link: velocities, accelerations, inertia forces and joint forces; and tau.

        Examples
        --------
        >>> import lagrangian as lg
        >>> bodies = lg.derive("two_r").newton_euler()
        >>> print(bodies.links["link2"].force[0])
        m2*(l1*s2*qdd1 + g*s12 - r2*(qd1 + qd2)^2 - l1*c2*qd1^2)
        """
        return NewtonEuler(self.ungrouped, axes, gravity)

    def kane(self, speeds: Mapping[str, FormulaLike] | None = None) -> Kane:
        """Write Kane's equations in generalised speeds of your choice.

        Parameters
        ----------
        speeds : mapping of str to str, Formula or SymPy expression, optional
            As many speeds as there are coordinates, by their names: `{"u1": "q1' + q2'", ...}`. A speed is a sum of rates, each
            times a function of the coordinates. The default is the rates of the coordinates, u1 = q1'.

        Returns
        -------
        Kane
            Partial velocities, generalised inertia and active forces, and the equations row by row.

        Raises
        ------
        ArgumentError
            The speeds are not linear in the rates, or the rates do not follow from them.

        Examples
        --------
        >>> import lagrangian as lg
        >>> kane = lg.derive("two_r").kane({"u1": "theta1'", "u2": "theta1' + theta2'"})
        >>> print(kane.rows[1])
        m2*l1*r2*c2*u1' + (m2*r2^2 + I2)*u2' + m2*l1*r2*s2*u1^2 + m2*r2*g*c12 = tau2
        """
        return Kane(self.ungrouped, speeds)

    def uicker_kahn(self) -> TraceForm:
        """Write the equations in the trace form of Uicker and Kahn.

        Returns
        -------
        TraceForm
            The transforms T, their derivatives U_jk and U_jkm, the pseudo-inertias, and M, G and tau from them.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("two_r").uicker_kahn().M[1, 1])
        m2*r2^2 + I2
        """
        return TraceForm(UickerKahn(self.system), self._made.matrix, self._made.vector)

    def prove(self, progress: Callable[[float, float], object] | None = None) -> Certificate:
        """Prove that four derivations and the compiled algorithms give the same equations.

        Lagrange, Newton-Euler, Kane and Uicker-Kahn are derived and compared as polynomials, with each other and with the
        algorithms that `compile` turns into machine code.

        Parameters
        ----------
        progress : callable, optional
            A function `progress(done, total)` that is called now and then.

        Returns
        -------
        Certificate
            Every statement with its result. It is true if all of them are proved.

        Raises
        ------
        MechanismError
            No joint moves.

        Examples
        --------
        >>> import lagrangian as lg
        >>> certificate = lg.derive("two_r").prove()
        >>> certificate.proved
        True
        >>> print(certificate.statements[3].what, "-", certificate.statements[3].result)
        Lagrange = Newton-Euler - proved
        """
        if not self.n:
            raise MechanismError(f"{self.mechanism.name} has no joint that moves, so there are no equations to prove")

        def tell(_: str, share: float) -> None:
            if progress is not None:
                progress(share, 1.0)

        return prove(self.system, self.derived, tell)

    def base_parameters(self, rotors: bool = False) -> base.BaseParameters:
        """Find the base parameters: the fewest combinations of inertial parameters on which the motion depends.

        Parameters
        ----------
        rotors : bool, default False
            Whether rotor inertias are grouped as well.

        Returns
        -------
        BaseParameters
            The base parameters, what each stands for, and the parameters without effect.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("two_r").base_parameters())
        Base parameters of two_r: 6 of 20 inertial parameters
        (m mass, h = m c first moment, I inertia about the origin of the link's frame, J rotor; R marks a group)
        <BLANKLINE>
        2 groups
          hx1R  = hx1 + l1*m2
          Izz1R = Izz1 + l1^2*m2
        <BLANKLINE>
        4 alone
          hy1, hx2, hy2, Izz2
        <BLANKLINE>
        13 without effect
          m1, hz1, Ixx1, Ixy1, Ixz1, Iyy1, Iyz1, hz2, Ixx2, Ixy2, Ixz2, Iyy2, Iyz2
        """
        if self.system.symbols == "given":
            return base.base_parameters(self.system, rotors=rotors)
        return base.base_parameters(self.system, rotors=rotors, M=self.derived.M, V=self.derived.V)
