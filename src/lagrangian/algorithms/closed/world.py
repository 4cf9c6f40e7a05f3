"""Poses and motions of bodies in the world's axes, with their slopes along the speeds: what constraints are written in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lagrangian.algorithms.closed.jet import Jet, Rate, Slopes
from lagrangian.algorithms.link import Link, is_zero
from lagrangian.algorithms.tree import Tree
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar
from lagrangian.model.placement import Placement

Jets = tuple[Any, Any, Any]  # a vector: numbers or jets
Rates = tuple[Any, Any, Any]


class Motion:
    """A link in the world: orientation and origin, angular and linear velocity, and both accelerations without qdd."""

    __slots__ = ("R", "a", "al", "u", "w", "x")

    def __init__(self, R: v.Matrix, x: v.Vector, w: v.Vector, u: v.Vector, al: v.Vector, a: v.Vector) -> None:
        self.R, self.x, self.w, self.u, self.al, self.a = R, x, w, u, al, a


class Frame:
    """A frame on a link: its origin and axes as jets, its angular velocity as rates."""

    def __init__(self, world: World, link: int, placement: Placement, beyond: int) -> None:
        self.world, self.link, self._placement, self._beyond = world, link, placement, beyond
        self._read = world.tree.read

    @property
    def origin(self) -> Jets:
        return self.world.point(self.link, self._placement.position, self._beyond)

    def direction(self, axis: v.Vector) -> Jets:
        """A direction given in the frame, in the world."""
        return self._turned(self._read.vector(axis))

    def triad(self, axis: v.Vector) -> tuple[Jets, Jets, Jets]:
        """Two directions across an axis that is given in the frame, and the axis, in the world."""
        x, y, z = v.transpose(self._read.triad(axis))
        return self._turned(x), self._turned(y), self._turned(z)

    def _turned(self, axis: v.Vector) -> Jets:
        return self.world.direction(self.link, v.mat_vec(self._placement.rotation, axis), self._beyond)

    def number(self, scalar: Scalar) -> Any:
        return self.world.number(scalar)

    def vanishes(self, x: Any) -> bool:
        """Whether a part of a direction is zero by structure."""
        return is_zero(x) or (isinstance(x, Jet) and is_zero(x.value))

    @property
    def angular_velocity(self) -> Rates:
        return self.world.angular_velocity(self.link)


class World:
    """The links of a tree in the world, each computed when first asked for."""

    def __init__(self, tree: Tree, links: Sequence[Link]) -> None:
        self.tree, self.links = tree, links
        self._motions: dict[int, Motion] = {
            -1: Motion(v.IDENTITY, v.ZERO, v.ZERO, v.ZERO, v.ZERO, v.ZERO),
        }
        self._columns: dict[int, tuple[v.Vector, v.Vector]] = {}

    def frame(self, body: str, placement: Placement, beyond: int = -1) -> Frame:
        """A frame on a body, with slopes along the joints further out than a link that carries it."""
        link, at = self.tree.place[body]
        return Frame(self, link, self.tree.read.place(at, placement), beyond)

    def carrying(self, a: str, b: str) -> int:
        """The outermost link that carries both bodies, or is one of them; -1 is the ground."""
        return self.tree.carrying(self.tree.place[a][0], self.tree.place[b][0])

    def number(self, x: Scalar) -> Any:
        """A number of the description."""
        return self.tree.read.number(x)

    def motion(self, i: int) -> Motion:
        if i not in self._motions:
            for j in self.tree.towards_ground(i):
                if j not in self._motions:
                    self._motions[j] = self._move(self.links[j], self._motions[self.tree.parent[j]])
        return self._motions[i]

    def _move(self, link: Link, parent: Motion) -> Motion:
        """From the parent's motion, by the rules of relative motion, in the world's axes."""
        R = link.compose(parent.R)
        r = v.mat_vec(parent.R, link.offset)
        wj, vj = (v.mat_vec(R, part) for part in link.motion(link.qd))
        for k, (angular, linear) in enumerate(link.columns):
            self._columns[link.iv + k] = (v.mat_vec(R, angular), v.mat_vec(R, linear))
        w = v.add(parent.w, wj)
        carried = v.cross(parent.w, r)
        u = v.add(v.add(parent.u, carried), vj)
        al = v.add(parent.al, v.cross(parent.w, wj))
        a = v.add(parent.a, v.add(v.cross(parent.al, r), v.cross(parent.w, v.add(carried, vj))))
        a = v.add(a, v.cross(w, vj))
        if link.column_rates:
            bw, bv = (v.mat_vec(R, part) for part in link.bias)
            al = v.add(al, bw)
            a = v.add(a, bv)
        return Motion(R, v.add(parent.x, r), w, u, al, a)

    def point(self, link: int, position: v.Vector, beyond: int) -> Jets:
        """A point fixed to a link."""
        m = self.motion(link)
        r = v.mat_vec(m.R, position)
        x = v.add(m.x, r)
        turned = v.cross(m.w, r)
        rate = v.add(m.u, turned)
        bias = v.add(m.a, v.add(v.cross(m.al, r), v.cross(m.w, turned)))
        return _jets(x, rate, bias, self._point_slopes(link, x, beyond))

    def _way(self, link: int, beyond: int) -> list[int]:
        """The links from the one after `beyond` to a link that it carries."""
        way = self.tree.towards_ground(link)
        return way if beyond < 0 else way[way.index(beyond) + 1 :]

    def _point_slopes(self, link: int, x: v.Vector, beyond: int) -> dict[Any, v.Vector]:
        """How a point of a link, now at x, moves with every speed."""
        slopes = {}
        for i in self._way(link, beyond):
            here = self._motions[i].x
            for k in range(self.links[i].nv):
                angular, linear = self._columns[self.links[i].iv + k]
                slopes[self.links[i].iv + k] = v.add(linear, v.cross(angular, v.sub(x, here)))
        return slopes

    def direction(self, link: int, axis: v.Vector, beyond: int) -> Jets:
        """A direction fixed to a link."""
        m = self.motion(link)
        d = v.mat_vec(m.R, axis)
        rate = v.cross(m.w, d)
        bias = v.add(v.cross(m.al, d), v.cross(m.w, rate))
        return _jets(d, rate, bias, {k: v.cross(angular, d) for k, angular in self._angular(link, beyond)})

    def angular_velocity(self, link: int) -> Rates:
        m = self.motion(link)
        columns = self._angular(link, -1)
        return tuple(Rate(m.w[c], m.al[c], _kept({k: z[c] for k, z in columns})) for c in range(3))  # type: ignore[return-value]

    def _angular(self, link: int, beyond: int) -> list[tuple[Any, v.Vector]]:
        """How a link turns with every speed."""
        self.motion(link)
        return [
            (self.links[i].iv + k, self._columns[self.links[i].iv + k][0])
            for i in self._way(link, beyond)
            for k in range(self.links[i].nv)
        ]


class FreeWorld(World):
    """The same links, but slopes are along each link's own six velocities, as if it were free, and not along the joints'.

    A slope's key is `(link, 0..5)`: angular velocity, then that of the point at the world's origin. A constraint written in this
    world, or a spring, shows by virtual work the wrench it puts on every link.
    """

    def _point_slopes(self, link: int, x: v.Vector, beyond: int) -> dict[Any, v.Vector]:
        if link < 0:
            return {}
        turns = {(link, c): v.cross(axis, x) for c, axis in enumerate(v.IDENTITY)}
        return {**turns, **{(link, 3 + c): axis for c, axis in enumerate(v.IDENTITY)}}

    def _angular(self, link: int, beyond: int) -> list[tuple[Any, v.Vector]]:
        return [((link, c), axis) for c, axis in enumerate(v.IDENTITY)] if link >= 0 else []


def _jets(value: v.Vector, rate: v.Vector, bias: v.Vector, slopes: dict[Any, v.Vector]) -> Jets:
    return tuple(  # type: ignore[return-value]
        Jet(value[c], rate[c], bias[c], _kept({k: s[c] for k, s in slopes.items()})) for c in range(3)
    )


def _kept(slopes: Slopes) -> Slopes:
    return {k: x for k, x in slopes.items() if not is_zero(x)}
