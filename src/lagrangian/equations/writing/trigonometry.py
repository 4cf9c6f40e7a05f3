"""Short forms of trigonometric polynomials.

The ring writes everything in the absolute angles of runs of parallel axes (q2, q2 + q3) and in `1, c, s, c^2`. People write
`c3` for `c2 c23 + s2 s23`, `s^2` for `1 - c^2`, and `cos(q1 - q2)` for `c1 c2 + s1 s2`. For each polynomial the few ways of
writing it are tried, and the one with the fewest operators is taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import product as combinations
from typing import Any

from flint import fmpq_mpoly_ctx

from lagrangian.equations.algebra.ring import angle_label, rational
from lagrangian.equations.reading.scalars import RingReader
from lagrangian.equations.writing.tree import (
    IntegerPolynomial,
    Monomial,
    SparsePolynomial,
    Tree,
    as_dict,
    count_operators,
    expanded_form,
    horner_form,
)

AngleVector = tuple[int, ...]  # an integer multiple of every coordinate

# past this many terms only the form at hand and Horner's are tried: nobody reads such a polynomial term by term
MAX_TERMS_TRIED = 120
MAX_HARMONIC_TERMS = 10


class Trigonometry:
    """Names of angles, and the best forms of polynomials in their sines and cosines."""

    def __init__(self, scalars: RingReader) -> None:
        self.scalars = scalars
        self.n = len(scalars.coordinates)
        ring = scalars.ring
        self.named_angles: dict[str, tuple[str, tuple[tuple[int, int], ...]]] = {}  # sine or cosine, and of which sum
        self.absolute_angles = [self._vector(angle) for angle in scalars.angles.absolute_angles]
        # by index of the generator: whether it is a sine or a cosine, and of which angle
        self.generator_angles: dict[int, tuple[str, AngleVector]] = {}
        for k, symbol in enumerate(ring.symbols):
            if symbol.kind in ("sine", "cosine"):
                self.generator_angles[k] = (symbol.kind, self._vector(symbol.angle))
        self._build_wide_ring()
        # the generators of a trigonometric polynomial
        self.handled_generators = frozenset((*self.generator_angles, *self.other_index))
        self._shortest_forms: dict[Any, Tree] = {}

    def _vector(self, angle: Iterable[tuple[int, int]]) -> AngleVector:
        vector = [0] * self.n
        for k, sign in angle:
            vector[k] += sign
        return tuple(vector)

    def angle_name(self, kind: str, angle: AngleVector) -> str:
        """s23 or c23; repeated numbers for multiples, m for minus: c2m3 is cos(q2 - q3)."""
        sum_of = tuple((k, e) for k, e in enumerate(angle) if e)
        name = self.scalars.prefixes[0 if kind == "sine" else 1] + angle_label(sum_of)
        self.named_angles[name] = (kind, sum_of)
        return name

    # -- the wider ring, with the differences of absolute angles --------------------------------------------------------

    def _build_wide_ring(self) -> None:
        angles: dict[AngleVector, None] = {}
        for _, angle in self.generator_angles.values():
            angles[angle] = None
        for k, start in self.scalars.angles.previous_angle.items():
            end = self.scalars.angles.angle_index[k]
            while start is not None:
                angles[_positive_angle(_minus(self.absolute_angles[end], self.absolute_angles[start]))[0]] = None
                start = self.scalars.angles.previous_angle[self.scalars.angles.absolute_angles[start][-1][0]]
        self.angles = list(angles)
        self.sine_index = {angle: 2 * k for k, angle in enumerate(self.angles)}  # of the sine; the cosine is next
        self.wide_names = [self.angle_name(kind, angle) for angle in self.angles for kind in ("sine", "cosine")]
        other_generators = [k for k, s in enumerate(self.scalars.ring.symbols) if s.kind in ("coordinate", "time")]
        self.other_index = {k: len(self.wide_names) + j for j, k in enumerate(other_generators)}
        self.wide_names += [self.scalars.ring.symbols[k].name for k in other_generators]
        self.context = fmpq_mpoly_ctx.get([f"y{k}" for k in range(len(self.wide_names))], "degrevlex")
        self.generators = self.context.gens()

    def handles(self, generator: int) -> bool:
        """Whether a generator belongs into a trigonometric polynomial, rather than into what multiplies it."""
        return generator in self.handled_generators

    def _to_wide(self, polynomial: SparsePolynomial) -> Any:
        terms = {}
        for monomial, c in polynomial.items():
            exponents = [0] * len(self.generators)
            for generator, e in monomial:
                if generator in self.generator_angles:
                    kind, angle = self.generator_angles[generator]
                    exponents[self.sine_index[angle] + (kind == "cosine")] += e
                else:
                    exponents[self.other_index[generator]] += e
            terms[tuple(exponents)] = c
        return self.context.from_dict({m: rational(c) for m, c in terms.items()})

    # -- choosing ----------------------------------------------------------------------------------------------------

    def shortest_form(self, polynomial: SparsePolynomial | IntegerPolynomial) -> Tree:
        key = tuple(sorted(polynomial.items()))
        tree = self._shortest_forms.get(key)
        if tree is None:
            tree = self._shortest_forms[key] = self._choose({m: Fraction(c) for m, c in polynomial.items()})
        return tree

    def _choose(self, polynomial: SparsePolynomial) -> Tree:
        p = self._to_wide(polynomial)
        if len(p) > MAX_TERMS_TRIED:
            return horner_form(as_dict(p), self.wide_names)
        candidates: list[Tree] = []
        for q, angles in self._bases(p, polynomial):
            shorter = as_dict(self._shortest_squares(q, angles))
            candidates.append(expanded_form(shorter, self.wide_names))
            if len(shorter) > 1:
                candidates.append(horner_form(shorter, self.wide_names))
        if 1 < len(polynomial) <= MAX_HARMONIC_TERMS:
            harmonics = self._harmonics(polynomial)
            if harmonics is not None:
                candidates.append(harmonics)
        return min(candidates, key=count_operators)

    def _bases(self, p: Any, polynomial: SparsePolynomial) -> list[tuple[Any, list[AngleVector]]]:
        """The polynomial in each choice of two of (start, end, difference) for two angles of one run."""
        used = list({self.generator_angles[g][1]: None for m in polynomial for g, _ in m if g in self.generator_angles})
        choices: list[list[tuple[list[AngleVector], dict[int, Any]]]] = []
        for run in self._group_by_run(used):
            keep: tuple[list[AngleVector], dict[int, Any]] = (run, {})
            options = [keep]
            if len(run) == 2:
                a, b = run
                difference, sign = _positive_angle(_minus(b, a))
                if difference in self.sine_index:
                    sa, ca, sb, cb, sd, cd = (self._sine_or_cosine(x, k) for x in (a, b, difference) for k in (0, 1))
                    sd = sd * sign
                    options.append(
                        ([a, difference], {self.sine_index[b]: sa * cd + ca * sd, self.sine_index[b] + 1: ca * cd - sa * sd})
                    )
                    options.append(
                        ([b, difference], {self.sine_index[a]: sb * cd - cb * sd, self.sine_index[a] + 1: cb * cd + sb * sd})
                    )
            choices.append(options)
        bases = []
        for combination in combinations(*choices):
            replacements: dict[int, Any] = {}
            angles: list[AngleVector] = []
            for run_angles, values in combination:
                angles += run_angles
                replacements.update(values)
            q = p
            if replacements:
                q = p.compose(*[replacements.get(k, g) for k, g in enumerate(self.generators)], ctx=self.context)
            bases.append((self._reduce_squares(q, angles), angles))
        return bases

    def _group_by_run(self, used: list[AngleVector]) -> list[list[AngleVector]]:
        """Angles whose difference has a name stand together."""
        runs: list[list[AngleVector]] = []
        for angle in used:
            for run in runs:
                if _positive_angle(_minus(angle, run[0]))[0] in self.sine_index:
                    run.append(angle)
                    break
            else:
                runs.append([angle])
        return runs

    def _sine_or_cosine(self, angle: AngleVector, cosine: int) -> Any:
        return self.generators[self.sine_index[angle] + cosine]

    def _reduce_squares(self, p: Any, angles: list[AngleVector]) -> Any:
        for angle in angles:
            s, c = self._sine_or_cosine(angle, 0), self._sine_or_cosine(angle, 1)
            if p.degrees()[self.sine_index[angle]] > 1:
                p = divmod(p, s * s + c * c - 1)[1]
        return p

    def _shortest_squares(self, p: Any, angles: list[AngleVector]) -> Any:
        """The polynomial with each angle's squares in whichever of `1, c^2`, `1, s^2` and `s^2, c^2` makes it shortest."""
        best = p
        for _ in range(2):
            for angle in angles:
                i = self.sine_index[angle]
                if max(best.degrees()[i], best.degrees()[i + 1]) < 2:
                    continue
                s, c = self.generators[i], self.generators[i + 1]
                base = divmod(best, s * s + c * c - 1)[1]
                parts: dict[str, dict[Any, Any]] = {"without": {}, "square": {}, "rest": {}}
                for monomial, coefficient in base.terms():
                    powers = (int(monomial[i]), int(monomial[i + 1]))
                    which = {(0, 0): "without", (0, 2): "square"}.get(powers, "rest")
                    cleared = (*monomial[: i + 1], 0, *monomial[i + 2 :]) if which == "square" else monomial
                    parts[which][cleared] = coefficient
                x, y, z = (self.context.from_dict(parts[name]) for name in ("without", "square", "rest"))
                in_sines = z + (x + y) - y * s * s
                in_both = z + x * s * s + (x + y) * c * c
                best = _shortest(best, base, in_sines, in_both)
        return best

    def _harmonics(self, polynomial: SparsePolynomial) -> Tree | None:
        """The polynomial as a sum of sines and cosines of sums of angles; None if that is not simpler."""
        total: dict[tuple[Monomial, str, AngleVector], Fraction] = {}
        for monomial, coefficient in polynomial.items():
            cofactor = tuple(pair for pair in monomial if pair[0] not in self.generator_angles)
            waves: dict[tuple[str, AngleVector], Fraction] = {("cosine", (0,) * self.n): coefficient}
            for generator, e in monomial:
                if generator in self.generator_angles:
                    for _ in range(e):
                        waves = _multiply_waves(waves, *self.generator_angles[generator])
            for (kind, angle), c in waves.items():
                key = (cofactor, kind, angle)
                total[key] = total.get(key, Fraction(0)) + c
        nonzero = {key: c for key, c in total.items() if c}
        if len(nonzero) >= len(polynomial) or any(abs(e) > 1 for _, _, angle in nonzero for e in angle):
            return None  # not shorter, or with double angles, which nobody expects here
        terms: dict[Monomial, Fraction] = {}
        names = list(self.wide_names)
        for (cofactor, kind, angle), c in nonzero.items():
            factors = [(self.other_index[g], e) for g, e in cofactor]
            if any(angle):
                name = self.angle_name(kind, angle)
                if name not in names:
                    names.append(name)
                factors.append((names.index(name), 1))
            terms[tuple(sorted(factors))] = c
        return horner_form(terms, names)


def _multiply_waves(
    waves: dict[tuple[str, AngleVector], Fraction], kind: str, factor_angle: AngleVector
) -> dict[tuple[str, AngleVector], Fraction]:
    """Product to sum: 2 cos a cos b = cos(a - b) + cos(a + b), and so on."""
    product: dict[tuple[str, AngleVector], Fraction] = {}

    def put(wave: str, angle: AngleVector, c: Fraction) -> None:
        upright, sign = _positive_angle(angle)
        if wave == "sine":
            if not any(upright):
                return
            c = c * sign
        product[wave, upright] = product.get((wave, upright), Fraction(0)) + c

    for (wave, angle), c in waves.items():
        plus, minus, half = _plus(angle, factor_angle), _minus(angle, factor_angle), c / 2
        match (wave, kind):
            case ("cosine", "cosine"):
                put("cosine", minus, half)
                put("cosine", plus, half)
            case ("sine", "sine"):
                put("cosine", minus, half)
                put("cosine", plus, -half)
            case ("sine", "cosine"):
                put("sine", plus, half)
                put("sine", minus, half)
            case _:
                put("sine", plus, half)
                put("sine", minus, -half)
    return product


def _plus(a: AngleVector, b: AngleVector) -> AngleVector:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _minus(a: AngleVector, b: AngleVector) -> AngleVector:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def _positive_angle(angle: AngleVector) -> tuple[AngleVector, int]:
    """The angle or its opposite, whichever starts with a plus, and which it was."""
    first = next((x for x in angle if x), 1)
    return (angle, 1) if first > 0 else (tuple(-x for x in angle), -1)


def _shortest(*polynomials: Any) -> Any:
    """The polynomial with the fewest terms, and of several such that with the lowest powers."""
    fewest = min(map(len, polynomials))
    short = [p for p in polynomials if len(p) == fewest]
    if len(short) > 1:
        short.sort(key=lambda p: sum(map(sum, p.monoms())))
    return short[0]
