"""Where a page's motion begins: as the description says, or as the motion did, and what is held while loops are closed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.computing.subject import Subject
from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.configuration.start import Start, driven_speeds
from lagrangian.errors import LagrangianError
from lagrangian.model.configuration import Partial
from lagrangian.model.expression import parameters
from lagrangian.model.expression.written import Written
from lagrangian.model.mechanism import Mechanism

SAME = 1e-12


@dataclass(frozen=True)
class Begin:
    """`described` are entries of the state that the description gives, as scalars by their places.

    `own` says that the motion began as the description has it. A start that is `complete` closes the loops by itself, whatever
    the parameters are; else the coordinates `held` have their values, and the others are reached from where the motion began.
    """

    own: bool
    complete: bool
    described: dict[int, Any]
    held: tuple[str, ...]
    fixed: tuple[str, ...]  # speeds that are given, where not all of them are
    finds_speeds: bool = False  # whether the others are found anew

    @staticmethod
    def of(subject: Subject) -> Begin:
        mechanism = subject.mechanism
        single = single_coordinates(mechanism)
        if not _is_own(subject):
            leading = tuple(j.name for j in mechanism.joints if j.actuated and j.name in single)
            return Begin(False, not mechanism.equations, {}, leading if mechanism.equations else (), ())
        q, qd, nq = mechanism.initial.q, mechanism.initial.qd, mechanism.nq
        described = {k: x for k, x in enumerate(q or ()) if _given(q, mechanism.coordinate_names[k])}
        described |= {nq + k: x for k, x in enumerate(qd or ()) if _given(qd, mechanism.speed_names[k])}
        held = tuple(name for name in q.given if name in single) if isinstance(q, Partial) else ()
        fixed = tuple(qd.given) if isinstance(qd, Partial) else ()
        finds = bool(mechanism.equations) and (qd is None or isinstance(qd, Partial))
        return Begin(True, _complete(mechanism), described, held, fixed, finds)

    def to_dict(self, mechanism: Mechanism) -> dict[str, Any]:
        single, names = single_coordinates(mechanism), mechanism.coordinate_names
        places = [single[name] for name in self.held]
        speeds = [mechanism.speed_names.index(name) for name in self.fixed]
        said = [k for k in self.described if k < mechanism.nq and names[k] not in single] if self.own else []
        return {
            "own": self.own,
            "complete": self.complete,
            "held": [list(x) for x in places],
            "said": said,
            "fixed": speeds,
            "finds": self.finds_speeds,
            "driven": [mechanism.speed_names.index(name) for name in driven_speeds(mechanism)],
        }


def _given(row: Any, name: str) -> bool:
    return name in row.given if isinstance(row, Partial) else True


def _complete(mechanism: Mechanism) -> bool:
    """Whether a start follows the parameters as a whole; one in numbers was right for the lengths that its author had."""
    q = mechanism.initial.q
    if not mechanism.equations:
        return True
    return q is not None and not isinstance(q, Partial) and any(isinstance(x, Written) and parameters(x.scalar) for x in q)


def _is_own(subject: Subject) -> bool:
    """Whether the motion began where the mechanism's own start is."""
    motion, nq = subject.motion, subject.mechanism.nq
    try:
        start = Start(dynamics_of(subject.mechanism), None, motion.first)
        q, qd = start.q, start.speeds()
    except LagrangianError:
        return False
    y = subject.start
    return bool(np.abs(q - y[:nq]).max(initial=0.0) < SAME and np.abs(qd - y[nq:]).max(initial=0.0) < SAME)
