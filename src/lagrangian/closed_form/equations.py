"""The equations of motion of one mechanism in closed form: the object that `lagrangian.derive` returns.

Its members stand in parts: the terms M, C, G and F (`motion_terms`), energies, frames, constraints, other derivations with the
proof that all of them agree, and output to read and to run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from lagrangian.cached import cached_property
from lagrangian.closed_form.cartesian import CartesianEquations
from lagrangian.closed_form.derivations.kane import Kane
from lagrangian.closed_form.derivations.newton_euler import NewtonEuler
from lagrangian.closed_form.derivations.uicker_kahn import UickerKahnForm
from lagrangian.closed_form.equations_part import EquationsPart
from lagrangian.closed_form.motion_terms import MotionTerms
from lagrangian.closed_form.multipliers import MultiplierFormulas, short_matrices
from lagrangian.closed_form.render import TEXT_WIDTH, equations_text, latex_source, notebook_latex, save_document
from lagrangian.closed_form.sections import EquationRow, EquationSection, equation_sections
from lagrangian.closed_form.terms import FormulaFactory
from lagrangian.configuration.state_arguments import as_configuration
from lagrangian.equations import base_parameters, energies, kinematics, operational_space
from lagrangian.equations.algebra.matrices import determinant
from lagrangian.equations.derivations.uicker_kahn import UickerKahn
from lagrangian.equations.formula import Formula, FormulaLike
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.equations.independent_coordinates import dependent_determinant, independent_indices
from lagrangian.equations.writing.printers import LATEX_WIDTH
from lagrangian.equations.writing.tree import Name, Tree, add, negate, product
from lagrangian.errors import MechanismError
from lagrangian.model.expression import Scalar
from lagrangian.model.frame import TWIST_COMPONENTS, Frame
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.rotation.euler import ANGLE_NAMES
from lagrangian.proof.certificate import Certificate
from lagrangian.proof.prove import prove
from lagrangian.public import public_methods
from lagrangian.types import State, Times

if TYPE_CHECKING:
    from lagrangian.closed_form.answers import AnswerReport
    from lagrangian.closed_form.compiled import CompiledEquations, ReferenceMotion, TorqueLike
    from lagrangian.closed_form.reduced import ReducedEquations


class EnergiesPart(MotionTerms):
    """The energies K, V and L = K - V, link by link and as a whole, and the equations row by row."""

    @cached_property
    def kinetic_energy(self) -> Formula:
        """The kinetic energy K = 1/2 q'^T M q'."""
        return self._factory.formula_with_tree(self._terms.kinetic_energy, self._kinetic_tree)

    def _kinetic_tree(self) -> Tree:
        rates = [self._name_tree(f"qd{k + 1}") for k in range(self.n)]
        pairs = [(i, j) for i in range(self.n) for j in range(i, self.n)]
        return add(product([self.M[i, j].tree, rates[i], rates[j]], Fraction(1, 2) if i == j else Fraction(1)) for i, j in pairs)

    @cached_property
    def potential_energy(self) -> Formula:
        """The potential energy V of gravity and springs; the height is measured from the world's origin."""
        return self._factory.formula(self.derived.V + self._terms.spring_potential)

    @cached_property
    def lagrangian(self) -> Formula:
        """The Lagrangian L = K - V."""
        L = self._terms.kinetic_energy - self.derived.V - self._terms.spring_potential
        return self._factory.formula_with_tree(L, lambda: add([self.kinetic_energy.tree, negate(self.potential_energy.tree)]))

    @cached_property
    def kinetic_energies(self) -> Mapping[str, Formula]:
        """The kinetic energy of every link that has inertia, by its name, and of rotors, as "rotor at <joint>".

        Base parameters are sums over several links. These formulas are therefore in the links' own parameters even if the
        equations are grouped.
        """
        factory = self._link_factory
        formulas = {name: factory.formula(x) for name, x in energies.kinetic_energies(self.system, self._jacobians).items()}
        for link, columns in zip(self.system.links, self._jacobians, strict=True):
            if link.name in formulas:
                energy = formulas[link.name].element
                formulas[link.name] = factory.formula_with_tree(
                    energy, partial(energies.kinetic_energy_tree, factory.writer, link, columns, energy)
                )
        return formulas

    @cached_property
    def potential_energies(self) -> Mapping[str, Formula]:
        """The potential energy of every link with mass, by its name, and of springs ("spring at <joint>", "spring <name>")."""
        return {name: self._link_factory.formula(x) for name, x in energies.potential_energies(self.system).items()}

    @cached_property
    def tau(self) -> FormulaMatrix:
        """The joint forces of a motion of the open tree, M q'' + C q' + G + F."""
        rows = [self._factory.formula_with_tree(x, partial(self._row_tree, i)) for i, x in enumerate(self._terms.torques)]
        return FormulaMatrix("tau", [[x] for x in rows], vector=True)

    def _row_tree(self, i: int) -> Tree:
        """A row of tau term by term: what multiplies each acceleration, then velocity terms, potential and friction."""
        inertial = [product([self.M[i, j].tree, self._name_tree(f"qdd{j + 1}")]) for j in range(self.n)]
        velocity = self._factory.formula(sum((part[i] for part in self._terms.velocity_terms), self.system.ring.zero))
        return add([*inertial, velocity.tree, self.G[i].tree, self.F[i].tree])

    @cached_property
    def rows(self) -> tuple[EquationRow, ...]:
        """The whole equation of every coordinate, with tau and the constraint forces on the right."""
        rows = []
        for i, coordinate in enumerate(self.coordinates):
            constraint_terms = [(j, self._factory.formula(row.psi[i])) for j, row in enumerate(self._constraint_equations)]
            rows.append(
                EquationRow(i, coordinate, self.tau[i], tuple((j, psi) for j, psi in constraint_terms if not psi.is_zero))
            )
        return tuple(rows)

    def _name_tree(self, generator: str) -> Name:
        return Name(self.writer.names[self.system.ring.generator_index[generator]])

    @cached_property
    def _link_factory(self) -> FormulaFactory:
        return self._factory if self.grouping is None else FormulaFactory(self.system, None)


class FramesPart(EquationsPart):
    """Poses, Jacobians and Cartesian equations of frames."""

    def pose(self, frame: str | Frame) -> FormulaMatrix:
        """Return the pose of a frame in the world.

        Parameters
        ----------
        frame : str or Frame
            The name of a frame or of a body, or a frame.

        Returns
        -------
        FormulaMatrix, shape (4, 4)
            Homogeneous matrix.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("two_r").pose("tip")[0, 3])  # the x coordinate
        l1*c1 + l2*c12
        """
        _, pose = kinematics.frame_pose(self.system, kinematics.resolve_frame(self.mechanism, frame))
        return self._factory.matrix("T", [*([*row, p] for row, p in zip(pose.R, pose.p, strict=True)), [0, 0, 0, 1]])

    def jacobian(self, frame: str | Frame) -> FormulaMatrix:
        """Return the Jacobian of a frame.

        Parameters
        ----------
        frame : str or Frame
            The name of a frame or of a body, or a frame.

        Returns
        -------
        FormulaMatrix, shape (6, n)
            J: the angular velocity, then the velocity of the origin, along the world's axes, are J q'.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("two_r").jacobian("tip")[3])  # the row of x
        (-l1*s1 - l2*s12, -l2*s12)
        """
        return self._factory.matrix("J", kinematics.jacobian(self.system, kinematics.resolve_frame(self.mechanism, frame)))

    def generalised_wrench(self, frame: str | Frame) -> FormulaMatrix:
        """Return the generalised forces of a wrench that acts on a frame, J^T F.

        Parameters
        ----------
        frame : str or Frame
            The name of a frame or of a body, or a frame. The wrench acts at its origin.

        Returns
        -------
        FormulaMatrix, shape (n,)
            The forces; `load_Mx`, `load_My`, `load_Mz`, `load_Fx`, `load_Fy` and `load_Fz` are the components of the wrench.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("two_r").generalised_wrench("tip"))
        Q1 = load_Fy*(l1*c1 + l2*c12) + load_Mz - load_Fx*(l1*s1 + l2*s12)
        Q2 = load_Mz - load_Fx*l2*s12 + load_Fy*l2*c12
        """
        J = kinematics.jacobian(self.system, kinematics.resolve_frame(self.mechanism, frame))
        wrench = [self.system.generator(f"load_{name}") for name in ("Mx", "My", "Mz", "Fx", "Fy", "Fz")]
        forces = [sum((J[row][k] * wrench[row] for row in range(6)), self.system.ring.zero) for k in range(self.n)]
        return self._factory.vector("Q", forces)

    def cartesian(
        self, frame: str | Frame, directions: Sequence[str] | None = None, *, euler: str | None = None
    ) -> CartesianEquations:
        """Return the equations of motion along directions of a frame.

        Parameters
        ----------
        frame : str or Frame
            The name of a frame or of a body, or a frame.
        directions : sequence of str, optional
            As many different directions as there are coordinates, of `"wx"`, `"wy"`, `"wz"`, `"x"`, `"y"`, `"z"`; by default all
            six. With `euler`, the first three are `"alpha"`, `"beta"` and `"gamma"`.
        euler : str, optional
            Sequence of Euler angles that replace the angular directions, such as `"ZYX"`. A root in the rate of beta is written
            as the polynomial whose square it is, which is right where that polynomial is positive.

        Returns
        -------
        CartesianEquations
            M_x, C_x, G_x, F_x, the Jacobian and its determinant.

        Raises
        ------
        ArgumentError
            The number of directions is not the number of coordinates, or a direction is unknown.
        MechanismError
            The directions are not independent in any configuration.

        Examples
        --------
        >>> import lagrangian as lg
        >>> tip = lg.derive("two_r").cartesian("tip", ("x", "y"))
        >>> print(tip.determinant)
        l1*l2*s2
        >>> print(tip.G_x[0])
        (m2*l1*(l2 - r2) + m1*l2*r1)*g*c1*c12/(l1*l2*s2)
        """
        row_denominators = None
        if euler is None:
            directions = TWIST_COMPONENTS if directions is None else directions
            J = operational_space.square_jacobian(self.system, frame, directions)
        else:
            directions = (*ANGLE_NAMES, *TWIST_COMPONENTS[3:]) if directions is None else directions
            J, row_denominators = operational_space.euler_jacobian(self.system, frame, directions, euler)
        velocity = [a + b for a, b in zip(*self._terms.velocity_terms, strict=True)]
        elements = operational_space.cartesian_elements(
            self.system,
            J,
            self.derived.M,
            velocity,
            self._terms.potential_gradient,
            self._terms.friction_forces,
            row_denominators,
        )
        return CartesianEquations.from_elements(self._factory.quotient, directions, elements)


class ConstraintsPart(EquationsPart):
    """Loops and constraints, `eta(q) = 0` and `phi(t) + Psi(q) q' = 0`: multipliers, and independent coordinates."""

    @cached_property
    def closure(self) -> FormulaMatrix:
        """The loop-closure equations eta(q) = 0; constraints on speeds have none."""
        return self._factory.vector("closure", [row.eta for row in self._constraint_equations if row.eta is not None])

    @cached_property
    def Psi(self) -> FormulaMatrix:
        """The constraint Jacobian Psi: d eta/dq of the loops, then the coefficients of the Pfaffian constraints."""
        return self._factory.matrix("Psi", [row.psi for row in self._constraint_equations])

    @cached_property
    def Psi_dot(self) -> FormulaMatrix:
        """The time derivative of Psi, which contains the speeds."""
        return self._factory.matrix("Psi_dot", [row.psi_dot(self.system) for row in self._constraint_equations])

    @property
    def phi(self) -> tuple[Scalar, ...]:
        """The terms phi(t) of phi(t) + Psi(q) q' = 0, row by row; zero for loops."""
        return tuple(row.phi for row in self._constraint_equations)

    @property
    def phi_dot(self) -> tuple[Scalar, ...]:
        """The time derivatives of phi(t), row by row."""
        return tuple(row.phi_dot for row in self._constraint_equations)

    @cached_property
    def _multipliers(self) -> MultiplierFormulas:
        return MultiplierFormulas(self)

    @cached_property
    def multipliers(self) -> FormulaMatrix:
        """The constraint forces lambda in closed form, one for each constraint equation.

        `lambda = -(Psi M^-1 Psi^T)^-1 (Psi_dot q' + phi_dot + Psi M^-1 f)` with `f = tau - C q' - G - F`. The names tau1, tau2
        are the forces of the actuated joints, by the number of the coordinate. They are zero unless you give them:
        `multipliers.evaluate(q, qd, tau1=2.0)`.

        Raises
        ------
        MechanismError
            There are no constraints, they depend on each other, or the mechanism is too large for a closed form.
            `lagrangian.compile` computes the numbers.
        """
        return self._multipliers.multipliers()

    @cached_property
    def accelerations(self) -> FormulaMatrix:
        """The accelerations q'' = M^-1 (f + Psi^T lambda) in closed form, with lambda eliminated."""
        return self._multipliers.accelerations()

    @cached_property
    def delassus(self) -> FormulaMatrix:
        """The Delassus matrix A = Psi M^-1 Psi^T: how constraint forces accelerate the constraints."""
        return self._multipliers.A()

    @cached_property
    def unconstrained_drift(self) -> FormulaMatrix:
        """The vector b = Psi_dot q' + phi_dot + Psi M^-1 f: the acceleration of the constraints without constraint forces.

        It gives lambda = -A^-1 b, with A from `delassus`.
        """
        return self._multipliers.b()

    def in_independent_coordinates(self, independent: Sequence[str] | None = None, q0: State = None) -> ReducedEquations:
        """Return the equations in independent coordinates, where sums of angles solve the loops.

        This works for parallelograms and similar linkages. It does not for a general four-bar; use `Psi` and `multipliers` there.

        Parameters
        ----------
        independent : sequence of str, optional
            Names of the independent coordinates. The default is the coordinates of the actuated joints.
        q0 : array_like, mapping, str, optional
            A configuration from which the search for a closed pose starts, as `q0` of `simulate`. The default is the mechanism's
            own.

        Returns
        -------
        ReducedEquations
            The equations, without constraints.

        Raises
        ------
        MechanismError
            The mechanism has no constraints, or no sum of angles solves its loops.

        Examples
        --------
        >>> import lagrangian as lg
        >>> reduced = lg.derive("five_bar").in_independent_coordinates()
        >>> print("; ".join(reduced.solution))
        phi3 = q1 - q2; phi4 = -q1 + q2 - pi
        >>> print(reduced.M[0, 1])
        (m3*l2*lc3 - m4*l1*lc4)*cos(q1 - q2)
        """
        if not self.mechanism.equation_count:
            raise MechanismError(
                "the mechanism has no constraints, so its coordinates are independent already", where=self.mechanism.name
            )
        start = as_configuration(self.mechanism, q0, "q0").q.tolist()
        from lagrangian.closed_form.reduced import ReducedEquations

        return ReducedEquations(self.in_link_parameters, independent_indices(self.mechanism, independent), start)

    def singularities(
        self, frame: str | Frame | None = None, directions: Sequence[str] = (), independent: Sequence[str] | None = None
    ) -> list[Formula]:
        """Return the factors of the determinant that vanishes in a singular configuration.

        With a frame it is the determinant of the frame's Jacobian. Without one it is that of the block of Psi that belongs to the
        dependent coordinates of a closed mechanism.

        Parameters
        ----------
        frame : str or Frame, optional
            The name of a frame or of a body, or a frame.
        directions : sequence of str, optional
            As many directions of the frame as there are coordinates, such as `("x", "y")`; by default all six.
        independent : sequence of str, optional
            Names of the independent coordinates of a closed mechanism. The default is the coordinates of the actuated joints.

        Returns
        -------
        list of Formula
            The mechanism is singular where one of them is zero.

        Raises
        ------
        MechanismError
            There is neither a frame nor a loop, or the block of Psi is not square.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("two_r").singularities("tip", ("x", "y")))
        [l1, l2, s2]
        >>> print(lg.derive("four_bar").singularities())
        [l2, l3, sin(theta1 + phi2 - phi3)]
        """
        if frame is not None:
            jacobian = operational_space.square_jacobian(self.system, frame, tuple(directions) or TWIST_COMPONENTS)
            return self._factory.factors(determinant(self.system.ring, jacobian))
        return self._factory.factors(dependent_determinant(self.system, self._constraint_equations, independent))


class DerivationsPart(EquationsPart):
    """Other derivations of the same equations, the proof that they agree, and base parameters."""

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
        return NewtonEuler(self.in_link_parameters, axes, gravity)

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
        return Kane(self.in_link_parameters, speeds)

    def uicker_kahn(self) -> UickerKahnForm:
        """Write the equations in the trace form of Uicker and Kahn.

        Returns
        -------
        UickerKahnForm
            The transforms T, their derivatives U_jk and U_jkm, the pseudo-inertias, and M, G and tau from them.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("two_r").uicker_kahn().M[1, 1])
        m2*r2^2 + I2
        """
        return UickerKahnForm(UickerKahn(self.system), self._factory.matrix, self._factory.vector)

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

        def report_share(_: str, share: float) -> None:
            if progress is not None:
                progress(share, 1.0)

        return prove(self.system, self.derived, report_share)

    def base_parameters(self, rotors: bool = False) -> base_parameters.BaseParameters:
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
            return base_parameters.base_parameters(self.system, rotors=rotors)
        return base_parameters.base_parameters(self.system, rotors=rotors, M=self.derived.M, V=self.derived.V)


class OutputPart(EquationsPart):
    """The equations to read and to run: printed, typeset, saved, as SymPy matrices, as machine code, and against answers."""

    def compile(self, parameters: Mapping[str, float] | None = None, threads: int | None = None) -> CompiledEquations:
        """Compile the formulas into machine code.

        The result computes the same numbers as `lagrangian.compile` from other equations, so that each checks the other.

        Parameters
        ----------
        parameters : mapping of str to float, optional
            Values of named parameters. The default is the values of the mechanism.
        threads : int, optional
            Number of threads that a large batch may use. The default is all cores.

        Returns
        -------
        CompiledEquations
            The compiled functions.

        Raises
        ------
        ArgumentError
            The equations have no parameter of that name.

        Examples
        --------
        >>> import lagrangian as lg
        >>> eom = lg.derive("two_r")
        >>> print(eom.compile().gravity([0.3, 0.8]).round(3))
        [239.286  32.314]
        >>> print(eom.compile({"m2": 0.0}).gravity([0.3, 0.8]).round(3))
        [90.237  0.   ]
        """
        from lagrangian.closed_form.compiled import CompiledEquations

        return CompiledEquations(self, self._terms, self._constraint_equations, parameters or {}, threads)

    def simulate(
        self,
        t_span: float | tuple[float, float],
        q0: ArrayLike | None = None,
        qd0: ArrayLike | None = None,
        torque: TorqueLike = None,
        *,
        t_eval: Times | None = None,
        rtol: float = 1e-9,
        atol: float = 1e-12,
        max_steps: int = 100_000,
    ) -> ReferenceMotion:
        """Integrate these equations, as a check of `lagrangian.simulate`.

        The equations must have no constraints and no Coulomb friction.

        Parameters
        ----------
        t_span : float or pair of float
            The end, or the begin and the end, in seconds.
        q0, qd0 : array_like, optional
            Coordinates and speeds at the begin. The default is zeros.
        torque : array_like or callable, optional
            Joint forces in N m and N: numbers, or a function of t, q and qd. The default is none.
        t_eval : int or array_like, optional
            Number of evenly spaced times, or the times, of the result. The default is the integrator's own steps.
        rtol, atol : float, default 1e-9 and 1e-12
            Relative and absolute tolerance.
        max_steps : int, default 100000
            The largest number of steps; a longer run is an error.

        Returns
        -------
        ReferenceMotion
            The motion: t, q, qd and the energy at every time.

        Raises
        ------
        MechanismError
            There are constraints or Coulomb friction, the mass matrix becomes singular, or the run takes too many steps.

        Notes
        -----
        The integrator is the Runge-Kutta pair of order 8 of Dormand and Prince, from SciPy.

        Examples
        --------
        >>> import lagrangian as lg
        >>> motion = lg.derive("two_r").simulate(1.0, q0=[0.3, 0.8], t_eval=3)
        >>> motion
        <ReferenceMotion: theta1, theta2, 3 rows, 0 to 1 s>
        >>> print((motion.energy - motion.energy[0]).round(6) + 0.0)
        [0. 0. 0.]
        """
        from lagrangian.closed_form.compiled import integrate_closed_form

        return integrate_closed_form(self, t_span, q0, qd0, torque, t_eval, rtol, atol, max_steps)

    def sections(self, full: bool = False) -> list[EquationSection]:
        """Return the sections that `show` and `latex` write.

        Parameters
        ----------
        full : bool, default False
            Whether very long parts are included.

        Returns
        -------
        list of EquationSection
            Titles and formulas, in order.
        """
        return equation_sections(self.display_form, full)

    def show(self, digits: int | None = 6, full: bool = False) -> None:
        """Print the equations.

        Parameters
        ----------
        digits : int or None, default 6
            Number of digits to which long numbers are rounded; None prints them exactly.
        full : bool, default False
            Whether very long parts are printed.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.derive("pendulum").show()
        pendulum: M q'' + C q' + G = tau
        q = (θ)
        <BLANKLINE>
        Mass matrix M
          M₁₁ = m L²
        <BLANKLINE>
        Velocity terms
          all Christoffel symbols are zero: C = 0
        <BLANKLINE>
        G = dV/dq
          G₁ = m L g cos(θ)
        <BLANKLINE>
        Energies L = K - V
          K of bob = m L² θ'²/2
          V of bob = m L g sin(θ)
          L = m L² θ'²/2 - m L g sin(θ)
        <BLANKLINE>
        Row by row
          m L² θ'' + m L g cos(θ) = τ₁
        <BLANKLINE>
        where
          L = 1;   g = 9.81;   m = 1
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
        return equations_text(self.display_form, self.sections(full), digits, width)

    def __str__(self) -> str:
        return equations_text(self.display_form, self.sections(), 6)

    def __repr__(self) -> str:
        term_count = sum(self.derived.M[i][j].term_count for i in range(self.n) for j in range(i, self.n))
        constraint_count = len(self._constraint_equations)
        size = f"{self.n} coordinates, {constraint_count} constraints, M of {term_count} terms"
        return f"<Equations of {self.mechanism.name!r}: {size}>"

    def latex(self, digits: int | None = 6, full: bool = False, width: float = LATEX_WIDTH) -> str:
        """Return the equations as LaTeX for a paper; it needs the package amsmath.

        Parameters
        ----------
        digits : int or None, default 6
            Number of digits to which long numbers are rounded; None writes them exactly.
        full : bool, default False
            Whether very long parts are included.
        width : float, default 40
            Longest line in em: 40 fills a page, 20 a column.

        Returns
        -------
        str
            The LaTeX source, without a preamble.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("pendulum").latex().splitlines()[0])
        % pendulum: equations of motion
        """
        return latex_source(self.display_form, self.sections(full), digits, width)

    def _repr_latex_(self) -> str:
        return notebook_latex(self.display_form)

    def to_sympy(self, dynamic: bool = False) -> dict[str, Any]:
        """Return the equations as SymPy matrices and expressions.

        Parameters
        ----------
        dynamic : bool, default False
            Whether coordinates are functions of t and rates their derivatives. Otherwise coordinates are symbols of their names,
            and rates are symbols `qd_name` and `qdd_name`.

        Returns
        -------
        dict of str to object
            The matrices `M`, `C`, `G`, `F` and `tau`; with constraints also `closure`, `Psi`, `Psi_dot`, `phi` and `phi_dot`; the
            expressions `K`, `V` and `L`; and `rows`, the whole equations, in which tau1 and lambda1 are the forces. Multipliers
            and accelerations are included where they are short.

        Examples
        --------
        >>> import lagrangian as lg
        >>> matrices = lg.derive("pendulum").to_sympy()
        >>> print(matrices["rows"][0].lhs)
        L**2*m*qdd_theta + L*g*m*cos(theta)
        """
        return _sympy_matrices(self, dynamic)

    def save(
        self, path: str | os.PathLike[str], digits: int | None = 6, document: bool = True, width: float = LATEX_WIDTH
    ) -> None:
        """Write the equations to a file.

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

        Raises
        ------
        ArgumentError
            The ending of the file name is neither `.tex` nor `.md`.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.derive("pendulum").save("pendulum.tex")
        """
        save_document(self.display_form, path, digits, document, width)

    def check(self, answer: str | os.PathLike[str]) -> AnswerReport:
        r"""Compare a student's equations with these, by proof.

        Parameters
        ----------
        answer : str or path
            A file, or a text, of lines such as `M[1,2] = m2*l1*lc2*cos(q2)`, with indices from 1. The entries are those of M, C,
            G, F, tau, Gamma (Christoffel symbols), Psi and closure, and the energies K, P (or V) and L. `C[1]` is the first entry
            of C q', and `K[1]` is the kinetic energy of the first link. `#` begins a comment, and an indented line continues the
            one before.

        Returns
        -------
        AnswerReport
            The result for every line: right, or how it differs, with a hint.

        Raises
        ------
        ArgumentError
            A line cannot be read. The message gives its number and column.

        Examples
        --------
        >>> import lagrangian as lg
        >>> eom = lg.derive("two_r")
        >>> print(eom.check("M[2,2] = I2 + m2*r2^2\nM[1,2] = I2 + m2*r2*(r2 - l1*cos(theta2))"))
        line 1: M[2,2] is right
        line 2: M[1,2] is wrong: it differs by -2*m2*l1*r2*c2; the term m2*l1*r2*c2: the sign is wrong
        missing: M[1,1]
        1 of 2 right, 1 missing
        """
        from lagrangian.closed_form.answers import check_answers

        return check_answers(self, answer)


@public_methods
class EquationsOfMotion(EnergiesPart, FramesPart, ConstraintsPart, DerivationsPart, OutputPart):
    """Equations of motion of one mechanism in closed form.

    `lagrangian.derive` returns this object. The equations are

        M(q) q'' + C(q, q') q' + G(q) + F(q, q') = tau + Psi(q)^T lambda,    Psi(q) q' + phi(t) = 0.

    Every term is a `Formula` or a `FormulaMatrix`: `print` writes it, notebooks typeset it, and `==` compares it exactly. Indices
    count from 0, as everywhere in Python. Printed names count from 1, as in books: `eom.M[0, 1]` prints as M12.

    Attributes
    ----------
    mechanism : Mechanism
        The mechanism of the equations. Each of its joints has one coordinate.
    system : SymbolicSystem
        The mechanism as exact numbers and symbols, on which the derivations work.
    derived : DerivedEquations
        M, the Christoffel symbols, G and V as elements of a polynomial ring.
    grouping : BaseParameters or None
        The base parameters in which the equations are written; None if they are in the links' own parameters.
    writer : FormulaWriter
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

    def in_base_parameters(self) -> EquationsOfMotion:
        """Return the same equations in base parameters, which is the shortest form.

        A base parameter such as Izz1R stands for all inertial parameters that act like Izz1.

        Returns
        -------
        EquationsOfMotion
            The equations in base parameters.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("two_r").in_base_parameters().M)
        M11 = Izz1R + Izz2 + 2*hx2*l1*c2 - 2*hy2*l1*s2
        M12 = hx2*l1*c2 - hy2*l1*s2 + Izz2
        M22 = Izz2
        """
        if self.grouping is not None:
            return self
        if self.system.symbols == "given":
            from lagrangian.closed_form.derive import derive

            return derive(self.mechanism, symbols="inertial", limit=None).in_base_parameters()
        return EquationsOfMotion(self.system, self.derived, self._jacobians, self.base_parameters())

    @property
    def display_form(self) -> EquationsOfMotion:
        """The equations in the form that `show` writes: in base parameters if the inertial parameters are symbols."""
        return self.in_base_parameters() if self.system.symbols != "given" else self

    def __reduce__(self) -> Any:
        return _rebuild, (self.mechanism, self.system.symbols, self.grouping is not None)


def _sympy_matrices(eom: Any, dynamic: bool) -> dict[str, Any]:
    """Matrices by name, those without entries left out; phi and phi_dot where there are constraints; energies; rows."""
    import sympy  # which is slow to import

    from lagrangian.equations.writing.sympy_export import SympyExporter

    rows = eom._constraint_equations
    names = ["M", "C", "G", "F", "tau", *(("closure", "Psi", "Psi_dot") if rows else ())]
    matrices = {name: getattr(eom, name).to_sympy(dynamic) for name in names if len(getattr(eom, name))}
    if rows:
        exporter = SympyExporter(eom.writer, dynamic)
        matrices["phi"] = sympy.Matrix([exporter.convert_expression(row.phi) for row in rows])
        matrices["phi_dot"] = sympy.Matrix([exporter.convert_expression(row.phi_dot) for row in rows])
        matrices |= {name: matrix.to_sympy(dynamic) for name, matrix in short_matrices(eom).items()}
    energy_formulas = {"K": eom.kinetic_energy, "V": eom.potential_energy, "L": eom.lagrangian}
    matrices |= {name: formula.to_sympy(dynamic) for name, formula in energy_formulas.items()}
    matrices["rows"] = [row.to_sympy(dynamic) for row in eom.rows]
    return matrices


def _rebuild(mechanism: Mechanism, symbols: str, in_base_parameters: bool) -> EquationsOfMotion:
    """The equations of a mechanism, for pickle: deriving them again is faster than writing them."""
    from lagrangian.closed_form.derive import derive

    eom = derive(mechanism, symbols, limit=None)
    return eom.in_base_parameters() if in_base_parameters else eom
