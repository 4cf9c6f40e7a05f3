"""The mobility of a mechanism: its degrees of freedom by the rank of its constraints, beside Gruebler's count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.algorithms.constraints.constrained_dynamics import ROUNDING_TOLERANCE
from lagrangian.arguments import number
from lagrangian.configuration.coordinates import integrate
from lagrangian.configuration.loop_closure import LoopClosure
from lagrangian.configuration.slopes import finite_jacobian
from lagrangian.configuration.start import Start, as_dynamics
from lagrangian.description.mechanism_like import MechanismLike
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.display import TextDisplay
from lagrangian.model.printed_table import pluralise
from lagrangian.types import State

# singular values of Psi below this part of the largest count as zero; nearby values occur only by accident
SINGULAR_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Mobility(TextDisplay):
    """Degrees of freedom of a mechanism at a configuration.

    `mobility` returns this object; `print` writes it as a sentence.

    Attributes
    ----------
    degrees : int
        Degrees of freedom at the configuration.
    nearby : int
        Degrees of freedom at configurations around it.
    speeds : int
        Number of speeds.
    equation_count : int
        Number of constraint equations.
    rank : int
        Rank of the constraint Jacobian at the configuration.
    gruebler : int
        Gruebler's count: speeds minus equations.

    Examples
    --------
    >>> import lagrangian as lg
    >>> mobility = lg.mobility("bricard")
    >>> print(mobility)
    1 degree of freedom: 5 speeds, 5 equations, 1 of which follows from the others. Gruebler's count gives 0; it does not see
    redundant equations.
    >>> mobility.degrees, mobility.gruebler, mobility.redundant
    (1, 0, 1)
    """

    degrees: int
    nearby: int
    speeds: int
    equation_count: int
    rank: int
    gruebler: int

    @property
    def redundant(self) -> int:
        """Number of constraint equations that follow from the others, everywhere around the configuration."""
        return self.equation_count - (self.speeds - self.nearby)

    @property
    def singular(self) -> bool:
        """Whether the configuration is singular: it has more degrees of freedom than those around it."""
        return self.degrees != self.nearby

    def __str__(self) -> str:
        counts = f"{pluralise(self.speeds, 'speed')}, {pluralise(self.equation_count, 'equation')}"
        text = f"{pluralise(self.nearby, 'degree')} of freedom: {counts}"
        if self.redundant:
            text += f", {self.redundant} of which follow{'s' if self.redundant == 1 else ''} from the others"
        text += f". Gruebler's count gives {self.gruebler}"
        text += "." if self.gruebler == self.nearby else "; it does not see redundant equations."
        if self.singular:
            text += (
                f" This configuration is singular: here the constraints leave {self.degrees} speeds free, "
                f"{self.degrees - self.nearby} more than around it."
            )
        return text


def mobility(mechanism: MechanismLike | Dynamics, q: State = None, t: float = 0.0) -> Mobility:
    """Count the degrees of freedom of a mechanism by the rank of its constraints.

    Unlike Gruebler's count, this sees redundant constraints and singular configurations.

    Parameters
    ----------
    mechanism : Mechanism, Dynamics, str or path
        The mechanism: an object, its compiled dynamics, the name of a library mechanism, or a file.
    q : array_like, mapping, str, optional
        A configuration, in rad and m: all coordinates, which must close the loops, a mapping of some names to values, or the name
        of a pose. The default is the closed configuration nearest to the mechanism's own start.
    t : float, default 0.0
        Time in seconds; it matters only if a constraint depends on time.

    Returns
    -------
    Mobility
        The degrees of freedom here and nearby, the rank, and Gruebler's count.

    Raises
    ------
    AssemblyError
        The loops are open at `q`, or cannot be closed.

    Examples
    --------
    >>> import lagrangian as lg
    >>> print(lg.mobility("four_bar"))
    1 degree of freedom: 3 speeds, 2 equations. Gruebler's count gives 1.
    >>> print(lg.mobility("parallelogram", {"theta0": 0.0}))
    1 degree of freedom: 5 speeds, 4 equations. Gruebler's count gives 1. This configuration is singular: here the constraints
    leave 3 speeds free, 2 more than around it.
    """
    dyn, t = as_dynamics(mechanism), number(t, "t")
    start = Start(dyn, q, t, ("q", "qd"))
    q = start.close_loops() if start.uses_default else start.q
    m, n = len(dyn.constraint_names), dyn.nv
    if not m:
        return Mobility(n, n, n, 0, 0, n)
    rank, regular_rank = constraint_rank(dyn, q, t), constraint_rank(dyn, regular_configuration(dyn, q, t), t)
    return Mobility(n - rank, n - regular_rank, n, m, rank, dyn.mechanism.gruebler)


def regular_configuration(dyn: Dynamics, q: np.ndarray, t: float = 0.0) -> np.ndarray:
    """The configuration, or if it is singular a nearby one at which Psi has a larger rank."""
    best, largest = q, constraint_rank(dyn, q, t)
    rng = np.random.default_rng(0)
    loops = LoopClosure(dyn, t)
    # there may be many more equations than speeds: only the null space of speeds is needed
    _, s, rows = np.linalg.svd(np.linalg.qr(finite_jacobian(dyn, q, t), mode="r"))
    free_directions = rows[_numerical_rank(s) :]
    for size in (0.02, 0.05, 0.1, 0.2) if len(free_directions) else ():
        step = rng.normal(size=len(free_directions)) @ free_directions
        closure = loops.nearest(integrate(dyn.mechanism, q, size * step / np.linalg.norm(step)))
        if closure.violation[0] < 1e-9 and (nearby_rank := constraint_rank(dyn, closure.q[0], t)) > largest:
            best, largest = closure.q[0], nearby_rank
    return best


def constraint_rank(dyn: Dynamics, q: np.ndarray, t: float = 0.0) -> int:
    """The rank of Psi."""
    psi = finite_jacobian(dyn, q, t)
    rows = psi[np.abs(psi).max(axis=1, initial=0.0) > ROUNDING_TOLERANCE]
    if is_clearly_independent(rows):
        return len(rows)
    return _numerical_rank(np.linalg.svd(psi, compute_uv=False))


def is_clearly_independent(rows: np.ndarray) -> bool:
    """Whether all singular values are ten times the tolerance or more; of many rows this is faster than the values themselves.

    They are if A A^T - s^2 I is positive definite; the largest row sum of absolute values bounds the largest eigenvalue.
    """
    if not 0 < len(rows) <= rows.shape[1]:
        return False
    gram = rows @ rows.T
    largest = np.abs(gram).sum(axis=1).max()
    try:
        np.linalg.cholesky(gram - (10 * SINGULAR_TOLERANCE) ** 2 * largest * np.eye(len(rows)))
    except np.linalg.LinAlgError:
        return False
    return True


def _numerical_rank(s: np.ndarray) -> int:
    """The number of singular values that are not zero; 0 if the largest is rounding."""
    return int(np.sum(s > max(SINGULAR_TOLERANCE * s.max(initial=0.0), ROUNDING_TOLERANCE)))
