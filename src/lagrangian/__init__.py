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

from lagrangian.errors import (
    ActuationError,
    ArgumentError,
    AssemblyError,
    AssemblyWarning,
    CostLimitError,
    DescriptionError,
    DynamicsClosedError,
    EndedEarlyWarning,
    LagrangianError,
    LagrangianWarning,
    MechanismError,
    MechanismWarning,
    PathWarning,
    ReaderWarning,
    ReportWarning,
    SimulationError,
    SimulationWarning,
    SingularWarning,
    StudyWarning,
    UnreachableError,
    WriterWarning,
)
from lagrangian.mechanism_library.catalogue import library as _library
from lagrangian.public import public, unknown_attribute

if TYPE_CHECKING:
    from lagrangian import control, paths
    from lagrangian.closed_form.derive import derive
    from lagrangian.closed_form.equations import EquationsOfMotion
    from lagrangian.configuration.assemble import assemble, assembly_modes
    from lagrangian.configuration.consistent_speeds import consistent_speeds
    from lagrangian.configuration.mobility import Mobility, mobility
    from lagrangian.description.load import load, loads
    from lagrangian.description.notes import Conversion
    from lagrangian.design.analyse_cycle import analyse_cycle
    from lagrangian.design.analyse_cycle import analyse_cycle as analyze_cycle
    from lagrangian.design.compare_cycles import CycleComparison, compare_cycles
    from lagrangian.design.coupler_curve import CouplerCurve
    from lagrangian.design.cycle import CycleAnalysis, DeadCentre
    from lagrangian.design.cycle import DeadCentre as DeadCenter
    from lagrangian.design.four_bar import FourBar
    from lagrangian.design.singularities import Singularities, Singularity, singularities
    from lagrangian.design.travel import OutputTravel
    from lagrangian.design.workspace import Workspace, workspace
    from lagrangian.equations.formula import Formula
    from lagrangian.equations.formula_matrix import FormulaMatrix
    from lagrangian.exports.export import ExportResult, export, export_targets
    from lagrangian.identification.excitation import FourierTrajectory, excitation_trajectory
    from lagrangian.identification.identify import identify
    from lagrangian.identification.result import Identification
    from lagrangian.inverse_dynamics.inverse import inverse
    from lagrangian.inverse_dynamics.result import InverseDynamicsResult
    from lagrangian.kernels.batched_dynamics import BatchedDynamics
    from lagrangian.kernels.dynamics import Dynamics, compile  # noqa: A004
    from lagrangian.kernels.operational_space import OperationalSpaceDynamics
    from lagrangian.kinematics.inverse_kinematics import inverse_kinematics
    from lagrangian.model import shapes
    from lagrangian.model.body import Body, rotate_inertia
    from lagrangian.model.constraint import (
        HolonomicConstraint,
        KnifeEdgeConstraint,
        PfaffianConstraint,
        PfaffianFunctionConstraint,
        RollingConstraint,
    )
    from lagrangian.model.dh import DHParameters
    from lagrangian.model.event import Event, LockJoints, SetParameters, SetPayload, SetTorque, UnlockJoints
    from lagrangian.model.expression import parameter
    from lagrangian.model.frame import Frame
    from lagrangian.model.initial_state import InitialState
    from lagrangian.model.joint import Friction, Joint, JointLimits, JointSpring, Rotor
    from lagrangian.model.loop import LoopJoint
    from lagrangian.model.mechanism import Mechanism
    from lagrangian.model.placement import Transform
    from lagrangian.model.spring import CoordinateSpring, GravityCompensation, PointSpring, Wall
    from lagrangian.motion.compare_solvers import SolverComparison, compare_solvers
    from lagrangian.motion.files import read
    from lagrangian.motion.linearise import Linearisation, Mode, equilibrium, linearise
    from lagrangian.motion.linearise import Linearisation as Linearization
    from lagrangian.motion.linearise import linearise as linearize
    from lagrangian.motion.motion import Motion
    from lagrangian.motion.motions import Motions
    from lagrangian.motion.sensitivity.sensitivities import Sensitivities, sensitivities
    from lagrangian.motion.simulate import simulate
    from lagrangian.motion.status import Ending, Status
    from lagrangian.motion.torque import Sampled, Traced
    from lagrangian.optimisation import goals
    from lagrangian.optimisation.optimise import Optimum, optimise
    from lagrangian.optimisation.optimise import optimise as optimize
    from lagrangian.saving import convert, dumps, save
    from lagrangian.sizing.actuators import ActuatorSizing, size_actuators
    from lagrangian.sizing.gears import Gear, GearRange
    from lagrangian.sizing.motors import Motor, read_catalogue
    from lagrangian.sizing.motors import read_catalogue as read_catalog
    from lagrangian.studies import distributions
    from lagrangian.studies.files import read_study
    from lagrangian.studies.indices import SensitivityIndices
    from lagrangian.studies.result import Study
    from lagrangian.studies.study import study
    from lagrangian.validated_integration.bounded_number import BoundedNumber
    from lagrangian.validated_integration.certify import CertifiedMotion, CertifiedState, certify

__version__ = "0.1.0"
library = public(_library)
library.__module__ = __name__

# what is imported when it is first used: the command line need not wait for numpy, nor a robot that runs for exact arithmetic
_LAZY_ATTRIBUTES = {
    **dict.fromkeys(("load", "loads"), "lagrangian.description.load"),
    "OperationalSpaceDynamics": "lagrangian.kernels.operational_space",
    **dict.fromkeys(("Body", "rotate_inertia"), "lagrangian.model.body"),
    **dict.fromkeys(("Dynamics", "compile"), "lagrangian.kernels.dynamics"),
    "BatchedDynamics": "lagrangian.kernels.batched_dynamics",
    **dict.fromkeys(
        ("HolonomicConstraint", "KnifeEdgeConstraint", "PfaffianConstraint", "PfaffianFunctionConstraint", "RollingConstraint"),
        "lagrangian.model.constraint",
    ),
    "DHParameters": "lagrangian.model.dh",
    **dict.fromkeys(
        ("Event", "LockJoints", "SetParameters", "SetPayload", "SetTorque", "UnlockJoints"), "lagrangian.model.event"
    ),
    "parameter": "lagrangian.model.expression",
    **dict.fromkeys(("Friction", "Joint", "JointSpring", "JointLimits", "Rotor"), "lagrangian.model.joint"),
    "Frame": "lagrangian.model.frame",
    "LoopJoint": "lagrangian.model.loop",
    **dict.fromkeys(("CoordinateSpring", "GravityCompensation", "PointSpring", "Wall"), "lagrangian.model.spring"),
    "InitialState": "lagrangian.model.initial_state",
    "Mechanism": "lagrangian.model.mechanism",
    "Transform": "lagrangian.model.placement",
    **dict.fromkeys(("Linearisation", "Mode", "equilibrium", "linearise"), "lagrangian.motion.linearise"),
    **dict.fromkeys(("assemble", "assembly_modes"), "lagrangian.configuration.assemble"),
    "consistent_speeds": "lagrangian.configuration.consistent_speeds",
    **dict.fromkeys(("Mobility", "mobility"), "lagrangian.configuration.mobility"),
    **dict.fromkeys(("Sampled", "Traced"), "lagrangian.motion.torque"),
    **dict.fromkeys(("CycleComparison", "compare_cycles"), "lagrangian.design.compare_cycles"),
    "CouplerCurve": "lagrangian.design.coupler_curve",
    "OutputTravel": "lagrangian.design.travel",
    "FourBar": "lagrangian.design.four_bar",
    "analyse_cycle": "lagrangian.design.analyse_cycle",
    **dict.fromkeys(("Singularities", "Singularity"), "lagrangian.design.singularities"),
    "singularities": "lagrangian.design.singularities",
    **dict.fromkeys(("DeadCentre", "CycleAnalysis"), "lagrangian.design.cycle"),
    "Workspace": "lagrangian.design.workspace",
    "workspace": "lagrangian.design.workspace",
    **dict.fromkeys(("FourierTrajectory", "excitation_trajectory"), "lagrangian.identification.excitation"),
    "Identification": "lagrangian.identification.result",
    "identify": "lagrangian.identification.identify",
    **dict.fromkeys(("SolverComparison", "compare_solvers"), "lagrangian.motion.compare_solvers"),
    "Motion": "lagrangian.motion.motion",
    "Motions": "lagrangian.motion.motions",
    "InverseDynamicsResult": "lagrangian.inverse_dynamics.result",
    "inverse": "lagrangian.inverse_dynamics.inverse",
    "inverse_kinematics": "lagrangian.kinematics.inverse_kinematics",
    "read": "lagrangian.motion.files",
    **dict.fromkeys(("dumps", "save", "convert"), "lagrangian.saving"),
    "Conversion": "lagrangian.description.notes",
    "simulate": "lagrangian.motion.simulate",
    **dict.fromkeys(("Sensitivities", "sensitivities"), "lagrangian.motion.sensitivity.sensitivities"),
    **dict.fromkeys(("Optimum", "optimise"), "lagrangian.optimisation.optimise"),
    **dict.fromkeys(("Ending", "Status"), "lagrangian.motion.status"),
    "derive": "lagrangian.closed_form.derive",
    "EquationsOfMotion": "lagrangian.closed_form.equations",
    "Formula": "lagrangian.equations.formula",
    "FormulaMatrix": "lagrangian.equations.formula_matrix",
    **dict.fromkeys(("CertifiedMotion", "CertifiedState"), "lagrangian.validated_integration.certify"),
    "certify": "lagrangian.validated_integration.certify",
    "BoundedNumber": "lagrangian.validated_integration.bounded_number",
    **dict.fromkeys(("ActuatorSizing", "size_actuators"), "lagrangian.sizing.actuators"),
    **dict.fromkeys(("Gear", "GearRange"), "lagrangian.sizing.gears"),
    **dict.fromkeys(("Motor", "read_catalogue"), "lagrangian.sizing.motors"),
    **dict.fromkeys(("ExportResult", "export", "export_targets"), "lagrangian.exports.export"),
    "SensitivityIndices": "lagrangian.studies.indices",
    "Study": "lagrangian.studies.result",
    "read_study": "lagrangian.studies.files",
    "study": "lagrangian.studies.study",
}

# modules whose names are public: lagrangian.paths.circle(...)
_LAZY_MODULES = {
    "control": "lagrangian.control",
    "distributions": "lagrangian.studies.distributions",
    "goals": "lagrangian.optimisation.goals",
    "paths": "lagrangian.paths",
    "shapes": "lagrangian.model.shapes",
}

# their names, so that a message can say where a name stands without importing the module
_MODULE_NAMES = {
    "control": "ComputedTorque Controller HybridForceMotion Impedance OperationalSpace PDGravityCompensation",
    "distributions": "choice grid lognormal normal triangular uniform",
    "goals": "Goal final_value holding_torque integral path_points",
    "paths": "CartesianPath JointPath arc circle dwell formula function interpolate joint_line joint_spline line sequence spline",
    "shapes": "box capsule cylinder disc ellipsoid plate point_mass rod sphere tube",
}

# the same functions and classes under the names that American readers expect
_AMERICAN_SPELLINGS = {
    "DeadCenter": "DeadCentre",
    "Linearization": "Linearisation",
    "analyze_cycle": "analyse_cycle",
    "linearize": "linearise",
    "optimize": "optimise",
    "read_catalog": "read_catalogue",
}

__all__ = [
    "ActuationError",
    "ActuatorSizing",
    "ArgumentError",
    "AssemblyError",
    "AssemblyWarning",
    "BatchedDynamics",
    "Body",
    "BoundedNumber",
    "CertifiedMotion",
    "CertifiedState",
    "Conversion",
    "CoordinateSpring",
    "CostLimitError",
    "CouplerCurve",
    "CycleAnalysis",
    "CycleComparison",
    "DHParameters",
    "DeadCenter",
    "DeadCentre",
    "DescriptionError",
    "Dynamics",
    "DynamicsClosedError",
    "EndedEarlyWarning",
    "Ending",
    "EquationsOfMotion",
    "Event",
    "ExportResult",
    "Formula",
    "FormulaMatrix",
    "FourBar",
    "FourierTrajectory",
    "Frame",
    "Friction",
    "Gear",
    "GearRange",
    "GravityCompensation",
    "HolonomicConstraint",
    "Identification",
    "InitialState",
    "InverseDynamicsResult",
    "Joint",
    "JointLimits",
    "JointSpring",
    "KnifeEdgeConstraint",
    "LagrangianError",
    "LagrangianWarning",
    "Linearisation",
    "Linearization",
    "LockJoints",
    "LoopJoint",
    "Mechanism",
    "MechanismError",
    "MechanismWarning",
    "Mobility",
    "Mode",
    "Motion",
    "Motions",
    "Motor",
    "OperationalSpaceDynamics",
    "Optimum",
    "OutputTravel",
    "PathWarning",
    "PfaffianConstraint",
    "PfaffianFunctionConstraint",
    "PointSpring",
    "ReaderWarning",
    "ReportWarning",
    "RollingConstraint",
    "Rotor",
    "Sampled",
    "Sensitivities",
    "SensitivityIndices",
    "SetParameters",
    "SetPayload",
    "SetTorque",
    "SimulationError",
    "SimulationWarning",
    "SingularWarning",
    "Singularities",
    "Singularity",
    "SolverComparison",
    "Status",
    "Study",
    "StudyWarning",
    "Traced",
    "Transform",
    "UnlockJoints",
    "UnreachableError",
    "Wall",
    "Workspace",
    "WriterWarning",
    "analyse_cycle",
    "analyze_cycle",
    "assemble",
    "assembly_modes",
    "certify",
    "compare_cycles",
    "compare_solvers",
    "compile",
    "consistent_speeds",
    "control",
    "convert",
    "derive",
    "distributions",
    "dumps",
    "equilibrium",
    "excitation_trajectory",
    "export",
    "export_targets",
    "goals",
    "identify",
    "inverse",
    "inverse_kinematics",
    "library",
    "linearise",
    "linearize",
    "load",
    "loads",
    "mobility",
    "optimise",
    "optimize",
    "parameter",
    "paths",
    "read",
    "read_catalog",
    "read_catalogue",
    "read_study",
    "rotate_inertia",
    "save",
    "sensitivities",
    "shapes",
    "simulate",
    "singularities",
    "size_actuators",
    "study",
    "workspace",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY_MODULES:
        value = import_module(_LAZY_MODULES[name])
    elif name in _LAZY_ATTRIBUTES:
        value = public(getattr(import_module(_LAZY_ATTRIBUTES[name]), name))
        if not isinstance(value, type):
            value.__module__ = __name__  # where it is found again when it is unpickled
    elif name in _AMERICAN_SPELLINGS:
        value = getattr(import_module(__name__), _AMERICAN_SPELLINGS[name])
    else:  # `from lagrangian import files` asks this first, and then imports the module
        raise _unknown_attribute(name)
    globals()[name] = value
    return value


def _unknown_attribute(name: str) -> AttributeError:
    """The error about a name that does not exist: in which public module it stands, or what stands here instead of it."""
    for module, names in _MODULE_NAMES.items():
        if name in names.split():
            message = f"there is no attribute of {__name__!r} called {name!r}; it is {__name__}.{module}.{name}"
            return AttributeError(message, name=name)
    return unknown_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
