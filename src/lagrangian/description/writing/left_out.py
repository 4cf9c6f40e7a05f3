"""What no foreign format holds of a mechanism, said once for all of them."""

from __future__ import annotations

from lagrangian.description.writing.written import Remarks
from lagrangian.model.configuration import CONTROL
from lagrangian.model.constraint import Constraint, Holonomic
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.spring import CoordinateSpring, GravityCompensation, PointSpring


def common(m: Mechanism, remarks: Remarks) -> None:
    """Parameters, events and parts of bodies."""
    for name in m.parameters:
        if not name.startswith(CONTROL):
            remarks.add("parameter", f"{{is}} written by {{its}} value because {remarks.format} has no named parameters", name)
    for event in m.events:
        remarks.add("event", f"{{is}} left out because {remarks.format} has none", event.name, warn=True)


def spring(given: object, remarks: Remarks) -> None:
    """A spring, a wall or gravity compensation that is left out."""
    name = getattr(given, "name", "")
    kind, what = "wall", "compliant planes"
    if isinstance(given, PointSpring):
        kind, what = "spring", "springs of this kind between points"
    elif isinstance(given, CoordinateSpring):
        kind, what = "spring", "springs of these coordinates"
    elif isinstance(given, GravityCompensation):
        kind, what = "gravity compensation", "none of this kind"
        remarks.add(kind, f"{{is}} left out because {remarks.format} has {what}", name, warn=True)
        return
    remarks.add(kind, f"{{is}} left out because {remarks.format} has no {what}", name, warn=True)


def constraint(given: Constraint, remarks: Remarks) -> None:
    """A constraint that is left out."""
    what = "equations of this form" if isinstance(given, Holonomic) else "constraints of speeds"
    remarks.add("constraint", f"{{is}} left out because {remarks.format} has no {what}", given.name, warn=True)


def loop(name: str, kind: str, remarks: Remarks) -> None:
    """A loop joint that is left out."""
    meaning = f"{{is}} left out because {remarks.format} has no {kind} loops; the loop stays open"
    remarks.add("loop", meaning, name, warn=True)
