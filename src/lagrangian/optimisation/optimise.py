"""`lagrangian.optimise`: the parameters of a mechanism that meet a goal best, by SciPy's optimisers with exact gradients."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lagrangian.arguments import count
from lagrangian.description.mechanism_like import MechanismLike, as_mechanism
from lagrangian.errors import ArgumentError, LagrangianError, is_number, unknown_name_message
from lagrangian.model.expression import free_symbols, parse
from lagrangian.model.expression.automatic_derivatives import DualArray, SampleEvaluator
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parameters import is_path, scalar_at
from lagrangian.optimisation.goals import Goal

COMPARISON = re.compile(r"<=|>=")
INEQUALITY_TOLERANCE = 1e-6  # the violation of an inequality that is allowed


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
        The parameters to find, or numbers of parts such as "link2.mass", with their bounds (lower, upper), or with (lower, start,
        upper) to begin the search at `start`. Otherwise it begins at their present values.
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
    >>> optimum = lg.optimise("pendulum", {"m": (0.5, 2.0)}, lg.goals.holding_torque([[0.5]]))
    >>> round(optimum.parameters["m"], 6)
    0.5

    The links of a four-bar linkage are found such that its coupler point passes through four points. The linkage is to keep
    Grashof's condition:

    >>> points = [[0.63, 0.47], [0.44, 0.50], [0.25, 0.43], [0.11, 0.29]]
    >>> goal = lg.goals.path_points("C", points, driven="theta1", angles=[1.0, 1.6, 2.2, 2.8])
    >>> bounds = {"l1": (0.2, 0.4), "l2": (0.7, 1.1), "l3": (0.5, 0.8)}
    >>> optimum = lg.optimise("four_bar", bounds, goal, subject_to="l0 + l1 <= l2 + l3")
    >>> print({name: round(value, 2) for name, value in optimum.parameters.items()})
    {'l1': 0.35, 'l2': 0.95, 'l3': 0.65}
    """
    if not isinstance(goal, Goal):
        raise ArgumentError(
            f"is {goal!r:.60}", argument="goal", remedy="one of lagrangian.goals is needed, such as goals.holding_torque(poses)"
        )
    original = as_mechanism(mechanism)
    texts = [subject_to] if isinstance(subject_to, str) else list(subject_to)
    search = OptimisationSearch(
        original, _bounds(original, over), goal, _inequalities(original, texts), progress, max_evaluations
    )
    rng = np.random.default_rng(seed)
    results = [search.run(search.start if k == 0 else search.random_start(rng)) for k in range(count(starts, "starts", least=1))]
    best = min(results, key=lambda result: (bool(result.violated), result.value if np.isfinite(result.value) else np.inf))
    best.initial_value = results[0].initial_value
    return best


def _bounds(mechanism: Mechanism, over: Mapping[str, Any]) -> dict[str, tuple[float, float, float]]:
    if not isinstance(over, Mapping) or not over:
        problem = "is empty" if isinstance(over, Mapping) else f"is {over!r:.60}"
        raise ArgumentError(problem, argument="over", remedy='parameters with their bounds are needed: {"l1": (0.2, 0.5)}')
    bounds_by_name = {}
    for name, bounds in over.items():
        if name in mechanism.parameters:
            present = float(mechanism.parameters[name])
        elif is_path(mechanism, name):
            present = float(scalar_at(mechanism, name))
        else:
            remedy = "a gain of a torque is a parameter once it is in the mechanism's [parameters]"
            raise ArgumentError(unknown_name_message("parameter", name, mechanism.parameters), concerns="over", remedy=remedy)
        numbers = list(bounds) if isinstance(bounds, (tuple, list, np.ndarray)) else []
        if len(numbers) not in (2, 3) or not all(is_number(x) or math.isinf(x) for x in numbers):
            raise ArgumentError(f"{name!r} has {bounds!r}; (lower, upper) or (lower, start, upper) is needed", concerns="over")
        lower, upper = float(numbers[0]), float(numbers[-1])
        start = float(numbers[1]) if len(numbers) == 3 else min(max(present, lower), upper)
        if not lower <= start <= upper or lower == upper:
            raise ArgumentError(f"{name!r} has {bounds!r}; the lower bound must be below the upper one", concerns="over")
        bounds_by_name[name] = (lower, start, upper)
    return bounds_by_name


def _inequalities(mechanism: Mechanism, inequality_texts: Sequence[str]) -> dict[str, Any]:
    """The inequalities by their texts, each as an expression that must not be negative."""
    differences = {}
    for text in inequality_texts:
        sides = COMPARISON.split(text)
        if len(sides) != 2:
            raise ArgumentError(f"has {text!r}", argument="subject_to", remedy='one <= or >= is needed: "l1 <= 2*l2"')
        left, right = (parse(side, mechanism.parameters) for side in sides)
        difference = right - left if "<=" in text else left - right
        if free_symbols(difference):
            raise ArgumentError(f"has {text!r}, in which only parameters may occur", argument="subject_to")
        differences[text] = difference
    return differences


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
        The value of the goal: the root mean square of its residuals, or, for `goals.integral` and `goals.final_value`, the value
        of the expression.
    initial_value : float
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
    violated : tuple of str
        The inequalities that do not hold.
    at_bound : tuple of str
        The parameters that are at one of their bounds.

    Examples
    --------
    >>> import lagrangian as lg
    >>> optimum = lg.optimise("pendulum", {"m": (0.5, 2.0)}, lg.goals.holding_torque([[0.5]]))
    >>> print(f"{optimum.initial_value:.3f} -> {optimum.value:.3f} N m")
    8.609 -> 4.305 N m
    >>> optimum.at_bound
    ('m',)
    """

    mechanism: Mechanism
    parameters: dict[str, float]
    value: float
    initial_value: float
    residuals: np.ndarray
    evaluations: int
    success: bool
    message: str
    unknowns: np.ndarray = field(default_factory=lambda: np.zeros(0))
    violated: tuple[str, ...] = ()
    at_bound: tuple[str, ...] = ()

    def __str__(self) -> str:
        prefix = "" if self.success else "No optimum was found. "
        lines = [
            f"{prefix}The goal is {self.value:.6g} after {self.evaluations} evaluations; it was {self.initial_value:.6g}. "
            f"{self.message}"
        ]
        lines += [f"  {text} does not hold" for text in self.violated]
        bound_note = dict.fromkeys(self.at_bound, " (at its bound)")
        return "\n".join([*lines, *(f"  {name} = {x:.6g}{bound_note.get(name, '')}" for name, x in self.parameters.items())])


class OptimisationSearch:
    """A search for the optimum; unknowns are scaled so that each has a range of about one."""

    def __init__(
        self,
        mechanism: Mechanism,
        bounds: Mapping[str, tuple[float, float, float]],
        goal: Goal,
        inequalities: dict[str, Any],
        progress: Callable[[int, float], None] | None,
        max_evaluations: int,
    ) -> None:
        self.mechanism, self.goal, self.inequalities, self.max_evaluations = mechanism, goal, inequalities, max_evaluations
        self.names, self.progress, self.evaluations = list(bounds), progress, 0
        goal_unknowns, low, high = goal.unknowns(mechanism)
        self.start = np.concatenate([[b[1] for b in bounds.values()], goal_unknowns])
        self.low = np.concatenate([[b[0] for b in bounds.values()], low])
        self.high = np.concatenate([[b[2] for b in bounds.values()], high])
        span = np.where(np.isfinite(self.high - self.low), self.high - self.low, np.maximum(np.abs(self.start), 1.0))
        self.scale, self.residual_count = span, 0

    def random_start(self, rng: np.random.Generator) -> np.ndarray:
        """A random start between the bounds; unknowns without bounds stay near their start."""
        low, high = np.maximum(self.low, self.start - self.scale), np.minimum(self.high, self.start + self.scale)
        return rng.uniform(low, high)

    def split_unknowns(self, z: np.ndarray) -> tuple[dict[str, float], np.ndarray]:
        """The parameters, and the goal's own unknowns, of scaled unknowns."""
        x = np.clip(z * self.scale, self.low, self.high)
        return dict(zip(self.names, x.tolist(), strict=False)), x[len(self.names) :]

    def evaluate(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Residuals and their derivatives; they are infinite where the mechanism does not exist."""
        parameters, goal_unknowns = self.split_unknowns(z)
        self.evaluations += 1
        try:
            r, J = self.goal.evaluate(self.mechanism.with_parameters(parameters), self.names, goal_unknowns)
        except LagrangianError as error:
            if self.evaluations == 1:
                raise ArgumentError(f"the search cannot begin: {error}", where=self.mechanism.name) from error
            return np.full(self.residual_count, np.inf), np.zeros((self.residual_count, len(z)))
        self.residual_count = len(r)
        if self.evaluations == 1 and not np.isfinite(r).all():
            raise ArgumentError("the search cannot begin: the goal is not finite there", where=self.mechanism.name)
        if self.progress is not None:
            self.progress(self.evaluations, self.objective_value(r))
        return r, J * self.scale

    def objective_value(self, r: np.ndarray) -> float:
        """The value of the goal, from its residuals."""
        return float(r[0]) if self.goal.scalar_objective else float(np.sqrt(np.mean(r**2)))

    def run(self, x: np.ndarray) -> Optimum:
        """Search from the unknowns x."""
        from scipy import optimize

        cache: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}

        def residuals_and_jacobian(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            key = z.tobytes()
            if key not in cache:
                cache.clear()
                cache[key] = self.evaluate(z)
            return cache[key]

        z, evaluations_before = x / self.scale, self.evaluations
        bounds = (self.low / self.scale, self.high / self.scale)
        initial_value = self.objective_value(residuals_and_jacobian(z)[0])
        if self.goal.scalar_objective or self.inequalities:
            solution = self._minimise_constrained(residuals_and_jacobian, z, bounds)
        else:
            clipped = np.clip(z, bounds[0], bounds[1])
            solution = optimize.least_squares(
                lambda z: residuals_and_jacobian(z)[0],
                clipped,
                jac=lambda z: residuals_and_jacobian(z)[1],
                bounds=bounds,
                xtol=1e-14,
                ftol=1e-14,
                gtol=1e-14,
                max_nfev=self.max_evaluations,
            )
        parameters, goal_unknowns = self.split_unknowns(solution.x)
        r = residuals_and_jacobian(solution.x)[0]
        violated = tuple(
            text for text, g in self.inequalities.items() if self._evaluate_inequality(g, solution.x)[0] < -INEQUALITY_TOLERANCE
        )
        x, parameter_count = np.array(list(parameters.values())), len(self.names)
        is_at_bound = (
            np.minimum(x - self.low[:parameter_count], self.high[:parameter_count] - x)
            <= INEQUALITY_TOLERANCE * self.scale[:parameter_count]
        )
        return Optimum(
            self.mechanism.with_parameters(parameters),
            parameters,
            self.objective_value(r),
            initial_value,
            r,
            self.evaluations - evaluations_before,
            bool(solution.success) and not violated,
            str(solution.message).rstrip(".") + ".",
            goal_unknowns,
            violated,
            tuple(name for name, is_at in zip(self.names, is_at_bound, strict=True) if is_at),
        )

    def _minimise_constrained(
        self, residuals_and_jacobian: Callable[..., Any], z: np.ndarray, bounds: tuple[np.ndarray, np.ndarray]
    ) -> Any:
        from scipy import optimize

        def cost(z: np.ndarray) -> tuple[float, np.ndarray]:
            r, J = residuals_and_jacobian(z)
            if not np.isfinite(r).all():
                return 1e30, np.zeros(len(z))
            return (float(r[0]), J[0]) if self.goal.scalar_objective else (float(r @ r), 2 * r @ J)

        constraints = [
            {
                "type": "ineq",
                "fun": lambda z, g=g: self._evaluate_inequality(g, z)[0],
                "jac": lambda z, g=g: self._evaluate_inequality(g, z)[1],
            }
            for g in self.inequalities.values()
        ]
        return optimize.minimize(
            cost,
            z,
            jac=True,
            method="SLSQP",
            bounds=list(zip(*bounds, strict=True)),
            constraints=constraints,
            options={"maxiter": self.max_evaluations, "ftol": 1e-14},
        )

    def _evaluate_inequality(self, g: Any, z: np.ndarray) -> tuple[float, np.ndarray]:
        """An inequality's left side, which must not be negative, and its gradient."""
        parameters, _ = self.split_unknowns(z)
        unit = np.eye(len(z))
        names = {n: DualArray(np.array([x]), unit[:, k : k + 1]) for k, (n, x) in enumerate(parameters.items())}
        values_by_identity = {id(self.mechanism.parameters[n]): names[n] for n in names if n in self.mechanism.parameters}
        difference = SampleEvaluator(names, values_by_identity).evaluate(g)
        if not isinstance(difference, DualArray):
            return float(difference), np.zeros(len(z))
        assert difference.slopes is not None
        return float(difference.value[0]), difference.slopes[:, 0] * self.scale
