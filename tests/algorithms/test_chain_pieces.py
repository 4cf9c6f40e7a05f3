"""A chain in pieces is the chain: over numbers of 50 digits, whatever the pieces are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest

import lagrangian as lg
from lagrangian.algorithms import chain_pieces
from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS, velocities
from lagrangian.algorithms.link import Link
from lagrangian.algorithms.nested import flatten
from lagrangian.algorithms.sweep import Values, run
from lagrangian.model import vector as v
from tests.exact_links import links_of
from tests.mechanisms import random_mechanism, state

CHAINS = {
    "revolute": ["revolute"] * 12,
    "several kinds": ["ball", "revolute", "prismatic", "helical", "planar"] * 2,
    "floating": ["free", "universal", "revolute", "revolute", "gimbal", "helical"],
}


def take_half_of_inertia(link: Link) -> tuple[Any, v.Vector, v.Symmetric]:
    """Take half of a link's inertia away; what was taken."""
    link.mass, link.h, link.I = link.mass / 2, tuple(x / 2 for x in link.h), tuple(x / 2 for x in link.I)
    return link.mass, link.h, link.I


def nodes_of(parts: Sequence[Sequence[Link]], tree: trees.Tree) -> list[Values]:
    """Each piece swept by itself, with how fast its base turns."""
    result, w, body = [], v.ZERO, None
    for part in parts:
        span = chain_pieces.relative_rotations.start(tree)
        for link in part:
            span, _ = chain_pieces.relative_rotations.step(link, span)
        following = take_half_of_inertia(part[-1]) if part is not parts[-1] else None
        carry: Values = {"w": w}
        for link in part:
            carry, saves = velocities.step(link, carry)
            link.__dict__.update(saves)
        node = chain_pieces.articulate_with_handles.start(tree)
        for link in reversed(part):
            node, saves = chain_pieces.articulate_with_handles.step(link, node)
            link.__dict__.update(saves)
        result.append({**(node if body is None else chain_pieces.with_body(node, body, w)), "w": w})
        w, body = chain_pieces.tip_angular_velocity(span, w), following
        assert max(abs(x - y) for x, y in zip(w, carry["w"], strict=True)) < 1e-40
    return result


def accelerations(parts: Sequence[Sequence[Link]], tree: trees.Tree, tip: list[Any] | None = None) -> list[Any]:
    """Joined two by two, and what they share handed back. `tip` is the acceleration of the tip where that is known."""
    nodes = nodes_of(parts, tree)
    states: dict[int, tuple[list[Any], list[Any]]] = {}

    def join_range(first: int, last: int) -> tuple[Values, Any]:
        if last - first == 1:
            return nodes[first], None
        middle = (first + last) // 2
        (a, below), (b, above) = join_range(first, middle), join_range(middle, last)
        shared = chain_pieces.couple_pieces(a, b)
        return chain_pieces.join_pieces(a, b, shared), (a, b, shared, below, above, middle)

    def handed_back(result: Any, first: int, last: int, a: list[Any], F: list[Any]) -> None:
        if result is None:
            states[first] = a, F
            return
        inner, outer, shared, below, above, middle = result
        force, acceleration = chain_pieces.interface_state(inner, outer, shared, a, F)
        handed_back(below, first, middle, a, force)
        handed_back(above, middle, last, acceleration, F)

    whole, joints = join_range(0, len(parts))
    base = [0, 0, 0, *(-g for g in tree.gravity)]
    handed_back(joints, 0, len(parts), base, [0] * 6 if tip is None else chain_pieces.wrench_at_fixed_tip(whole, base, tip))
    qdd: list[Any] = []
    for k, part in enumerate(parts):
        a, F = states[k]
        carry: Values = {"w": nodes[k]["w"], "al": tuple(a[:3]), "l": tuple(a[3:]), "F": (tuple(F[:3]), tuple(F[3:]))}
        for link in part:
            carry, saves = chain_pieces.accelerate_between.step(link, carry)
            qdd += saves["qdd"]
        if k + 1 < len(parts):  # the tip of one is the base of the next
            tip = [*flatten((carry["al"], carry["l"]))]
            assert max(abs(x - y) for x, y in zip(tip, states[k + 1][0], strict=True)) < 1e-30
    return qdd


@pytest.mark.parametrize("name", CHAINS)
def test_pieces_are_the_chain(name: str) -> None:
    mechanism = random_mechanism(CHAINS[name], 3, chain=True)
    tree = trees.build_tree(mechanism)
    q, qd, _, tau = state(mechanism, 5)
    values = {"q": q, "qd": qd, "tau": tau}
    massive = [i for i in range(len(tree) - 1) if tree.constants["mass"][i, 0] > 0]  # where it can be cut
    with mpmath.workdps(50):
        expected = run(FORWARD_DYNAMICS, tree, links_of(tree, values))
        for cuts in ([], massive[:1], massive[1::3], massive):
            ends = [0, *(i + 1 for i in cuts), len(tree)]
            links = links_of(tree, values)
            parts = [links[a:b] for a, b in pairwise(ends)]
            actual = accelerations(parts, tree)
            assert max(abs(x - y) for x, y in zip(actual, expected, strict=True)) < 1e-30 * max(abs(x) for x in expected)


def test_both_ends_fixed() -> None:
    """A chain whose tip is welded to the ground where it is, against the equations of the loop."""
    n = 9
    chain = random_mechanism(["revolute"] * n, 11, chain=True)
    q, z, _, tau = state(chain, 3)
    pose = lg.compile(chain).pose(q, chain.bodies[-1].name)
    there = lg.Transform(tuple(map(tuple, pose[:3, :3].tolist())), tuple(pose[:3, 3].tolist()))
    weld = lg.LoopJoint("weld", "fixed", "ground", chain.bodies[-1].name, there)
    closed = lg.compile(replace(chain, loops=[weld]))
    J = closed.constraint_jacobian(q)
    assert np.linalg.matrix_rank(J) == 6
    qd = z - np.linalg.pinv(J) @ (J @ z)  # the tip is at rest
    tree = trees.build_tree(chain)
    link, at = tree.body_places[chain.bodies[-1].name]
    R = pose[:3, :3] @ np.array(at.rotation, dtype=float).T  # of the last link
    tip = [0, 0, 0, *(R.T @ -np.array(tree.gravity))]
    assert link == n - 1
    with mpmath.workdps(50):
        links = links_of(tree, {"q": q, "qd": qd, "tau": tau})
        values = np.array(accelerations([links[:4], links[4:]], tree, tip), dtype=float)
    expected = closed.forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
