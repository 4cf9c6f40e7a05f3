"""What follows a parameter otherwise than by a number that compiled code reads: its value is part of the code, or of a run.

Motions over samples of such a parameter are made one at a time, and derivatives along it are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lagrangian.algorithms.structure import AXIS_NAMES
from lagrangian.model.expression import Expression, walk
from lagrangian.model.expression.scalar import NumberWithSource
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.type_entries import EntryKind
from lagrangian.motion.torque import Torque

# functions that may jump or have a kink: where they are of time alone, the times are found before a run
DECIDED = ("piecewise", "sign", "floor", "abs", "max", "min")


class Following:
    """What depends on the parameters `names`, in a sentence each."""

    def __init__(self, mechanism: Mechanism, names: Iterable[str]) -> None:
        self.mechanism, self.names = mechanism, set(names)
        self._ids = {id(mechanism.parameters[name]) for name in self.names if name in mechanism.parameters}

    def depends(self, x: Any) -> bool:
        if isinstance(x, NumberWithSource):
            x = x.source
        if isinstance(x, (tuple, list)):
            return any(self.depends(item) for item in x)
        if not isinstance(x, Expression):
            return False
        return any(id(n) in self._ids or (n.operation == "symbol" and n.name in self.names) for n in walk(x))

    def code(self) -> Iterator[str]:
        """What is compiled: directions of axes, and profiles of cams."""
        model = self.mechanism
        for part in (*model.joints, *model.loops):
            for entry in part.kind.entries:
                if entry.kind in (EntryKind.AXIS, EntryKind.FUNCTION) and self.depends(getattr(part, entry.name)):
                    yield f"{entry.name!r} of {part.name!r}"
        for other in (*model.constraints, *model.springs):
            for name in AXIS_NAMES:
                if self.depends(getattr(other, name, None)):
                    yield f"{name!r} of {other.name!r}"

    def modes(self) -> Iterator[str]:
        """What decides when joints stick and stop."""
        for joint in self.mechanism.joints:
            f, limits = joint.friction, joint.limits
            if self.depends((f.coulomb, f.coulomb_negative, f.static, f.static_negative)):
                yield f"the dry friction of joint {joint.name!r}"
            if self.depends((limits.lower, limits.upper)):
                yield f"the limits of joint {joint.name!r}"

    def jumps(self, torque: Torque) -> Iterator[str]:
        """Torques and wrenches that may jump at times which follow the parameters."""
        entries = [(f"the torque of {name!r}", x) for name, x in torque.formulas.items()]
        entries += [(f"the wrench on {w.frame.name!r}", x) for w in torque.wrenches for x in w.entries]
        for what, x in entries:
            if isinstance(x, Expression) and self.depends(x) and any(n.operation in DECIDED for n in walk(x)):
                yield f"{what}, which may jump,"
