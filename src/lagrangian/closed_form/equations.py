"""The equations of motion of one mechanism, in closed form: what `lagrangian.derive` gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from lagrangian.closed_form.cartesian import CartesianEquations
from lagrangian.closed_form.choices import chosen_frame, dependent_determinant, independent_coordinates, square_jacobian
from lagrangian.closed_form.formulas import Formulas
from lagrangian.closed_form.latex import in_short, typeset
from lagrangian.closed_form.reduced import ReducedEquations
from lagrangian.closed_form.sections import Section, of_equations
from lagrangian.closed_form.terms import Terms
from lagrangian.closed_form.text import WIDTH, show
from lagrangian.closed_form.trace_form import TraceForm
from lagrangian.configuration.reading import configuration
from lagrangian.equations import base_parameters as base
from lagrangian.equations import cartesian, constraints, kinematics
from lagrangian.equations.algebra.matrices import determinant
from lagrangian.equations.derivations import kane, lagrange, newton_euler
from lagrangian.equations.derivations.uicker_kahn import UickerKahn
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.equations.reading.system import System
from lagrangian.equations.writing.lines import WIDTH as LINE
from lagrangian.equations.writing.notation import Notation
from lagrangian.equations.writing.structure import Velocities
from lagrangian.errors import ArgumentError, MechanismError
from lagrangian.model.expression import Scalar
from lagrangian.model.loop import DIRECTIONS, Frame
from lagrangian.model.mechanism import Mechanism
from lagrangian.proof.certificate import Certificate
from lagrangian.proof.prove import Derived, prove


class Equations:
    """`M q'' + C q' + G + F = tau + Psi^T lambda`, exact and readable.

    `M, C, G, F, tau`, the Christoffel symbols, energies and Jacobians are formulas: `print` writes them, notebooks typeset
    them, `==` compares them exactly. Indices count from 0, as everywhere in Python; printed names count from 1, as in books.
    `mechanism` is what they are of: its joints have one coordinate each. `derived` has the same as elements of a polynomial ring,
    `grouping` the base parameters they are written in, if they are, and `writer` makes formulas of elements.
    """

    def __init__(self, system: System, derived: Derived, jacobians: list[lagrange.Columns], grouping: Any = None) -> None:
        self.system, self.mechanism = system, system.mechanism
        self.derived, self._jacobians = derived, jacobians
        self.grouping: base.BaseParameters | None = grouping
        self._terms, self._made = Terms(system, derived), Formulas(system, grouping)
        self.writer = self._made.writer

    @cached_property
    def _velocities(self) -> Velocities:
        return Velocities(self.writer, self.system, self._jacobians)

    @property
    def notation(self) -> Notation:
        """How the names in its formulas are written."""
        return self.writer.notation

    # -- the equations -----------------------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """How many coordinates there are."""
        return self.system.n

    @property
    def coordinates(self) -> tuple[str, ...]:
        return self.system.coordinates

    @property
    def notes(self) -> tuple[str, ...]:
        """What was taken otherwise than the description says, such as 1.5708 for a right angle."""
        return tuple(self.system.scalars.notes)

    @cached_property
    def M(self) -> FormulaMatrix:
        """The mass matrix, rotors included."""
        made: dict[tuple[int, int], Formula] = {}
        for i in range(self.n):
            for j in range(i, self.n):
                # products of velocities are a known form where each inertial parameter is one symbol
                known = (lambda i=i, j=j: self._velocities.structure(i, j)) if self.system.symbols != "given" else None
                made[i, j] = made[j, i] = self._made.formula(self.derived.M[i][j], known)
        return FormulaMatrix("M", [[made[i, j] for j in range(self.n)] for i in range(self.n)], symmetric=True)

    def christoffel(self, i: int, j: int, k: int) -> Formula:
        """c_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2, the first kind; C_ij = sum_k c_ijk q'_k."""
        for given in (i, j, k):
            if not isinstance(given, (int, np.integer)) or not 0 <= given < self.n:
                raise ArgumentError(f"christoffel: indices run from 0 to {self.n - 1}; {given} is outside")
        return self._made.formula(self.derived.christoffel[i, j, k])

    @cached_property
    def C(self) -> FormulaMatrix:
        """The Coriolis matrix of the Christoffel symbols: M' - 2C is skew."""
        return self._made.matrix("C", lagrange.coriolis_matrix(self.system, self.derived.christoffel))

    @cached_property
    def centripetal(self) -> FormulaMatrix:
        """The part of C q' with squares q'_j^2."""
        return self._made.vector("centripetal", self._terms.velocity[0])

    @cached_property
    def coriolis(self) -> FormulaMatrix:
        """The part of C q' with products q'_j q'_k of different speeds."""
        return self._made.vector("coriolis", self._terms.velocity[1])

    @cached_property
    def G(self) -> FormulaMatrix:
        """dV/dq: gravity and springs."""
        return self._made.vector("G", self._terms.slopes)

    @cached_property
    def gravity(self) -> FormulaMatrix:
        """The part of G that gravity makes."""
        return self._made.vector("gravity", self.derived.G)

    @cached_property
    def springs(self) -> FormulaMatrix:
        """The part of G that springs make."""
        return self._made.vector("springs", self._terms.springs)

    @cached_property
    def F(self) -> FormulaMatrix:
        """Friction: viscous, Coulomb (sgn), and dampers."""
        return self._made.vector("F", self._terms.friction)

    @cached_property
    def rotors(self) -> FormulaMatrix:
        """What the rotors add to the diagonal of M: r^2 J_m."""
        return self._made.vector("rotors", self._terms.rotors)

    @cached_property
    def tau(self) -> FormulaMatrix:
        """M q'' + C q' + G + F: the joint forces of a motion of the tree."""
        return self._made.vector("tau", self._terms.torques)

    @cached_property
    def kinetic_energy(self) -> Formula:
        """K = 1/2 q'^T M q'."""
        return self._made.formula(self._terms.kinetic_energy)

    @cached_property
    def potential_energy(self) -> Formula:
        """V of gravity and springs; zero height is the ground's origin."""
        return self._made.formula(self.derived.V + self._terms.spring_potential)

    @property
    def lagrangian(self) -> Formula:
        """L = K - V."""
        return self.kinetic_energy - self.potential_energy

    # -- frames ------------------------------------------------------------------------------------------------------

    def pose(self, frame: str | Frame) -> FormulaMatrix:
        """The frame's 4x4 homogeneous matrix in the world."""
        _, pose = kinematics.frame_pose(self.system, chosen_frame(self.mechanism, frame))
        return self._made.matrix("T", [*([*row, p] for row, p in zip(pose.R, pose.p, strict=True)), [0, 0, 0, 1]])

    def jacobian(self, frame: str | Frame) -> FormulaMatrix:
        """J, 6 x n: (angular velocity, velocity of the origin) = J q', along the world's axes."""
        return self._made.matrix("J", kinematics.jacobian(self.system, chosen_frame(self.mechanism, frame)))

    def external(self, frame: str | Frame) -> FormulaMatrix:
        """J^T F: the generalised forces of a wrench (load_Mx .. load_Fz, at the frame's origin) that acts on a frame."""
        J = kinematics.jacobian(self.system, chosen_frame(self.mechanism, frame))
        wrench = [self.system.generator(f"load_{name}") for name in ("Mx", "My", "Mz", "Fx", "Fy", "Fz")]
        made = [sum((J[row][k] * wrench[row] for row in range(6)), self.system.ring.zero) for k in range(self.n)]
        return self._made.vector("Q", made)

    def cartesian(self, frame: str | Frame, directions: Sequence[str] = DIRECTIONS) -> CartesianEquations:
        """M_x, C_x, G_x of a frame along as many directions as there are coordinates, such as ("x", "y") for a planar 2R arm."""
        J = square_jacobian(self.system, frame, directions)
        velocity = [a + b for a, b in zip(*self._terms.velocity, strict=True)]
        made = cartesian.cartesian(self.system, J, self.derived.M, velocity, self._terms.slopes, self._terms.friction)
        return CartesianEquations.of(self._made.quotient, directions, made)

    # -- constraints -------------------------------------------------------------------------------------------------

    @cached_property
    def _rows_of_constraints(self) -> list[constraints.Row]:
        return constraints.rows(self.system)

    @property
    def constraint_names(self) -> tuple[str, ...]:
        return tuple(row.name for row in self._rows_of_constraints)

    @cached_property
    def closure(self) -> FormulaMatrix:
        """The loops' equations eta(q) = 0; constraints on speeds have none."""
        return self._made.vector("closure", [row.eta for row in self._rows_of_constraints if row.eta is not None])

    @cached_property
    def Psi(self) -> FormulaMatrix:
        """d eta / dq of the loops, then the coefficients of the Pfaffian constraints."""
        return self._made.matrix("Psi", [row.psi for row in self._rows_of_constraints])

    @cached_property
    def Psi_dot(self) -> FormulaMatrix:
        """d Psi / dt, with the speeds in it."""
        return self._made.matrix("Psi_dot", [row.psi_dot(self.system) for row in self._rows_of_constraints])

    @property
    def phi(self) -> tuple[Scalar, ...]:
        """phi(t) of `phi(t) + Psi(q) q' = 0`, row by row; zero for loops."""
        return tuple(row.phi for row in self._rows_of_constraints)

    @property
    def phi_dot(self) -> tuple[Scalar, ...]:
        return tuple(row.phi_dot for row in self._rows_of_constraints)

    def reduced(self, independent: Sequence[str] | None = None, at: Any = None) -> ReducedEquations:
        """The equations in independent coordinates, where sums of angles solve the loops (a parallelogram).

        `independent` are the actuated joints unless given; `at` is a configuration to begin at, as `q0` of simulate.
        """
        if not self.mechanism.equations:
            raise MechanismError("it has no constraints: its coordinates are independent already", where=self.mechanism.name)
        start = configuration(self.mechanism, at, "at").q.tolist()
        return ReducedEquations(self, self._terms, independent_coordinates(self.mechanism, independent), start)

    def singularities(
        self, frame: str | Frame | None = None, directions: Sequence[str] = (), independent: Sequence[str] | None = None
    ) -> list[Formula]:
        """What must vanish in a singular configuration: the factors of a determinant.

        Of a closed mechanism: of the block of Psi that belongs to the coordinates that are not `independent` (the actuated ones
        unless given). Of a frame: of its Jacobian along as many `directions` as there are coordinates.
        """
        if frame is not None:
            jacobian = square_jacobian(self.system, frame, directions or DIRECTIONS)
            return self._made.factors(determinant(self.system.ring, jacobian))
        return self._made.factors(dependent_determinant(self.system, self._rows_of_constraints, independent))

    # -- other derivations -------------------------------------------------------------------------------------------

    def newton_euler(self) -> FormulaMatrix:
        """tau by the Newton-Euler recursion, without friction and springs."""
        return self._made.vector("tau", newton_euler.newton_euler(self.system))

    def kane(self) -> FormulaMatrix:
        """tau by Kane's equations, without friction and springs."""
        return self._made.vector("tau", kane.kane(self.system))

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

    def grouped(self) -> Equations:
        """The same equations in base parameters, the shortest form: Izz1R stands for all that acts like Izz1."""
        if self.grouping is not None:
            return self
        if self.system.symbols == "given":
            from lagrangian.closed_form.derive import derive

            return derive(self.mechanism, symbols="inertial", limit=None).grouped()
        return Equations(self.system, self.derived, self._jacobians, self.base_parameters())

    # -- to run and to read ------------------------------------------------------------------------------------------

    def compile(self, parameters: dict[str, float] | None = None, threads: int | None = None) -> Any:
        """The closed form as machine code, through the same tracer as the recursions: to run one against the other."""
        from lagrangian.closed_form.compiled import CompiledEquations

        return CompiledEquations(self, self._terms, self._rows_of_constraints, parameters or {}, threads)

    @property
    def readable(self) -> Equations:
        """These equations; in base parameters if the inertial parameters are symbols, which is shorter."""
        return self.grouped() if self.system.symbols != "given" else self

    def sections(self, full: bool = False) -> list[Section]:
        """What `show` and `latex` write, section by section."""
        return of_equations(self.readable, full)

    def show(self, digits: int | None = 6, full: bool = False) -> None:
        """Print the equations. Long numbers are rounded to `digits` (None: exact); `full` prints even very long parts."""
        print(self.text(digits, full))

    def text(self, digits: int | None = 6, full: bool = False, width: int = WIDTH) -> str:
        """What `show` prints, in lines of at most `width` characters where they can be broken."""
        return show(self.readable, self.sections(full), digits, width)

    def __str__(self) -> str:
        return show(self.readable, self.sections(), 6)

    def __repr__(self) -> str:
        terms = sum(self.derived.M[i][j].terms for i in range(self.n) for j in range(i, self.n))
        held = len(self._rows_of_constraints)
        return f"<Equations of {self.mechanism.name!r}: {self.n} coordinates, {held} constraints, M of {terms} terms>"

    def latex(self, digits: int | None = 6, full: bool = False, width: float = LINE) -> str:
        """The equations typeset, to be pasted into a paper (amsmath): lines of up to `width` em: 40 fills a page, 20 a column."""
        return typeset(self.readable, self.sections(full), digits, width)

    def _repr_latex_(self) -> str:
        return in_short(self.readable)

    def to_sympy(self, dynamic: bool = False) -> dict[str, Any]:
        """SymPy matrices by name: M, C, G, F, tau, and closure, Psi, Psi_dot, phi, phi_dot where there are constraints.

        Coordinates are symbols of their names, rates `qd_name` and `qdd_name`; with `dynamic`, functions of t and derivatives.
        """
        from lagrangian.closed_form.sympy_matrices import sympy_matrices

        return sympy_matrices(self, dynamic)

    def save(self, path: Any, digits: int | None = 6, document: bool = True, width: float = LINE) -> None:
        """A document of its own: `.tex` (LaTeX) or `.md` (Markdown with formulas). With `document=False`, what `latex` gives."""
        from lagrangian.closed_form.document import save

        save(self.readable, path, digits, document, width)

    def parameters(self) -> dict[str, float | None]:
        """The named parameters in the equations, with their values."""
        return self._made.parameters()

    def __reduce__(self) -> Any:
        return _again, (self.mechanism, self.system.symbols, self.grouping is not None)


def _again(mechanism: Mechanism, symbols: str, grouped: bool) -> Equations:
    """The equations of a mechanism, for pickle: they are made faster than they are written."""
    from lagrangian.closed_form.derive import derive

    eom = derive(mechanism, symbols, limit=None)
    return eom.grouped() if grouped else eom
