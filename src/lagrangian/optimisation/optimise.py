"""`lagrangian.optimise`: the parameters of a mechanism that meet a goal best, by SciPy's optimisers with exact gradients."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lagrangian.arguments import count
from lagrangian.description.mechanism_of import MechanismLike, mechanism_of
from lagrangian.errors import ArgumentError, LagrangianError, is_number, one_of
from lagrangian.model.expression import free_symbols, parse
from lagrangian.model.expression.lanes import Lanes, LaneValues
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parts import is_path, scalar_at
from lagrangian.optimisation.goals import Goal

SIDES = re.compile(r"<=|>=")
BROKEN = 1e-6  # by how much an inequality may miss


@dataclass
class Optimum:
    """The result of an optimisation.

    Attributes
    ----------
    mechanism : Mechanism
        The mechanism with the parameters that were found.
    parameters : dict of float
        These parameters.
    value : float
        The value of the goal: the root mean square of its residuals, or, for `goals.integral` and `goals.at_end`, the value of
        the expression.
    before : float
        The value of the goal where the search began.
    residuals : ndarray
        The residuals of the goal.
    evaluations : int
        How often the goal was evaluated.
    success : bool
        Whether the search converged and all inequalities hold.
    message : str
        What the optimiser reports.
    unknowns : ndarray
        The values of the goal's own unknowns, such as the crank angles of `goals.path_points`.
    broken : tuple of str
        The inequalities that do not hold.
    at_bound : tuple of str
        The parameters that are at one of their bounds.

    Examples
    --------
    >>> import lagrangian as lg
    >>> found = lg.optimise("pendulum", {"m": (0.5, 2.0)}, lg.goals.holding_torque([[0.5]]))
    >>> print(f"{found.before:.3f} -> {found.value:.3f} N m")
    8.609 -> 4.305 N m
    >>> found.at_bound
    ('m',)
    """

    mechanism: Mechanism
    parameters: dict[str, float]
    value: float
    before: float
    residuals: np.ndarray
    evaluations: int
    success: bool
    message: str
    unknowns: np.ndarray = field(default_factory=lambda: np.zeros(0))

    broken: tuple[str, ...] = ()  # inequalities that it does not keep
    at_bound: tuple[str, ...] = ()  # parameters that are at one of their bounds

    def __str__(self) -> str:
        told = "" if self.success else "No optimum was found. "
        lines = [
            f"{told}The goal is {self.value:.6g} after {self.evaluations} evaluations; it was {self.before:.6g}. {self.message}"
        ]
        lines += [f"  {text} does not hold" for text in self.broken]
        edge = dict.fromkeys(self.at_bound, " (at its bound)")
        return "\n".join([*lines, *(f"  {name} = {x:.6g}{edge.get(name, '')}" for name, x in self.parameters.items())])


def optimise(
    mechanism: MechanismLike,
    over: Mapping[str, Sequence[float]],
    goal: Goal,
    subject_to: Sequence[str] | str = (),
    *,
    starts: int = 1,
    seed: int = 0,
    progress: Callable[[int, float], None] | None = None,
    max_evaluations: int = 500,
) -> Optimum:
    """Find the parameters of a mechanism that meet a goal best.

    SciPy's optimisers search with exact gradients: the trust-region reflective method for sums of squares without inequalities,
    and SLSQP otherwise. They find a local optimum; `starts` searches from several places.

    Parameters
    ----------
    mechanism : Mechanism, str or path
        The mechanism, the name of one in the library, or a file.
    over : mapping
        The parameters to find, or numbers of parts such as "link2.mass", with their bounds (least, most), or with (least, first,
        most) to begin the search at `first`. Otherwise it begins at their present values.
    goal : Goal
        What to minimise, one of `lagrangian.goals`.
    subject_to : str or list of str, optional
        Inequalities between parameters that the result keeps, such as "l1 + l0 <= l2 + l3".
    starts : int, optional
        The number of searches; 1 by default. The first begins at the values above, the others at random places between the
        bounds, and the best result counts.
    seed : int, optional
        The seed of the random places; 0 by default.
    progress : callable, optional
        A function of (evaluations, value) that is called after every evaluation of the goal.
    max_evaluations : int, optional
        The largest number of evaluations of a search; 500 by default.

    Returns
    -------
    Optimum
        The parameters, the mechanism with them, and the value of the goal.

    Raises
    ------
    ArgumentError
        If a name, a bound or an inequality is not understood, or if the goal cannot be evaluated where the search begins.

    See Also
    --------
    sensitivities : The exact derivatives of a motion.

    Examples
    --------
    The lightest bob needs the least torque:

    >>> import lagrangian as lg
    >>> found = lg.optimise("pendulum", {"m": (0.5, 2.0)}, lg.goals.holding_torque([[0.5]]))
    >>> round(found.parameters["m"], 6)
    0.5

    The links of a four-bar linkage are found such that its coupler point passes through four points. The linkage is to keep
    Grashof's condition:

    >>> points = [[0.63, 0.47], [0.44, 0.50], [0.25, 0.43], [0.11, 0.29]]
    >>> goal = lg.goals.path_points("C", points, driven="theta1", angles=[1.0, 1.6, 2.2, 2.8])
    >>> bounds = {"l1": (0.2, 0.4), "l2": (0.7, 1.1), "l3": (0.5, 0.8)}
    >>> found = lg.optimise("four_bar", bounds, goal, subject_to="l0 + l1 <= l2 + l3")
    >>> print({name: round(value, 2) for name, value in found.parameters.items()})
    {'l1': 0.35, 'l2': 0.95, 'l3': 0.65}
    """
    if not isinstance(goal, Goal):
        raise ArgumentError(
            f"is {goal!r:.60}", argument="goal", remedy="one of lagrangian.goals is needed, such as goals.holding_torque(poses)"
        )
    given = mechanism_of(mechanism)
    texts = [subject_to] if isinstance(subject_to, str) else list(subject_to)
    search = Search(given, _bounds(given, over), goal, _inequalities(given, texts), progress, max_evaluations)
    rng = np.random.default_rng(seed)
    results = [search.run(search.first if k == 0 else search.random(rng)) for k in range(count(starts, "starts", least=1))]
    best = min(results, key=lambda found: (bool(found.broken), found.value if np.isfinite(found.value) else np.inf))
    best.before = results[0].before
    return best


def _bounds(mechanism: Mechanism, over: Mapping[str, Any]) -> dict[str, tuple[float, float, float]]:
    if not isinstance(over, Mapping) or not over:
        what = "is empty" if isinstance(over, Mapping) else f"is {over!r:.60}"
        raise ArgumentError(what, argument="over", remedy='parameters with their bounds are needed: {"l1": (0.2, 0.5)}')
    found = {}
    for name, bounds in over.items():
        if name in mechanism.parameters:
            now = float(mechanism.parameters[name])
        elif is_path(mechanism, name):
            now = float(scalar_at(mechanism, name))
        else:
            remedy = "a gain of a torque is a parameter once it is in the mechanism's [parameters]"
            raise ArgumentError(one_of("parameter", name, mechanism.parameters), concerns="over", remedy=remedy)
        numbers = list(bounds) if isinstance(bounds, (tuple, list, np.ndarray)) else []
        if len(numbers) not in (2, 3) or not all(is_number(x) or math.isinf(x) for x in numbers):
            raise ArgumentError(f"{name!r} has {bounds!r}; (least, most) or (least, first, most) is needed", concerns="over")
        low, high = float(numbers[0]), float(numbers[-1])
        first = float(numbers[1]) if len(numbers) == 3 else min(max(now, low), high)
        if not low <= first <= high or low == high:
            raise ArgumentError(f"{name!r} has {bounds!r}; the least must be below the most", concerns="over")
        found[name] = (low, first, high)
    return found


def _inequalities(mechanism: Mechanism, given: Sequence[str]) -> dict[str, Any]:
    """Each as an expression that must not be negative, by its text."""
    found = {}
    for text in given:
        sides = SIDES.split(text)
        if len(sides) != 2:
            raise ArgumentError(f"has {text!r}", argument="subject_to", remedy='one <= or >= is needed: "l1 <= 2*l2"')
        left, right = (parse(side, mechanism.parameters) for side in sides)
        difference = right - left if "<=" in text else left - right
        if free_symbols(difference):
            raise ArgumentError(f"has {text!r}, in which only parameters may occur", argument="subject_to")
        found[text] = difference
    return found


class Search:
    """One problem; unknowns are scaled so that each has a range of about one."""

    def __init__(
        self,
        mechanism: Mechanism,
        bounds: Mapping[str, tuple[float, float, float]],
        goal: Goal,
        inequalities: dict[str, Any],
        progress: Callable[[int, float], None] | None,
        most: int,
    ) -> None:
        self.mechanism, self.goal, self.inequalities, self.most = mechanism, goal, inequalities, most
        self.names, self.progress, self.evaluations = list(bounds), progress, 0
        own, low, high = goal.unknowns(mechanism)
        self.first = np.concatenate([[b[1] for b in bounds.values()], own])
        self.low = np.concatenate([[b[0] for b in bounds.values()], low])
        self.high = np.concatenate([[b[2] for b in bounds.values()], high])
        span = np.where(np.isfinite(self.high - self.low), self.high - self.low, np.maximum(np.abs(self.first), 1.0))
        self.scale, self.size = span, 0  # so many residuals there are

    def random(self, rng: np.random.Generator) -> np.ndarray:
        low, high = np.maximum(self.low, self.first - self.scale), np.minimum(self.high, self.first + self.scale)
        return rng.uniform(low, high)

    def parts(self, z: np.ndarray) -> tuple[dict[str, float], np.ndarray]:
        x = np.clip(z * self.scale, self.low, self.high)
        return dict(zip(self.names, x.tolist(), strict=False)), x[len(self.names) :]

    def at(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Residuals and their derivatives; infinite where the mechanism cannot be."""
        parameters, own = self.parts(z)
        self.evaluations += 1
        try:
            r, J = self.goal.at(self.mechanism.with_parameters(parameters), self.names, own)
        except LagrangianError as error:
            if self.evaluations == 1:
                raise ArgumentError(f"the search cannot begin: {error}", where=self.mechanism.name) from error
            return np.full(self.size, np.inf), np.zeros((self.size, len(z)))
        self.size = len(r)
        if self.evaluations == 1 and not np.isfinite(r).all():
            raise ArgumentError("the search cannot begin: the goal is not finite there", where=self.mechanism.name)
        if self.progress is not None:
            self.progress(self.evaluations, self.value(r))
        return r, J * self.scale

    def value(self, r: np.ndarray) -> float:
        return float(r[0]) if self.goal.total else float(np.sqrt(np.mean(r**2)))

    def run(self, x: np.ndarray) -> Optimum:
        from scipy import optimize

        known: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}

        def both(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            key = z.tobytes()
            if key not in known:
                known.clear()
                known[key] = self.at(z)
            return known[key]

        z, begun = x / self.scale, self.evaluations
        bounds = (self.low / self.scale, self.high / self.scale)
        before = self.value(both(z)[0])
        if self.goal.total or self.inequalities:
            found = self._constrained(both, z, bounds)
        else:
            inside = np.clip(z, bounds[0], bounds[1])
            found = optimize.least_squares(
                lambda z: both(z)[0],
                inside,
                jac=lambda z: both(z)[1],
                bounds=bounds,
                xtol=1e-14,
                ftol=1e-14,
                gtol=1e-14,
                max_nfev=self.most,
            )
        parameters, own = self.parts(found.x)
        r = both(found.x)[0]
        broken = tuple(text for text, g in self.inequalities.items() if self._kept(g, found.x)[0] < -BROKEN)
        x, wide = np.array(list(parameters.values())), len(self.names)
        edge = np.minimum(x - self.low[:wide], self.high[:wide] - x) <= BROKEN * self.scale[:wide]
        return Optimum(
            self.mechanism.with_parameters(parameters),
            parameters,
            self.value(r),
            before,
            r,
            self.evaluations - begun,
            bool(found.success) and not broken,
            str(found.message).rstrip(".") + ".",
            own,
            broken,
            tuple(name for name, there in zip(self.names, edge, strict=True) if there),
        )

    def _constrained(self, both: Callable[..., Any], z: np.ndarray, bounds: tuple[np.ndarray, np.ndarray]) -> Any:
        from scipy import optimize

        def cost(z: np.ndarray) -> tuple[float, np.ndarray]:
            r, J = both(z)
            if not np.isfinite(r).all():
                return 1e30, np.zeros(len(z))
            return (float(r[0]), J[0]) if self.goal.total else (float(r @ r), 2 * r @ J)

        constraints = [
            {"type": "ineq", "fun": lambda z, g=g: self._kept(g, z)[0], "jac": lambda z, g=g: self._kept(g, z)[1]}
            for g in self.inequalities.values()
        ]
        return optimize.minimize(
            cost,
            z,
            jac=True,
            method="SLSQP",
            bounds=list(zip(*bounds, strict=True)),
            constraints=constraints,
            options={"maxiter": self.most, "ftol": 1e-14},
        )

    def _kept(self, g: Any, z: np.ndarray) -> tuple[float, np.ndarray]:
        """An inequality's left side, which must not be negative, and its gradient."""
        parameters, _ = self.parts(z)
        unit = np.eye(len(z))
        names = {n: Lanes(np.array([x]), unit[:, k : k + 1]) for k, (n, x) in enumerate(parameters.items())}
        others = {id(self.mechanism.parameters[n]): names[n] for n in names if n in self.mechanism.parameters}
        found = LaneValues(names, others).of(g)
        if not isinstance(found, Lanes):
            return float(found), np.zeros(len(z))
        assert found.slopes is not None
        return float(found.value[0]), found.slopes[:, 0] * self.scale
