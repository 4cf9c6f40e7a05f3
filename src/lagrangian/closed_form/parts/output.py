"""The equations to read and to run: printed, typeset, saved, as SymPy matrices, and as machine code."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from lagrangian.closed_form.latex import in_short, typeset
from lagrangian.closed_form.parts.basis import Basis
from lagrangian.closed_form.sections import Section, of_equations
from lagrangian.closed_form.text import WIDTH, show
from lagrangian.equations.writing.lines import WIDTH as LINE
from lagrangian.types import Times

if TYPE_CHECKING:
    from lagrangian.closed_form.compiled import CompiledEquations
    from lagrangian.closed_form.homework.marking import Marking
    from lagrangian.closed_form.integration import Integrated, Torque


class OutputPart(Basis):
    """What becomes of the equations."""

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

        return CompiledEquations(self, self._terms, self._rows_of_constraints, parameters or {}, threads)

    def simulate(
        self,
        t_span: float | tuple[float, float],
        q0: ArrayLike | None = None,
        qd0: ArrayLike | None = None,
        torque: Torque = None,
        *,
        t_eval: Times | None = None,
        rtol: float = 1e-9,
        atol: float = 1e-12,
        max_steps: int = 100_000,
    ) -> Integrated:
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
        Integrated
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
        <Integrated: theta1, theta2, 3 rows, 0 to 1 s>
        >>> print((motion.energy - motion.energy[0]).round(6) + 0.0)
        [0. 0. 0.]
        """
        from lagrangian.closed_form.integration import integrated

        return integrated(self, t_span, q0, qd0, torque, t_eval, rtol, atol, max_steps)

    def sections(self, full: bool = False) -> list[Section]:
        """Return the sections that `show` and `latex` write.

        Parameters
        ----------
        full : bool, default False
            Whether very long parts are included.

        Returns
        -------
        list of Section
            Titles and formulas, in order.
        """
        return of_equations(self.readable, full)

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

    def text(self, digits: int | None = 6, full: bool = False, width: int = WIDTH) -> str:
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
        return show(self.readable, self.sections(full), digits, width)

    def __str__(self) -> str:
        return show(self.readable, self.sections(), 6)

    def __repr__(self) -> str:
        terms = sum(self.derived.M[i][j].terms for i in range(self.n) for j in range(i, self.n))
        held = len(self._rows_of_constraints)
        return f"<Equations of {self.mechanism.name!r}: {self.n} coordinates, {held} constraints, M of {terms} terms>"

    def latex(self, digits: int | None = 6, full: bool = False, width: float = LINE) -> str:
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
        return typeset(self.readable, self.sections(full), digits, width)

    def _repr_latex_(self) -> str:
        return in_short(self.readable)

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
        >>> found = lg.derive("pendulum").to_sympy()
        >>> print(found["rows"][0].lhs)
        L**2*m*qdd_theta + L*g*m*cos(theta)
        """
        from lagrangian.closed_form.sympy_matrices import sympy_matrices

        return sympy_matrices(self, dynamic)

    def save(self, path: str | os.PathLike[str], digits: int | None = 6, document: bool = True, width: float = LINE) -> None:
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
        from lagrangian.closed_form.document import save

        save(self.readable, path, digits, document, width)

    def check(self, answer: str | os.PathLike[str]) -> Marking:
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
        Marking
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
        from lagrangian.closed_form.homework.marking import marked

        return marked(self, answer)
