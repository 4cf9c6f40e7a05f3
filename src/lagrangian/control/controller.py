"""The base class of all controllers: their model, their path and sampling; and their gains."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import array, check_attribute_names, floats
from lagrangian.configuration.start import as_dynamics
from lagrangian.control.actuated_joints import ActuatedJoints
from lagrangian.control.reference import PathOrSetPoint, discontinuities
from lagrangian.description.mechanism_like import MechanismLike
from lagrangian.errors import ArgumentError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.spring import Wall
from lagrangian.motion.torque import Sampled

DEFAULT_FREQUENCY = 20.0  # rad/s


@dataclass(frozen=True, repr=False, eq=False)
class Controller(ABC):
    """The base class of all controllers.

    A controller is a function of the time, the coordinates and the speeds that returns the joint forces. Pass it to
    `simulate(plant, torque=controller)`, which calls it at every stage of every step, or `controller.with_sampling(period)` for a
    digital controller. Before the start and after the end of its path it holds the mechanism at rest there. Walls in the model
    are left out: a controller knows its arm, not what the arm will touch.

    Attributes
    ----------
    model : Dynamics
        The model of the controller. It has the coordinates of the mechanism that the controller drives, but may have other
        parameters.
    path : JointPath, CartesianPath, array_like, mapping or str
        The path to follow, or the set-point to hold.

    See Also
    --------
    lagrangian.Sampled : A function that `simulate` calls at fixed times.
    lagrangian.Traced : A function that `simulate` compiles.

    Examples
    --------
    >>> import lagrangian as lg
    >>> arm = lg.library("two_r")
    >>> hold = lg.control.PDGravityCompensation(arm, [0.5, 0.5])
    >>> isinstance(hold, lg.control.Controller)
    True
    >>> hold(0.0, [0.5, 0.5], [0.0, 0.0]).round(3)  # gravity alone: there is no error
    array([228.618,  38.49 ])
    """

    model: MechanismLike | Dynamics
    path: PathOrSetPoint

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        check_attribute_names(cls, {"breaks": "discontinuities", "sampled": "with_sampling"})

    def __post_init__(self) -> None:
        self._set_fields(model=controller_model(self.model))
        self._set_fields(_actuated_joints=ActuatedJoints.from_dynamics(self.dynamics))
        self._prepare()

    @abstractmethod
    def _prepare(self) -> None:
        """Check the remaining arguments, and compute what does not change."""

    @abstractmethod
    def __call__(self, t: float, q: ArrayLike, qd: ArrayLike) -> np.ndarray:
        """The joint forces (nv,): zero where there is no actuator."""

    def with_sampling(self, period: float, delay: float = 0.0) -> Sampled:
        """Return the controller as a digital one with a fixed sampling period.

        Parameters
        ----------
        period : float
            The time between two samples, in seconds. The torques are held in between.
        delay : float
            The time after which the torques of a sample act, in seconds. The default is 0.

        Returns
        -------
        Sampled
            A torque source for `simulate`.

        Examples
        --------
        >>> import lagrangian as lg
        >>> hold = lg.control.PDGravityCompensation("two_r", [0.5, 0.5])
        >>> motion = lg.simulate("two_r", 1.0, q0=[0.4, 0.6], torque=hold.with_sampling(0.002, delay=0.001))
        >>> motion.success
        True
        """
        return Sampled(self, period, delay)

    @property
    def dynamics(self) -> Dynamics:
        """The compiled dynamics of the model."""
        assert isinstance(self.model, Dynamics)
        return self.model

    @property
    def discontinuities(self) -> tuple[float, ...]:
        """The times at which the torques may jump. `simulate` ends a step there."""
        return discontinuities(self.reference.path)

    @property
    def reference(self) -> Any:
        """The path or set-point as a function of time."""
        return self.__dict__["_reference"]

    @property
    def actuated_joints(self) -> ActuatedJoints:
        """The actuated joints of the model."""
        actuated_joints: ActuatedJoints = self.__dict__["_actuated_joints"]
        return actuated_joints

    def _set_fields(self, **values: Any) -> None:
        """Set fields of this frozen object while it is made."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _state(self, q: Any, qd: Any) -> tuple[np.ndarray, np.ndarray]:
        dyn = self.dynamics
        q, qd = array(q, "q"), array(qd, "qd")
        if q.shape != (dyn.nq,) or qd.shape != (dyn.nv,):
            raise ArgumentError(
                f"{self!r} got q of shape {q.shape} and qd of shape {qd.shape}; its model has {dyn.nq} coordinates and "
                f"{dyn.nv} speeds, and the mechanism that it drives must have the same"
            )
        return q, qd

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.dynamics.mechanism.name!r}>"


def controller_model(model: Any) -> Dynamics:
    """The dynamics of a controller's model, without walls."""
    dyn = as_dynamics(model)
    springs = tuple(s for s in dyn.mechanism.springs if not isinstance(s, Wall))
    return dyn if len(springs) == len(dyn.mechanism.springs) else as_dynamics(dyn.mechanism.replace(springs=springs))


def as_gains(argument: str, value: Any, names: tuple[str, ...]) -> np.ndarray:
    """Gains, finite and not negative: one number for all names, or one for each."""
    try:
        values = floats(value)
    except (TypeError, ValueError):
        values = np.full(0, np.nan)
    if values.shape not in ((), (len(names),)) or not np.isfinite(values).all() or (values < 0).any():
        raise ArgumentError(
            f"is {value!r}",
            argument=argument,
            remedy=f"a number that is not negative is needed, or {len(names)} of them: {', '.join(names[:12])}",
        )
    return np.broadcast_to(values, (len(names),)).copy()


def second_order_gains(
    names: tuple[str, ...],
    frequency: Any,
    damping: Any,
    kp: Any,
    kd: Any,
    default_frequency: float,
    inertia: Any = 1.0,
) -> tuple[np.ndarray, np.ndarray]:
    """kp and kd as given, or else those of e'' + 2 zeta w e' + w^2 e = 0, times the inertia.

    The frequency w defaults to `default_frequency`, or follows from kp; the damping ratio defaults to 1.
    """
    for (a, x), (b, y) in ((("kp", kp), ("frequency", frequency)), (("kd", kd), ("damping", damping))):
        if x is not None and y is not None:
            raise ArgumentError(f"{a} and {b} are both given, but each follows from the other; give one of them")
    zeta = as_gains("damping", 1.0 if damping is None else damping, names)
    if kp is None:
        w = as_gains("frequency", default_frequency if frequency is None else frequency, names)
        stiffness = inertia * w**2
    else:
        stiffness = as_gains("kp", kp, names)
    return stiffness, 2 * zeta * np.sqrt(inertia * stiffness) if kd is None else as_gains("kd", kd, names)
