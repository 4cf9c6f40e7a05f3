"""Controllers: torques from time, coordinates and speeds, for `simulate`, at once or sampled.

Each is made of a `model`, the mechanism it believes in, which need not be the one it drives, and of a path to follow.
"""

from lagrangian.control.computed_torque import ComputedTorque
from lagrangian.control.controller import Controller
from lagrangian.control.force_motion import ForceMotion
from lagrangian.control.impedance import Impedance
from lagrangian.control.operational_space import OperationalSpace
from lagrangian.control.pd_gravity import PDGravity

__all__ = ["ComputedTorque", "Controller", "ForceMotion", "Impedance", "OperationalSpace", "PDGravity"]
