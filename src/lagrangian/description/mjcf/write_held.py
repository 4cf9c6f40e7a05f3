"""What holds and pulls in MJCF: equalities for loops and couplings, tendons for springs and distances."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from lagrangian.description.writing import left_out
from lagrangian.description.writing.formulas import affine, polynomial
from lagrangian.description.writing.names import Names
from lagrangian.description.writing.poses import APART, Loops
from lagrangian.description.writing.tags import Tag
from lagrangian.description.writing.written import Remarks
from lagrangian.model import vector as v
from lagrangian.model.constraint import Holonomic
from lagrangian.model.expression import Scalar, free_symbols, substituted
from lagrangian.model.expression.derivative import derivative
from lagrangian.model.loop import LoopJoint
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Placement
from lagrangian.model.spring import CoordinateSpring, GravityCompensation, PointSpring

_DEGREE = 4  # of the polynomials that couple joints
# as hard as MuJoCo's constraints are: ours do not give way
_HARD = {"solref": (0.004, 1.0), "solimp": (0.9999, 0.9999, 0.001, 0.5, 2.0)}

Site = Callable[[str, Placement, str], str]  # a body, where, a name: the name that the site has


class Held:
    """Collects equalities and tendons. `values` are the coordinates as the model is written, `joints` their names in the file."""

    def __init__(
        self, m: Mechanism, joints: Mapping[str, str], values: Mapping[str, float], site: Site, remarks: Remarks
    ) -> None:
        self.m, self.joints, self.values, self.site, self.remarks = m, joints, values, site, remarks
        self.equality, self.tendon = Tag("equality"), Tag("tendon")
        self.gravcomp: dict[str, float] = {}
        self._names, self._tendons = Names(remarks), Names(remarks)

    # -- loops ---------------------------------------------------------------------------------------------------------

    def loops(self, at: Mapping[str, np.ndarray], closed: Mapping[str, np.ndarray]) -> None:
        """The loops; `at` is where the bodies are as the model is written, `closed` where the loops are."""
        seen = Loops(self.m)
        for loop in self.m.loops:
            match seen.kind(loop):
                case "ball":
                    self._joined("connect", loop)
                case "fixed":
                    self._joined("weld", loop)
                case "revolute":
                    self._joined("connect", loop)
                    if not seen.parallel(loop):  # else one point is enough, as in a plane
                        self._joined("connect", loop, APART, "_axis", APART * _sense(loop, closed))
                case "distance":
                    self._distance(loop, at)
                case other:
                    left_out.loop(loop.name, other, self.remarks)
                    continue
            self.remarks.add("loop", "{is} soft in MuJoCo, as all constraints are there", loop.name)

    def _joined(self, tag: str, loop: LoopJoint, on_a: float = 0.0, more: str = "", on_b: float = 0.0) -> None:
        """Sites at the frames of a loop, or so far along its axis from them."""
        ends = []
        for body, place, far, end in ((loop.a, loop.a_placement, on_a, "a"), (loop.b, loop.b_placement, on_b, "b")):
            along = Placement(position=v.scale(far, loop.axis)) if far else Placement()
            ends.append(self.site(body, place @ along, f"{loop.name}{more}_{end}"))
        a, b = ends
        name = self._names("loop", loop.name) if not more else self._names.new(f"{loop.name}{more}")
        self.equality.add(Tag(tag, name=name, site1=a, site2=b, **_HARD))

    def _distance(self, loop: LoopJoint, at: Mapping[str, np.ndarray]) -> None:
        ends = ((loop.a, loop.a_placement), (loop.b, loop.b_placement))
        points = [(at[body] @ place.matrix())[:3, 3] for body, place in ends]
        tendon = self._tendons("loop", loop.name)
        sites = [self.site(body, place, f"{loop.name}_{end}") for (body, place), end in zip(ends, "ab", strict=True)]
        self.tendon.add(Tag("spatial", [Tag("site", site=x) for x in sites], name=tendon))
        off = float(loop.length) - math.dist(*points)
        self.equality.add(Tag("tendon", name=self._names("loop", loop.name), tendon1=tendon, polycoef=(off, 0, 0, 0, 0), **_HARD))

    # -- couplings -----------------------------------------------------------------------------------------------------

    def couple(self, name: str, follower: str, leader: str, polynomial: tuple[float, ...]) -> None:
        """follower = polynomial(leader), which MuJoCo has in differences from the positions as the model is written."""
        x0, y0 = self.values[leader], self.values[follower]
        about = np.polynomial.Polynomial(polynomial)(np.polynomial.Polynomial([x0, 1.0])).coef
        coefficients = [0.0] * (_DEGREE + 1)
        coefficients[: len(about)] = about.tolist()
        coefficients[0] -= y0
        self.equality.add(
            Tag(
                "joint",
                name=self._names.new(name),
                joint1=self.joints[follower],
                joint2=self.joints[leader],
                polycoef=tuple(coefficients),
                **_HARD,
            )
        )

    def constraint(self, given: Holonomic) -> None:
        """An equation of coordinates, if it is one of those that MuJoCo has."""
        names = sorted(free_symbols(given.equation))
        if given.unilateral or not all(name in self.joints for name in names) or not self._constraint(given, names):
            left_out.constraint(given, self.remarks)

    def _constraint(self, given: Holonomic, names: list[str]) -> bool:
        sides = affine(given.equation)
        if sides is not None and len(sides[0]) == 1:
            (name, c), added = next(iter(sides[0].items())), sides[1]
            off = -added / c - self.values[name]
            tag = Tag("joint", name=self._names("constraint", given.name), joint1=self.joints[name], polycoef=(off, 0, 0, 0, 0))
            self.equality.add(tag)
            tag.attributes |= Tag("", **_HARD).attributes
            return True
        if len(names) == 2:
            for follower in names:
                (leader,) = (name for name in names if name != follower)
                by = _solved(given.equation, follower, leader)
                if by is not None:
                    self.couple(given.name, follower, leader, by)
                    return True
        if sides is None or not sides[0]:
            return False
        tendon = self._fixed(given.name, sides[0])
        off = -sides[1] - sum(c * self.values[name] for name, c in sides[0].items())
        tag = Tag("tendon", name=self._names("constraint", given.name), tendon1=tendon, polycoef=(off, 0, 0, 0, 0), **_HARD)
        self.equality.add(tag)
        return True

    def _fixed(self, name: str, coefficients: Mapping[str, float], **more: object) -> str:
        """A tendon that is a sum of coordinates."""
        made = self._tendons("tendon", name)
        terms = [Tag("joint", joint=self.joints[joint], coef=c) for joint, c in coefficients.items()]
        self.tendon.add(Tag("fixed", terms, name=made, **more))
        return made

    # -- springs -------------------------------------------------------------------------------------------------------

    def spring(self, given: object) -> None:
        if isinstance(given, GravityCompensation):
            self.gravcomp[given.body] = self.gravcomp.get(given.body, 0.0) + float(given.factor)
        elif isinstance(given, PointSpring):
            sites = [self.site(body, Placement(position=p), f"{given.name}_{k + 1}") for k, (body, p) in enumerate(given.points)]
            own = _tension(given, float(given.rest))
            self.tendon.add(Tag("spatial", [Tag("site", site=x) for x in sites], name=self._tendons("spring", given.name), **own))
        elif isinstance(given, CoordinateSpring) and self._coordinate_spring(given):
            pass
        else:
            left_out.spring(given, self.remarks)

    def _coordinate_spring(self, given: CoordinateSpring) -> bool:
        sides = affine(given.length)
        if sides is None or not all(name in self.joints for name in sides[0]):
            return False
        rest = float(given.rest) - sides[1]
        if rest == -1 and not float(given.slack):  # by which MuJoCo means that none is given
            self._fixed(given.name, {name: -c for name, c in sides[0].items()}, **_tension(given, 1.0))
        else:
            self._fixed(given.name, sides[0], **_tension(given, rest))
        return True


def _sense(loop: LoopJoint, at: Mapping[str, np.ndarray]) -> int:
    """Whether the axes of a revolute loop point the same way, 1, or against each other, -1, as both close it."""
    axis = np.array(loop.axis, dtype=float)
    ends = [(at[b] @ p.matrix())[:3, :3] @ axis for b, p in ((loop.a, loop.a_placement), (loop.b, loop.b_placement))]
    return 1 if float(ends[0] @ ends[1]) >= 0 else -1


def _tension(given: PointSpring | CoordinateSpring, rest: float) -> dict[str, object]:
    own: dict[str, object] = {"stiffness": given.stiffness}
    own |= {"damping": given.damping} if float(given.damping) else {}
    slack = float(given.slack)
    return own | {"springlength": (rest, rest + slack) if slack else rest}


def _solved(equation: Scalar, follower: str, leader: str) -> tuple[float, ...] | None:
    """The polynomial of the leader that the follower is; None if it is none."""
    slope = derivative(equation, follower)
    if free_symbols(slope) or not float(slope):
        return None
    rest = polynomial(substituted(equation, {follower: 0}), leader, _DEGREE)
    return None if rest is None else tuple(-x / float(slope) for x in rest)
