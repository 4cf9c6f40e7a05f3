"""Controllers: torques from the time, the coordinates and the speeds, for `simulate`, continuous or sampled.

Each has a `model`, the mechanism as the controller knows it, which may differ from the one it drives, and a path to follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lagrangian.control.computed_torque import ComputedTorque
from lagrangian.control.controller import Controller
from lagrangian.control.force_motion import HybridForceMotion
from lagrangian.control.impedance import Impedance
from lagrangian.control.operational_space import OperationalSpace
from lagrangian.control.pd_gravity import PDGravityCompensation
from lagrangian.public import unknown_attribute

__all__ = ["ComputedTorque", "Controller", "HybridForceMotion", "Impedance", "OperationalSpace", "PDGravityCompensation"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        raise unknown_attribute("lagrangian.control", name, __all__)
