"""Equations of motion of mechanisms, open or closed: to read, to run, to trust.

>>> import lagrangian as lg
>>> arm = lg.library("two_r")
>>> dyn = lg.compile(arm)
>>> dyn.mass_matrix([0.0, 0.0]).shape
(2, 2)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lagrangian.description.load import load, loads
from lagrangian.errors import (
    ArgumentError,
    ClosedError,
    CostError,
    DescriptionError,
    LagrangianError,
    MechanismError,
    MechanismWarning,
    ReaderWarning,
)
from lagrangian.kernels.dynamics import Dynamics, compile  # noqa: A004
from lagrangian.library import library
from lagrangian.model.body import Body, box, capsule, cylinder, ellipsoid, plate, point_mass, sphere, tube
from lagrangian.model.dh import DHRow
from lagrangian.model.expression import parameter
from lagrangian.model.joint import Friction, Joint, JointSpring, Limits, Rotor
from lagrangian.model.loop import Frame, LoopJoint, Pfaffian, PointSpring
from lagrangian.model.mechanism import Initial, Mechanism
from lagrangian.model.placement import Placement

if TYPE_CHECKING:
    from lagrangian.closed_form.derive import derive
    from lagrangian.closed_form.equations import Equations
    from lagrangian.equations.formula import Formula, FormulaMatrix

__version__ = "0.1.0"

# what is imported when it is first used: those who only run a robot need not wait for exact arithmetic
_LATER = {
    "derive": "lagrangian.closed_form.derive",
    "Equations": "lagrangian.closed_form.equations",
    "Formula": "lagrangian.equations.formula",
    "FormulaMatrix": "lagrangian.equations.formula",
}

__all__ = [
    "ArgumentError",
    "Body",
    "ClosedError",
    "CostError",
    "DHRow",
    "DescriptionError",
    "Dynamics",
    "Equations",
    "Formula",
    "FormulaMatrix",
    "Frame",
    "Friction",
    "Initial",
    "Joint",
    "JointSpring",
    "LagrangianError",
    "Limits",
    "LoopJoint",
    "Mechanism",
    "MechanismError",
    "MechanismWarning",
    "Pfaffian",
    "Placement",
    "PointSpring",
    "ReaderWarning",
    "Rotor",
    "box",
    "capsule",
    "compile",
    "cylinder",
    "derive",
    "ellipsoid",
    "library",
    "load",
    "loads",
    "parameter",
    "plate",
    "point_mass",
    "sphere",
    "tube",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_LATER[name]), name)
    return value


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
