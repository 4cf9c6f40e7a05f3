"""Kane's equations in generalised speeds of the user's choice, as formulas to read."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.closed_form.derivations.reading import Reading, readable
from lagrangian.closed_form.formulas import Formulas
from lagrangian.closed_form.lines import Vector
from lagrangian.closed_form.sections import Section, Title, entries, has_entries
from lagrangian.equations.algebra.numbers import value
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.derivations.speeds import GeneralisedSpeeds, Quotient
from lagrangian.equations.energies import has_inertia
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix, index
from lagrangian.equations.writing import text
from lagrangian.equations.writing.lines import WIDTH, broken
from lagrangian.equations.writing.notation import parts, pretty
from lagrangian.equations.writing.tree import Name, Tree, add, product
from lagrangian.errors import ArgumentError

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import Equations

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


class Kane(Reading):
    """Kane's equations in generalised speeds u, where q' = W(q) u.

    `Equations.kane` returns this object. The equations are `M u' + C + G + F = W^T tau`; `M u' + C` are the generalised inertia
    forces and `-G - F` the active forces of gravity, springs and friction. Formulas name the speeds as you did, and
    `evaluate(q, u, du)` takes speeds in the place of rates.

    Attributes
    ----------
    names : tuple of str
        Names of the speeds.
    speeds : dict of str to Formula
        Each speed in the rates of the coordinates.

    Examples
    --------
    >>> import lagrangian as lg
    >>> kane = lg.derive("two_r").kane({"u1": "theta1'", "u2": "theta1' + theta2'"})
    >>> print(kane.M)
    M11 = m1*r1^2 + m2*l1^2 + I1
    M12 = m2*l1*r2*c2
    M22 = m2*r2^2 + I2
    >>> print(kane.partial_velocities["link2"][1])
    (l1*c2, r2)
    """

    def __init__(self, eom: Equations, speeds: Mapping[str, Any] | None = None) -> None:
        n = eom.n
        given = {f"u{k + 1}": f"qd{k + 1}" for k in range(n)} if speeds is None else speeds
        if not isinstance(given, Mapping) or len(given) != n:
            counted = (
                f"there {'is' if len(given) == 1 else 'are'} {len(given)} speed{'s' * (len(given) != 1)}"
                if isinstance(given, Mapping)
                else "the speeds are not a mapping"
            )
            raise ArgumentError(
                f"{counted}; give one for each of the {n} coordinates, such as {{'u1': \"q1' + q2'\"}}", concerns="speeds"
            )
        self.names = tuple(given)
        self.speeds = {name: _speed(eom, name, x) for name, x in given.items()}
        rows = [_coefficients(eom, name, x) for name, x in self.speeds.items()]
        below = [x.denominator or eom.system.ring.one for x in self.speeds.values()]
        self._elements = GeneralisedSpeeds(eom.system, rows, below)
        if not self._elements.determinant:
            raise ArgumentError(_dependent(eom, self.names, rows), concerns="speeds")
        shown = copy.copy(eom)
        shown._made = Formulas(eom.system, None, self.names)
        shown.writer = shown._made.writer
        super().__init__(shown)

    # -- the equations -------------------------------------------------------------------------------------------------

    def _formula(self, x: Quotient) -> Formula:
        return self.eom._made.quotient(x.above, self._elements.determinant**x.power)

    def _quotient(self, x: Any, power: int = 1) -> Formula:
        return self._formula(Quotient(self.eom.system.ring(x), power))

    @cached_property
    def W(self) -> FormulaMatrix:
        """The matrix of q' = W u."""
        return FormulaMatrix("W", [[self._quotient(x) for x in row] for row in self._elements.W])

    @cached_property
    def _inertia(self) -> list[Quotient]:
        return self._elements.inertia()

    @cached_property
    def M(self) -> FormulaMatrix:
        """The mass matrix W^T M W, which multiplies u'."""
        n, ring = self.eom.n, self.eom.system.ring
        rows = [[ring.partial(x.above, f"qdd{s + 1}") for s in range(n)] for x in self._inertia]
        made = [[self._formula(Quotient(e, x.power)) for e in row] for row, x in zip(rows, self._inertia, strict=True)]
        return FormulaMatrix("M", made, symmetric=True)

    @cached_property
    def C(self) -> FormulaMatrix:
        """The velocity terms, a vector of products of speeds."""
        ring = self.eom.system.ring
        still = {ring.number[f"qdd{s + 1}"]: 0 for s in range(self.eom.n)}
        return self._vector("C", [Quotient(ring.substitute(x.above, still), x.power) for x in self._inertia])

    @cached_property
    def G(self) -> FormulaMatrix:
        """The terms of gravity and springs: minus their generalised active forces."""
        return self._vector("G", self._elements.potential())

    @cached_property
    def F(self) -> FormulaMatrix:
        """The terms of friction."""
        return self._vector("F", self._elements.friction())

    def _vector(self, name: str, given: list[Quotient]) -> FormulaMatrix:
        return FormulaMatrix(name, [[self._formula(x)] for x in given], vector=True)

    @cached_property
    def partial_angular_velocities(self) -> Mapping[str, FormulaMatrix]:
        """By link, a 3 x n matrix in its own axes; column r multiplies u_r in the angular velocity."""
        return {name: found[0] for name, found in self._partial.items()}

    @cached_property
    def partial_velocities(self) -> Mapping[str, FormulaMatrix]:
        """By link with mass, a 3 x n matrix in its own axes; column r multiplies u_r in the velocity of the centre of mass."""
        return {name: found[1] for name, found in self._partial.items() if found[1] is not None}

    @cached_property
    def _partial(self) -> dict[str, tuple[FormulaMatrix, Any]]:
        system, found = self.eom.system, {}
        for link, here in zip(system.links, self.eom._jacobians, strict=True):
            if not has_inertia(system, link):
                continue
            angular, linear = self._elements.partial_velocities(link, here)
            mass = system.ring(link.inertia.mass)
            turning = [[self._quotient(column[a]) for column in angular] for a in range(3)]
            moving = None
            if mass:
                below = mass * self._elements.determinant
                rows = [[self.eom._made.quotient(system.ring(column[a]), below) for column in linear] for a in range(3)]
                moving = FormulaMatrix("v", rows)
            found[link.name] = FormulaMatrix("omega", turning), moving
        return found

    @cached_property
    def rows(self) -> tuple[SpeedRow, ...]:
        """The whole equation of every speed, with W^T tau and the constraint forces on the right."""
        found = []
        for r in range(self.eom.n):
            driven = [(f"tau{index(k)}", self.W[k, r]) for k in range(self.eom.n)]
            held = [(f"lambda{index(j)}", self._held(row.psi, r)) for j, row in enumerate(self.eom._rows_of_constraints)]
            found.append(SpeedRow(self.names[r], self._left(r), tuple(x for x in (*driven, *held) if not x[1].is_zero)))
        return tuple(found)

    def _held(self, psi: Sequence[Element], r: int) -> Formula:
        """What multiplies a constraint's lambda: Psi along a partial velocity."""
        return self._quotient(sum((self._elements.W[k][r] * x for k, x in enumerate(psi)), self.eom.system.ring.zero))

    def _left(self, r: int) -> Formula:
        terms = [self.M[r, s] for s in range(self.eom.n)]
        rest = [self.C[r], self.G[r], self.F[r]]
        writer, ring = self.eom.writer, self.eom.system.ring
        total: Any = sum((x * Formula(writer, self.eom.system.acceleration(s)) for s, x in enumerate(terms)), rest[0])
        total = total + rest[1] + rest[2]
        if any(x.denominator is not None for x in (*terms, *rest)):
            return Formula(writer, total.element, total.denominator)
        rates = [Name(writer.names[ring.number[f"qdd{s + 1}"]]) for s in range(self.eom.n)]

        def tree() -> Tree:
            inertial = [product([x.tree, rate]) for x, rate in zip(terms, rates, strict=True)]
            return add([*inertial, *(x.tree for x in rest)])

        return Formula(writer, total.element, None, tree)

    # -- to read -------------------------------------------------------------------------------------------------------

    def sections(self, full: bool = False) -> list[Section]:
        """Return the sections that `show` and `latex` write.

        Parameters
        ----------
        full : bool, default False
            Whether very long parts are included.

        Returns
        -------
        list of Section
            The speeds, the partial velocities, the matrices and the equations row by row.
        """
        own = tuple(Definition(name, x) for name, x in self.speeds.items())
        found = [
            Section("speeds", Title("Kane: generalised speeds"), lines=own),
            Section("W", Title("Rates", "q' = W u", r"\dot{q} = W u"), entries(self.W)),
        ]
        for link, angular in self.partial_angular_velocities.items():
            lines = [Vector(f"omega_{u}", tuple(row[r] for row in angular.rows)) for r, u in enumerate(self.names)]
            if link in self.partial_velocities:
                linear = self.partial_velocities[link]
                lines += [Vector(f"v_{u}", tuple(row[r] for row in linear.rows)) for r, u in enumerate(self.names)]
            title = Title(f"Partial velocities of {link}, angular and of its centre of mass, in its own axes")
            found.append(readable("partial", title, tuple(lines), full))
        inertia = Title("Generalised inertia forces", "-F* = M u' + C", r"-F^{*} = M \dot{u} + C")
        found.append(Section("inertia", inertia, (*entries(self.M), *entries(self.C))))
        active = Title("Generalised active forces", "W^T tau - G - F", r"W^{T} \tau - G - F")
        found.append(Section("active", active, (*entries(self.G), *(entries(self.F) if has_entries(self.F) else ()))))
        return [*found, readable("rows", Title("Row by row"), self.rows, full)]

    def __repr__(self) -> str:
        return f"<Kane of {self.eom.mechanism.name!r} in {', '.join(self.names)}>"


@dataclass(frozen=True)
class Definition:
    """`u1 = theta1' + theta2'`: a speed in the rates of the coordinates, by the names of those."""

    name: str
    formula: Formula

    @property
    def formulas(self) -> list[Formula]:
        return []  # its names are explained with those of W

    def lines(self, style: text.Style, width: int) -> list[str]:
        return [f"{pretty(self.name)} = {self.formula.unicode()}" if style.times == " " else f"{self.name} = {self.formula}"]

    def aligned(self, style: text.Style, widest: float = WIDTH) -> list[str]:
        return broken("".join(parts(self.name)), self.formula.latex(), widest)


@dataclass(frozen=True, repr=False)
class SpeedRow:
    """The equation of one speed: `left = sum_k W_kr tau_k`."""

    speed: str
    left: Formula
    right: tuple[tuple[str, Formula], ...]

    @property
    def formulas(self) -> list[Formula]:
        return [self.left, *(x for _, x in self.right)]

    def _forces(self, style: text.Style, names: Any, written: Any) -> str:
        found = ""
        for force, x in self.right:
            word, name = written(x), names(force)
            sign, word = ("-", word[1:]) if word.startswith("-") and " " not in word else ("+", word)
            term = f"({word}){style.times}{name}" if " + " in word or " - " in word else f"{word}{style.times}{name}"
            term = name if word == "1" else term
            found = f"{found} {sign} {term}" if found else ("-" if sign == "-" else "") + term
        return found

    def written(self, style: text.Style) -> str:
        names = pretty if style.times == " " else str
        return f"{self.left.written(style)} = {self._forces(style, names, lambda x: x.written(style))}"

    def lines(self, style: text.Style, width: int) -> list[str]:
        return [self.written(style)]

    def aligned(self, style: text.Style, widest: float = WIDTH) -> list[str]:
        right = self._forces(style, lambda name: "".join(parts(name)), lambda x: x.typeset(style))
        first, *others = broken("", self.left.typeset(style), widest)
        rows = [first.replace("&=", "&", 1).strip(), *others]
        return [*rows[:-1], f"{rows[-1]} = {right}"]

    def __str__(self) -> str:
        return self.written(text.plain(self.left.writer.notation))

    __repr__ = __str__


# -- what is given -----------------------------------------------------------------------------------------------------


def _speed(eom: Equations, name: Any, given: Any) -> Formula:
    """A speed as a formula of the equations' own ring."""
    taken = {symbol.name for symbol in eom.system.ring.symbols} | set(eom.coordinates)
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name in taken:
        why = "is already in the equations" if name in taken else "is not a name"
        raise ArgumentError(f"a speed cannot be called {name!r}, which {why}; use u1, u2 and so on", concerns="speeds")
    zero = eom._made.formula(0)
    x = given if isinstance(given, Formula) else zero.read(given)
    if x.writer.family is not zero.writer.family or x.element.ring is not eom.system.ring:
        raise ArgumentError(f"speed {name!r}: {given!s:.60} contains a name that is not in these equations", concerns="speeds")
    return x


def _coefficients(eom: Equations, name: str, x: Formula) -> list[Element]:
    """Of the rates in a speed, which must be linear in them; below the line stand constants."""
    ring, n = eom.system.ring, eom.n
    found = [ring.partial(x.element, f"qd{k + 1}") for k in range(n)]
    rest: Any = x.element
    for k, c in enumerate(found):
        rest = rest - ring(c * eom.system.speed(k))
    moving = any(ring.partial(c, f"{d}{k + 1}") for c in found for k in range(n) for d in ("qd", "qdd"))
    below = x.denominator
    changing = below is not None and any(ring.derivative(below, k) or ring.partial(below, f"qd{k + 1}") for k in range(n))
    if rest or moving or changing:
        raise ArgumentError(
            f"speed {name!r} is {x}; it must be a sum of rates, each times a function of the coordinates, such as "
            f"q1' + cos(q2)*q2'" + (". The denominator must be constant" if changing else ""),
            concerns="speeds",
        )
    return found


def _dependent(eom: Equations, names: tuple[str, ...], rows: list[list[Element]]) -> str:
    """Which speeds follow from others, at a configuration without accidental zeros."""
    q = np.random.default_rng(1).uniform(0.3, 1.2, eom.n).tolist()
    given = eom.writer.values(q, [1.0] * eom.n, [1.0] * eom.n, {})
    numbers = np.array([[value(x, given) for x in row] for row in rows])
    for r in range(len(names)):
        if np.linalg.matrix_rank(numbers[: r + 1]) <= r:
            before = [names[k] for k in range(r)]
            why = f"{names[r]} follows from {', '.join(before)}" if any(numbers[r]) else f"{names[r]} is zero"
            return f"the speeds {', '.join(names)} are not independent, so the rates do not follow from them: {why}"
    return f"the speeds {', '.join(names)} are not independent, so the rates do not follow from them"
