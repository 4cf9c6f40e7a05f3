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
    ClosedError,
    CostError,
    DescriptionError,
    EndedEarlyWarning,
    LagrangianError,
    LagrangianWarning,
    MechanismError,
    MechanismWarning,
    PathWarning,
    ReachError,
    ReaderWarning,
    ReportWarning,
    SimulationError,
    SimulationWarning,
    SingularWarning,
    StudyWarning,
    WriterWarning,
    one_of,
)
from lagrangian.library import library as _library
from lagrangian.public import other_spelling, public

if TYPE_CHECKING:
    from lagrangian import control, paths
    from lagrangian.closed_form.derive import derive
    from lagrangian.closed_form.equations import Equations
    from lagrangian.configuration.assemble import assemble, assembly_modes
    from lagrangian.configuration.consistent_speeds import consistent_speeds
    from lagrangian.configuration.mobility import Mobility, mobility
    from lagrangian.description.load import load, loads
    from lagrangian.description.writing.written import Written
    from lagrangian.design.compare_turns import ComparedTurns, compare_turns
    from lagrangian.design.coupler_curve import CouplerCurve
    from lagrangian.design.four_bar import FourBar
    from lagrangian.design.full_turn import full_turn
    from lagrangian.design.reachable import Workspace
    from lagrangian.design.singular import Singularities, Singularity
    from lagrangian.design.singularities import singularities
    from lagrangian.design.swing import Swing
    from lagrangian.design.turn import DeadCentre, FullTurn
    from lagrangian.design.workspace import workspace
    from lagrangian.equations.formula import Formula
    from lagrangian.equations.formula_matrix import FormulaMatrix
    from lagrangian.exports.export import Export, export, export_targets
    from lagrangian.identification.exciting import FourierPath, exciting_path
    from lagrangian.identification.identify import identify
    from lagrangian.identification.result import Identification
    from lagrangian.inverse_dynamics.inverse import inverse
    from lagrangian.inverse_dynamics.path_motion import PathMotion
    from lagrangian.kernels.cartesian import CartesianDynamics
    from lagrangian.kernels.dynamics import Dynamics, compile  # noqa: A004
    from lagrangian.kernels.sampled import SampledDynamics
    from lagrangian.kinematics.inverse_kinematics import inverse_kinematics
    from lagrangian.model.body import Body, rotate_inertia
    from lagrangian.model.configuration import Initial
    from lagrangian.model.constraint import Holonomic, KnifeEdge, Pfaffian, PfaffianFunction, Rolling
    from lagrangian.model.dh import DHRow
    from lagrangian.model.event import Event, Lock, SetParameters, SetPayload, SetTorque, Unlock
    from lagrangian.model.expression import parameter
    from lagrangian.model.joint import Friction, Joint, JointSpring, Limits, Rotor
    from lagrangian.model.loop import Frame, LoopJoint, Wall
    from lagrangian.model.mechanism import Mechanism
    from lagrangian.model.placement import Placement
    from lagrangian.model.shapes import box, capsule, cylinder, ellipsoid, plate, point_mass, sphere, tube
    from lagrangian.model.spring import CoordinateSpring, GravityCompensation, PointSpring
    from lagrangian.model.thin import disc, rod
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
    from lagrangian.proven_digits.certified import Certified, CertifiedState
    from lagrangian.proven_digits.certify import certify
    from lagrangian.proven_digits.number import ProvenNumber
    from lagrangian.saving import dumps, save, written
    from lagrangian.sizing.actuators import Sizing, size_actuators
    from lagrangian.sizing.gears import Gear, GearRange
    from lagrangian.sizing.motors import Motor, read_catalogue
    from lagrangian.sizing.motors import read_catalogue as read_catalog
    from lagrangian.studies.distributions import choice, lognormal, normal, span, triangular, uniform
    from lagrangian.studies.files import read_study
    from lagrangian.studies.indices import Indices
    from lagrangian.studies.result import Study
    from lagrangian.studies.study import study

__version__ = "0.1.0"
library = public(_library)
library.__module__ = __name__

# what is imported when it is first used: the command line need not wait for numpy, nor a robot that runs for exact arithmetic
_LATER = {
    **dict.fromkeys(("load", "loads"), "lagrangian.description.load"),
    "CartesianDynamics": "lagrangian.kernels.cartesian",
    **dict.fromkeys(("Body", "rotate_inertia"), "lagrangian.model.body"),
    **dict.fromkeys(("Dynamics", "compile"), "lagrangian.kernels.dynamics"),
    "SampledDynamics": "lagrangian.kernels.sampled",
    **dict.fromkeys(
        ("box", "capsule", "cylinder", "ellipsoid", "plate", "point_mass", "sphere", "tube"),
        "lagrangian.model.shapes",
    ),
    **dict.fromkeys(("Holonomic", "KnifeEdge", "Pfaffian", "PfaffianFunction", "Rolling"), "lagrangian.model.constraint"),
    "DHRow": "lagrangian.model.dh",
    **dict.fromkeys(("Event", "Lock", "SetParameters", "SetPayload", "SetTorque", "Unlock"), "lagrangian.model.event"),
    "parameter": "lagrangian.model.expression",
    **dict.fromkeys(("Friction", "Joint", "JointSpring", "Limits", "Rotor"), "lagrangian.model.joint"),
    **dict.fromkeys(("Frame", "LoopJoint", "Wall"), "lagrangian.model.loop"),
    **dict.fromkeys(("CoordinateSpring", "GravityCompensation", "PointSpring"), "lagrangian.model.spring"),
    "Initial": "lagrangian.model.configuration",
    "Mechanism": "lagrangian.model.mechanism",
    "Placement": "lagrangian.model.placement",
    **dict.fromkeys(("disc", "rod"), "lagrangian.model.thin"),
    **dict.fromkeys(("Linearisation", "Mode", "equilibrium", "linearise"), "lagrangian.motion.linearise"),
    **dict.fromkeys(("assemble", "assembly_modes"), "lagrangian.configuration.assemble"),
    "consistent_speeds": "lagrangian.configuration.consistent_speeds",
    **dict.fromkeys(("Mobility", "mobility"), "lagrangian.configuration.mobility"),
    **dict.fromkeys(("Sampled", "Traced"), "lagrangian.motion.torque"),
    **dict.fromkeys(("ComparedTurns", "compare_turns"), "lagrangian.design.compare_turns"),
    "CouplerCurve": "lagrangian.design.coupler_curve",
    "Swing": "lagrangian.design.swing",
    "FourBar": "lagrangian.design.four_bar",
    "full_turn": "lagrangian.design.full_turn",
    **dict.fromkeys(("Singularities", "Singularity"), "lagrangian.design.singular"),
    "singularities": "lagrangian.design.singularities",
    **dict.fromkeys(("DeadCentre", "FullTurn"), "lagrangian.design.turn"),
    "Workspace": "lagrangian.design.reachable",
    "workspace": "lagrangian.design.workspace",
    **dict.fromkeys(("FourierPath", "exciting_path"), "lagrangian.identification.exciting"),
    "Identification": "lagrangian.identification.result",
    "identify": "lagrangian.identification.identify",
    **dict.fromkeys(("SolverComparison", "compare_solvers"), "lagrangian.motion.compare_solvers"),
    "Motion": "lagrangian.motion.motion",
    "Motions": "lagrangian.motion.motions",
    "PathMotion": "lagrangian.inverse_dynamics.path_motion",
    "inverse": "lagrangian.inverse_dynamics.inverse",
    "inverse_kinematics": "lagrangian.kinematics.inverse_kinematics",
    "read": "lagrangian.motion.files",
    **dict.fromkeys(("dumps", "save", "written"), "lagrangian.saving"),
    "Written": "lagrangian.description.writing.written",
    "simulate": "lagrangian.motion.simulate",
    **dict.fromkeys(("Sensitivities", "sensitivities"), "lagrangian.motion.sensitivity.sensitivities"),
    **dict.fromkeys(("Optimum", "optimise"), "lagrangian.optimisation.optimise"),
    **dict.fromkeys(("Ending", "Status"), "lagrangian.motion.status"),
    "derive": "lagrangian.closed_form.derive",
    "Equations": "lagrangian.closed_form.equations",
    "Formula": "lagrangian.equations.formula",
    "FormulaMatrix": "lagrangian.equations.formula_matrix",
    **dict.fromkeys(("Certified", "CertifiedState"), "lagrangian.proven_digits.certified"),
    "certify": "lagrangian.proven_digits.certify",
    "ProvenNumber": "lagrangian.proven_digits.number",
    **dict.fromkeys(("Sizing", "size_actuators"), "lagrangian.sizing.actuators"),
    **dict.fromkeys(("Gear", "GearRange"), "lagrangian.sizing.gears"),
    **dict.fromkeys(("Motor", "read_catalogue"), "lagrangian.sizing.motors"),
    **dict.fromkeys(("choice", "lognormal", "normal", "span", "triangular", "uniform"), "lagrangian.studies.distributions"),
    **dict.fromkeys(("Export", "export", "export_targets"), "lagrangian.exports.export"),
    "Indices": "lagrangian.studies.indices",
    "Study": "lagrangian.studies.result",
    "read_study": "lagrangian.studies.files",
    "study": "lagrangian.studies.study",
}

# modules that are part of the face: lagrangian.paths.circle(...)
_MODULES = {"control": "lagrangian.control", "goals": "lagrangian.optimisation.goals", "paths": "lagrangian.paths"}

__all__ = [
    "ActuationError",
    "ArgumentError",
    "AssemblyError",
    "AssemblyWarning",
    "Body",
    "CartesianDynamics",
    "Certified",
    "CertifiedState",
    "ClosedError",
    "ComparedTurns",
    "CoordinateSpring",
    "CostError",
    "CouplerCurve",
    "DHRow",
    "DeadCentre",
    "DescriptionError",
    "Dynamics",
    "EndedEarlyWarning",
    "Ending",
    "Equations",
    "Event",
    "Export",
    "Formula",
    "FormulaMatrix",
    "FourBar",
    "FourierPath",
    "Frame",
    "Friction",
    "FullTurn",
    "Gear",
    "GearRange",
    "GravityCompensation",
    "Holonomic",
    "Identification",
    "Indices",
    "Initial",
    "Joint",
    "JointSpring",
    "KnifeEdge",
    "LagrangianError",
    "LagrangianWarning",
    "Limits",
    "Linearisation",
    "Linearization",
    "Lock",
    "LoopJoint",
    "Mechanism",
    "MechanismError",
    "MechanismWarning",
    "Mobility",
    "Mode",
    "Motion",
    "Motions",
    "Motor",
    "Optimum",
    "PathMotion",
    "PathWarning",
    "Pfaffian",
    "PfaffianFunction",
    "Placement",
    "PointSpring",
    "ProvenNumber",
    "ReachError",
    "ReaderWarning",
    "ReportWarning",
    "Rolling",
    "Rotor",
    "Sampled",
    "SampledDynamics",
    "Sensitivities",
    "SetParameters",
    "SetPayload",
    "SetTorque",
    "SimulationError",
    "SimulationWarning",
    "SingularWarning",
    "Singularities",
    "Singularity",
    "Sizing",
    "SolverComparison",
    "Status",
    "Study",
    "StudyWarning",
    "Swing",
    "Traced",
    "Unlock",
    "Wall",
    "Workspace",
    "WriterWarning",
    "Written",
    "assemble",
    "assembly_modes",
    "box",
    "capsule",
    "certify",
    "choice",
    "compare_solvers",
    "compare_turns",
    "compile",
    "consistent_speeds",
    "control",
    "cylinder",
    "derive",
    "disc",
    "dumps",
    "ellipsoid",
    "equilibrium",
    "exciting_path",
    "export",
    "export_targets",
    "full_turn",
    "goals",
    "identify",
    "inverse",
    "inverse_kinematics",
    "library",
    "linearise",
    "linearize",
    "load",
    "loads",
    "lognormal",
    "mobility",
    "normal",
    "optimise",
    "optimize",
    "parameter",
    "paths",
    "plate",
    "point_mass",
    "read",
    "read_catalog",
    "read_catalogue",
    "read_study",
    "rod",
    "rotate_inertia",
    "save",
    "sensitivities",
    "simulate",
    "singularities",
    "size_actuators",
    "span",
    "sphere",
    "study",
    "triangular",
    "tube",
    "uniform",
    "workspace",
    "written",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value = import_module(_MODULES[name])
    elif name in _LATER:
        value = public(getattr(import_module(_LATER[name]), name))
        if not isinstance(value, type):
            value.__module__ = __name__  # where it is found again when it is unpickled
    elif name in __all__:
        value = __getattr__(other_spelling(name))
    else:
        raise AttributeError(one_of(f"attribute of {__name__!r} called", name, __all__), name=name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
