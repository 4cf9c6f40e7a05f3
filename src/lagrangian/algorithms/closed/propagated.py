"""The equations of motion with multipliers by articulated bodies, for long mechanisms of many loops: work in proportion to links.

Gauss's principle makes M qdd = f + Psi^T lambda, Psi qdd + gamma = 0 a saddle point of a quadratic function of the accelerations
and the multipliers. It is eliminated from the tips to the ground: each joint's acceleration as in the articulated-body algorithm,
each loop's multipliers at the link on which the loop stands, once all its joints are eliminated. What a link then shows of all
that it carries is

    1/2 a^T IA a + p^T a - lambda^T (K a + k) - 1/2 lambda^T Lambda lambda,

with a its acceleration and lambda the multipliers of loops that reach further inward. (Bae and Haug 1987; Popov and Vereshchagin
1978; Sathya, Bruyninckx, Decre and Pipeleers 2024.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from lagrangian.algorithms.closed import constraints
from lagrangian.algorithms.closed.cholesky import Blocks, Sparse
from lagrangian.algorithms.closed.constrained import ROUNDING, Ranks, State, rank_by
from lagrangian.algorithms.forward_dynamics import clear_sym, outer_sub_sym, shift, unit
from lagrangian.algorithms.link import Link, inverse, is_zero
from lagrangian.algorithms.tree import Tree
from lagrangian.model import vector as v
from lagrangian.model.expression import functions as f
from lagrangian.model.joints.joint_type import Column
from lagrangian.model.mechanism import Mechanism

# speeds from which on there may be a choice; how many joints, for every speed, carry the equations of loops; and how many
# speeds there are from the ground to a joint (the root of their mean square): the work through the mass matrix grows with it
SPEEDS, CARRYING, DEEP = 20, 2.0, 14.0

Six = tuple[v.Vector, v.Vector]  # a moment and a force, or an angular and a linear acceleration
NOTHING: Six = (v.ZERO, v.ZERO)


def propagates(mechanism: Mechanism, tree: Tree) -> bool:
    """Whether this is shorter than by the mass matrix, through which every loop acts on all others that the same joints carry.

    And so it is where a loop closes a long chain, whose mass matrix is full.
    """
    if tree.nv < SPEEDS:
        return False
    speeds: list[int] = []  # from the ground to each link
    for kind, parent in zip(tree.kind, tree.parent, strict=True):
        speeds.append(kind.nv + (speeds[parent] if parent >= 0 else 0))
    carrying = 0
    for loop in mechanism.loops:
        link = tree.carrying(tree.place[loop.a][0], tree.place[loop.b][0])
        carrying += loop.equations * speeds[link] if link >= 0 else 0
    squares = sum(kind.nv * depth**2 for kind, depth in zip(tree.kind, speeds, strict=True))
    return carrying > CARRYING * tree.nv or squares > DEEP**2 * tree.nv


class Joint(NamedTuple):
    """A speed that was eliminated: its number, column, IA S, 1/D, 1 where it is held, and of every row psi + K S."""

    speed: int
    column: Column
    U: Six
    inverse: Any
    held: Any
    c: dict[int, Any]


class Closing(NamedTuple):
    """Rows that were eliminated on a link: their system, K, and the solutions for K and for the rows that go on."""

    rows: list[int]
    system: Blocks
    K: list[Six]
    for_acceleration: list[Six]
    others: dict[int, tuple[list[Any], list[Any]]]  # of a row that goes on: Lambda beside the rows, and the solution for it


class Body:
    """What a link shows of all that it carries, without its right side."""

    def __init__(self) -> None:
        self.A: v.Symmetric = (0,) * 6
        self.B: v.Matrix = (v.ZERO,) * 3
        self.M: v.Symmetric = (0,) * 6
        self.K: dict[int, Six] = {}
        self.Lambda: dict[int, dict[int, Any]] = {}

    def add(self, A: v.Symmetric, B: v.Matrix, M: v.Symmetric) -> None:
        self.A, self.B, self.M = v.sym_add(self.A, A), v.mat_add(self.B, B), v.sym_add(self.M, M)

    def couple(self, r: int, s: int, x: Any) -> None:
        """Lambda of two rows grows by x."""
        if is_zero(x):
            return
        for i, j in {(r, s), (s, r)}:
            row = self.Lambda.setdefault(i, {})
            row[j] = row.get(j, 0) + x


class Propagated:
    """The multipliers' equations at one state, as `Constrained` has them; ranks are those of rows in the order of `closings`."""

    def __init__(
        self,
        state: State,
        rows: Sequence[constraints.Row],
        redundant: bool,
        held: Mapping[int, Any] | None = None,
        ranks: Ranks = (),
    ) -> None:
        self.state, self.rows = state, [row for row in rows if row.psi]
        self._held, self._redundant, self._ranks = held or {}, redundant, ranks
        self.ratio: Any = 1.0
        self._least: list[Any] = [0.0] * len(self.rows)
        self._psi: dict[int, dict[int, Any]] = {}  # by speed and row
        for r, row in enumerate(self.rows):
            for k, x in row.psi.items():
                self._psi.setdefault(k, {})[r] = x
        tree = state.tree
        self._closed_on = closings(tree, [(row.name, row.psi) for row in self.rows])
        self._joints: list[list[Joint]] = [[] for _ in range(len(tree))]
        self._closings: dict[int, Closing] = {}
        bodies = [Body() for _ in range(len(tree) + 1)]  # the last is the ground
        for i in range(len(tree) - 1, -1, -1):
            link, body = state.links[i], bodies[i]
            body.add(link.I, v.skew(link.h), (link.mass, 0, 0, link.mass, 0, link.mass))
            self._close(i, body)
            for k, column in enumerate(link.columns):
                self._joints[i].append(self._eliminate(link, k, column, body))
            self._hand_on(link, body, bodies[tree.parent[i]])
        self._close(-1, bodies[-1])

    # -- the matrix --------------------------------------------------------------------------------------------------

    def _eliminate(self, link: Link, k: int, column: Column, body: Body) -> Joint:
        """A joint's acceleration: x = 1/D (u - U a + c lambda)."""
        angular, linear = column
        speed = link.iv + k
        un = v.add(v.sym_vec(body.A, angular), v.mat_vec(body.B, linear))
        uf = v.add(v.mat_t_vec(body.B, angular), v.sym_vec(body.M, linear))
        unheld = inverse(v.dot(angular, un) + v.dot(linear, uf) + link.rotor)
        held = self._held.get(speed, 0)
        own = unheld * (1 - held) if speed in self._held else unheld
        gn, gf = v.scale(own, un), v.scale(own, uf)
        body.A, body.M = outer_sub_sym(body.A, gn, un), outer_sub_sym(body.M, gf, uf)
        body.B = tuple(tuple(body.B[i][j] - gn[i] * uf[j] for j in range(3)) for i in range(3))  # type: ignore[assignment]
        place = unit(column) if is_zero(link.rotor) and is_zero(held) else None
        if place is not None:
            _clear(body, place)
        psi, c = self._psi.get(speed, {}), {}
        for r in sorted({*body.K, *psi}):
            K = body.K.get(r, NOTHING)
            x = psi.get(r, 0) + (v.dot(angular, K[0]) + v.dot(linear, K[1]))
            if not is_zero(x):
                c[r] = x
                self._least[r] = self._least[r] + ROUNDING**2 * unheld
                taken = v.sub(K[0], v.scale(x, gn)), v.sub(K[1], v.scale(x, gf))
                body.K[r] = taken if place is None else _with(taken, place, -psi.get(r, 0))
        for r, x in c.items():
            scaled = x * own
            for s, y in c.items():
                if s <= r:
                    body.couple(r, s, scaled * y)
        return Joint(speed, column, (un, uf), own, held, c)

    def _close(self, i: int, body: Body) -> None:
        """The multipliers of all loops that stand on this link: lambda = -Lambda^-1 (K a + k + Lambda lambda of the others)."""
        rows = [r for r in self._closed_on.get(i, ()) if r in body.Lambda]
        if not rows:
            return
        at = {r: k for k, r in enumerate(rows)}
        A: Sparse = [dict(sorted((at[s], x) for s, x in body.Lambda[r].items() if s in at)) for r in rows]
        names = [self.rows[r].name for r in rows]
        known = rank_by(names, self._ranks) if self._ranks else None
        system = Blocks(A, self._redundant, [self._least[r] for r in rows], [constraints.owner(x) for x in names], known)
        self.ratio = f.minimum(self.ratio, system.ratio)
        K = [body.K.pop(r, NOTHING) for r in rows] if i >= 0 else [NOTHING] * len(rows)
        going = sorted({s for r in rows for s in body.Lambda[r] if s not in at})
        columns = [system.solve([K[k][half][c] for k in range(len(rows))]) for half in range(2) for c in range(3)]
        X = [(tuple(x[k] for x in columns[:3]), tuple(x[k] for x in columns[3:])) for k in range(len(rows))]
        others = {}
        for s in going:
            beside = [body.Lambda[s].pop(r, 0) for r in rows]
            others[s] = beside, system.solve(beside)
        for r in rows:
            del body.Lambda[r]
        self._closings[i] = Closing(rows, system, K, X, others)
        self._stiffen(body, self._closings[i])

    def _stiffen(self, body: Body, closing: Closing) -> None:
        """What the loops that are closed add to the inertia, and take off the rows that go on."""
        pairs = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
        for (Kn, Kf), (Xn, Xf) in zip(closing.K, closing.for_acceleration, strict=True):
            body.add(
                tuple(Kn[i] * Xn[j] for i, j in pairs),
                tuple(tuple(Kn[i] * Xf[j] for j in range(3)) for i in range(3)),  # type: ignore[arg-type]
                tuple(Kf[i] * Xf[j] for i, j in pairs),
            )
        for s, (beside, _) in closing.others.items():
            Kn, Kf = body.K.get(s, NOTHING)
            for x, (Xn, Xf) in zip(beside, closing.for_acceleration, strict=True):
                if not is_zero(x):
                    Kn, Kf = v.sub(Kn, v.scale(x, Xn)), v.sub(Kf, v.scale(x, Xf))
            body.K[s] = Kn, Kf
            for r, (_, solution) in closing.others.items():
                if r <= s:
                    body.couple(s, r, -sum((x * y for x, y in zip(beside, solution, strict=True)), 0))

    def _hand_on(self, link: Link, body: Body, parent: Body) -> None:
        """To the parent's axes and origin."""
        A, B, M = link.sym_to_parent(body.A), link.mat_to_parent(body.B), link.sym_to_parent(body.M)
        A, B = shift(link.offset, A, B, M)
        parent.add(A, B, M)
        for r, K in body.K.items():
            n, force = _wrench_to_parent(link, K)
            had = parent.K.get(r, NOTHING)
            parent.K[r] = v.add(had[0], n), v.add(had[1], force)
        for r, row in body.Lambda.items():
            for s, x in row.items():
                if s <= r:
                    parent.couple(r, s, x)

    # -- right sides -------------------------------------------------------------------------------------------------

    def acceleration(self, force: Sequence[Any], gamma: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """qdd, lambda, and what holds each speed, for f = `force`; gamma as the rows have it, or stabilised."""
        return self._outward(*self._inward(force, gamma))

    def correction(self, residual: Sequence[Any]) -> list[Any]:
        """The smallest x, measured by M, with Psi x = -residual."""
        return self.acceleration([0] * self.state.tree.nv, residual)[0]

    def _inward(self, force: Sequence[Any], gamma: Sequence[Any]) -> tuple[list[Any], dict[int, list[Any]]]:
        """What is left along each speed, u, and of each closing Lambda^-1 k."""
        tree, links = self.state.tree, self.state.links
        u: list[Any] = [0] * tree.nv
        k = list(gamma)
        p: list[Six] = [NOTHING] * (len(tree) + 1)
        closed: dict[int, list[Any]] = {}
        for i in range(len(tree) - 1, -2, -1):
            pn, pf = p[i]
            if i in self._closings:
                closing = self._closings[i]
                y = closed[i] = closing.system.solve([k[r] for r in closing.rows])
                for (Kn, Kf), x in zip(closing.K, y, strict=True):
                    pn, pf = v.add(pn, v.scale(x, Kn)), v.add(pf, v.scale(x, Kf))
                for s, (beside, _) in closing.others.items():
                    for x, z in zip(beside, y, strict=True):
                        k[s] = k[s] - x * z
            if i < 0:
                break
            for joint in self._joints[i]:
                angular, linear = joint.column
                own = u[joint.speed] = force[joint.speed] - (v.dot(angular, pn) + v.dot(linear, pf))
                step = joint.inverse * own
                pn, pf = v.add(pn, v.scale(step, joint.U[0])), v.add(pf, v.scale(step, joint.U[1]))
                for r, c in joint.c.items():
                    k[r] = k[r] + c * step
            n, force_on = _wrench_to_parent(links[i], (pn, pf))
            had = p[tree.parent[i]]
            p[tree.parent[i]] = v.add(had[0], n), v.add(had[1], force_on)
        return u, closed

    def _outward(self, u: Sequence[Any], closed: Mapping[int, list[Any]]) -> tuple[list[Any], list[Any], list[Any]]:
        tree, links = self.state.tree, self.state.links
        x: list[Any] = [0] * tree.nv
        holding: list[Any] = [0] * tree.nv
        multipliers: list[Any] = [0] * len(self.rows)
        motions: list[Six] = [NOTHING] * (len(tree) + 1)
        for i in range(-1, len(tree)):
            if i >= 0:
                link, (al, l) = links[i], motions[tree.parent[i]]
                l = link.to_child(v.add(l, v.cross(al, link.offset)))
                al = link.to_child(al)
                for joint in reversed(self._joints[i]):
                    left = u[joint.speed] - (v.dot(joint.U[0], al) + v.dot(joint.U[1], l))
                    for r, c in joint.c.items():
                        left = left + c * multipliers[r]
                    x[joint.speed] = step = joint.inverse * left
                    if joint.speed in self._held:
                        holding[joint.speed] = -(joint.held * left)
                    al = v.add(al, v.scale(step, joint.column[0]))
                    l = v.add(l, v.scale(step, joint.column[1]))
                motions[i] = al, l
            if i in self._closings:
                self._found(self._closings[i], closed[i], motions[i], multipliers)
        return x, multipliers, holding

    def _found(self, closing: Closing, y: Sequence[Any], motion: Six, multipliers: list[Any]) -> None:
        for j, r in enumerate(closing.rows):
            Xn, Xf = closing.for_acceleration[j]
            total = y[j] + (v.dot(Xn, motion[0]) + v.dot(Xf, motion[1]))
            for s, (_, solution) in closing.others.items():
                total = total + solution[j] * multipliers[s]
            multipliers[r] = -total


def closings(tree: Tree, rows: Sequence[tuple[str, Iterable[int]]]) -> dict[int, list[int]]:
    """Rows by the link on which their loop stands, the ground being -1, in the order in which they are eliminated.

    Of each row, its name and its speeds are given. A loop stands on the outermost link that carries all its joints.
    """
    of = {tree.iv[i] + k: i for i in range(len(tree)) for k in range(tree.kind[i].nv)}
    loops: dict[str, tuple[set[int], list[int]]] = {}
    for r, (name, speeds) in enumerate(rows):
        joints, own = loops.setdefault(constraints.owner(name), (set(), []))
        joints.update(of[k] for k in speeds)
        own.append(r)
    found: dict[int, list[int]] = {}
    for joints, own in loops.values():
        ways = [tree.towards_ground(tree.parent[i]) for i in joints]
        common = [link for link, *others in zip(*ways, strict=False) if all(x == link for x in others)]
        found.setdefault(common[-1] if common else -1, []).extend(own)
    return {i: found[i] for i in sorted(found, reverse=True)}


def _clear(body: Body, place: int) -> None:
    """Nothing can be pushed along a free axis: its row and column are zero, exactly."""
    if place < 3:
        body.A = clear_sym(body.A, place)
        body.B = tuple(v.ZERO if i == place else row for i, row in enumerate(body.B))  # type: ignore[assignment]
    else:
        body.M = clear_sym(body.M, place - 3)
        body.B = tuple(tuple(0 if j == place - 3 else x for j, x in enumerate(row)) for row in body.B)  # type: ignore[assignment]


def _with(K: Six, place: int, x: Any) -> Six:
    six = [*K[0], *K[1]]
    six[place] = x
    return tuple(six[:3]), tuple(six[3:])


def _wrench_to_parent(link: Link, wrench: Six) -> Six:
    force, n = link.wrench_to_parent(wrench[1], wrench[0])
    return n, force
