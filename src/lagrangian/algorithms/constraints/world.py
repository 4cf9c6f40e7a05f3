"""Poses and motions of bodies in the world's axes, with their slopes along the speeds, in which constraints are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lagrangian.algorithms.constraints.jet import Jet, Rate, Slopes
from lagrangian.algorithms.link import Link, is_zero
from lagrangian.algorithms.tree import Tree
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar
from lagrangian.model.placement import Transform

Jets = tuple[Any, Any, Any]  # a vector: numbers or jets
Rates = tuple[Any, Any, Any]


class LinkMotion:
    """A link in the world: orientation and origin, angular and linear velocity, and both accelerations without qdd."""

    __slots__ = ("R", "a", "al", "u", "w", "x")

    def __init__(self, R: v.Matrix, x: v.Vector, w: v.Vector, u: v.Vector, al: v.Vector, a: v.Vector) -> None:
        self.R, self.x, self.w, self.u, self.al, self.a = R, x, w, u, al, a


class JetFrame:
    """A frame on a link: its origin and axes as jets, its angular velocity as rates."""

    def __init__(self, world: World, link: int, placement: Transform, outside_link: int) -> None:
        self.world, self.link, self._placement, self._outside_link = world, link, placement, outside_link
        self._reader = world.tree.reader

    @property
    def origin(self) -> Jets:
        return self.world.point(self.link, self._placement.position, self._outside_link)

    def direction(self, axis: v.Vector) -> Jets:
        """Return a direction of the frame in the world."""
        return self._rotate(self._reader.vector(axis))

    def triad(self, axis: v.Vector) -> tuple[Jets, Jets, Jets]:
        """Return two directions across an axis of the frame, and the axis, in the world."""
        x, y, z = v.transpose(self._reader.triad(axis))
        return self._rotate(x), self._rotate(y), self._rotate(z)

    def _rotate(self, axis: v.Vector) -> Jets:
        return self.world.direction(self.link, v.mat_vec(self._placement.rotation, axis), self._outside_link)

    def number(self, scalar: Scalar) -> Any:
        return self.world.number(scalar)

    def vanishes(self, x: Any) -> bool:
        """Whether a part of a direction is zero by structure."""
        return is_zero(x) or (isinstance(x, Jet) and is_zero(x.value))

    @property
    def angular_velocity(self) -> Rates:
        return self.world.angular_velocity(self.link)


class World:
    """The links of a tree in the world, each computed when it is first needed."""

    def __init__(self, tree: Tree, links: Sequence[Link]) -> None:
        self.tree, self.links = tree, links
        self._motions: dict[int, LinkMotion] = {
            -1: LinkMotion(v.IDENTITY, v.ZERO, v.ZERO, v.ZERO, v.ZERO, v.ZERO),
        }
        self._columns: dict[int, tuple[v.Vector, v.Vector]] = {}

    def frame(self, body: str, placement: Transform, outside_link: int = -1) -> JetFrame:
        """Return a frame on a body, with slopes along the joints further out than a link that carries it."""
        link, placement_on_link = self.tree.body_places[body]
        return JetFrame(self, link, self.tree.reader.frame_on_link(placement_on_link, placement), outside_link)

    def lowest_common_carrier(self, a: str, b: str) -> int:
        """Return the outermost link that carries both bodies, or is one of them; -1 is the ground."""
        return self.tree.lowest_common_ancestor(self.tree.body_places[a][0], self.tree.body_places[b][0])

    def number(self, x: Scalar) -> Any:
        """Return a number of the description."""
        return self.tree.reader.number(x)

    def motion(self, i: int) -> LinkMotion:
        if i not in self._motions:
            for j in self.tree.path_to_root(i):
                if j not in self._motions:
                    self._motions[j] = self._propagate_motion(self.links[j], self._motions[self.tree.parent[j]])
        return self._motions[i]

    def _propagate_motion(self, link: Link, parent: LinkMotion) -> LinkMotion:
        """Return the motion of a link from its parent's, by the rules of relative motion, in the world's axes."""
        R = link.compose(parent.R)
        r = v.mat_vec(parent.R, link.offset)
        wj, vj = (v.mat_vec(R, part) for part in link.joint_motion(link.qd))
        for k, (angular, linear) in enumerate(link.motion_subspace):
            self._columns[link.iv + k] = (v.mat_vec(R, angular), v.mat_vec(R, linear))
        w = v.add(parent.w, wj)
        transport_velocity = v.cross(parent.w, r)
        u = v.add(v.add(parent.u, transport_velocity), vj)
        al = v.add(parent.al, v.cross(parent.w, wj))
        a = v.add(parent.a, v.add(v.cross(parent.al, r), v.cross(parent.w, v.add(transport_velocity, vj))))
        a = v.add(a, v.cross(w, vj))
        if link.motion_subspace_rate:
            bw, bv = (v.mat_vec(R, part) for part in link.bias_acceleration)
            al = v.add(al, bw)
            a = v.add(a, bv)
        return LinkMotion(R, v.add(parent.x, r), w, u, al, a)

    def point(self, link: int, position: v.Vector, outside_link: int) -> Jets:
        """Return a point fixed to a link as jets."""
        m = self.motion(link)
        r = v.mat_vec(m.R, position)
        x = v.add(m.x, r)
        rotational_velocity = v.cross(m.w, r)
        rate = v.add(m.u, rotational_velocity)
        bias = v.add(m.a, v.add(v.cross(m.al, r), v.cross(m.w, rotational_velocity)))
        return _vector_of_jets(x, rate, bias, self._point_slopes(link, x, outside_link))

    def _path_links(self, link: int, outside_link: int) -> list[int]:
        """The links from the one after `outside_link` to a link that it carries."""
        path = self.tree.path_to_root(link)
        return path if outside_link < 0 else path[path.index(outside_link) + 1 :]

    def _point_slopes(self, link: int, x: v.Vector, outside_link: int) -> dict[Any, v.Vector]:
        """Return the slopes of a point of a link, now at x, along every speed."""
        slopes = {}
        for i in self._path_links(link, outside_link):
            origin = self._motions[i].x
            for k in range(self.links[i].nv):
                angular, linear = self._columns[self.links[i].iv + k]
                slopes[self.links[i].iv + k] = v.add(linear, v.cross(angular, v.sub(x, origin)))
        return slopes

    def direction(self, link: int, axis: v.Vector, outside_link: int) -> Jets:
        """Return a direction fixed to a link as jets."""
        m = self.motion(link)
        d = v.mat_vec(m.R, axis)
        rate = v.cross(m.w, d)
        bias = v.add(v.cross(m.al, d), v.cross(m.w, rate))
        return _vector_of_jets(
            d, rate, bias, {k: v.cross(angular, d) for k, angular in self._angular_columns(link, outside_link)}
        )

    def angular_velocity(self, link: int) -> Rates:
        m = self.motion(link)
        columns = self._angular_columns(link, -1)
        return tuple(Rate(m.w[c], m.al[c], _drop_zeros({k: z[c] for k, z in columns})) for c in range(3))  # type: ignore[return-value]

    def _angular_columns(self, link: int, outside_link: int) -> list[tuple[Any, v.Vector]]:
        """Return the angular velocity of a link by every speed."""
        self.motion(link)
        return [
            (self.links[i].iv + k, self._columns[self.links[i].iv + k][0])
            for i in self._path_links(link, outside_link)
            for k in range(self.links[i].nv)
        ]


class FreeWorld(World):
    """The same links, but slopes are along each link's own six velocities, as if it were free, and not along the joints'.

    A slope's key is `(link, 0..5)`: angular velocity, then that of the point at the world's origin. A constraint in this world,
    or a spring, gives the wrench on every link by virtual work.
    """

    def _point_slopes(self, link: int, x: v.Vector, outside_link: int) -> dict[Any, v.Vector]:
        if link < 0:
            return {}
        turns = {(link, c): v.cross(axis, x) for c, axis in enumerate(v.IDENTITY)}
        return {**turns, **{(link, 3 + c): axis for c, axis in enumerate(v.IDENTITY)}}

    def _angular_columns(self, link: int, outside_link: int) -> list[tuple[Any, v.Vector]]:
        return [((link, c), axis) for c, axis in enumerate(v.IDENTITY)] if link >= 0 else []


def _vector_of_jets(value: v.Vector, rate: v.Vector, bias: v.Vector, slopes: dict[Any, v.Vector]) -> Jets:
    return tuple(  # type: ignore[return-value]
        Jet(value[c], rate[c], bias[c], _drop_zeros({k: s[c] for k, s in slopes.items()})) for c in range(3)
    )


def _drop_zeros(slopes: Slopes) -> Slopes:
    return {k: x for k, x in slopes.items() if not is_zero(x)}
