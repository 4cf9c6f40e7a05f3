"""A mechanism's dynamics for many values of its parameters: `dyn.with_parameters(l1=lengths)`.

All samples use the same machine code, which reads the numbers of each; a sample whose structure differs has its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.arguments import floats
from lagrangian.errors import ArgumentError, LagrangianError, format_value, unknown_name_message

if TYPE_CHECKING:
    from lagrangian.kernels.dynamics import Dynamics
    from lagrangian.model.mechanism import Mechanism

MAX_CACHED_SAMPLES = 4096  # samples whose functions are kept for the next call; those of more would fill the memory
# methods of `Dynamics` whose results are arrays
SAMPLED_FUNCTIONS = (
    "inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix", "gravity", "kinetic_energy", "potential_energy",
    "center_of_mass", "momentum", "friction", "external_torque", "spring_forces", "regressor", "inertial_parameters", "reactions",
    "constraint_jacobian", "closure", "constraint_rate", "constraint_bias", "multipliers", "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives", "pose", "velocity", "acceleration", "jacobian", "jacobian_dot_qd",
)  # fmt: skip


class BatchedDynamics:
    """Compiled functions of a mechanism for many values of its parameters.

    `Dynamics.with_parameters` returns this object if a value is an array. It has the functions of `Dynamics`; every result has
    the samples as its first axis. `len(dyn)` is the number of samples and `dyn[k]` is the `Dynamics` of sample k.

    An argument of shape `(n,)` is the same for all samples, `(samples, n)` has one state for each sample, and
    `(samples, batch, n)` has many states for each. `t` and wrenches are one for all samples or one for each, too.

    Attributes
    ----------
    parameters : dict of str to ndarray
        The values of the parameters, one for each sample.
    mechanism : Mechanism
        The mechanism with its own values.

    Examples
    --------
    >>> import lagrangian as lg
    >>> import numpy as np
    >>> payloads = lg.compile("two_r").with_parameters(m2=np.array([10.0, 15.0, 20.0]))
    >>> payloads
    <BatchedDynamics of 'two_r': 3 samples of m2>
    >>> print(payloads.gravity([0.0, 0.0]).round(2))
    [[249.75  57.19]
     [327.39  85.79]
     [405.04 114.38]]
    """

    def __init__(self, nominal: Dynamics, parameters: Mapping[str, Any]) -> None:
        self._nominal = nominal
        self.parameters = _parameter_columns(parameters)
        self._cached: dict[int, Dynamics] = {}
        self._count = len(next(iter(self.parameters.values())))
        self[0]  # so that a wrong name is an error here

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism with its own values."""
        return self._nominal.mechanism

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Dynamics]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        return f"<BatchedDynamics of {self.mechanism.name!r}: {len(self)} samples of {', '.join(self.parameters)}>"

    def __getitem__(self, k: int) -> Dynamics:
        if not isinstance(k, (int, np.integer)):
            raise ArgumentError(
                f"the index of a sample must be a whole number from 0 to {len(self) - 1}; it is {format_value(k)}"
            )
        if not -len(self) <= k < len(self):
            raise IndexError(f"there is no sample {k}; the {len(self)} samples are numbered from 0")
        k %= len(self)
        dynamics = self._cached.get(k)
        if dynamics is None:
            try:
                dynamics = self._nominal.with_parameters({name: float(x[k]) for name, x in self.parameters.items()})
            except LagrangianError as error:
                raise error.with_places(f"sample {k}") from None
            if len(self._cached) < MAX_CACHED_SAMPLES:
                self._cached[k] = dynamics
        return dynamics

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *SAMPLED_FUNCTIONS]

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):  # such as what is asked for while it is unpickled
            raise AttributeError(name)
        if name not in SAMPLED_FUNCTIONS:
            remedy = f"dyn[k].{name} gives it for one sample" if hasattr(type(self._nominal), name) else ""
            raise AttributeError(
                unknown_name_message("function of many samples", name, SAMPLED_FUNCTIONS) + (f"; {remedy}" if remedy else "")
            )
        return self._sampled_function(name)

    def _sampled_function(self, name: str) -> Callable[..., Any]:
        @wraps(getattr(type(self._nominal), name))
        def evaluate(*arguments: Any, **keywords: Any) -> Any:
            positional = [self._argument_by_sample(x, f"{name}: argument {i + 1}") for i, x in enumerate(arguments)]
            by_keyword = {
                key: self._argument_by_sample(x, f"{name}: {key}", 0 if key == "t" else 1) for key, x in keywords.items()
            }
            results = [
                getattr(self[k], name)(
                    *(value_of_sample(k) for value_of_sample in positional),
                    **{key: value_of_sample(k) for key, value_of_sample in by_keyword.items()},
                )
                for k in range(len(self))
            ]
            if isinstance(results[0], tuple):
                return tuple(np.array(column) for column in zip(*results, strict=True))
            return np.array(results)

        return evaluate

    def _argument_by_sample(self, x: Any, where: str, dimensions: int = 1) -> Callable[[int], Any]:
        """Return a function that gives the value of an argument for sample k."""
        if x is None or isinstance(x, str) or hasattr(x, "placement"):  # such as a frame
            return lambda k: x
        if isinstance(x, Mapping):  # of wrenches
            parts = {frame: self._wrench(w, f"{where} {frame!r}") for frame, w in x.items()}
            return lambda k: {frame: value_of_sample(k) for frame, value_of_sample in parts.items()}
        try:
            values = floats(x)
        except TypeError:
            return lambda k: x  # which the function itself refuses
        if values.ndim == 0 or (values.ndim == 1 and dimensions == 1):
            return lambda k: x
        return self._row_by_sample(values, where)

    def _wrench(self, x: Any, where: str) -> Callable[[int], Any]:
        """Six numbers, or a moment and a force, for all; or six numbers for each."""
        try:
            values = floats(x)
        except TypeError:
            return lambda k: x
        return self._row_by_sample(values, where) if values.ndim == 2 and values.shape[1] == 6 else lambda k: x

    def _row_by_sample(self, values: np.ndarray, where: str) -> Callable[[int], Any]:
        if len(values) != len(self):
            raise ArgumentError(
                f"has {len(values)} rows, and the parameters have {len(self)} samples",
                where=where,
                remedy="give one state for all samples, (n,), or one for each, (samples, n) or (samples, batch, n)",
            )
        return lambda k: values[k]


def is_sampled(parameters: Mapping[str, Any]) -> bool:
    """Whether some parameters are given by arrays."""
    return any(np.ndim(x) > 0 for x in parameters.values() if not isinstance(x, (str, bytes)))


def _parameter_columns(parameters: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Every parameter as an array with a value for each sample."""
    columns = {}
    for name, x in parameters.items():
        try:
            columns[name] = floats(x)
        except TypeError as error:
            raise ArgumentError(str(error), where="with_parameters", argument=name) from None
    lengths = {name: len(x) for name, x in columns.items() if x.ndim == 1}
    for name, x in columns.items():
        if x.ndim > 1 or not x.size:
            remedy = "give one number, or one for each sample"
            raise ArgumentError(f"has shape {x.shape}", where="with_parameters", argument=name, remedy=remedy)
    if len(set(lengths.values())) > 1:
        lengths_text = ", ".join(f"{name} {n}" for name, n in lengths.items())
        raise ArgumentError(f"have different numbers of samples: {lengths_text}", where="with_parameters", argument="parameters")
    count = next(iter(lengths.values()))
    return {name: np.broadcast_to(x, (count,)).copy() for name, x in columns.items()}
