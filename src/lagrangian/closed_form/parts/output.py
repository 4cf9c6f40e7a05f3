"""The equations to read and to run: printed, typeset, saved, as SymPy matrices, and as machine code."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from lagrangian.closed_form.latex import in_short, typeset
from lagrangian.closed_form.parts.basis import Basis
from lagrangian.closed_form.sections import Section, of_equations
from lagrangian.closed_form.text import WIDTH, show
from lagrangian.equations.writing.lines import WIDTH as LINE

if TYPE_CHECKING:
    from lagrangian.closed_form.homework.marking import Marking
    from lagrangian.closed_form.integration import Integrated


class OutputPart(Basis):
    """What becomes of the equations."""

    def compile(self, parameters: dict[str, float] | None = None, threads: int | None = None) -> Any:
        """The closed form as machine code, through the same tracer as the recursions: to run one against the other."""
        from lagrangian.closed_form.compiled import CompiledEquations

        return CompiledEquations(self, self._terms, self._rows_of_constraints, parameters or {}, threads)

    def simulate(
        self,
        t_span: Any,
        q0: Any = None,
        qd0: Any = None,
        torque: Any = None,
        *,
        t_eval: Any = None,
        rtol: float = 1e-9,
        atol: float = 1e-12,
        max_steps: int = 100_000,
    ) -> Integrated:
        """A motion from these very equations, without constraints and dry friction: a check of `lagrangian.simulate`.

        `t_span` is the end, or the begin and the end; `torque` are numbers, or a function of t, q and qd; `t_eval` are the times
        of the rows, or how many. A run that takes more than about `max_steps` steps is given up.
        """
        from lagrangian.closed_form.integration import integrated

        return integrated(self, t_span, q0, qd0, torque, t_eval, rtol, atol, max_steps)

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

        K, V and L are expressions, `rows` the whole equations, with tau1 and lambda1 for the forces; multipliers and
        accelerations are there where they are short.

        Coordinates are symbols of their names, rates `qd_name` and `qdd_name`; with `dynamic`, functions of t and derivatives.
        """
        from lagrangian.closed_form.sympy_matrices import sympy_matrices

        return sympy_matrices(self, dynamic)

    def save(self, path: Any, digits: int | None = 6, document: bool = True, width: float = LINE) -> None:
        """A document of its own: `.tex` (LaTeX) or `.md` (Markdown with formulas). With `document=False`, what `latex` gives."""
        from lagrangian.closed_form.document import save

        save(self.readable, path, digits, document, width)

    def check(self, answer: str | os.PathLike[str]) -> Marking:
        """Homework marked, by proof: a file, or a text, of lines such as `M[1,2] = m2*l1*lc2*cos(q2)`, indices from 1.

        Entries are those of M, C, G, F, tau, Gamma (Christoffel symbols), Psi and closure, and the energies K, P (or V) and L.
        `C[1]` is the first entry of C q', `K[1]` the energy of the first link. `#` begins a comment, and an indented line goes on
        with the one before it.
        """
        from lagrangian.closed_form.homework.marking import marked

        return marked(self, answer)
