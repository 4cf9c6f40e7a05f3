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

from lagrangian.equations.algebra.exact import angle_label
from lagrangian.equations.algebra.ring import rational
from lagrangian.equations.reading.scalars import Scalars
from lagrangian.equations.writing.horner import Monomial, Polynomial, Whole, as_dict, expanded, nested
from lagrangian.equations.writing.tree import Tree, operators

Angle = tuple[int, ...]  # an integer multiple of every coordinate

# past this many terms only the form at hand and Horner's are tried: nobody reads such a polynomial term by term
LARGE = 120
SMALL = 10


class Trigonometry:
    """Names of angles, and the best forms of polynomials in their sines and cosines."""

    def __init__(self, scalars: Scalars) -> None:
        self.scalars = scalars
        self.n = len(scalars.coordinates)
        ring = scalars.ring
        self.named: dict[str, tuple[str, tuple[tuple[int, int], ...]]] = {}  # sine or cosine, and of which sum
        self.absolute = [self._vector(angle) for angle in scalars.angles.sums]
        # the angle each pair of generators stands for, and its sine and cosine by number
        self.of_generator: dict[int, tuple[str, Angle]] = {}
        for k, symbol in enumerate(ring.symbols):
            if symbol.kind in ("sine", "cosine"):
                self.of_generator[k] = (symbol.kind, self._vector(symbol.angle))
        self._wide()
        self.handled = frozenset((*self.of_generator, *self.at_other))  # generators of a trigonometric polynomial
        self._best: dict[Any, Tree] = {}

    def _vector(self, angle: Iterable[tuple[int, int]]) -> Angle:
        vector = [0] * self.n
        for k, sign in angle:
            vector[k] += sign
        return tuple(vector)

    def name(self, kind: str, angle: Angle) -> str:
        """s23 or c23; repeated numbers for multiples, m for minus: c2m3 is cos(q2 - q3)."""
        sum_of = tuple((k, e) for k, e in enumerate(angle) if e)
        name = self.scalars.prefixes[0 if kind == "sine" else 1] + angle_label(sum_of)
        self.named[name] = (kind, sum_of)
        return name

    # -- the wider ring, with the differences of absolute angles --------------------------------------------------------

    def _wide(self) -> None:
        angles: dict[Angle, None] = {}
        for _, angle in self.of_generator.values():
            angles[angle] = None
        for k, start in self.scalars.angles.before.items():
            end = self.scalars.angles.angle_of[k]
            while start is not None:
                angles[_upright(_minus(self.absolute[end], self.absolute[start]))[0]] = None
                start = self.scalars.angles.before[self.scalars.angles.sums[start][-1][0]]
        self.angles = list(angles)
        self.at = {angle: 2 * k for k, angle in enumerate(self.angles)}  # of the sine; the cosine is next
        self.wide_names = [self.name(kind, angle) for angle in self.angles for kind in ("sine", "cosine")]
        others = [k for k, s in enumerate(self.scalars.ring.symbols) if s.kind in ("coordinate", "time")]
        self.at_other = {k: len(self.wide_names) + j for j, k in enumerate(others)}
        self.wide_names += [self.scalars.ring.symbols[k].name for k in others]
        self.context = fmpq_mpoly_ctx.get([f"y{k}" for k in range(len(self.wide_names))], "degrevlex")
        self.gens = self.context.gens()

    def handles(self, generator: int) -> bool:
        """Whether a generator belongs into a trigonometric polynomial, rather than into what multiplies it."""
        return generator in self.handled

    def _to_wide(self, polynomial: Polynomial) -> Any:
        terms = {}
        for monomial, c in polynomial.items():
            exponents = [0] * len(self.gens)
            for generator, e in monomial:
                if generator in self.of_generator:
                    kind, angle = self.of_generator[generator]
                    exponents[self.at[angle] + (kind == "cosine")] += e
                else:
                    exponents[self.at_other[generator]] += e
            terms[tuple(exponents)] = c
        return self.context.from_dict({m: rational(c) for m, c in terms.items()})

    # -- choosing ----------------------------------------------------------------------------------------------------

    def best(self, polynomial: Polynomial | Whole) -> Tree:
        key = tuple(sorted(polynomial.items()))
        found = self._best.get(key)
        if found is None:
            found = self._best[key] = self._choose({m: Fraction(c) for m, c in polynomial.items()})
        return found

    def _choose(self, polynomial: Polynomial) -> Tree:
        p = self._to_wide(polynomial)
        if len(p) > LARGE:
            return nested(as_dict(p), self.wide_names)
        candidates: list[Tree] = []
        for q, angles in self._bases(p, polynomial):
            shorter = as_dict(self._squares(q, angles))
            candidates.append(expanded(shorter, self.wide_names))
            if len(shorter) > 1:
                candidates.append(nested(shorter, self.wide_names))
        if 1 < len(polynomial) <= SMALL:
            summed = self._harmonics(polynomial)
            if summed is not None:
                candidates.append(summed)
        return min(candidates, key=operators)

    def _bases(self, p: Any, polynomial: Polynomial) -> list[tuple[Any, list[Angle]]]:
        """The polynomial in each choice of two of (start, end, difference) for two angles of one run."""
        used = list({self.of_generator[g][1]: None for m in polynomial for g, _ in m if g in self.of_generator})
        choices: list[list[tuple[list[Angle], dict[int, Any]]]] = []
        for run in self._by_run(used):
            keep: tuple[list[Angle], dict[int, Any]] = (run, {})
            options = [keep]
            if len(run) == 2:
                a, b = run
                difference, sign = _upright(_minus(b, a))
                if difference in self.at:
                    sa, ca, sb, cb, sd, cd = (self._pair(x, k) for x in (a, b, difference) for k in (0, 1))
                    sd = sd * sign
                    options.append(([a, difference], {self.at[b]: sa * cd + ca * sd, self.at[b] + 1: ca * cd - sa * sd}))
                    options.append(([b, difference], {self.at[a]: sb * cd - cb * sd, self.at[a] + 1: cb * cd + sb * sd}))
            choices.append(options)
        found = []
        for combination in combinations(*choices):
            replaced: dict[int, Any] = {}
            angles: list[Angle] = []
            for kept, values in combination:
                angles += kept
                replaced.update(values)
            q = p
            if replaced:
                q = p.compose(*[replaced.get(k, g) for k, g in enumerate(self.gens)], ctx=self.context)
            found.append((self._reduced(q, angles), angles))
        return found

    def _by_run(self, used: list[Angle]) -> list[list[Angle]]:
        """Angles whose difference has a name stand together."""
        runs: list[list[Angle]] = []
        for angle in used:
            for run in runs:
                if _upright(_minus(angle, run[0]))[0] in self.at:
                    run.append(angle)
                    break
            else:
                runs.append([angle])
        return runs

    def _pair(self, angle: Angle, cosine: int) -> Any:
        return self.gens[self.at[angle] + cosine]

    def _reduced(self, p: Any, angles: list[Angle]) -> Any:
        for angle in angles:
            s, c = self._pair(angle, 0), self._pair(angle, 1)
            if p.degrees()[self.at[angle]] > 1:
                p = divmod(p, s * s + c * c - 1)[1]
        return p

    def _squares(self, p: Any, angles: list[Angle]) -> Any:
        """For each angle the shortest of `1, c^2`, `1, s^2` and `s^2, c^2`."""
        best = p
        for _ in range(2):
            for angle in angles:
                i = self.at[angle]
                if max(best.degrees()[i], best.degrees()[i + 1]) < 2:
                    continue
                s, c = self.gens[i], self.gens[i + 1]
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

    def _harmonics(self, polynomial: Polynomial) -> Tree | None:
        """As a sum of sines and cosines of sums of angles, if that has fewer terms."""
        total: dict[tuple[Monomial, str, Angle], Fraction] = {}
        for monomial, coefficient in polynomial.items():
            rest = tuple(pair for pair in monomial if pair[0] not in self.of_generator)
            waves: dict[tuple[str, Angle], Fraction] = {("cosine", (0,) * self.n): coefficient}
            for generator, e in monomial:
                if generator in self.of_generator:
                    for _ in range(e):
                        waves = _multiplied(waves, *self.of_generator[generator])
            for (kind, angle), c in waves.items():
                key = (rest, kind, angle)
                total[key] = total.get(key, Fraction(0)) + c
        kept = {key: c for key, c in total.items() if c}
        if len(kept) >= len(polynomial) or any(abs(e) > 1 for _, _, angle in kept for e in angle):
            return None  # not shorter, or with double angles, which nobody expects here
        terms: dict[Monomial, Fraction] = {}
        names = list(self.wide_names)
        for (rest, kind, angle), c in kept.items():
            factors = [(self.at_other[g], e) for g, e in rest]
            if any(angle):
                name = self.name(kind, angle)
                if name not in names:
                    names.append(name)
                factors.append((names.index(name), 1))
            terms[tuple(sorted(factors))] = c
        return nested(terms, names)


def _multiplied(waves: dict[tuple[str, Angle], Fraction], kind: str, by: Angle) -> dict[tuple[str, Angle], Fraction]:
    """Product to sum: 2 cos a cos b = cos(a - b) + cos(a + b), and so on."""
    found: dict[tuple[str, Angle], Fraction] = {}

    def put(wave: str, angle: Angle, c: Fraction) -> None:
        upright, sign = _upright(angle)
        if wave == "sine":
            if not any(upright):
                return
            c = c * sign
        found[wave, upright] = found.get((wave, upright), Fraction(0)) + c

    for (wave, angle), c in waves.items():
        plus, minus, half = _plus(angle, by), _minus(angle, by), c / 2
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
    return found


def _plus(a: Angle, b: Angle) -> Angle:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _minus(a: Angle, b: Angle) -> Angle:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def _upright(angle: Angle) -> tuple[Angle, int]:
    """The angle or its opposite, whichever starts with a plus, and which it was."""
    first = next((x for x in angle if x), 1)
    return (angle, 1) if first > 0 else (tuple(-x for x in angle), -1)


def _shortest(*polynomials: Any) -> Any:
    """That of the fewest terms, and of these that with the lowest powers."""
    fewest = min(map(len, polynomials))
    short = [p for p in polynomials if len(p) == fewest]
    if len(short) > 1:
        short.sort(key=lambda p: sum(map(sum, p.monoms())))
    return short[0]
